"""Strange documents that are like each other.

One document may look strange by chance. If the documents around it look strange as well, that is no chance: they are a group
that does not belong. So a strange training document *vouches* for the strangeness of documents like it, if most of its own
neighbours are strange. It does not vouch for itself, and odd documents among ordinary ones vouch for nobody. Such company
only ever adds to a score, and never more than `MOST` thresholds: a document that is strange all by itself keeps its score.

    v = max(0, m/t − 1/2)                      for a training document with a score above t/2;  t: the automatic threshold
    company = MOST t (1 − exp(−max(0, S − s)))

where m is the mean score of the nearest training documents, weighted by their cosines; S is the sum of the `STRONGEST` largest
v cosine of a document, and s the usual one, two upper widths above its median over the training documents. All scores are those
without company. With embeddings, documents are as alike as they are by words and by meaning (`tonmf.detector.scores.meaning`).
Copies of a document (`tonmf.detector.scores.copies`) vouch together like one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.meaning import AT_ONCE, alike, largest, leave_out_itself
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
class Company(Prepares):
    """The unit rows of the documents that vouch, how much each does, the most that company adds to a score, and the usual S.

    `meaning` is that of the documents that vouch, relative to the mean, if there are embeddings.
    """

    rows: sp.csr_matrix
    weights: Array
    most: float
    usual: float = 0.0
    meaning: Array | None = None

    @cached_property
    def prepared(self) -> TwoWay:
        """Return the rows, prepared once for all documents to come."""
        return TwoWayMatrix(self.rows)

    def by_both(self, rows: sp.csr_matrix, meaning: Array) -> Array:
        """Return the sum of the largest weighted likenesses of documents with those that vouch, by words and by meaning."""
        assert self.meaning is not None  # noqa: S101 (company that was learnt with embeddings has it)
        sums = np.zeros(rows.shape[0])
        for start in range(0, len(sums), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            likeness = alike(rows[some], self.rows, meaning[some], self.meaning)
            leave_out_itself(likeness)
            sums[some] = largest(likeness * self.weights, STRONGEST).sum(axis=1)
        return sums

    def beyond(self, strongest: Array) -> Self:
        """Return the same, with what is usual by the training documents' sums of the largest weighted cosines."""
        median, upper = np.percentile(strongest, [50, UPPER])
        return replace(self, usual=float(median + 2 * (upper - median)))

    def part(self, strongest: Array) -> Array:
        """Return the part of a score, given the sum of the largest weighted cosines."""
        added: Array = self.most * (1 - np.exp(-np.maximum(strongest - self.usual, 0)))
        return added

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
    strange = strange_documents(scores, threshold, readable)
    if threshold <= 0 or len(strange) == 0:
        return None
    n_strange = int((readable & (scores > STRANGE * threshold)).sum())
    ordinary = np.setdiff1d(sampled, strange)
    looked_at, counts = np.append(strange, ordinary), np.ones(len(scores)) if weights is None else weights
    stands_for = np.repeat([n_strange / len(strange), n_ordinary / max(len(sampled), 1)], [len(strange), len(ordinary)])
    rows, others = rows_of(strange), rows_of(ordinary)
    around = sp.csr_matrix(sp.vstack([rows, others], format="csr"))
    known = np.minimum(scores[looked_at] / threshold, HIGHEST)
    each = stands_for * counts[looked_at]
    if meaning_of is None:
        means = ops.mean_around(ops.prepare(rows), ops.prepare(around), each, known, AROUND)
    else:
        means = _mean_around(rows, around, meaning_of(looked_at), each, known)
    vouched = np.maximum(means - STRANGE, 0.0)
    share = float(stands_for[0] * counts[strange][vouched > 0].sum() / counts.sum())
    vouched *= counts[strange] * np.clip(2 - share / LARGE_SHARE, 0, 1)
    vouching = vouched > 0
    if not vouching.any():
        return None
    meaning = None if meaning_of is None else meaning_of(strange[vouching])
    return Company(rows[vouching], vouched[vouching], MOST * threshold, meaning=meaning)


def _mean_around(rows: sp.csr_matrix, around: sp.csr_matrix, meaning: Array, each: Array, scores: Array) -> Array:
    """Return the mean score of the documents that are most alike to each row, by words and by meaning.

    The rows are the first of `around`, whose meaning is given.
    """
    n_nearest, means = min(AROUND, around.shape[0]), np.zeros(rows.shape[0])
    for start in range(0, len(means), AT_ONCE):
        some = slice(start, min(start + AT_ONCE, len(means)))
        likeness, here = alike(rows[some], around, meaning[some], meaning), np.arange(some.stop - start)
        likeness[here, start + here] = 0  # not itself
        nearest = np.argpartition(-likeness, n_nearest - 1, axis=1)[:, :n_nearest]
        weights = np.take_along_axis(likeness, nearest, axis=1) * each[nearest]
        total = weights.sum(axis=1)
        means[some] = (weights * scores[nearest]).sum(axis=1) / np.where(total > 0, total, 1)
    return means
