"""Ranks of scores, with one rank for all documents that are equally strange.

This is competition ranking: 1, 2, 2, 4. Explanations, tables, reports and the service all rank with `rank_among`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.scale import SAME_SCORE


def rank_among(ascending: Array, scores: Array) -> NDArray[np.int64]:
    """Return 1 + the number of scores in `ascending`, which is sorted, that are higher by more than `SAME_SCORE`.

    >>> rank_among(np.array([0.5, 2.0, 2.0, 7.0]), np.array([7.0, 2.0, 1.0]))
    array([1, 2, 4])
    """
    ranks: NDArray[np.int64] = 1 + len(ascending) - np.searchsorted(ascending, scores + SAME_SCORE, side="right")
    return ranks
