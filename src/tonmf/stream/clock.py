"""What time it is in a stream, by the times of its documents, some of which may be wrong.

*Now* is the newest time so far. A time that is further ahead of it than `FAR` half-lives is doubted: one wrong year would make
all that is known fade, and all that comes count as old. It is believed when `ENOUGH` documents in a row are so far ahead, late
ones not counted; until then these count as if they came now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tonmf.arrays import Array

FAR = 5.0
"""Half-lives beyond which a time ahead of all before is doubted."""

ENOUGH = 5
"""Documents in a row that are believed."""


@dataclass(frozen=True)
class Clock:
    """`now` in seconds since 1970, None before the first time; and the times in a row, fewer than `ENOUGH`, far `ahead`."""

    now: float | None = None
    ahead: tuple[float, ...] = ()

    def start(self, seconds: Array, reach: float) -> float:
        """The time before documents of these times come; if none has come before, that of the first that others are near.

        It must be within reach of as many of them as are believed, or of half of them, itself included; if none is, it is the
        first of all.

        >>> Clock().start(np.array([99.0, 1.0, 2.0, 3.0]), 5.0)
        1.0
        """
        if self.now is not None:
            return self.now
        order = np.sort(seconds)
        n_near = np.searchsorted(order, seconds + reach, "right") - np.searchsorted(order, seconds - reach)
        return float(seconds[np.argmax(n_near >= min(ENOUGH, (len(seconds) + 1) // 2))])

    def moved(self, seconds: Array, reach: float) -> tuple[float, Self]:
        """The time after documents of these times have come, in this order, and the clock.

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
    """The time that these make it, step by step from the earliest, and those that are still far ahead of that."""
    now, *later = sorted(ahead)
    while later and later[0] <= now + reach:
        now = later.pop(0)
    return now, later
