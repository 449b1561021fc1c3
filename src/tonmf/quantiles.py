"""A quantile of numbers that are spread over blocks, without bringing them together.

Each block counts its numbers, and their weight, in `BINS` equal bins between the smallest and the largest. One bin has the
quantile; the next round looks into that bin only, between its smallest and its largest number. When few numbers are left
they are fetched. The result is that of `tonmf.threshold.weighted_quantile`, to the bit if weights add up exactly. A round moves
some 16 kB from a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.executors import Executor
from tonmf.ops import Array
from tonmf.sources import Block

BINS = 512

FEW = 4096
"""Numbers that are rather fetched than counted."""

Values = Callable[[Block], tuple[Array, Array]]
"""From a block to its numbers and their weights."""


@dataclass
class Bins:
    """How many numbers there are in each bin, their weight, the smallest and the largest."""

    counts: NDArray[np.int64]
    weights: Array
    smallest: Array
    largest: Array

    @classmethod
    def of(cls, values: Array, weights: Array, low: float, high: float) -> Self:
        """Numbers between `low` and `high`, in equal bins."""
        width = (high - low) / BINS
        places = np.zeros(len(values), np.int64)
        if width > 0:
            places = np.minimum(((values - low) / width).astype(np.int64), BINS - 1)
        smallest, largest = np.full(BINS, np.inf), np.full(BINS, -np.inf)
        np.minimum.at(smallest, places, values)
        np.maximum.at(largest, places, values)
        in_bins: Array = np.bincount(places, weights=weights, minlength=BINS).astype(np.float64)
        return cls(np.bincount(places, minlength=BINS), in_bins, smallest, largest)

    @classmethod
    def together(cls, parts: list[Self]) -> Self:
        """The bins of several blocks in one."""
        first = parts[0]
        for part in parts[1:]:
            first.counts = first.counts + part.counts
            first.weights = first.weights + part.weights
            first.smallest = np.minimum(first.smallest, part.smallest)
            first.largest = np.maximum(first.largest, part.largest)
        return first


def quantile_over(executor: Executor, blocks: Iterable[Block], values: Values, q: float, n_values: int) -> float:
    """The smallest of `n_values` numbers with at least the share q of all weight at or below it."""
    if n_values <= FEW:
        return _pick(executor.gather(_quantile_between(values, -np.inf, np.inf), blocks), q, None, 0.0)
    extremes = executor.gather(lambda block: _extremes(*_counted(*values(block))), blocks)
    low, high = min(low for low, *_ in extremes), max(high for _, high, _ in extremes)
    goal, below = q * sum(weight for *_, weight in extremes) * (1 - 1e-12), 0.0
    while n_values > FEW and low < high:
        bins = Bins.together(executor.gather(_quantile_bins(values, low, high), blocks))
        cumulative = below + np.cumsum(bins.weights)
        chosen = int(np.searchsorted(cumulative, goal))
        chosen = min(chosen, int(np.flatnonzero(bins.counts)[-1]))
        below = cumulative[chosen] - bins.weights[chosen]
        n_values, low, high = int(bins.counts[chosen]), float(bins.smallest[chosen]), float(bins.largest[chosen])
    if low == high:
        return float(low)
    return _pick(executor.gather(_quantile_between(values, low, high), blocks), q, goal, below)


def _pick(parts: list[tuple[Array, Array]], q: float, goal: float | None, below: float) -> float:
    """The first of the numbers that are left at which the weight reaches the goal; `below` is the weight of those before."""
    numbers, weights = (np.concatenate(of_blocks) for of_blocks in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    cumulative = below + np.cumsum(weights[order])
    place = int(np.searchsorted(cumulative, q * cumulative[-1] * (1 - 1e-12) if goal is None else goal))
    return float(numbers[order[min(place, len(order) - 1)]])


def _counted(values: Array, weights: Array) -> tuple[Array, Array]:
    """Those that have any weight."""
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


def _quantile_bins(values: Values, low: float, high: float) -> Callable[[Block], Bins]:
    inside = _quantile_between(values, low, high)
    return lambda block: Bins.of(*inside(block), low, high)
