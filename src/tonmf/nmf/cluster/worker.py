"""What runs on the workers of a cluster: steps on the blocks of partitions, and what fits remember of these.

Partitions are values that the scheduler knows how to make again. What a fit remembers of its documents is not: it would make a
chain of all passes. It lies in `_memories` of the worker's process, by fit and partition, with the number of passes that it has
seen. A pass first looks there:

======================================== ======================================================================
memory of the partition                  then
======================================== ======================================================================
of the pass before                       go on from it; it is kept until the next pass, in case this one is repeated
of this pass, which is being repeated    go back to how it was before the pass
none, or of an earlier pass              make it up from the topics at hand (`tonmf.nmf.steps.BlockStep.restore`)
of a later pass                          do nothing: nobody waits for this one any more
======================================== ======================================================================

A pass may be repeated while a task of the first attempt still runs, in another thread of the same process. So a task has what a
fit remembers of a partition to itself while it works on it (`alone_with`).
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
    """What a fit remembers of a block, but for the documents themselves."""

    H: Array
    rho: Array | None
    omega: Array | None
    measured: bool
    held_z: Any

    @classmethod
    def of(cls, block: Block) -> BlockMemory:
        """A copy; only H is changed in place."""
        rho, omega = getattr(block, "rho", None), getattr(block, "omega", None)
        return cls(block.H.copy(), rho, omega, block.measured, block.held_z)

    def back_to(self, block: Block) -> None:
        """Put it back."""
        block.H, block.measured, block.held_z = self.H.copy(), self.measured, self.held_z
        if self.rho is not None and self.omega is not None:
            block.rho, block.omega = self.rho, self.omega


@dataclass
class FitMemory:
    """The blocks of a partition as a fit has left them after so many passes, and how they were before the last one."""

    n_done: int
    blocks: list[Block]
    before: list[BlockMemory]
    used: float = field(default_factory=time.monotonic)


LONG_UNUSED = 6 * 3600.0
"""Seconds after which what a fit remembers is dropped if no pass has come."""


N_ENDED = 1000
"""Families of fits that are known to be over: a task of theirs that still runs leaves nothing behind."""


_memories: dict[tuple[str, int], FitMemory] = {}
_ended: deque[str] = deque(maxlen=N_ENDED)
_lock = threading.Lock()
_in_use = weakref.WeakValueDictionary[tuple[str, int], Any]()


@contextmanager
def alone_with(log: FitLog | None, task: PartitionTask) -> Iterator[None]:
    """Wait until no other task works on what a fit, if there is one, remembers of a partition, and let none begin."""
    if log is None:
        yield
        return
    with _lock:
        mine = _in_use.setdefault((log.name, task.number), threading.Lock())
    with mine:
        yield


def is_at_work(dask_worker: Any) -> bool:
    """Whether a worker runs a task, or fetches something for one."""
    state = dask_worker.state
    return bool(state.executing or state.long_running or state.in_flight_tasks)


def ops_of_this_worker() -> Any:
    """Compiled operations on as many threads as the worker has."""
    from tonmf.nmf.ops.compiled import CompiledOps

    return CompiledOps(threads_of_this_worker())


def threads_of_this_worker() -> int:
    """Threads that the worker was started with; 1 outside of one."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1


def run_step(payload: bytes, log: FitLog, tasks: Sequence[PartitionTask], *partitions: Partition) -> Any:
    """The sums of a pass of a fit over partitions."""
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
    """Sums of several sets of partitions in one."""
    total = parts[0].unpacked()
    for part in parts[1:]:
        total.merge(part)
    return total.packed(dtype)


class MemoryLostError(Exception):
    """What a fit remembers of a partition is not here; it has to be made up by `restore`."""


class PassOverError(Exception):
    """The fit has gone on since this pass was asked for."""


def sum_over(payload: bytes, log: FitLog | None, tasks: Sequence[PartitionTask], *partitions: Partition) -> Any:
    """The sums of a step over partitions that changes none of them. With a log, it sees what that fit remembers."""
    step, empty, dtype = pickle.loads(payload)  # noqa: S301
    sums = empty()
    with one_blas_thread():
        for task, partition in zip(tasks, partitions, strict=True):
            with alone_with(log, task):
                for block in blocks_to_look_at(log, task, partition):
                    step(block, sums)
    return sums.packed(dtype)


def look_at(payload: bytes, log: FitLog | None, tasks: Sequence[PartitionTask], *partitions: Partition) -> list[Any]:
    """What there is to see in the blocks of each partition, a list each."""
    look, seen = pickle.loads(payload), []  # noqa: S301
    with one_blas_thread():
        for task, partition in zip(tasks, partitions, strict=True):
            with alone_with(log, task):
                seen.append([look(block) for block in blocks_to_look_at(log, task, partition)])
    return seen


def blocks_to_look_at(log: FitLog | None, task: PartitionTask, partition: Partition) -> list[Block]:
    """The blocks of a partition as the last pass left them, or as they are without any fit."""
    check(task, partition)
    if log is None:
        return fresh_blocks(task, partition)
    blocks = remembered_blocks(log, task)
    if blocks is None:
        raise MemoryLostError(f"of partition {task.number}")
    return blocks


def restore(payload: bytes, log: FitLog, tasks: Sequence[PartitionTask], *partitions: Partition) -> None:
    """Make up what was lost of a fit, from the topics of its last pass."""
    step = pickle.loads(payload)  # noqa: S301
    for task, partition in zip(tasks, partitions, strict=True):
        with alone_with(log, task):
            if remembered_blocks(log, task) is None:
                blocks = fresh_blocks(task, partition)
                for block in blocks:
                    step.restore(block)
                _remember(log, task, FitMemory(log.n_done, blocks, []))


def blocks_for_pass(log: FitLog, task: PartitionTask, partition: Partition, step: Any) -> list[Block]:
    """The blocks of a partition as they are when the next pass begins."""
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
    """H as the fit starts from it."""
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
    """The blocks of a partition as the last pass left them, if they are here."""
    memory = _memories.get((log.name, task.number))
    return memory.blocks if memory is not None and memory.n_done == log.n_done else None


def forget(fits: frozenset[str]) -> None:
    """Drop what some fits remember, and what nobody has asked for since long: its client may be gone without a word."""
    now = time.monotonic()
    with _lock:
        for key in [key for key, memory in _memories.items() if key[0] in fits or now - memory.used > LONG_UNUSED]:
            del _memories[key]


def forget_family(family: str) -> None:
    """Drop what all fits over the same documents remember, now and later: they are over."""
    with _lock:
        _ended.append(family)
        for key in [key for key in _memories if key[0].startswith(family)]:
            del _memories[key]


def fresh_blocks(task: PartitionTask, partition: Partition) -> list[Block]:
    """The blocks of a partition, numbered among all documents, of which nothing is remembered yet."""
    blocks: list[Block] = []
    for block in partition.blocks:
        copied = block.fresh()
        copied.first = task.first + block.first
        blocks.append(copied)
    return blocks


def check(task: PartitionTask, partition: Partition) -> None:
    """A partition that had to be made again must be what it was."""
    facts = task.facts
    if (partition.n_docs, partition.n_terms) == (facts.n_docs, facts.n_terms) and _is_same(partition, facts):
        return
    raise InputError(
        f"Partition {task.number} is not what it was when the fit began: it had {facts.n_docs} documents and "
        f"{facts.n_stored} stored values, and when it was read again {partition.n_docs} documents and other values. Fit again, "
        "on data that stays as it is."
    )


def _is_same(partition: Partition, facts: PartitionFacts) -> bool:
    """Whether the checksum is right; it is looked at once for each copy of a partition."""
    seen = partition.__dict__.get("_checksum")
    if seen is None:
        seen = partition.facts().checksum
        object.__setattr__(partition, "_checksum", seen)
    return bool(seen == facts.checksum)


def among(partition: Partition, mask: NDArray[np.uint8]) -> Partition:
    """Only some documents of a partition; `mask` has a bit for each."""
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
    """Size, type and checksum."""
    return partition.facts()
