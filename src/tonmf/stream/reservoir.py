"""A random sample of a stream, the recent ones more likely to be in it, in bounded memory.

Everything that comes draws a key from an exponential distribution, divided by its weight; the smallest keys are the sample.
That is a sample without replacement in which the chance of each goes by its weight (Efraimidis and Spirakis). When weights fade
by a factor, keys are divided by it: what is there gives way to what comes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

LARGEST_KEY = 1e25
"""Keys beyond which nothing stays; all larger ones are the same."""


def keys_of_sample(n_sample: int, n_all: int, rng: np.random.Generator) -> Array:
    """Keys of a sample that was drawn from so many of weight 1: the smallest of as many, in any order."""
    n_all = max(n_all, n_sample)
    steps = rng.exponential(size=n_sample) / (n_all - np.arange(n_sample))
    return rng.permutation(np.cumsum(steps))


def fresh_keys(weights: Array, rng: np.random.Generator) -> Array:
    """Keys of what comes with these weights."""
    keys = rng.exponential(size=len(weights))
    with np.errstate(divide="ignore", over="ignore"):
        divided: Array = np.minimum(keys / weights, LARGEST_KEY)
    return divided


def faded_keys(keys: Array, factor: float) -> Array:
    """Keys of what has been there when it counts less."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        divided: Array = np.nan_to_num(np.minimum(keys / factor, LARGEST_KEY), nan=LARGEST_KEY)
    return divided


def chosen(old: Array, new: Array, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the old and of the new ones with the smallest keys, at most `size` together, each in order.

    >>> chosen(np.array([1.0, 9.0]), np.array([5.0, 7.0]), 3)
    (array([0]), array([0, 1]))
    """
    keys = np.concatenate([old, new])
    kept = np.sort(np.argsort(keys, kind="stable")[:size])
    return kept[kept < len(old)], kept[kept >= len(old)] - len(old)
