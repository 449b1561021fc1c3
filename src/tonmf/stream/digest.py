"""A quantile sketch of a stream of numbers, weighted towards recent ones, in bounded memory.

A digest holds values with weights. Up to `LARGEST` of them it is exact. Beyond, neighbours are merged into `KEPT` values of
about equal weight, each the mean of what it stands for, so that a quantile is off by about 1/`KEPT` of all weight; the
largest value is kept exactly. Forgetting multiplies all weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tonmf.arrays import Array

LARGEST = 4096
"""Values up to which a digest is exact."""

KEPT = 2048
"""Values that a digest keeps when it is compressed."""

FORGOTTEN = 1e-9
"""Share of the largest incoming weight below which a value is dropped."""

SMALLEST = 1e-150
"""Lower limit to which the weight of the heaviest value fades."""


@dataclass(frozen=True)
class Digest:
    """Values in ascending order, and their weights."""

    values: Array
    weights: Array

    @classmethod
    def of(cls, values: Any, weights: Any = None) -> Self:
        """Return the digest of some values, each of weight 1 if no weights are given."""
        values = np.asarray(values, dtype=np.float64)
        weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(np.zeros(0), np.zeros(0)).add(values, weights)

    @classmethod
    def around(cls, low: float, median: float, high: float, weight: float) -> Self:
        """Return a digest with the given P16, median and P84, linear between them and as far beyond."""
        places, points = [0.0, 16.0, 50.0, 84.0, 100.0], [2 * low - median, low, median, high, 2 * high - median]
        return cls.of_percentiles(np.interp(np.arange(101), places, points), weight)

    @classmethod
    def of_percentiles(cls, percentiles: Array, weight: float) -> Self:
        """Return a digest with these percentiles from 0 to 100."""
        return cls(np.asarray(percentiles, np.float64), np.full(len(percentiles), weight / len(percentiles)))

    @property
    def weight(self) -> float:
        """Return the total weight."""
        return float(self.weights.sum())

    def faded(self, factor: float) -> Self:
        """Return the digest with weights multiplied by `factor`, but never all zero: old values stay until others come."""
        if factor == 1 or len(self.values) == 0:
            return self
        weights = self.weights * factor
        if weights.max() < SMALLEST:
            weights = self.weights * (SMALLEST / self.weights.max())
        return type(self)(self.values, weights)

    def add(self, values: Array, weights: Array) -> Self:
        """Return the digest with more values; drop those of weight 0, and those that have faded beside the new ones."""
        least = FORGOTTEN * np.max(weights, initial=0.0)
        values, weights = np.concatenate([self.values, values]), np.concatenate([self.weights, weights])
        counts = weights > least
        values, weights = values[counts], weights[counts]
        if len(weights) and (weights == weights[0]).all():  # no need to know which value has which
            merged = type(self)(np.sort(values), weights)
        else:
            order = np.argsort(values, kind="stable")
            merged = type(self)(values[order], weights[order])
        return merged if len(values) <= LARGEST else merged._compressed()

    def _compressed(self) -> Self:
        middles = (np.cumsum(self.weights) - self.weights / 2) / self.weights.sum()
        numbers = np.minimum((middles * (KEPT - 1)).astype(np.int64), KEPT - 2)
        numbers[-1] = KEPT - 1  # the largest alone
        numbers = np.cumsum(np.diff(numbers, prepend=numbers[0]) > 0)  # without gaps
        weights: Array = np.bincount(numbers, weights=self.weights).astype(np.float64)
        values = np.bincount(numbers, weights=self.weights * self.values) / weights
        values[-1] = self.values[-1]
        return type(self)(np.maximum.accumulate(values), weights)  # rounding must not break the order

    def percentiles(self, places: Any) -> Array:
        """Return percentiles, interpolated linearly; equal to numpy's if all weights are equal, zeros without values.

        >>> Digest.of([3.0, 1.0, 2.0]).percentiles([0, 50, 75]).tolist()
        [1.0, 2.0, 2.5]
        """
        places = np.asarray(places, np.float64)
        if len(self.values) == 0:
            return np.zeros(len(places))
        middles = np.cumsum(self.weights) - self.weights / 2
        length = middles[-1] - middles[0]
        if length <= 0:
            return np.full(len(places), self.values[0])
        percentiles: Array = np.interp(places, 100 * (middles - middles[0]) / length, self.values)
        return percentiles
