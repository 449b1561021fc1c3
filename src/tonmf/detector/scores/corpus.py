"""Blocks of counted documents: what the detector's recipe goes over (`tonmf.detector.scores.corpus`)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.alarms import sums_over_terms
from tonmf.detector.scores.ordinary import remoteness_of
from tonmf.nmf.blocks import Block, Executor, Source
from tonmf.nmf.in_memory import HeldBlocks, MatrixSource, default_block_size, rows_between, squared_norms
from tonmf.nmf.mixture import Mixture
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay
from tonmf.text.totals import WordTotals


@dataclass
class DocumentBlock(Block):
    """A `Block` whose X holds the unit rows Y, with the damped counts C and what else is known of its documents."""

    C: TwoWay = field(kw_only=True)
    totals: WordTotals = field(kw_only=True)

    @classmethod
    def of(cls, block: Block, C: TwoWay, totals: WordTotals) -> DocumentBlock:
        """A block with its counts."""
        of_rows = block.squared_norms, block.sample_weight
        return cls(block.X, *of_rows, block.first, block.H, C=C, totals=totals)

    def fresh(self) -> DocumentBlock:
        """The same documents for another fit, which remembers nothing of them yet."""
        return DocumentBlock.of(super().fresh(), self.C, self.totals)

    def inside(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of documents by rising number those of this block, by their place in it."""
        low, high = np.searchsorted(rows, [self.first, self.first + len(self.squared_norms)])
        return rows[low:high] - self.first


class DocumentSource(Source, Protocol):
    """Documents that several fits can share."""

    def again(self) -> Source:
        """The same documents for another fit; they are shared, what a fit remembers of them is not."""

    def among(self, rows: NDArray[np.int64]) -> Source:
        """Only the documents with these numbers, in rising order, for a fit."""


class CountedSource(HeldBlocks[DocumentBlock]):
    """`DocumentSource` in memory: unit rows and damped counts that share their places, cut into blocks."""

    def __init__(self, Y: sp.csr_matrix, C: sp.csr_matrix, totals: WordTotals, max_topics: int, ops: Ops) -> None:
        self.n_docs, self.n_terms = Y.shape
        self.dtype = Y.dtype
        self._Y, self._max_topics, self._ops = Y, max_topics, ops
        self._blocks = []
        block_size = default_block_size(Y, max_topics)
        for low in range(0, self.n_docs, block_size):
            high = min(low + block_size, self.n_docs)
            rows, counts = rows_between(Y, low, high), rows_between(C, low, high)
            block = Block(ops.prepare(rows), squared_norms(rows), np.ones(high - low), low, np.zeros((0, 0), Y.dtype))
            self._blocks.append(DocumentBlock.of(block, ops.prepare(counts), totals.take(slice(low, high))))

    def again(self) -> CountedSource:
        twin = copy.copy(self)
        twin._blocks = [block.fresh() for block in self._blocks]
        return twin

    def among(self, rows: NDArray[np.int64]) -> MatrixSource:
        some = self._Y[rows]
        return MatrixSource(some, np.ones(len(rows)), default_block_size(some, self._max_topics), self._ops)

    def matrix(self) -> sp.csr_matrix:
        return self._Y


T = TypeVar("T")
Numbers = NDArray[np.int64]
Describe = Callable[[Numbers], tuple[list[str], list[str]]]
"""From numbers of documents to their names, and how they begin."""


@dataclass(frozen=True)
class Glance:
    """What a mixture makes of documents, in brief.

    =========== ======= ==================================================
    field       shape   what
    =========== ======= ==================================================
    strangeness n_docs  b, how little the topics help
    unexplained n_docs  g, the share of the background
    main        n_docs  number of the topic with the largest share
    belonging   n_docs  that share
    =========== ======= ==================================================
    """

    strangeness: Array
    unexplained: Array
    main: NDArray[np.int16]
    belonging: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: Sequence[Glance]) -> Glance:
        """Those of several blocks, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


@dataclass(frozen=True)
class Some:
    """A few documents at hand: unit rows, damped counts, and what else is known of them."""

    Y: sp.csr_matrix
    C: sp.csr_matrix
    totals: WordTotals


@dataclass(frozen=True)
class Corpus:
    """Documents as the recipe wants them.

    `idf` and `background` (Σ_i c_it) belong to terms; `totals` to documents, and `readable` tells which of these have any
    term of the vocabulary. `describe` gives the names of documents with some numbers, and how they begin.
    """

    source: DocumentSource
    executor: Executor
    terms: list[str]
    idf: Array
    background: Array
    totals: WordTotals
    describe: Describe

    @property
    def n_docs(self) -> int:
        """How many documents there are."""
        return self.source.n_docs

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Which documents have a term of the vocabulary."""
        return np.asarray(self.totals.n_distinct > self.totals.n_outside)

    def look(self, at: Callable[[DocumentBlock], T]) -> list[T]:
        """What there is to see in every block, in order."""

        @wraps(at)
        def of_block(block: Block) -> T:
            assert isinstance(block, DocumentBlock)  # noqa: S101 (a source of documents has no others)
            return at(block)

        return self.executor.gather(of_block, self.source)

    def glance(self, mixture: Mixture, ops: Ops) -> Glance:
        """What a mixture makes of every document."""

        def at(block: DocumentBlock) -> Glance:
            reading = mixture.read(ops, block.C)
            shares = reading.theta[:, 1:]
            main = shares.argmax(axis=1)
            belonging = shares[np.arange(len(main)), main]
            return Glance(
                reading.strangeness, reading.unexplained.copy(), main.astype(np.int16), belonging.astype(np.float32)
            )

        return Glance.joined(self.look(at))

    def remoteness(self, sample: sp.csr_matrix, ops: Ops) -> Array:
        """How far every document is from those of a sample (`tonmf.detector.scores.ordinary`)."""
        prepared = ops.prepare(sample)
        return np.concatenate(self.look(lambda block: remoteness_of(ops, block.X, prepared)))

    def rarity(self, of_terms: Array) -> Array:
        """Of every document the sum of its terms' rarity."""
        return np.concatenate(self.look(lambda block: sums_over_terms(block.C.by_row, of_terms)))

    def take(self, rows: Numbers) -> Some:
        """A few documents, given by rising numbers."""

        def at(block: DocumentBlock) -> Some | None:
            inside = block.inside(rows)
            if not len(inside):
                return None
            return Some(block.X.by_row[inside], block.C.by_row[inside], block.totals.take(inside))

        parts = [part for part in self.look(at) if part is not None]
        if not parts:
            nothing = sp.csr_matrix((0, len(self.terms)), dtype=np.float32)
            return Some(nothing, nothing, self.totals.take(slice(0, 0)))
        Y, C = (sp.csr_matrix(sp.vstack([getattr(part, name) for part in parts])) for name in ("Y", "C"))
        return Some(Y, C, WordTotals.joined([part.totals for part in parts]))
