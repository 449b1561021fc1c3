"""Strange documents that are like each other.

One document may look strange by chance. If the documents around it look strange as well, that is no chance: they are a group
that does not belong. So a strange training document *vouches* for the strangeness of documents like it, if most of its own
neighbours are strange. It does not vouch for itself, and odd documents among ordinary ones vouch for nobody. Such company
only ever adds to a score, and never more than `MOST` thresholds: a document that is strange all by itself keeps its score.

    v = max(0, m/t − 1/2)                      for a training document with a score above t/2;  t: the automatic threshold
    company = MOST t (1 − exp(−max(0, S − s)))

where m is the mean score of the nearest training documents, weighted by their cosines; S is the sum of the `STRONGEST` largest
v cosine of a document, and s the usual one, two upper widths above its median over the training documents. All scores are those
without company. With embeddings, documents are as alike as they are by words and by meaning, and without words by meaning alone
(`tonmf.detector.scores.likeness`).
Copies of a document (`tonmf.detector.scores.copies`) vouch together like one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.likeness import ByBoth, Comparable
from tonmf.detector.scores.meaning import AT_ONCE, largest, leave_out_itself
from tonmf.detector.scores.prepared import Prepares
from tonmf.detector.scores.scale import UPPER
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay, TwoWayMatrix

STRANGE = 0.5
"""Share of the threshold above which a document is strange enough to vouch, and its neighbours must be on average."""

MOST_STRANGE = 2000
"""Strange documents that are looked at, at most: those with the highest scores."""

AROUND = 30
"""Nearest documents whose mean score says whether a document is among strange ones."""

HIGHEST = 3.0
"""Thresholds that the score of a neighbour counts as at most, so that no single one decides."""

STRONGEST = 20
"""Documents that vouch for another, at most."""

LARGE_SHARE = 0.05
"""Share of the documents up to which those that vouch do so in full. From twice that share on they do not at all: outliers are
few."""

MOST = 4.0
"""Thresholds that company adds to a score, at most."""

EXPLAINED = 0.25
"""Cosine with a new topic from which on a document vouches no longer: what is like it belongs now."""


@dataclass(frozen=True)
class Vouchers(Prepares):
    """The documents that vouch, how much each does, the most that company adds to a score, and the usual S."""

    rows: Any
    weights: Array
    most: float
    usual: float = 0.0

    def beyond(self, strongest: Array) -> Self:
        """Return the same, with what is usual by the training documents' sums of the largest weighted cosines."""
        median, upper = np.percentile(strongest, [50, UPPER])
        return replace(self, usual=float(median + 2 * (upper - median)))

    def part(self, strongest: Array) -> Array:
        """Return the part of a score, given the sum of the largest weighted cosines."""
        added: Array = self.most * (1 - np.exp(-np.maximum(strongest - self.usual, 0)))
        return added


@dataclass(frozen=True)
class Company(Vouchers):
    """The documents that vouch, by their unit rows.

    `meaning` is that of these documents, relative to the mean, if there are embeddings.
    """

    rows: sp.csr_matrix
    meaning: Array | None = None

    @cached_property
    def prepared(self) -> TwoWay:
        """Return the rows, prepared once for all documents to come."""
        return TwoWayMatrix(self.rows)

    def by_both(self, rows: sp.csr_matrix, meaning: Array) -> Array:
        """Return the sum of the largest weighted likenesses of documents with those that vouch, by words and by meaning."""
        assert self.meaning is not None  # noqa: S101 (company that was learnt with embeddings has it)
        return vouched_for(ByBoth(rows, meaning), ByBoth(self.rows, self.meaning), self.weights)

    def later(self, rows: sp.csr_matrix, share: float) -> Self:
        """Return the same documents by new rows, when they are only a share of the documents seen."""
        return replace(self, rows=rows, weights=share * self.weights, usual=share * self.usual)

    def without(self, topic: Array) -> Self:
        """Leave out the documents that are like a topic, given as a column of weights."""
        norm = np.sqrt((topic**2).sum())
        others = np.asarray(self.rows @ (topic / max(norm, np.finfo(np.float64).tiny))).ravel() < EXPLAINED
        meaning = None if self.meaning is None else self.meaning[others]
        return replace(self, rows=self.rows[others], weights=self.weights[others], meaning=meaning)


def strange_documents(scores: Array, threshold: float, readable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of the strange documents that have a known term, in order."""
    strange = np.flatnonzero(readable & (scores > STRANGE * threshold))
    return np.sort(strange[np.argsort(-scores[strange], kind="stable")[:MOST_STRANGE]])


@dataclass(frozen=True)
class Surroundings:
    """The strange documents, and the ordinary ones of the sample, which surround them together.

    ========== ========= ===================================================================
    field      shape     what
    ========== ========= ===================================================================
    strange    n_strange numbers of the strange documents, in order
    ordinary   n_others  numbers of the ordinary documents
    stands_for n_both    how many documents each stands for, the strange ones first
    counts     n_both    how much each counts: copies of one document together like one
    scores     n_both    the score of each, in thresholds
    n_counted  ()        how much all training documents count together
    ========== ========= ===================================================================
    """

    strange: NDArray[np.int64]
    ordinary: NDArray[np.int64]
    stands_for: Array
    counts: Array
    scores: Array
    n_counted: float

    @classmethod
    def of(
        cls,
        scores: Array,
        threshold: float,
        readable: NDArray[np.bool_],
        sampled: NDArray[np.int64],
        n_ordinary: int,
        weights: Array | None = None,
    ) -> Self | None:
        """Find them among the training documents, as `learn_company` describes these; None if no document is strange."""
        strange = strange_documents(scores, threshold, readable)
        if threshold <= 0 or len(strange) == 0:
            return None
        n_strange = int((readable & (scores > STRANGE * threshold)).sum())
        ordinary = np.setdiff1d(sampled, strange)
        both, counts = np.append(strange, ordinary), np.ones(len(scores)) if weights is None else weights
        stands_for = np.repeat(
            [n_strange / len(strange), n_ordinary / max(len(sampled), 1)], [len(strange), len(ordinary)]
        )
        known = np.minimum(scores[both] / threshold, HIGHEST)
        return cls(strange, ordinary, stands_for, counts[both], known, float(counts.sum()))

    @property
    def both(self) -> NDArray[np.int64]:
        """Return the numbers of all these documents, the strange ones first."""
        return np.append(self.strange, self.ordinary)

    @property
    def each(self) -> Array:
        """Return how much each counts as a neighbour."""
        weights: Array = self.stands_for * self.counts
        return weights

    def vouched(self, means: Array) -> Array:
        """Return how much each strange document vouches for others, given the mean score of its neighbours."""
        counts = self.counts[: len(self.strange)]
        vouched: Array = np.maximum(means - STRANGE, 0.0)
        share = float(self.stands_for[0] * counts[vouched > 0].sum() / self.n_counted)
        vouched *= counts * np.clip(2 - share / LARGE_SHARE, 0, 1)
        return vouched


def learn_company(
    ops: Ops,
    scores: Array,
    threshold: float,
    readable: NDArray[np.bool_],
    sampled: NDArray[np.int64],
    n_ordinary: int,
    rows_of: Callable[[NDArray[np.int64]], sp.csr_matrix],
    weights: Array | None = None,
    meaning_of: Callable[[NDArray[np.int64]], Array] | None = None,
) -> Company | None:
    """Find the training documents that vouch for others; None if no document does.

    Parameters
    ----------
    ops : Ops
    scores : ndarray of shape (n_docs,)
        Scores of all training documents, without company and alarms.
    threshold : float
        The automatic threshold of these.
    readable : ndarray of shape (n_docs,), bool
        Whether each has a known term.
    sampled : ndarray of int
        Numbers of the ordinary documents in the sample, which stand for `n_ordinary`.
    n_ordinary : int
        The number of ordinary documents.
    rows_of : function of rising numbers of documents
        Return their unit rows.
    weights : ndarray of shape (n_docs,), optional
        How much each document counts: copies of one together like one.
    meaning_of : function of numbers of documents, optional
        Return their meaning relative to the mean, if there are embeddings.

    Returns
    -------
    company : Company or None
    """
    around = Surroundings.of(scores, threshold, readable, sampled, n_ordinary, weights)
    if around is None:
        return None
    rows = rows_of(around.strange)
    both = sp.csr_matrix(sp.vstack([rows, rows_of(around.ordinary)], format="csr"))
    if meaning_of is None:
        means = ops.mean_around(ops.prepare(rows), ops.prepare(both), around.each, around.scores, AROUND)
    else:
        means = mean_around(ByBoth(both, meaning_of(around.both)), len(around.strange), around.each, around.scores)
    vouched = around.vouched(means)
    vouching = vouched > 0
    if not vouching.any():
        return None
    meaning = None if meaning_of is None else meaning_of(around.strange[vouching])
    return Company(rows[vouching], vouched[vouching], MOST * threshold, meaning=meaning)


def mean_around(both: Comparable, n_strange: int, each: Array, scores: Array, n_nearest: int = AROUND) -> Array:
    """Return the mean score of the documents that are most alike to each strange one; these are the first of all."""
    n_nearest, means = min(n_nearest, len(both)), np.zeros(n_strange)
    for start in range(0, n_strange, AT_ONCE):
        some = slice(start, min(start + AT_ONCE, n_strange))
        likeness, here = both[some].alike(both), np.arange(some.stop - start)
        likeness[here, start + here] = 0  # not itself
        nearest = np.argpartition(-likeness, n_nearest - 1, axis=1)[:, :n_nearest]
        weights = np.take_along_axis(likeness, nearest, axis=1) * each[nearest]
        total = weights.sum(axis=1)
        means[some] = (weights * scores[nearest]).sum(axis=1) / np.where(total > 0, total, 1)
    return means


def vouched_for(documents: Comparable, vouching: Comparable, weights: Array) -> Array:
    """Return the sum of the largest weighted likenesses of documents with those that vouch, but for themselves."""
    sums = np.zeros(len(documents))
    for start in range(0, len(sums), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        likeness = documents[some].alike(vouching)
        leave_out_itself(likeness)
        sums[some] = largest(likeness * weights, STRONGEST).sum(axis=1)
    return sums
