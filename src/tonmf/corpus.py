"""Counted documents, wherever they are: what the detector's recipe asks of them, block by block.

In memory, on disk and on a cluster differ in who supplies the blocks (`tonmf.sources`) and who runs them (`tonmf.executors`);
everything else is written once, over this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.alarms import sums_over_terms
from tonmf.executors import Executor
from tonmf.mixture import Mixture
from tonmf.ops import Array, Ops
from tonmf.ordinary import remoteness_of
from tonmf.sources import Block
from tonmf.sources.documents import DocumentBlock, DocumentSource, WordTotals

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

        return self.executor.gather(of_block, self.source.blocks())

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
        """How far every document is from those of a sample (`tonmf.ordinary`)."""
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
