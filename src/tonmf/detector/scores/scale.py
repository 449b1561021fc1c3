"""Put scores of different kinds on one scale, learnt from the training documents and kept for new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tonmf.arrays import Array

LOWER, UPPER = 16, 84
"""Percentiles one standard deviation below and above the mean of a normal distribution."""


@dataclass(frozen=True)
class Scale:
    """z(s) = (s − median) / spread, with spread = (P84 − P16)/2: outliers move neither.

    A few documents say little about how far others may stray, so the spread of n values is widened by the factor 1 + 10/n.
    """

    median: float
    spread: float

    @classmethod
    def of(cls, values: Array) -> Self:
        """Learn a scale from values. Values that hardly vary get a spread of 1: they say nothing about any document.

        >>> Scale.of(np.arange(101.0))  # 34, widened by 1 + 10/101
        Scale(median=50.0, spread=37.366336633663366)
        """
        if len(values) == 0:
            return cls(0.0, 1.0)
        found = cls.of_percentiles(*np.percentile(values, [LOWER, 50, UPPER]).tolist())
        return cls(found.median, found.spread * doubt(len(values)))

    @classmethod
    def of_percentiles(cls, low: float, median: float, high: float) -> Self:
        """Make a scale of P16, the median and P84."""
        spread = (high - low) / 2
        return cls(median, spread if spread > NO_SPREAD * max(abs(median), 1.0) else 1.0)

    def z(self, values: Array) -> Array:
        """Return the distance of each value from the median, in spreads."""
        standardised: Array = (values - self.median) / self.spread
        return standardised


UNSCALED = Scale(0.0, 1.0)
"""A scale that leaves values as they are."""

UNSURE = 10
"""Values of which the spread is so uncertain that it is doubled."""


def doubt(n_values: float) -> float:
    """Return the factor by which a spread of so many values is widened.

    >>> doubt(10), doubt(1000)
    (2.0, 1.01)
    """
    return 1 + UNSURE / n_values


NO_SPREAD = 1e-6
"""Spread that is taken for rounding: measures are in units of 1, and come from topics in float32.

With a single topic that is nearly the background, the topic helps all documents by nearly nothing, and differences between
them are noise, which a division by their spread would blow up.
"""

SAME_SCORE = 1e-6
"""Scores that differ by no more than this are equal: the same document may get both, by rounding."""
