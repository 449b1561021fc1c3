"""Thresholds: from scores to outliers.

``contamination="auto"`` must work for scores that are skewed either way: residuals of counts have a long upper tail, residuals
of unit rows crowd just below 1. Mean and standard deviation (the paper's suggestion) are moved by the very outliers they
should find, and their symmetric spread is far too wide where scores are bounded above. So the rule looks only at the upper
side:

    threshold = median + 3 (P84 − median)

where P84 is the quantile that lies one standard deviation above the mean in a normal distribution. If all rows have the same
norm c, no residual can exceed it. The rule is then applied to −ln(1 − ρ²/c²), minus the logarithm of the share that the topics
explain, which has no upper bound, and the result is transformed back.
"""

from __future__ import annotations

import numpy as np

from tonmf.arrays import Array

UPPER_QUANTILE = 0.8413447460685429
"""Φ(1): the quantile one standard deviation above the mean of a normal distribution."""

WIDTHS = 3.0
"""Upper widths (P84 − median) beyond the median at which the threshold lies."""


def weighted_quantile(values: Array, q: float, weights: Array | None = None) -> float:
    """Return the smallest value with at least the share q of all weight at or below it.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), 0.5, np.array([1.0, 1.0, 0.0]))
    1.0
    """
    if weights is None or (weights == weights[0]).all():  # equal weights: no need to sort
        position = max(int(np.ceil(q * len(values) * (1 - 1e-12))) - 1, 0)
        return float(np.partition(values, position)[position])
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    cumulative = np.cumsum(weights[order])
    position = np.searchsorted(cumulative, q * cumulative[-1] * (1 - 1e-12))
    return float(values[order[min(position, len(order) - 1)]])


def automatic_threshold(
    rho: Array, weights: Array | None = None, bound: float | None = None, widths: float = WIDTHS
) -> float:
    """Return median + widths · (P84 − median) of ρ, or of −ln(1 − ρ²/bound²); scores above it are outliers.

    >>> rho = np.concatenate([np.linspace(1, 2, 99), [5.0]])
    >>> bool(2 < automatic_threshold(rho, np.ones(100)) < 5)
    True
    """
    values = rho if bound is None else -np.log(np.maximum(1 - (rho / bound) ** 2, TINY_SHARE))
    median = weighted_quantile(values, 0.5, weights)
    upper = weighted_quantile(values, UPPER_QUANTILE, weights)
    threshold = median + widths * (upper - median)
    return threshold if bound is None else bound * float(np.sqrt(1 - np.exp(-threshold)))


TINY_SHARE = 1e-15
"""The explained share that stands for none, to keep the logarithm finite."""


def common_norm(squared_norms: Array) -> float | None:
    """Return the norm that all rows share, apart from empty ones and rounding, or None.

    >>> common_norm(np.array([1.0, 0.0, 1.0])), common_norm(np.array([1.0, 2.0]))
    (1.0, None)
    """
    norms = np.sqrt(squared_norms[squared_norms > 0])
    if len(norms) == 0 or np.ptp(norms) > 1e-3 * norms.max():
        return None
    return float(norms.max())


def threshold_for_share(scores: Array, share: float, weights: Array | None = None) -> float:
    """Return the score above which lies the given share of the documents, exactly except for ties.

    It lies midway between two documents, so that rounding moves neither across. If a tie would make the share too large, none
    of it is flagged, unless it is a tie for first place.

    >>> threshold_for_share(np.arange(10.0), 0.3, np.ones(10))
    6.5
    """
    weights = np.ones(len(scores)) if weights is None else weights
    total = weights.sum()
    if (weights == np.round(weights)).all():
        share = round(share * total) / total  # a whole number of documents
    below = weighted_quantile(scores, 1 - share, weights)
    counted = scores[weights > 0]
    above, lower = counted[counted > below], counted[counted < below]
    if len(above):
        return float(0.5 * (below + above.min()))
    if share > 0 and len(lower):  # a tie for first place is larger than the share: flag all of it rather than none
        return float(0.5 * (lower.max() + below))
    return below
