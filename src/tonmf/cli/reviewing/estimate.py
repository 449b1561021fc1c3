"""Estimate how many strange documents are left, from the marks so far.

The probability that a document is strange is taken to grow with its score u, in thresholds:

    p(u) = 1 / (1 + exp(−(a + b u)))

Marked documents say what a and b are. They count with the score that they would have without their own mark, as the documents
that nobody has read yet do. A prior says what is usual before anything is marked: a ~ N(−6, ¼) and b ~ N(3, 1), so that 5 % of
the documents at the threshold are strange, and 0.2 % of those in the middle. The estimate is the sum of p over the unread
documents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

PRIOR_MEAN, PRIOR_VARIANCE = np.array([-6.0, 3.0]), np.array([0.25, 1.0])
"""Mean and variance of a and b before anything is marked, chosen on one draw of each tuned task of benchmarks/tasks.py."""

LOWEST, HIGHEST = -1.0, 3.0
"""Scores in thresholds beyond which nothing more is learnt from them."""

STEPS, TOLERANCE = 50, 1e-8


def expected_strange(read: Array, strange: NDArray[np.bool_], unread: Array) -> float:
    """Return how many of the unread documents are strange, by the scores of read and unread ones in thresholds.

    >>> few, many = np.array([2.0, 1.5, 1.2]), np.full(100, 0.5)
    >>> expected_strange(few, np.ones(3, bool), many) > expected_strange(few, np.zeros(3, bool), many)
    True
    """
    curve = _curve(_with_constant(read), strange)
    return float(_probability(_with_constant(unread), curve).sum())


def _with_constant(scores: Array) -> Array:
    return np.column_stack([np.ones(len(scores)), np.clip(scores, LOWEST, HIGHEST)])


def _curve(X: Array, strange: NDArray[np.bool_]) -> Array:
    """Return the most probable (a, b), by Newton's method."""
    curve, precision = PRIOR_MEAN, np.diag(1 / PRIOR_VARIANCE)
    for _ in range(STEPS):
        p = _probability(X, curve)
        slope = X.T @ (strange - p) - precision @ (curve - PRIOR_MEAN)
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + precision, slope)
        curve = curve + step
        if np.abs(step).max() < TOLERANCE:
            break
    return curve


def _probability(X: Array, curve: Array) -> Array:
    p: Array = 1 / (1 + np.exp(-(X @ curve)))
    return p
