"""How unusual a score is among ordinary documents: p-values, by the scores of the training documents.

A p-value is the share of ordinary documents that are at least as strange. Two cases differ:

*New documents* are compared with the training documents themselves. As conformal p-values do, the share counts the document
too, so that it is never 0:

    p = (1 + #{i : s_i ≥ s'}) / (1 + n)        s' = m + (s − m)/(1 + 4/√n) above the median m, and s below it

Training documents took part in the fit, so they score a little lower than new ones like them would: s' makes up for that.
Beyond the highest of all, p falls by e for every e-fold of the upper tail, the mean excess over P90. Strange documents among
the training documents only raise p.

*Training documents* cannot be counted among themselves: the k-th strangest of n would always have k/n, whatever its score. So
only the lower nine tenths are counted. What lies above P90 is compared with what the lower part leads to expect, an exponential
tail, which is wider than that of a normal distribution:

    p = #{i : s_i > P90}/n · exp(−(s − P90)/e-fold)        e-fold = (P84 − m)/ln(50/16), or (P95 − m)/ln(50/5) if that is more

Either way documents are compared with those of about as many different words, where that matters and there are enough
(`word_classes`): a few words say little, so that short documents have scores of their own.

Both rest on one assumption: the training documents are mostly ordinary, and new ordinary documents are of their kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.scale import SAME_SCORE, UPPER, doubt
from tonmf.nmf.threshold import weighted_quantile
from tonmf.stream.digest import LARGEST, Digest

FITTED = 4.0
"""√n times the share by which new documents score higher than those that were fitted, in distances from the median. Chosen on
the tuned tasks, from 100 to 4,000 training documents."""

COUNTED = 0.9
"""Share of the training documents that are taken for ordinary whatever they score."""

BEYOND = 0.95
"""Quantile that says how wide the tail is where scores come in lumps."""

CUTS = (20, 50)
"""Numbers of different words that documents may be divided at."""

LEAST_IN_CLASS = 300
"""Training documents that a class of lengths must have."""

MATTERS = 2.0
"""Ratio between the shares of two classes above P90 from which on length matters."""

SMALLEST_P = 1e-9
"""The least p-value: no extrapolation says more."""

AT_ONCE = 1 << 18
"""Documents that are compared at a time, so that millions of them take little memory."""

EXACT = LARGEST // 2
"""Highest scores of a class that are kept one by one, if not all are."""


@dataclass(frozen=True)
class ScoreClass:
    """Scores of training documents that are compared with one another, in ascending order, each with its weight.

    `n_docs` is the number of all training documents, of this class or not.
    """

    scores: Digest
    n_docs: float

    def p_of_new(self, scores: Array) -> Array:
        """Return the p-values of new documents."""
        middle, values = self._quantile(0.5), self.scores.values
        if not len(values):
            return np.ones(len(scores))
        stretched = 1 + FITTED / np.sqrt(max(self.n_docs, 1.0))
        scores = np.where(scores > middle, middle + (scores - middle) / stretched, scores)
        p = self._counted(scores)
        beyond, width = scores - values[-1], self._excess * doubt(len(values))
        if width > 0:
            p = np.where(beyond > SAME_SCORE, p * np.exp(-np.maximum(beyond, 0) / width), p)
        return np.maximum(p, SMALLEST_P)

    def p_of_training(self, scores: Array) -> Array:
        """Return the p-values of the training documents themselves."""
        cut, width = self._quantile(COUNTED), self._width * doubt(max(len(self.scores.values), 1))
        counted = self._counted(scores)
        if width <= 0:  # nearly all have the same score, which says nothing about others
            return counted
        above = (1 + self._from(cut + 2 * SAME_SCORE)) / (1 + self._upwards[0])
        tail = above * np.exp(-np.maximum(scores - cut, 0) / width)
        return np.maximum(np.where(scores > cut + SAME_SCORE, tail, counted), SMALLEST_P)

    def _counted(self, scores: Array) -> Array:
        """Return the share of the training documents with at least these scores, with one more that has."""
        share: Array = (1 + self._from(scores)) / (1 + self._upwards[0])
        return share

    def _from(self, scores: Any) -> Any:
        """Return the weight of the training documents with at least these scores, but for rounding."""
        return self._upwards[np.searchsorted(self.scores.values, np.asarray(scores) - SAME_SCORE, side="left")]

    @cached_property
    def _upwards(self) -> Array:
        """Return the weight of the training documents from each on; of all first, and 0 at last."""
        return np.append(np.cumsum(self.scores.weights[::-1])[::-1], 0.0)

    def _quantile(self, q: float) -> float:
        values = self.scores.values
        return weighted_quantile(values, q, self.scores.weights) if len(values) else 0.0

    @property
    def _width(self) -> float:
        """Return the score difference over which the tail falls by e, by what lies below it."""
        median, upper, beyond = (self._quantile(q) for q in (0.5, UPPER / 100, BEYOND))
        by_upper, by_beyond = (
            (upper - median) / np.log(50 / (100 - UPPER)),
            (beyond - median) / np.log(0.5 / (1 - BEYOND)),
        )
        return float(max(by_upper, by_beyond))

    @property
    def _excess(self) -> float:
        """Return the mean excess over P90."""
        cut = self._quantile(COUNTED)
        above = self.scores.values > cut
        weight = self.scores.weights[above].sum()
        if weight <= 0:
            return 0.0
        return float((self.scores.weights[above] @ (self.scores.values[above] - cut)) / weight)


@dataclass(frozen=True)
class Reference:
    """What the scores of documents are compared with: classes by number of different words, divided at `cuts`."""

    cuts: tuple[int, ...]
    classes: Sequence[ScoreClass]

    @classmethod
    def learn(cls, scores: Array, n_distinct: NDArray[Any] | None = None) -> Self:
        """Learn from judged training documents; of documents of all lengths together if these are not known."""
        cuts = () if n_distinct is None else word_classes(scores, n_distinct)
        places = np.zeros(len(scores), np.int64) if n_distinct is None else np.digitize(n_distinct, cuts)
        found = [ScoreClass(sketch(scores[places == number]), float(len(scores))) for number in range(len(cuts) + 1)]
        return cls(cuts, found)

    @classmethod
    def following(cls, scores: Digest) -> Self:
        """Return the reference of a stream, which follows the scores of documents of all lengths together."""
        return cls((), [ScoreClass(scores, scores.weight)])

    def p_of_new(self, scores: Array, n_distinct: NDArray[Any], judged: NDArray[np.bool_]) -> Array:
        """Return the p-values of new documents; 1 for those that are not judged."""
        return self._each([one.p_of_new for one in self.classes], scores, n_distinct, judged)

    def p_of_training(self, scores: Array, n_distinct: NDArray[Any], judged: NDArray[np.bool_]) -> Array:
        """Return the p-values of the training documents themselves; 1 for those that are not judged."""
        return self._each([one.p_of_training for one in self.classes], scores, n_distinct, judged)

    def _each(self, of: Sequence[Any], scores: Array, n_distinct: NDArray[Any], judged: NDArray[np.bool_]) -> Array:
        p = np.ones(len(scores))
        for first in range(0, len(scores), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            places = np.digitize(n_distinct[part], self.cuts)
            for number, p_of in enumerate(of):
                chosen = judged[part] & (places == number)
                p[part][chosen] = p_of(scores[part][chosen])
        return p


def word_classes(scores: Array, n_distinct: NDArray[Any]) -> tuple[int, ...]:
    """Return the numbers of different words to divide documents at.

    They are divided only where both sides have enough documents, and the share of the documents with high scores differs.

    >>> scores = np.linspace(0, 1, 1000)
    >>> word_classes(scores, np.where(np.arange(1000) < 400, 10, 100)), word_classes(scores, np.arange(1000) % 100)
    ((20,), ())
    """
    if not len(scores):
        return ()
    high = scores > np.quantile(scores, COUNTED)
    cuts: list[int] = []
    for cut in CUTS:
        low, rest = (n_distinct >= (cuts[-1] if cuts else 0)) & (n_distinct < cut), n_distinct >= cut
        if min(low.sum(), rest.sum()) < LEAST_IN_CLASS:
            continue
        shares = [(1 + high[some].sum()) / (10 + some.sum()) for some in (low, rest)]
        if max(shares) > MATTERS * min(shares):
            cuts.append(cut)
    return tuple(cuts)


def sketch(scores: Array) -> Digest:
    """Return scores in bounded memory: all of them, or the highest ones and groups of the others.

    A group stands for its highest score, so that no share of documents with at least some score is underestimated.
    """
    ascending = np.sort(scores)
    n_lower = len(ascending) - EXACT
    if len(ascending) <= LARGEST:
        return Digest(ascending, np.ones(len(ascending)))
    ends = np.unique(np.linspace(0, n_lower, LARGEST - EXACT + 1).round().astype(np.int64))
    values = np.concatenate([ascending[ends[1:] - 1], ascending[n_lower:]])
    return Digest(values, np.concatenate([np.diff(ends), np.ones(EXACT)]))
