"""How fast a stream forgets: half-lives in documents or in time.

A document counts 1 when it comes, a half after one half-life, a quarter after two. A half-life in documents is counted in
documents that came since, one in time by the times that documents have: the newest time so far is *now*, and a document that
comes late counts as its age says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from numbers import Real
from typing import Any

import numpy as np

from tonmf.errors import InputError, ParameterError
from tonmf.ops import Array
from tonmf.times import duration_of, seconds_of

EXPECTED = (
    "None to forget nothing, a number of documents above 0, or a time above 0 such as '30 days' or timedelta(days=30)"
)

WRITTEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:e\d{1,2})?|\.\d+)\s*(?:documents?)?\s*", re.IGNORECASE)

LONGEST = 1e15
"""Documents or seconds beyond which a half-life is a slip of the pen."""


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
        raise ParameterError(f"half_life must be {EXPECTED}; got {value!r:.60}.")
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
    """What the arrival of documents does: `factor` to all that came before, `weights` to each of them; `now` afterwards.

    `by_time` tells whether time did that, and not the documents.
    """

    factor: float
    weights: Array
    now: float | None
    by_time: bool = False


def age(half_life: HalfLife | None, n_docs: int, times: Any, now: float | None) -> Ageing:
    """Let documents arrive, in order; `times` are needed if the half-life is a time."""
    if times is None:
        if half_life is not None and half_life.of_time:
            raise InputError(
                "half_life is a time, so every document needs one: give times=..., one for each document, or a half_life in "
                "documents."
            )
        return _age_by_number(half_life, n_docs, now)
    seconds = seconds_of(times, n_docs)
    latest = float(seconds.max()) if now is None else max(now, float(seconds.max()))
    if half_life is None or not half_life.of_time:
        return _age_by_number(half_life, n_docs, latest)
    passed = 0.0 if now is None else latest - now
    return Ageing(float(half_life.share(passed)), half_life.share(latest - seconds), latest, by_time=True)


def _age_by_number(half_life: HalfLife | None, n_docs: int, now: float | None) -> Ageing:
    if half_life is None:
        return Ageing(1.0, np.ones(n_docs), now)
    return Ageing(float(half_life.share(n_docs)), half_life.share(np.arange(n_docs)[::-1]), now)
