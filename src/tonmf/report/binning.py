"""Scores in bins, one of which begins at the threshold, so that each bar of a histogram has one colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array


def binned(scores: Array, threshold: float, n_bins: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the edges of about `n_bins` bins of equal width, and the number of scores in each.

    A score that is at the threshold is below it, as it is not flagged.

    >>> edges, counts = binned(np.array([0.0, 1.0, 2.0, 4.0]), 2.0, 2)
    >>> edges.tolist(), counts.tolist()
    ([0.0, 2.0, 4.0], [3, 1])
    """
    low, high = float(min(scores.min(), threshold)), float(max(scores.max(), threshold))
    width = (high - low) / n_bins or 1.0
    first, last = np.floor((low - threshold) / width + 1e-9), np.ceil((high - threshold) / width - 1e-9)
    edges = threshold + width * np.arange(min(first, -1.0), max(last, 1.0) + 1)
    places = np.clip(np.ceil((scores - threshold) / width - 1e-9) - 1 - min(first, -1.0), 0, len(edges) - 2)
    return edges, np.bincount(places.astype(np.int64), minlength=len(edges) - 1)
