"""A reservoir sample of a stream, in which recent items are more likely, in bounded memory.

Each item draws a key from an exponential distribution, divided by its weight; the items with the smallest keys are the sample.
That is a weighted sample without replacement (Efraimidis and Spirakis). When weights fade by a factor, keys are divided by it:
old items give way to new ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

LARGEST_KEY = 1e25
"""Upper limit of keys; an item with this key never stays."""


def keys_of_sample(n_sample: int, n_all: int, rng: np.random.Generator) -> Array:
    """Return keys for a sample drawn from `n_all` items of weight 1: the smallest of `n_all` keys, in random order."""
    n_all = max(n_all, n_sample)
    steps = rng.exponential(size=n_sample) / (n_all - np.arange(n_sample))
    return rng.permutation(np.cumsum(steps))


def fresh_keys(weights: Array, rng: np.random.Generator) -> Array:
    """Return keys of new items with these weights."""
    keys = rng.exponential(size=len(weights))
    with np.errstate(divide="ignore", over="ignore"):
        divided: Array = np.minimum(keys / weights, LARGEST_KEY)
    return divided


def faded_keys(keys: Array, factor: float) -> Array:
    """Return the keys of earlier items after their weights fade by `factor`."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        divided: Array = np.nan_to_num(np.minimum(keys / factor, LARGEST_KEY), nan=LARGEST_KEY)
    return divided


def chosen(old: Array, new: Array, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the old and of the new items with the smallest keys, at most `size` in all, each in order.

    >>> chosen(np.array([1.0, 9.0]), np.array([5.0, 7.0]), 3)
    (array([0]), array([0, 1]))
    """
    keys = np.concatenate([old, new])
    kept = np.sort(np.argsort(keys, kind="stable")[:size])
    return kept[kept < len(old)], kept[kept >= len(old)] - len(old)
