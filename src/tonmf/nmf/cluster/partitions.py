"""Partitions of documents on workers, and the source by which a fit goes over them.

A `Partition` lies on a worker; this process has only a reference to it (`PartitionSource.data`). The state that a fit keeps for
its documents lies on the worker too, beside the partition (`tonmf.nmf.cluster.worker`). So the source keeps a log instead:
which fit this is, how many passes it has done, and what to do to every document's topics before the next pass.
"""

from __future__ import annotations

import itertools
import uuid
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
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
    places        the worker that works on each partition, as far as known
    ============= ===================================================================================
    """

    references: list[Any]
    facts: list[PartitionFacts]
    supply: Callable[[int], Any] | None = None
    places: dict[int, str] = field(default_factory=dict)

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
    """Where a fit stands: what a worker needs to find or restore the fit's state for a partition."""

    family: str
    name: str
    n_done: int
    n_topics: int
    kept: NDArray[np.bool_] | None
    over: frozenset[str]


class PartitionSource:
    """`tonmf.nmf.blocks.Source` of partitions on workers."""

    def __init__(self, data: PartitionedData, fits: Fits | None = None) -> None:
        self.fits, self._name = Fits() if fits is None else fits, ""
        self.data = data
        known = [fact for fact in data.facts if fact.n_docs]
        self.n_docs, self.n_terms = int(data.firsts[-1]), known[0].n_terms
        self.dtype: np.dtype[Any] = np.dtype(known[0].dtype)
        self._n_done, self._n_topics = 0, 0
        self._kept: NDArray[np.bool_] | None = None
        self.start: Array | None = None
        self.last_step: Any = None

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
        self._n_done, self._n_topics, self._kept, self.start, self.last_step = 0, n_topics, None, H, None

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        """Drop the columns of every document's H that are not in `kept`, when the next pass begins."""
        if self._kept is None:
            self._kept = kept.copy()
        else:
            self._kept[np.flatnonzero(self._kept)[~kept]] = False

    def begin_pass(self) -> FitLog:
        """Return the log for the tasks of the next pass."""
        over = frozenset(self.fits.over)
        return FitLog(self.fits.family, self._name, self._n_done, self._n_topics, self._kept, over)

    def end_pass(self, step: Any) -> None:
        """Record that `step` has done a pass."""
        self._n_done += 1
        self._kept, self.last_step = None, step

    def log(self) -> FitLog | None:
        """Return the log for tasks that read the fit's state; None if there is none yet."""
        return self.begin_pass() if self._n_done else None

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
