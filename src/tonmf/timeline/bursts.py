"""Test whether something happens more often than before: a word, or documents of a kind.

====== ========================================================================
letter what
====== ========================================================================
d      recent documents that a word occurs in
e      recent documents that it should occur in, by what was before
z      (d − e)/√(e + 1): how far d is beyond e, in units of chance
p      probability that chance alone brings so many documents so late
====== ========================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array


def burst_of(seen: Array, expected: Array) -> Array:
    """Return z of words, from d and e.

    >>> burst_of(np.array([10.0, 3.0]), np.array([3.0, 3.0])).tolist()
    [3.5, 0.0]
    """
    z: Array = (seen - expected) / np.sqrt(expected + 1)
    return z


def latest_burst(places: NDArray[np.int64], n_all: int, least: int) -> tuple[float, int]:
    """Find the end of a sequence in which members come most densely; return p, and the number of its first member.

    Members have rising `places` among `n_all` documents in order. Under chance each of the m members is equally likely to
    have any place, so that of the m − 1 others those from the j-th on are binomial with the share of documents from
    there on. p is the smallest such tail over all j that leave at least `least` members, times m for having tried them.

    >>> p, first = latest_burst(np.array([3, 90, 92, 93, 95, 96, 97, 99]), n_all=100, least=5)
    >>> first, p < 1e-4
    (1, True)
    """
    from scipy.stats import binom

    m = len(places)
    first = np.arange(m - least + 1)
    if len(first) == 0:
        return 1.0, 0
    later = (n_all - places[first]) / n_all
    p = m * binom.sf(m - first - 2, m - 1, later)
    best = int(np.argmin(p))
    return min(float(p[best]), 1.0), best


def smallest_chance(places: NDArray[np.int64], n_all: int, least: int) -> float:
    """Return a lower bound of p over all groups of at least `least` of the documents at these rising places.

    For a given start of its dense end, a group has the smallest p if it has no member before. All of its m members are then in
    the share q of the documents from there on, and p = m q^(m−1), which is smallest for the fewest or for the most members.

    >>> smallest_chance(np.array([10, 30, 50, 70, 90]), n_all=100, least=5) > 0.5
    True
    """
    later = (n_all - places[: max(len(places) - least + 1, 0)]) / n_all
    most = len(places) - np.arange(len(later))
    p = np.minimum(least * later ** (least - 1), most * later ** (most - 1.0))
    return float(p.min(initial=1.0))
