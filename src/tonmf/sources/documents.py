"""Blocks of counted documents: what the detector's recipe goes over (`tonmf.corpus`)."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.ops import Array, Ops
from tonmf.ops.two_way import TwoWay
from tonmf.sources import Block, Source
from tonmf.sources.memory import HeldBlocks, MatrixSource, default_block_size, rows_between, squared_norms

Whole = NDArray[np.integer[Any]]


@dataclass
class WordTotals:
    """What is known of each document beside its terms of the vocabulary.

    ============== ======= ====================================================================
    field          shape   what
    ============== ======= ====================================================================
    n_words        n_docs  all words of a document, in the vocabulary or not
    n_distinct     n_docs  its different words
    n_outside      n_docs  those of its different words that are not in the vocabulary
    outside_weight n_docs  Σ (1 + ln count) over them
    ============== ======= ====================================================================
    """

    n_words: Whole
    n_distinct: Whole
    n_outside: Whole
    outside_weight: Array

    def take(self, rows: slice | NDArray[np.int64]) -> WordTotals:
        """Those of some documents."""
        return WordTotals(*(getattr(self, name)[rows] for name in WordTotals.__dataclass_fields__))

    @classmethod
    def joined(cls, parts: Sequence[WordTotals]) -> WordTotals:
        """Those of several sets of documents, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


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
        return DocumentBlock.of(self.unfitted(), self.C, self.totals)

    def inside(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of documents by rising number those of this block, by their place in it."""
        low, high = np.searchsorted(rows, [self.first, self.first + len(self.squared_norms)])
        return rows[low:high] - self.first


class DocumentSource(Source, Protocol):
    """Documents that several fits can share."""

    def blocks(self) -> Iterable[DocumentBlock]:
        """The blocks, in order."""

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
