"""Code that runs on the workers of a cluster: steps on the blocks of partitions, and the state that fits keep for these.

Partitions lie in the process of the worker (`_partitions`), beside Dask's own store, and so do states (`_states`), by the
number of passes done. A task names what it needs. If that is not here, because the worker is new or another one had it, the
task returns `Absent`, and the worker gets it by `bring`: the partition from Dask, which can recompute it, and the state by
doing the passes of the fit's history again.

A state is never changed. A pass reads the state after n passes and writes the one after n + 1; both are kept until the next
pass is done. So a pass that is repeated, even beside itself in another thread, gives the same again.
"""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.nmf.blocks import Block
from tonmf.nmf.cluster.partitions import BlockState, FitLog, History, Partition, PartitionFacts
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.nmf.threads import one_blas_thread


@dataclass(frozen=True)
class Share:
    """The partitions of one worker: their numbers, the documents before each, and how far the fit over them is."""

    family: str
    data: str
    numbers: tuple[int, ...]
    firsts: tuple[int, ...]
    log: FitLog | None
    over: frozenset[str]


@dataclass(frozen=True)
class Absent:
    """The numbers of partitions that are not on a worker, or whose state in a fit is not: returned in place of a result."""

    numbers: tuple[int, ...]


LONG_UNUSED = 6 * 3600.0
"""Seconds without a task after which all that is kept for the fits over the same documents is dropped."""

N_ENDED = 1000
"""Families of fits known to be over, so that a task of theirs that still runs leaves nothing behind."""


_partitions: dict[tuple[str, str, int], Partition] = {}
_states: dict[tuple[str, int], dict[int, list[BlockState]]] = {}
_used: dict[str, float] = {}
_ended: deque[str] = deque(maxlen=N_ENDED)
_lock = threading.Lock()


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


# ---------------------------------------------------------------------- tasks


def run_step(payload: bytes, share: Share) -> Any:
    """Do a pass of a fit over partitions and return the sums."""
    log = share.log
    assert log is not None  # noqa: S101 (a pass belongs to a fit)
    if (absent := absent_of(share)) is not None:
        return absent
    step, empty = pickle.loads(payload)  # noqa: S301 (from the process whose tasks this worker runs)
    sums = empty()
    with one_blas_thread():
        for number, first in zip(share.numbers, share.firsts, strict=True):
            blocks = blocks_of(share, number, first, to_change=True)
            for block in blocks:
                step(block, sums)
            remember(share, number, log.n_done + 1, blocks)
    return sums


def sum_over(payload: bytes, share: Share) -> Any:
    """Return the sums of a step that changes no block."""
    if (absent := absent_of(share)) is not None:
        return absent
    step, empty = pickle.loads(payload)  # noqa: S301
    sums = empty()
    with one_blas_thread():
        for number, first in zip(share.numbers, share.firsts, strict=True):
            for block in blocks_of(share, number, first):
                step(block, sums)
    return sums


def look_at(payload: bytes, share: Share) -> dict[int, list[Any]] | Absent:
    """Return ``look(block)`` of each block of each partition, by the partition's number."""
    if (absent := absent_of(share)) is not None:
        return absent
    look = pickle.loads(payload)  # noqa: S301
    with one_blas_thread():
        return {
            number: [look(block) for block in blocks_of(share, number, first)]
            for number, first in zip(share.numbers, share.firsts, strict=True)
        }


def merge_sums(*parts: Any) -> Any:
    """Add up the sums of several sets of partitions, if all are there."""
    absent = [number for part in parts if isinstance(part, Absent) for number in part.numbers]
    if absent:
        return Absent(tuple(absent))
    total = copy.deepcopy(parts[0])  # what came from another worker cannot be changed
    for part in parts[1:]:
        total.merge(part)
    return total


def bring(history: History, share: Share, facts: list[PartitionFacts], *partitions: Partition) -> None:
    """Put partitions here, and make the state that a fit has for them again."""
    for place, (number, partition) in enumerate(zip(share.numbers, partitions, strict=True)):
        check(number, facts[place], partition)
        with _lock:
            if share.family not in _ended:
                _partitions[share.family, share.data, number] = partition
        if share.log is not None and not _has_state(share.log, number):
            blocks = numbered(partition, share.firsts[place])
            replay(history, place, blocks)
            remember(share, number, share.log.n_done, blocks)


def replay(history: History, place: int, blocks: list[Block]) -> None:
    """Do the passes of a history on the blocks of the partition that has this place in it."""
    if history.states is not None:
        for block, state in zip(blocks, history.states[place], strict=True):
            state.give_to(block, None, to_change=True)
    else:
        _begin(blocks, history.n_topics, None if history.start is None else history.start[place])
    with one_blas_thread():
        for kept, payload in history.passes:
            step, empty = pickle.loads(payload)  # noqa: S301
            sums = empty()
            for block in blocks:
                if kept is not None:
                    block.H = np.ascontiguousarray(block.H[:, kept])
                step(block, sums)


# ---------------------------------------------------------------------- what is here


def absent_of(share: Share) -> Absent | None:
    """Return the partitions of a share that are not here, or whose state is not; None if all are."""
    forget(share)
    absent = [
        number
        for number in share.numbers
        if (share.family, share.data, number) not in _partitions
        or not (share.log is None or _has_state(share.log, number))
    ]
    return Absent(tuple(absent)) if absent else None


def _has_state(log: FitLog, number: int) -> bool:
    """Return whether the state of a partition is here, or is zero."""
    return log.is_zero or log.n_done in _states.get((log.name, number), {})


def blocks_of(share: Share, number: int, first: int, *, to_change: bool = False) -> list[Block]:
    """Return the blocks of a partition with their state in the fit, if there is one, for a step that may change them or not."""
    blocks, log = numbered(_partitions[share.family, share.data, number], first), share.log
    if log is None:
        return blocks
    if log.is_zero:
        _begin(blocks, log.n_topics, None)
        return blocks
    for block, state in zip(blocks, _states[log.name, number][log.n_done], strict=True):
        state.give_to(block, log.kept, to_change=to_change)
    return blocks


def _begin(blocks: list[Block], n_topics: int, start: Array | None) -> None:
    """Set H to the start of a fit: the rows of a partition, or zero."""
    low = 0
    for block in blocks:
        high = low + len(block.squared_norms)
        rows = np.zeros((high - low, n_topics)) if start is None else start[low:high]
        block.H = np.array(rows, dtype=block.H.dtype, order="C")
        low = high


def remember(share: Share, number: int, n_done: int, blocks: list[Block]) -> None:
    """Keep the state of a partition after so many passes, beside the one before."""
    assert share.log is not None  # noqa: S101
    with _lock:
        if share.family in _ended:
            return
        after = _states.setdefault((share.log.name, number), {})
        after[n_done] = [BlockState.of(block) for block in blocks]
        for old in [n for n in after if n < max(after) - 1]:
            del after[old]


def forget(share: Share) -> None:
    """Drop the states of fits that are over, and all that has long been unused, whose client may have died."""
    now = time.monotonic()
    with _lock:
        _used[share.family] = now
        for key in [key for key in _states if key[0] in share.over]:
            del _states[key]
    for family in [family for family, used in list(_used.items()) if now - used > LONG_UNUSED]:
        forget_family(family)


def forget_family(family: str) -> None:
    """Drop all that is kept for fits over the same documents, and let tasks that still run keep nothing."""
    with _lock:
        _ended.append(family)
        _used.pop(family, None)
        for fit in [key for key in _states if key[0].startswith(family)]:
            del _states[fit]
        for partition in [key for key in _partitions if key[0] == family]:
            del _partitions[partition]


def numbered(partition: Partition, first: int) -> list[Block]:
    """Return the blocks of a partition without state, numbered among all documents."""
    blocks: list[Block] = []
    for block in partition.blocks:
        copied = block.fresh()
        copied.first = first + block.first
        blocks.append(copied)
    return blocks


def check(number: int, facts: PartitionFacts, partition: Partition) -> None:
    """Raise `InputError` if a recomputed partition is not what it was."""
    if partition.facts() == facts:
        return
    raise InputError(
        f"Partition {number} is not what it was when the fit began: it had {facts.n_docs} documents and "
        f"{facts.n_stored} stored values, and when it was read again {partition.n_docs} documents and other values. Fit again, "
        "on data that stays as it is."
    )


# ---------------------------------------------------------------------- partitions made of others


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
