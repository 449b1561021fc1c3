"""The words that documents lack although their topics lead one to expect them.

====== ===================== =====================================================================
letter shape                 what
====== ===================== =====================================================================
W      n_terms × n_topics    the topics of all rungs, side by side
theta  n_docs × n_topics     how much of each document belongs to each of them
E      n_docs × n_terms      θ Wᵀ: how much each term is expected, for the mean over the rungs
====== ===================== =====================================================================

Only the few largest entries of a row of E are wanted, without those of terms that the document has. Few terms can be among
them: the first of each topic, down to some weight w_k. A term that is among the first of no topic is expected at most

    Σ_k θ_k w_k

A document whose wanted entries are all larger than this bound is done. The others are looked at again in more depth, and in
the end by all terms. So the result is exact, and documents hardly ever cost a product with the whole of W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.ladder import Rung
from tonmf.nmf.mixture import Reading

SAMPLE = 16
"""Of so many terms one is looked at to choose the weight at which the first terms of a topic end; any weight will do."""

DEPTHS = (4, 32)
"""First terms of each topic to look at, before all terms are looked at: how many of them are in the sample."""

AT_ONCE = 500
"""Documents to look at together: each takes a row of E in memory."""

ROUNDING = 1e-9
"""Share of the bound that rounding may take: sums of the same numbers in another order differ by much less."""

Terms = NDArray[np.int64]


@dataclass(frozen=True)
class FirstTerms:
    """The first terms of all topics.

    ======= ==================== =======================================================
    field   shape                what
    ======= ==================== =======================================================
    terms   n_first              their numbers, rising
    weights n_first × n_topics   their rows of W
    bounds  n_topics             no other term has this weight in the topic, nor more, unless it is 0
    places  n_terms              the place of each term in `terms`; −1 if it is not there
    ======= ==================== =======================================================
    """

    terms: Terms
    weights: Array
    bounds: Array
    places: NDArray[np.int32]

    @classmethod
    def of(cls, topics: Sequence[Array], depth: int) -> FirstTerms:
        """Find them, given the topics of each rung."""
        first, bounds = np.zeros(topics[0].shape[0], bool), []
        for topic in (column for of_rung in topics for column in np.ascontiguousarray(of_rung.T)):
            some = topic[::SAMPLE]
            least = np.partition(some, -depth)[-depth] if depth < len(some) else topic.dtype.type(0)
            first |= (topic >= least) & (topic > 0)
            bounds.append(float(least))
        terms, places = np.flatnonzero(first), np.full(len(first), -1, np.int32)
        places[terms] = np.arange(len(terms))
        weights = np.concatenate([of_rung[terms] for of_rung in topics], axis=1, dtype=np.float64)
        return cls(terms, weights, np.array(bounds), places)


@dataclass(frozen=True)
class ExpectedTerms:
    """The topics of each rung, ready to tell what is expected of documents."""

    topics: Sequence[Array]

    @classmethod
    def of(cls, rungs: Sequence[Rung]) -> ExpectedTerms:
        """Take the topics of all rungs."""
        return cls([rung.topics for rung in rungs])

    @cached_property
    def _by_depth(self) -> list[FirstTerms]:
        return [FirstTerms.of(self.topics, depth) for depth in DEPTHS]

    def missing(self, counts: sp.csr_matrix, readings: Sequence[Reading], rows: Terms, n_terms: int) -> list[Terms]:
        """Return for these rows the terms that are expected most and do not occur, at most `n_terms`, in order."""
        found: list[Terms] = []
        for start in range(0, len(rows), AT_ONCE):
            found += self._missing(counts, readings, rows[start : start + AT_ONCE], n_terms)
        return found

    def _missing(self, counts: sp.csr_matrix, readings: Sequence[Reading], rows: Terms, n_terms: int) -> list[Terms]:
        theta = np.concatenate([reading.theta[rows, 1:] for reading in readings], axis=1)
        present, found = counts[rows], [np.zeros(0, np.int64)] * len(rows)
        left = np.arange(len(rows))
        for first in self._by_depth:
            sure, terms = _among_first(first, present[left], theta[left], n_terms)
            for place, of_document in zip(left[sure].tolist(), terms, strict=True):
                found[place] = of_document
            left = left[~sure]
            if not len(left):
                return found
        for place in left.tolist():
            expected = np.sum([of_rung @ share for of_rung, share in self._shares(theta[place])], axis=0)
            expected[_terms_of(present, place)] = 0
            least = np.partition(expected, -n_terms)[-n_terms] if n_terms < len(expected) else 0.0
            found[place] = _largest(expected, least, n_terms)
        return found

    def _shares(self, theta: Array) -> list[tuple[Array, Array]]:
        """Return the topics of each rung, and a document's shares of them."""
        ends = np.cumsum([of_rung.shape[1] for of_rung in self.topics])[:-1]
        return list(zip(self.topics, np.split(theta, ends), strict=True))


def _among_first(
    first: FirstTerms, present: sp.csr_matrix, theta: Array, n_terms: int
) -> tuple[NDArray[np.bool_], list[Terms]]:
    """Return for which documents the first terms of topics are enough, and the missing terms of these."""
    # einsum, and not a product of matrices: terms of equal weights must be expected alike to the last bit.
    expected = np.einsum("dk,tk->dt", theta, first.weights)
    places = first.places[present.indices]
    documents = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    expected[documents[places >= 0], places[places >= 0]] = 0
    bounds, least = theta @ first.bounds, np.zeros(len(theta))
    if n_terms < len(first.terms):
        least = np.partition(expected, -n_terms, axis=1)[:, -n_terms]
    sure = (bounds == 0) | (least > bounds * (1 + ROUNDING))
    return sure, [first.terms[_largest(expected[row], least[row], n_terms)] for row in np.flatnonzero(sure)]


def _largest(values: Array, least: float, n_largest: int) -> Terms:
    """Return the places of the largest values, in order, given the smallest of them; none that is 0.

    Of two that are equal, the earlier comes first.
    """
    candidates = np.flatnonzero((values >= least) & (values > 0))
    return candidates[np.argsort(-values[candidates], kind="stable")][:n_largest]


def _terms_of(matrix: sp.csr_matrix, row: int) -> Array:
    """Return the numbers of a document's terms."""
    terms: Array = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return terms
