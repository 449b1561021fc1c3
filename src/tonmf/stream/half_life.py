"""Half-lives, in documents or in time: how fast a stream forgets.

A document has weight 1 when it arrives, ½ after one half-life, ¼ after two. A half-life in documents counts the documents that
came since; one in time uses the documents' times: the newest so far is *now* (`tonmf.stream.clock`), and a document that
arrives late has the weight of its age.
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
"""Documents or seconds beyond which a half-life is surely a mistake."""

NOTHING = 1e-3
"""Weight below which a document has practically no effect."""


@dataclass(frozen=True)
class HalfLife:
    """A half-life in documents, or in seconds if `of_time`."""

    length: float
    of_time: bool

    def share(self, ages: Any) -> Any:
        """Return the weight at these ages:  0.5^(age/half-life).

        >>> HalfLife(10.0, of_time=False).share(np.array([0.0, 10.0, 20.0])).tolist()
        [1.0, 0.5, 0.25]
        """
        return 0.5 ** (np.asarray(ages, np.float64) / self.length)


def half_life_of(value: Any) -> HalfLife | None:
    """Return the half-life that a parameter describes, or raise `ParameterError`.

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
    """Return whether a value describes a half-life."""
    try:
        half_life_of(value)
    except (ParameterError, OverflowError):
        return False
    return True


@dataclass(frozen=True)
class Ageing:
    """The effect of new documents: the decay `factor` of all earlier ones, their own `weights`, and the new `clock`.

    `by_time` is true if the decay follows from times, not from the number of documents.
    """

    factor: float
    weights: Array
    clock: Clock
    by_time: bool = False


def age(half_life: HalfLife | None, n_docs: int, times: Any, clock: Clock) -> Ageing:
    """Return the effect of documents that arrive in order; `times` are needed if the half-life is a time, else only checked.

    Documents from before the first time are as old as the first document that has one.
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
    """Warn of doubted times, and of documents that come too late to have any effect."""
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
