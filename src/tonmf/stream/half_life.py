"""How fast a stream forgets: half-lives in documents or in time.

A document counts 1 when it comes, a half after one half-life, a quarter after two. A half-life in documents is counted in
documents that came since, one in time by the times that documents have: the newest time so far is *now*
(`tonmf.stream.clock`), and a document that comes late counts as its age says.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from datetime import timedelta
from numbers import Real
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.errors import InputError, InPython, Message, Param, ParameterError
from tonmf.stream.clock import ENOUGH, FAR, Clock
from tonmf.stream.times import duration_of, seconds_of, time_text

EXPECTED = Message(
    InPython("None to forget nothing, "),
    "a number of documents above 0, or a time above 0 such as '30 days'",
    InPython(" or timedelta(days=30)"),
)

WRITTEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:e\d{1,2})?|\.\d+)\s*(?:documents?)?\s*", re.IGNORECASE)

LONGEST = 1e15
"""Documents or seconds beyond which a half-life is a slip of the pen."""

NOTHING = 1e-3
"""What a document counts below which it says practically nothing."""


@dataclass(frozen=True)
class HalfLife:
    """In documents, or in seconds if `of_time`."""

    length: float
    of_time: bool

    def share(self, ages: Any) -> Any:
        """What is left at these ages:  0.5^(age/half-life).

        >>> HalfLife(10.0, of_time=False).share(np.array([0.0, 10.0, 20.0])).tolist()
        [1.0, 0.5, 0.25]
        """
        return 0.5 ** (np.asarray(ages, np.float64) / self.length)


def half_life_of(value: Any) -> HalfLife | None:
    """The half-life that a parameter describes, or `ParameterError`.

    >>> half_life_of("12 hours"), half_life_of(500)
    (HalfLife(length=43200.0, of_time=True), HalfLife(length=500.0, of_time=False))
    """
    if value is None:
        return None
    found = None
    if isinstance(value, timedelta):
        found = HalfLife(value.total_seconds(), of_time=True)
    elif isinstance(value, str):
        found = _written(value)
    elif _is_number(value):
        found = HalfLife(float(value), of_time=False)
    if found is None or not 0 < found.length <= LONGEST:
        raise ParameterError(Param("half_life"), " must be ", EXPECTED, f"; got {value!r:.60}.")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and str(value) not in ("True", "False")


def _written(text: str) -> HalfLife | None:
    if matched := WRITTEN.fullmatch(text):
        return HalfLife(float(matched[1]), of_time=False)
    try:
        return HalfLife(duration_of(text, "half_life"), of_time=True)
    except ParameterError:
        return None


def is_half_life(value: Any) -> bool:
    """Whether it describes one."""
    try:
        half_life_of(value)
    except (ParameterError, OverflowError):
        return False
    return True


@dataclass(frozen=True)
class Ageing:
    """What the arrival of documents does: `factor` to all that came before, `weights` to each of them; `clock` afterwards.

    `by_time` tells whether time did that, and not the documents.
    """

    factor: float
    weights: Array
    clock: Clock
    by_time: bool = False


def age(half_life: HalfLife | None, n_docs: int, times: Any, clock: Clock) -> Ageing:
    """Let documents arrive, in order; `times` are needed if the half-life is a time, and else only checked.

    What came before the first time is as old as the first document that has one.
    """
    if times is None:
        if half_life is not None and half_life.of_time:
            raise InputError(
                Param("half_life"),
                " is a time, so every document needs one: give times=..., one for each document, or a ",
                Param("half_life"),
                " in documents.",
            )
        return _age_by_number(half_life, n_docs)
    seconds = seconds_of(times, n_docs)
    if half_life is None or not half_life.of_time:
        return _age_by_number(half_life, n_docs)
    reach = FAR * half_life.length
    before, (now, clock) = clock.start(seconds, reach), clock.moved(seconds, reach)
    weights = half_life.share(np.maximum(now - seconds, 0))
    _warn(seconds, weights, now, reach)
    return Ageing(float(half_life.share(now - before)), weights, clock, by_time=True)


def _age_by_number(half_life: HalfLife | None, n_docs: int) -> Ageing:
    if half_life is None:
        return Ageing(1.0, np.ones(n_docs), Clock())
    return Ageing(float(half_life.share(n_docs)), half_life.share(np.arange(n_docs)[::-1]), Clock())


def _warn(seconds: Array, weights: Array, now: float, reach: float) -> None:
    """Tell of times that are doubted, and of documents that come too late to say anything."""
    doubted = seconds[seconds > now + reach]
    if len(doubted):
        warnings.warn(
            f"{len(doubted)} of {len(seconds)} documents have times up to {time_text(doubted.max())}, more than {FAR:g} "
            f"half-lives ahead of the others, which are up to {time_text(now)}. They count as if they came then, until "
            f"{ENOUGH} documents in a row are so far ahead. Check their times.",
            stacklevel=4,
        )
    if weights.max() < NOTHING:
        warnings.warn(
            Message(
                f"The newest of these {len(seconds)} documents is of {time_text(seconds.max())}, and there were documents up "
                f"to {time_text(now)} before: by the half-life these say practically nothing, and nothing is learnt from "
                "them. If the later time was wrong, go on from a model that was saved before it came, or give a longer ",
                Param("half_life"),
                ".",
            ),
            stacklevel=4,
        )
