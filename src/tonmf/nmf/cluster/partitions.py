"""Partitions of documents on workers, and the source by which a fit goes over them.

A `Partition` lies on a worker; this process has only a reference to it (`PartitionSource.data`). The state that a fit keeps for
its documents lies on the worker too, beside the partition (`tonmf.nmf.cluster.worker`). So the source keeps a log, which says
how far the fit is, and its `History`, from which the state of a lost partition is made again: the very same, because a pass
gives the same H whenever it starts from the same H.
"""

from __future__ import annotations

import itertools
import uuid
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.blocks import Block, Source, not_in_one_place


@dataclass(frozen=True)
class Partition:
    """Blocks, whose documents are numbered from the start of the partition."""

    blocks: tuple[Block, ...]
    n_terms: int

    @property
    def n_docs(self) -> int:
        """Return the number of documents."""
        return sum(len(block.squared_norms) for block in self.blocks)

    def facts(self) -> PartitionFacts:
        """Return size, dtype and checksum."""
        values = crc = 0
        for block in self.blocks:
            rows = block.X.by_row
            values += int(rows.nnz)
            for part in (rows.indptr, rows.indices, rows.data):
                crc = zlib.crc32(np.ascontiguousarray(part).data, crc)
        dtype = str(self.blocks[0].H.dtype) if self.blocks else ""
        return PartitionFacts(self.n_docs, self.n_terms, values, dtype, crc)


@dataclass(frozen=True)
class PartitionFacts:
    """Size, dtype and checksum of a partition, which must be the same if it is recomputed."""

    n_docs: int
    n_terms: int
    n_stored: int
    dtype: str
    checksum: int


@dataclass
class PartitionedData:
    """Partitions on workers, which several fits can share.

    ============= ===================================================================================
    field         what
    ============= ===================================================================================
    references    to the partitions, in order
    facts         size, dtype and checksum of each partition
    supply        sends a lost partition again that Dask cannot recompute, and returns the reference
    places        the worker that works on each partition, as far as known, and when that was planned
    name          by which workers know the partitions
    ============= ===================================================================================
    """

    references: list[Any]
    facts: list[PartitionFacts]
    supply: Callable[[int], Any] | None = None
    places: list[str] = field(default_factory=list)
    planned: float = -np.inf
    name: str = field(default_factory=lambda: uuid.uuid4().hex)

    def supply_lost(self) -> None:
        """Send lost partitions again that Dask cannot recompute."""
        if self.supply is not None:
            for number, reference in enumerate(self.references):
                if reference.status in ("lost", "cancelled"):
                    self.references[number] = self.supply(number)

    @property
    def firsts(self) -> NDArray[np.int64]:
        """Return the number of documents before each partition, and of all."""
        return np.append(0, np.cumsum([fact.n_docs for fact in self.facts])).astype(np.int64)


class Fits:
    """The fits over the same documents: their unique names, and which of them are over."""

    def __init__(self) -> None:
        self.family = uuid.uuid4().hex
        self.over: set[str] = set()
        self._numbers = itertools.count(1)

    def begin(self) -> str:
        """Return the name of a new fit."""
        return f"{self.family}-{next(self._numbers)}"


@dataclass(frozen=True)
class FitLog:
    """How far a fit is: the passes it has done, and the topics to keep of those that its H has.

    `is_zero` says that no pass is done and H is zero, for `n_topics` topics.
    """

    name: str
    n_done: int
    n_topics: int
    kept: NDArray[np.bool_] | None
    is_zero: bool


@dataclass(frozen=True)
class BlockState:
    """The state that a fit keeps for a block; nothing in it is ever changed."""

    H: Array
    rho: Array | None = None
    omega: Array | None = None
    measured: bool = False
    held_z: Any = None

    @classmethod
    def of(cls, block: Block) -> BlockState:
        """Take the state of a block."""
        rho, omega = getattr(block, "rho", None), getattr(block, "omega", None)
        return cls(block.H, rho, omega, block.measured, block.held_z)

    def give_to(self, block: Block, kept: NDArray[np.bool_] | None, *, to_change: bool) -> None:
        """Put the state into a block, which may change only H in place, and only if it is told so."""
        if kept is not None:
            block.H = np.ascontiguousarray(self.H[:, kept])
        else:
            block.H = self.H.copy() if to_change else self.H
        block.measured, block.held_z = self.measured, self.held_z
        if self.rho is not None and self.omega is not None:
            block.rho, block.omega = self.rho, self.omega


@dataclass
class History:
    """All that is needed to make the state of partitions again: the start or a checkpoint, and the passes since.

    ============= ===================================================================================
    field         what
    ============= ===================================================================================
    n_topics      of the start
    start         H at the start, for each partition; None: zero
    states        of each block of each partition at the checkpoint, if there is one
    n_before      passes before the checkpoint
    passes        the topics that each pass since has kept, and the pass, packed as workers got it
    ============= ===================================================================================
    """

    n_topics: int = 0
    start: list[Array] | None = None
    states: list[list[BlockState]] | None = None
    n_before: int = 0
    passes: list[tuple[NDArray[np.bool_] | None, bytes]] = field(default_factory=list)

    @property
    def n_bytes(self) -> int:
        """Return the size of the passes."""
        return sum(len(payload) for _, payload in self.passes)


MOST_HISTORY = 2**26
"""Bytes of packed passes up to which no checkpoint is made; beyond, one is made when they are larger than H."""


class PartitionSource:
    """`tonmf.nmf.blocks.Source` of partitions on workers."""

    def __init__(self, data: PartitionedData, fits: Fits | None = None) -> None:
        self.fits, self._name = Fits() if fits is None else fits, ""
        self.data = data
        known = [fact for fact in data.facts if fact.n_docs]
        self.n_docs, self.n_terms = int(data.firsts[-1]), known[0].n_terms
        self.dtype: np.dtype[Any] = np.dtype(known[0].dtype)
        self._kept: NDArray[np.bool_] | None = None
        self.history = History()

    @property
    def n_partitions(self) -> int:
        """Return the number of partitions."""
        return len(self.data.references)

    def again(self) -> PartitionSource:
        """Return a source of the same documents, for another fit."""
        return PartitionSource(self.data, self.fits)

    def start_from(self, H: Array | None, n_topics: int) -> None:
        """Set every document's topics to its row of `H`, or to zero, when the first pass begins."""
        self.forget()
        self._name = self.fits.begin()
        start = None if H is None else [H[low:high] for low, high in itertools.pairwise(self.data.firsts)]
        self._kept, self.history = None, History(n_topics, start)

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        """Drop the columns of every document's H that are not in `kept`, when the next pass begins."""
        if self._kept is None:
            self._kept = kept.copy()
        else:
            self._kept[np.flatnonzero(self._kept)[~kept]] = False

    @property
    def n_done(self) -> int:
        """Return the number of passes since the start."""
        return self.history.n_before + len(self.history.passes)

    def begin_pass(self) -> FitLog:
        """Return the log for the tasks of the next pass."""
        history, n_done = self.history, self.n_done
        is_zero = n_done == 0 and history.start is None
        return FitLog(self._name, n_done, history.n_topics, self._kept, is_zero)

    def end_pass(self, payload: bytes) -> None:
        """Record that a pass is done."""
        self.history.passes.append((self._kept, payload))
        self._kept = None

    def log(self) -> FitLog | None:
        """Return the log for tasks that read the fit's state; None if there is none yet."""
        return self.begin_pass() if self.n_done else None

    @property
    def needs_checkpoint(self) -> bool:
        """Return whether the passes since the last checkpoint take more room than the state of all documents."""
        of_document = self.dtype.itemsize * self.history.n_topics + 2 * np.dtype(np.float64).itemsize
        return self.history.n_bytes > max(MOST_HISTORY, self.n_docs * of_document)

    def keep_checkpoint(self, states: list[list[BlockState]]) -> None:
        """Start the history anew, from the state of every block after the last pass."""
        self.history = History(self.history.n_topics, None, states, self.n_done)

    def history_of(self, numbers: Sequence[int]) -> History:
        """Return the history of some partitions, by which the state at `begin_pass` can be made again."""
        history = self.history
        start = None if history.start is None else [history.start[number] for number in numbers]
        states = None if history.states is None else [history.states[number] for number in numbers]
        return replace(history, start=start, states=states)

    def forget(self) -> None:
        """Mark the fit as over, so that workers drop its state."""
        if self._name:
            self.fits.over.add(self._name)

    def __del__(self) -> None:
        self.forget()

    def matrix(self) -> sp.csr_matrix:
        """Raise, because the documents are never put together."""
        raise not_in_one_place("on several workers")

    def __reduce__(self) -> Any:
        raise TypeError("A source of partitions stays in the process that made it.")


def partitions_of(source: Source) -> PartitionSource:
    """Return `source` if its blocks are in partitions on workers, else raise TypeError."""
    if not isinstance(source, PartitionSource):
        raise TypeError(f"Expected a source with partitions on workers, got {type(source).__name__}.")
    return source
