"""A quantile of numbers that are kept in order."""

from __future__ import annotations

from collections.abc import Sequence


def quantile_of_sorted(values: Sequence[float], q: float) -> float:
    """Return a quantile of rising numbers, between the two that are next to it in proportion, as `numpy.quantile` does.

    >>> quantile_of_sorted([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = q * (len(values) - 1)
    below = min(int(place), len(values) - 1)
    low, high = values[below], values[min(below + 1, len(values) - 1)]
    share = place - below
    return high - (high - low) * (1 - share) if share >= 0.5 else low + (high - low) * share
