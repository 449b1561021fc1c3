"""Code that runs on the workers of a cluster: steps on the blocks of partitions, and the state that fits keep for these.

The scheduler can recompute a partition. The state that a fit keeps for its documents it cannot: that would be a chain of all
passes. The state lies in `_memories` of the worker's process, by fit and partition, with the number of passes it has seen. A
pass looks there first:

======================================== ======================================================================
state of the partition                   then
======================================== ======================================================================
of the previous pass                     continue from it; keep a copy, in case this pass is repeated
of this pass, which is being repeated    go back to the copy from before the pass
none, or of an earlier pass              restore it from the current topics (`tonmf.nmf.steps.BlockStep.restore`)
of a later pass                          do nothing: nobody waits for this pass any more
======================================== ======================================================================

A pass may be repeated while a task of the first attempt still runs in another thread of the same process. So a task locks the
state of a partition while it works on it (`alone_with`).
"""

from __future__ import annotations

import pickle
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.nmf.blocks import Block
from tonmf.nmf.cluster.partitions import FitLog, Partition, PartitionFacts
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.nmf.threads import one_blas_thread


@dataclass(frozen=True)
class PartitionTask:
    """One partition in a task: its number, how many documents come before it, and the facts it is checked against."""

    number: int
    first: int
    facts: PartitionFacts
    start: Array | None = None


@dataclass
class BlockMemory:
    """A copy of the state that a fit keeps for a block."""

    H: Array
    rho: Array | None
    omega: Array | None
    measured: bool
    held_z: Any

    @classmethod
    def of(cls, block: Block) -> BlockMemory:
        """Copy the state of a block; only H is ever changed in place."""
        rho, omega = getattr(block, "rho", None), getattr(block, "omega", None)
        return cls(block.H.copy(), rho, omega, block.measured, block.held_z)

    def back_to(self, block: Block) -> None:
        """Put the state back into a block."""
        block.H, block.measured, block.held_z = self.H.copy(), self.measured, self.held_z
        if self.rho is not None and self.omega is not None:
            block.rho, block.omega = self.rho, self.omega


@dataclass
class FitMemory:
    """The blocks of a partition after `n_done` passes of a fit, and their state before the last pass."""

    n_done: int
    blocks: list[Block]
    before: list[BlockMemory]
    used: float = field(default_factory=time.monotonic)


LONG_UNUSED = 6 * 3600.0
"""Seconds without a pass after which the state of a fit is dropped."""


N_ENDED = 1000
"""Families of fits known to be over, so that a task of theirs that still runs leaves nothing behind."""


_memories: dict[tuple[str, int], FitMemory] = {}
_ended: deque[str] = deque(maxlen=N_ENDED)
_lock = threading.Lock()
_in_use = weakref.WeakValueDictionary[tuple[str, int], Any]()


@contextmanager
def alone_with(log: FitLog | None, task: PartitionTask) -> Iterator[None]:
    """Hold the lock on the state of a partition; without a fit there is none to hold."""
    if log is None:
        yield
        return
    with _lock:
        mine = _in_use.setdefault((log.name, task.number), threading.Lock())
    with mine:
        yield


def is_at_work(dask_worker: Any) -> bool:
    """Return whether a worker runs a task or fetches data for one."""
    state = dask_worker.state
    return bool(state.executing or state.long_running or state.in_flight_tasks)


def ops_of_this_worker() -> Any:
    """Return compiled operations on as many threads as the worker has."""
    from tonmf.nmf.ops.compiled import CompiledOps

    return CompiledOps(threads_of_this_worker())


def threads_of_this_worker() -> int:
    """Return the number of threads of the worker; 1 outside a worker."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1


def run_step(payload: bytes, log: FitLog, tasks: Sequence[PartitionTask], *partitions: Partition) -> Any:
    """Do a pass of a fit over partitions and return the sums."""
    step, empty, dtype = pickle.loads(payload)  # noqa: S301 (from the process whose tasks this worker runs)
    sums = empty()
    with one_blas_thread():
        for task, partition in zip(tasks, partitions, strict=True):
            check(task, partition)
            with alone_with(log, task):
                for block in blocks_for_pass(log, task, partition, step):
                    step(block, sums)
    return sums.packed(dtype)


def merge_sums(dtype: np.dtype[Any], *parts: Any) -> Any:
    """Add up the sums of several sets of partitions."""
    total = parts[0].unpacked()
    for part in parts[1:]:
        total.merge(part)
    return total.packed(dtype)


class MemoryLostError(Exception):
    """The state of a partition is not on this worker and must be made by `restore`."""


class PassOverError(Exception):
    """The fit has continued since this pass was requested."""


def sum_over(payload: bytes, log: FitLog | None, tasks: Sequence[PartitionTask], *partitions: Partition) -> Any:
    """Return the sums of a step that changes no block. With a log, the blocks have the state of that fit."""
    step, empty, dtype = pickle.loads(payload)  # noqa: S301
    sums = empty()
    with one_blas_thread():
        for task, partition in zip(tasks, partitions, strict=True):
            with alone_with(log, task):
                for block in blocks_to_look_at(log, task, partition):
                    step(block, sums)
    return sums.packed(dtype)


def look_at(payload: bytes, log: FitLog | None, tasks: Sequence[PartitionTask], *partitions: Partition) -> list[Any]:
    """Return a list for each partition, with ``look(block)`` of its blocks."""
    look, seen = pickle.loads(payload), []  # noqa: S301
    with one_blas_thread():
        for task, partition in zip(tasks, partitions, strict=True):
            with alone_with(log, task):
                seen.append([look(block) for block in blocks_to_look_at(log, task, partition)])
    return seen


def blocks_to_look_at(log: FitLog | None, task: PartitionTask, partition: Partition) -> list[Block]:
    """Return the blocks of a partition as the last pass left them, or without state if there is no fit."""
    check(task, partition)
    if log is None:
        return fresh_blocks(task, partition)
    blocks = remembered_blocks(log, task)
    if blocks is None:
        raise MemoryLostError(f"of partition {task.number}")
    return blocks


def restore(payload: bytes, log: FitLog, tasks: Sequence[PartitionTask], *partitions: Partition) -> None:
    """Restore lost state of a fit, from the topics of its last pass."""
    step = pickle.loads(payload)  # noqa: S301
    for task, partition in zip(tasks, partitions, strict=True):
        with alone_with(log, task):
            if remembered_blocks(log, task) is None:
                blocks = fresh_blocks(task, partition)
                for block in blocks:
                    step.restore(block)
                _remember(log, task, FitMemory(log.n_done, blocks, []))


def blocks_for_pass(log: FitLog, task: PartitionTask, partition: Partition, step: Any) -> list[Block]:
    """Return the blocks of a partition in their state at the start of the next pass."""
    forget(log.over)
    memory = _memories.get((log.name, task.number))
    if memory is not None and memory.n_done == log.n_done + 1 and memory.before:
        for block, before in zip(memory.blocks, memory.before, strict=True):
            before.back_to(block)
        return memory.blocks
    if memory is not None and memory.n_done == log.n_done:
        blocks = memory.blocks
        if log.kept is not None:
            for block in blocks:
                block.H = np.ascontiguousarray(block.H[:, log.kept])
    else:
        blocks = fresh_blocks(task, partition)
        for block in blocks:
            _begin(block, log, task) if log.n_done == 0 else step.restore(block)
    _remember(log, task, FitMemory(log.n_done + 1, blocks, [BlockMemory.of(block) for block in blocks]))
    return blocks


def _begin(block: Block, log: FitLog, task: PartitionTask) -> None:
    """Set H to the start of the fit."""
    n_docs, low = len(block.squared_norms), block.first - task.first
    rows = np.zeros((n_docs, log.n_topics)) if task.start is None else task.start[low : low + n_docs]
    block.H = np.array(rows, dtype=block.H.dtype, order="C")


def _remember(log: FitLog, task: PartitionTask, memory: FitMemory) -> None:
    key = log.name, task.number
    with _lock:
        if key in _memories and _memories[key].n_done > memory.n_done:
            raise PassOverError(f"over partition {task.number}")
        if log.family not in _ended:
            _memories[key] = memory


def remembered_blocks(log: FitLog, task: PartitionTask) -> list[Block] | None:
    """Return the blocks of a partition as the last pass left them, or None if they are not on this worker."""
    memory = _memories.get((log.name, task.number))
    return memory.blocks if memory is not None and memory.n_done == log.n_done else None


def forget(fits: frozenset[str]) -> None:
    """Drop the state of some fits, and state that has long been unused, whose client may have died."""
    now = time.monotonic()
    with _lock:
        for key in [key for key, memory in _memories.items() if key[0] in fits or now - memory.used > LONG_UNUSED]:
            del _memories[key]


def forget_family(family: str) -> None:
    """Drop the state of all fits over the same documents, and let tasks that still run keep none."""
    with _lock:
        _ended.append(family)
        for key in [key for key in _memories if key[0].startswith(family)]:
            del _memories[key]


def fresh_blocks(task: PartitionTask, partition: Partition) -> list[Block]:
    """Return the blocks of a partition without state, numbered among all documents."""
    blocks: list[Block] = []
    for block in partition.blocks:
        copied = block.fresh()
        copied.first = task.first + block.first
        blocks.append(copied)
    return blocks


def check(task: PartitionTask, partition: Partition) -> None:
    """Raise `InputError` if a recomputed partition is not what it was."""
    facts = task.facts
    if (partition.n_docs, partition.n_terms) == (facts.n_docs, facts.n_terms) and _is_same(partition, facts):
        return
    raise InputError(
        f"Partition {task.number} is not what it was when the fit began: it had {facts.n_docs} documents and "
        f"{facts.n_stored} stored values, and when it was read again {partition.n_docs} documents and other values. Fit again, "
        "on data that stays as it is."
    )


def _is_same(partition: Partition, facts: PartitionFacts) -> bool:
    """Compare the checksum, which is computed once for each copy of a partition."""
    seen = partition.__dict__.get("_checksum")
    if seen is None:
        seen = partition.facts().checksum
        object.__setattr__(partition, "_checksum", seen)
    return bool(seen == facts.checksum)


def among(partition: Partition, mask: NDArray[np.uint8]) -> Partition:
    """Return a partition with only the documents whose bit in `mask` is set."""
    chosen = np.unpackbits(mask, count=partition.n_docs).astype(bool)
    blocks, first = [], 0
    for block in partition.blocks:
        rows = np.flatnonzero(chosen[block.first : block.first + len(block.squared_norms)])
        if len(rows):
            X = sp.csr_matrix(block.X.by_row[rows])
            of_rows = block.squared_norms[rows], block.sample_weight[rows]
            blocks.append(Block(TwoWayMatrix(X), *of_rows, first, np.zeros((0, 0), X.dtype)))
            first += len(rows)
    return Partition(tuple(blocks), partition.n_terms)


def facts_of(partition: Partition) -> PartitionFacts:
    """Return size, dtype and checksum of a partition."""
    return partition.facts()
