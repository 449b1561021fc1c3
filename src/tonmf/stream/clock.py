"""The clock of a stream: its current time, from the times of its documents, some of which may be wrong.

*Now* is the newest time so far. A time more than `FAR` half-lives ahead of it is doubted: one wrong year would make everything
known fade, and everything that follows count as old. It is believed when `ENOUGH` documents in a row, not counting late ones,
are that far ahead; until then they count as if they came now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tonmf.arrays import Array

FAR = 5.0
"""Half-lives ahead of now beyond which a time is doubted."""

ENOUGH = 5
"""Documents in a row, all far ahead, that are believed."""


@dataclass(frozen=True)
class Clock:
    """`now` in seconds since 1970, None before the first time; `ahead`, the doubted times in a row, fewer than `ENOUGH`."""

    now: float | None = None
    ahead: tuple[float, ...] = ()

    def start(self, seconds: Array, reach: float) -> float:
        """Return the time before these documents arrive: now, or for the first documents the first time with others near it.

        A time has others near it if `ENOUGH` of the times, or half of them, lie within `reach`, itself included. If none has,
        return the first of all.

        >>> Clock().start(np.array([99.0, 1.0, 2.0, 3.0]), 5.0)
        1.0
        """
        if self.now is not None:
            return self.now
        order = np.sort(seconds)
        n_near = np.searchsorted(order, seconds + reach, "right") - np.searchsorted(order, seconds - reach)
        return float(seconds[np.argmax(n_near >= min(ENOUGH, (len(seconds) + 1) // 2))])

    def moved(self, seconds: Array, reach: float) -> tuple[float, Self]:
        """Return the time after these documents have arrived, in this order, and the new clock.

        >>> Clock(7.0).moved(np.array([8.0, 99.0, 9.0]), 5.0)
        (9.0, Clock(now=9.0, ahead=()))
        >>> Clock(7.0).moved(np.array([101.0, 100.0, 99.0]), 5.0)
        (7.0, Clock(now=7.0, ahead=(101.0, 100.0, 99.0)))
        >>> Clock(7.0).moved(np.array([101.0, 100.0, 99.0, 101.0, 102.0]), 5.0)
        (102.0, Clock(now=102.0, ahead=()))
        """
        now, ahead = self.start(seconds, reach), list(self.ahead)
        for time in seconds.tolist():
            if time > now + reach:
                ahead.append(time)
                if len(ahead) == ENOUGH:
                    now, ahead = _believed(ahead, reach)
            elif time >= now - reach:
                now, ahead = max(now, time), []
        return now, type(self)(now, tuple(ahead))


def _believed(ahead: list[float], reach: float) -> tuple[float, list[float]]:
    """Return the time that believed times lead to, step by step from the earliest, and those still far ahead of it."""
    now, *later = sorted(ahead)
    while later and later[0] <= now + reach:
        now = later.pop(0)
    return now, later
