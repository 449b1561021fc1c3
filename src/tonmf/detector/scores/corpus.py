"""Counted documents, in memory, on disk or on a cluster: the one thing that is fitted and scored.

Training documents and new ones are the same here. A `Corpus` knows its blocks and who runs them; what it returns are numbers
of documents, whichever way they were computed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.alarms import rarity_of
from tonmf.detector.scores.company import STRONGEST, Company
from tonmf.detector.scores.ordinary import remoteness_of
from tonmf.nmf.blocks import Block, Executor, SerialExecutor, Source
from tonmf.nmf.in_memory import HeldBlocks, MatrixSource, default_block_size, rows_between
from tonmf.nmf.mixture import Mixture, Reading
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay
from tonmf.text.counts import OUTSIDE, PASSED_OVER
from tonmf.text.totals import WordTotals, weight_of
from tonmf.text.weighting import damped, unit_rows


@dataclass
class DocumentBlock(Block):
    """A `Block` whose X holds the unit rows Y, with the damped counts C and the totals of its documents."""

    C: TwoWay = field(kw_only=True)
    totals: WordTotals = field(kw_only=True)

    @classmethod
    def of(cls, block: Block, C: TwoWay, totals: WordTotals) -> DocumentBlock:
        """Add the counts to a block."""
        of_rows = block.squared_norms, block.sample_weight
        return cls(block.X, *of_rows, block.first, block.H, C=C, totals=totals)

    def fresh(self) -> DocumentBlock:
        """Return the same documents for another fit, which remembers nothing of them yet."""
        return DocumentBlock.of(super().fresh(), self.C, self.totals)

    def read_by(self, mixture: Mixture, ops: Ops) -> Reading:
        """Return the mixtures of the documents."""
        outside = np.asarray(self.totals.outside_weight, np.float64)
        return mixture.read(ops, self.C, np.asarray(outside, like=mixture.ratios))

    @property
    def numbers(self) -> slice:
        """Return the numbers of the documents."""
        return slice(self.first, self.first + len(self.squared_norms))

    def inside(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pick the documents of this block out of rising numbers, and return their places in it."""
        low, high = np.searchsorted(rows, [self.numbers.start, self.numbers.stop])
        return rows[low:high] - self.first


@dataclass(frozen=True)
class FewerTerms:
    """Some of the terms of a corpus: their numbers and weights, and the numbers of dropped ones that do not count at all."""

    kept: NDArray[np.int64]
    weights: Array
    passed_over: NDArray[np.int64]


def rows_of_terms(block: DocumentBlock, terms: FewerTerms) -> Rows:
    """Return the documents of a block by some of the terms; words of the others are outside the vocabulary."""
    C, totals = block.C.by_row, block.totals
    number = np.full(C.shape[1], OUTSIDE, np.int32)
    number[terms.passed_over] = PASSED_OVER
    number[terms.kept] = np.arange(len(terms.kept))
    columns = number[C.indices]
    inside = columns >= 0
    some = sp.csr_matrix((C.shape[0], len(terms.kept)), dtype=np.float32)
    some.data, some.indices = C.data[inside], columns[inside]
    some.indptr = np.append(0, np.cumsum(inside))[C.indptr].astype(C.indptr.dtype)
    some.has_canonical_format = True
    dropped = np.flatnonzero(~inside)
    documents = np.searchsorted(C.indptr, dropped, side="right") - 1
    counts = np.rint(np.exp(C.data[dropped].astype(np.float64) - 1))  # from damped counts back to counts
    outside, passed_over = columns[dropped] == OUTSIDE, columns[dropped] == PASSED_OVER

    def summed(of: NDArray[np.bool_], values: Array | None = None) -> Array:
        return np.bincount(documents[of], None if values is None else values[of], C.shape[0]).astype(np.float64)

    dtype = totals.n_words.dtype
    fewer = WordTotals(
        (totals.n_words - summed(passed_over, counts)).astype(dtype),
        (totals.n_distinct - summed(passed_over)).astype(dtype),
        (totals.n_outside + summed(outside)).astype(dtype),
        totals.outside_weight + summed(outside, weight_of(counts)),
    )
    return Rows(unit_rows(some, terms.weights), some, fewer)


class DocumentSource(Source, Protocol):
    """Documents that several fits can share."""

    def again(self) -> Source:
        """Return the same documents for another fit; fits share the documents, but not what they remember of them."""

    def among(self, rows: NDArray[np.int64]) -> Source:
        """Return only the documents with these rising numbers, for a fit."""

    def weighted(self, weights: Array) -> DocumentSource:
        """Return the same documents, each to count so much in fits."""

    def of_terms(self, terms: FewerTerms) -> DocumentSource:
        """Return the same documents by some of the terms."""


class CountedSource(HeldBlocks[DocumentBlock]):
    """`DocumentSource` in memory: unit rows Y and damped counts C with the same sparsity pattern, cut into blocks."""

    def __init__(self, Y: sp.csr_matrix, C: sp.csr_matrix, totals: WordTotals, max_topics: int, ops: Ops) -> None:
        self.n_docs, self.n_terms = Y.shape
        self.dtype = Y.dtype
        self._Y, self._max_topics, self._ops = Y, max_topics, ops
        self._weights = np.ones(self.n_docs)
        self._blocks = []
        block_size = default_block_size(Y, max_topics, ops.bytes_of_work)
        for low in range(0, self.n_docs, block_size):
            high = min(low + block_size, self.n_docs)
            rows, counts = (ops.prepare(rows_between(S, low, high)) for S in (Y, C))
            norms, weights = ops.squared_norms(rows), ops.place(np.ones(high - low))
            block = Block(rows, norms, weights, low, np.zeros((0, 0), Y.dtype))
            self._blocks.append(DocumentBlock.of(block, counts, totals.take(slice(low, high))))

    def again(self) -> CountedSource:
        twin = copy.copy(self)
        twin._blocks = [block.fresh() for block in self._blocks]
        return twin

    def among(self, rows: NDArray[np.int64]) -> MatrixSource:
        some = self._Y[rows]
        size = default_block_size(some, self._max_topics, self._ops.bytes_of_work)
        return MatrixSource(some, self._weights[rows], size, self._ops)

    def of_terms(self, terms: FewerTerms) -> CountedSource:
        parts = [rows_of_terms(block, terms) for block in self._blocks]
        Y, C = (sp.csr_matrix(sp.vstack([getattr(part, name) for part in parts], format="csr")) for name in ("Y", "C"))
        return CountedSource(Y, C, WordTotals.joined([part.totals for part in parts]), self._max_topics, self._ops)

    def weighted(self, weights: Array) -> CountedSource:
        twin = self.again()
        twin._weights = weights
        for block in twin._blocks:
            block.sample_weight = self._ops.place(weights[block.numbers])
        return twin

    def matrix(self) -> sp.csr_matrix:
        return self._Y


T = TypeVar("T")
Numbers = NDArray[np.int64]
Describe = Callable[[Numbers], tuple[list[str], list[str]]]
"""From numbers of documents to their names and excerpts."""


def nameless(rows: Numbers) -> tuple[list[str], list[str]]:
    """Describe documents that nobody will ask about."""
    return [], []


@dataclass(frozen=True)
class Glance:
    """The mixtures of documents, in brief.

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
        """Join those of several blocks, in order."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


@dataclass(frozen=True)
class Rows:
    """A few documents at hand: unit rows Y, damped counts C, and their totals."""

    Y: sp.csr_matrix
    C: sp.csr_matrix
    totals: WordTotals


@dataclass(frozen=True)
class Corpus:
    """Counted documents, ready to be fitted or scored.

    ========== ======== ===============================================================
    field      shape    what
    ========== ======== ===============================================================
    source              the documents, in blocks
    executor            who runs the blocks
    terms      n_terms  the vocabulary
    idf        n_terms  how rare each term is
    weights    n_terms  how much each term weighs in rows (`tonmf.text.weighting.term_weights`)
    background n_terms  Σ_i c_it over the training documents
    totals              words of each document, in the vocabulary or not
    describe            returns the names and the excerpts of documents, given their numbers
    ========== ======== ===============================================================
    """

    source: DocumentSource
    executor: Executor
    terms: Sequence[str]
    idf: Array
    weights: Array
    background: Array
    totals: WordTotals
    describe: Describe = nameless

    @classmethod
    def in_memory(
        cls,
        counts: sp.csr_matrix,
        totals: WordTotals,
        terms: Sequence[str],
        idf: Array,
        weights: Array,
        max_topics: int,
        ops: Ops,
        *,
        background: Array | None = None,
        describe: Describe = nameless,
    ) -> Corpus:
        """Weigh counts in memory; the background is that of these very documents, unless it is given."""
        C = damped(counts)
        if background is None:
            background = np.bincount(C.indices, C.data, len(terms)).astype(np.float64)
        source = CountedSource(unit_rows(C, weights), C, totals, max_topics, ops)
        return cls(source, SerialExecutor(), terms, idf, weights, background, totals, describe)

    def of_terms(self, kept: NDArray[np.int64], passes_over: Callable[[str], bool]) -> Corpus:
        """Return the same corpus by some of the terms; others are outside the vocabulary, or do not count at all."""
        idf, weights = self.idf[kept], self.weights[kept]
        dropped = np.setdiff1d(np.arange(len(self.terms)), kept).tolist()
        passed_over = np.array([number for number in dropped if passes_over(self.terms[number])], np.int64)
        fewer = replace(
            self,
            source=self.source.of_terms(FewerTerms(kept, weights, passed_over)),
            terms=[self.terms[number] for number in kept.tolist()],
            idf=idf,
            weights=weights,
            background=self.background[kept],
        )
        return replace(fewer, totals=WordTotals.joined(fewer.map_blocks(lambda block: block.totals)))

    def weighted(self, weights: Array) -> Corpus:
        """Return the same corpus, with documents that count so much in fits and in the background."""

        def of_block(block: DocumentBlock) -> Array:
            C = block.C.by_row
            each = np.repeat(weights[block.first : block.first + C.shape[0]], np.diff(C.indptr))
            return np.bincount(C.indices, each * C.data, C.shape[1]).astype(np.float64)

        background = np.sum(self.map_blocks(of_block), axis=0)
        return replace(self, source=self.source.weighted(weights), background=background)

    @property
    def n_docs(self) -> int:
        """Return the number of documents."""
        return self.source.n_docs

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Return True for the documents that have a term of the vocabulary."""
        return np.asarray(self.totals.n_distinct > self.totals.n_outside)

    def map_blocks(self, function: Callable[[DocumentBlock], T]) -> list[T]:
        """Return the function of every block, in order; it runs where the block is."""

        @wraps(function)
        def of_block(block: Block) -> T:
            assert isinstance(block, DocumentBlock)  # noqa: S101 (a source of documents has no others)
            return function(block)

        return self.executor.gather(of_block, self.source)

    def read(self, mixture: Mixture, ops: Ops) -> Reading:
        """Return the mixture of every document in full."""
        return Reading.joined(self.map_blocks(lambda block: block.read_by(mixture, ops)))

    def glance(self, mixture: Mixture, ops: Ops) -> Glance:
        """Return the mixture of every document in brief."""
        placed = mixture.placed(ops)

        def of_block(block: DocumentBlock) -> Glance:
            reading = block.read_by(placed, ops)
            shares = reading.theta[:, 1:]
            main = shares.argmax(axis=1)
            belonging = np.take_along_axis(shares, main[:, None], axis=1)[:, 0].astype(np.float32)
            return Glance(
                ops.fetch(reading.strangeness),
                ops.fetch(reading.unexplained.copy()),
                ops.fetch(main.astype(np.int16)),
                ops.fetch(belonging),
            )

        return Glance.joined(self.map_blocks(of_block))

    def remoteness(self, sample: TwoWay, trust: Array | None, ops: Ops) -> Array:
        """Return the distance of every document from those of a sample (`tonmf.detector.scores.ordinary`)."""
        return np.concatenate(self.map_blocks(lambda block: remoteness_of(ops, block.X, sample, trust)))

    def vouched_for(self, company: Company, ops: Ops) -> Array:
        """Return the sum of the largest weighted cosines of every document with strange ones, by words."""
        rows, weights = company.prepared, company.weights
        return np.concatenate(self.map_blocks(lambda block: ops.strongest(block.X, rows, weights, STRONGEST)))

    def vouched_for_by_both(self, company: Company, meaning_of: Callable[[slice], Array]) -> Array:
        """Return the same by words and meaning; the latter is a function of the numbers of documents."""
        return np.concatenate(self.map_blocks(lambda block: company.by_both(block.X.by_row, meaning_of(block.numbers))))

    def rarity(self) -> Array:
        """Sum the rarity of each document's terms, idf − 1 (`tonmf.detector.scores.alarms`)."""
        idf = self.idf
        return np.concatenate(self.map_blocks(lambda block: rarity_of(block.C.by_row, idf)))

    def among(self, rows: Numbers, ops: Ops) -> Corpus:
        """Bring some documents, given by rising numbers, together in memory as a corpus of their own, to be scored."""
        some = self.take(rows)
        source = CountedSource(some.Y, some.C, some.totals, 1, ops)
        return replace(self, source=source, executor=SerialExecutor(), totals=some.totals, describe=nameless)

    def take(self, rows: Numbers) -> Rows:
        """Bring a few documents, given by rising numbers, together in memory."""

        def of_block(block: DocumentBlock) -> Rows | None:
            inside = block.inside(rows)
            if not len(inside):
                return None
            return Rows(block.X.by_row[inside], block.C.by_row[inside], block.totals.take(inside))

        parts = [part for part in self.map_blocks(of_block) if part is not None]
        if not parts:
            nothing = sp.csr_matrix((0, len(self.terms)), dtype=np.float32)
            return Rows(nothing, nothing, self.totals.take(slice(0, 0)))
        Y, C = (sp.csr_matrix(sp.vstack([getattr(part, name) for part in parts])) for name in ("Y", "C"))
        return Rows(Y, C, WordTotals.joined([part.totals for part in parts]))
