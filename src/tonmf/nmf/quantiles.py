"""A quantile of numbers that are spread over blocks, without gathering them.

Each block counts its numbers, and their weight, in `BINS` equal bins between the smallest and the largest. One bin has the
quantile; the next round looks only into that bin, between its smallest and largest number. When few numbers are left, they
are fetched. The result is that of `tonmf.nmf.threshold.weighted_quantile`, to the bit if weights add up exactly. Bins add
up, so a round fetches some 16 kB, however many blocks there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.blocks import Block, Executor, Source

BINS = 512

FEW = 4096
"""Numbers up to which they are fetched instead of counted."""

Values = Callable[[Block], tuple[Array, Array]]
"""A function from a block to its numbers and their weights."""


@dataclass
class Bins:
    """The count, weight, smallest and largest number of each bin."""

    counts: NDArray[np.int64]
    weights: Array
    smallest: Array
    largest: Array

    @classmethod
    def empty(cls) -> Self:
        """Return bins without numbers."""
        return cls(np.zeros(BINS, np.int64), np.zeros(BINS), np.full(BINS, np.inf), np.full(BINS, -np.inf))

    def add(self, values: Array, weights: Array, low: float, high: float) -> None:
        """Count numbers between `low` and `high` in equal bins."""
        places = np.minimum(((values - low) / (high - low) * BINS).astype(np.int64), BINS - 1)
        np.minimum.at(self.smallest, places, values)
        np.maximum.at(self.largest, places, values)
        self.counts += np.bincount(places, minlength=BINS)
        self.weights += np.bincount(places, weights=weights, minlength=BINS)

    def merge(self, other: Self) -> None:
        """Add the numbers of other blocks."""
        self.counts += other.counts
        self.weights += other.weights
        np.minimum(self.smallest, other.smallest, out=self.smallest)
        np.maximum(self.largest, other.largest, out=self.largest)


def quantile_over(executor: Executor, source: Source, values: Values, q: float) -> float:
    """Return the smallest number with at least the share q of all weight at or below it; `values` has one per document."""
    n_values = source.n_docs
    if n_values <= FEW:
        return _pick(executor.gather(_quantile_between(values, -np.inf, np.inf), source), q, None, 0.0)
    extremes = executor.gather(lambda block: _extremes(*_counted(*values(block))), source)
    low, high = min(low for low, *_ in extremes), max(high for _, high, _ in extremes)
    goal, below = q * sum(weight for *_, weight in extremes) * (1 - 1e-12), 0.0
    while n_values > FEW and low < high:
        bins = executor.run(_quantile_bins(values, low, high), source, Bins.empty)
        cumulative = below + np.cumsum(bins.weights)
        chosen = int(np.searchsorted(cumulative, goal))
        chosen = min(chosen, int(np.flatnonzero(bins.counts)[-1]))
        below = cumulative[chosen] - bins.weights[chosen]
        n_values, low, high = int(bins.counts[chosen]), float(bins.smallest[chosen]), float(bins.largest[chosen])
    if low == high:
        return float(low)
    return _pick(executor.gather(_quantile_between(values, low, high), source), q, goal, below)


def _pick(parts: list[tuple[Array, Array]], q: float, goal: float | None, below: float) -> float:
    """Return the first of the remaining numbers at which the weight reaches the goal; `below` is the weight before them."""
    numbers, weights = (np.concatenate(of_blocks) for of_blocks in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    cumulative = below + np.cumsum(weights[order])
    place = int(np.searchsorted(cumulative, q * cumulative[-1] * (1 - 1e-12) if goal is None else goal))
    return float(numbers[order[min(place, len(order) - 1)]])


def _counted(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the values that have any weight, and their weights."""
    return values[weights > 0], weights[weights > 0]


def _extremes(values: Array, weights: Array) -> tuple[float, float, float]:
    smallest, largest = values.min(initial=np.inf), values.max(initial=-np.inf)
    return float(smallest), float(largest), float(weights.sum())


def _quantile_between(values: Values, low: float, high: float) -> Values:
    def inside(block: Block) -> tuple[Array, Array]:
        numbers, weights = _counted(*values(block))
        chosen = (numbers >= low) & (numbers <= high)
        return numbers[chosen], weights[chosen]

    return inside


def _quantile_bins(values: Values, low: float, high: float) -> Callable[[Block, Bins], None]:
    inside = _quantile_between(values, low, high)

    def count(block: Block, bins: Bins) -> None:
        bins.add(*inside(block), low, high)

    return count
