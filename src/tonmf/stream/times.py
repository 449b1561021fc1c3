"""Times and durations in all usual formats, as seconds.

==================== ==========================================================================
what                 such as
==================== ==========================================================================
datetime objects     ``datetime``, ``date``, numpy's ``datetime64``, pandas' ``Timestamp``
ISO 8601             ``1987-10-19``, ``1987-10-19T15:01:01Z``, ``1987-10-19 15:01+02:00``
mail (RFC 2822)      ``Mon, 19 Oct 1987 15:01:01 +0000``
Reuters              ``19-OCT-1987 15:01:01.79``
numbers              seconds since the beginning of 1970, UTC
==================== ==========================================================================

A time without a zone is taken as UTC. A sequence in which some times have a zone and others do not is refused, since it cannot
be put in order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError, InPython, Param, ParameterError

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
NEWSWIRE = re.compile(
    r"(\d{1,2})-([a-z]{3})-(\d{4})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?)?", re.IGNORECASE
)

ZONE = re.compile(r".*:\d\d\s+([^\s\d(]\S*)")
"""What follows the time of day and is neither a year nor a comment: a zone's name."""

UNITS = {
    "second": 1.0, "sec": 1.0, "s": 1.0, "minute": 60.0, "min": 60.0, "m": 60.0, "hour": 3600.0, "h": 3600.0,
    "day": 86400.0, "d": 86400.0, "week": 604800.0, "w": 604800.0,
}  # fmt: skip
DURATION = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)?\s*([a-z]+)\s*", re.IGNORECASE)

LATEST, EARLIEST = 253402300800.0, 62135596800.0
"""Seconds from 1970 to the end of the year 9999, and from the start of the year 1; larger numbers are in other units."""


class Moment(NamedTuple):
    """Seconds since 1970, UTC, and whether the time came with a zone; None if the format has none."""

    seconds: float
    with_zone: bool | None


def moment_of(value: Any) -> Moment | None:
    """Return the time that a value denotes, or None.

    >>> moment_of("19-OCT-1987 15:01:01.79"), moment_of("1987-10-19T15:01:01+00:00"), moment_of("soon")
    (Moment(seconds=561654061.79, with_zone=False), Moment(seconds=561654061.0, with_zone=True), None)
    """
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else Moment(float(value.astype("datetime64[us]").astype(np.int64)) / 1e6, False)
    if isinstance(value, date):  # datetime is one too; pandas' NaT is not equal to itself
        return _of_datetime(value if isinstance(value, datetime) else datetime(value.year, value.month, value.day))
    if isinstance(value, int | float | np.integer | np.floating):
        try:
            return _of_number(float(value))
        except OverflowError:
            return None
    return _of_text(value.strip()) if isinstance(value, str) else None


def _of_datetime(value: datetime) -> Moment | None:
    if value != value:  # pandas' NaT
        return None
    with_zone = value.utcoffset() is not None
    seconds = (value if with_zone else value.replace(tzinfo=UTC)).timestamp()
    return Moment(seconds, with_zone) if _of_number(seconds) is not None else None


def _of_number(value: float) -> Moment | None:
    return Moment(value, None) if math.isfinite(value) and -EARLIEST <= value < LATEST else None


def _of_text(text: str) -> Moment | None:
    if not text or len(text) > 80:
        return None
    is_number = re.fullmatch(r"[-+]?\d+(?:\.\d*)?", text) is not None
    if not is_number or len(text) == 8:  # 19871019 is a day
        try:
            return _of_datetime(datetime.fromisoformat(text))
        except ValueError:
            pass
    if is_number:
        return _of_number(float(text))
    try:
        if found := NEWSWIRE.fullmatch(text):
            day, month, year, hour, minute, second, fraction = found.groups(default="0")
            numbers = (int(year), MONTHS.index(month.lower()) + 1, int(day), int(hour), int(minute), int(second))
            return _of_datetime(datetime(*numbers, int(fraction.ljust(6, "0"))))
        return _of_mail(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _of_mail(text: str) -> Moment | None:
    """Parse the time of a mail; None if the name of its zone is unknown."""
    found = parsedate_to_datetime(text)
    zone = ZONE.match(text)
    if found.tzinfo is None and zone is not None:
        return _of_datetime(found.replace(tzinfo=UTC)) if zone[1] == "-0000" else None
    return _of_datetime(found)


def seconds_of(times: Iterable[Any], n_docs: int) -> NDArray[np.float64]:
    """Return the times of documents, one for each, as seconds since 1970, UTC.

    >>> seconds_of(["1970-01-01", "1970-01-01T00:01"], 2).tolist()
    [0.0, 60.0]
    """
    if isinstance(times, str | bytes) or not isinstance(times, Iterable):
        times = [times]
    values = list(times)
    if len(values) != n_docs:
        raise InputError(f"times must have one for each of the {n_docs} documents; got {len(values)}.")
    moments: list[Moment] = []
    for number, value in enumerate(values):
        moment = moment_of(value)
        if moment is None:
            raise InputError(f"The time of document {number} is {value!r:.60}; expected {EXPECTED}.")
        moments.append(moment)
    check_zones([moment.with_zone for moment in moments], [f"document {number}" for number in range(n_docs)])
    return np.array([moment.seconds for moment in moments], dtype=np.float64)


EXPECTED = "a time such as 1987-10-19 15:01, 'Mon, 19 Oct 1987 15:01:01 +0000', or seconds since 1970"
"""How errors describe a time."""


def check_zones(with_zone: list[bool | None], places: list[str]) -> None:
    """Raise `InputError` if some times have a zone and others have none."""
    if True in with_zone and False in with_zone:
        having, lacking = places[with_zone.index(True)], places[with_zone.index(False)]
        raise InputError(
            f"The time of {having} has a zone, that of {lacking} has none, so they cannot be put in order. Give all times "
            "with a zone, or all without."
        )


def duration_of(value: Any, name: str) -> float:
    """Return the seconds of a duration: a `timedelta`, or text such as "7 days" or "12 hours".

    >>> duration_of("7 days", "window"), duration_of(timedelta(minutes=2), "window"), duration_of("week", "window")
    (604800.0, 120.0, 604800.0)
    """
    seconds = None
    if isinstance(value, np.timedelta64) and not np.isnat(value):
        value = value.astype("timedelta64[us]").item()
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, str) and (found := DURATION.fullmatch(value)):
        number, unit = found.groups()
        scale = UNITS.get(unit.lower()) or UNITS.get(unit.lower().removesuffix("s"))
        seconds = None if scale is None else float(number or 1) * scale
    if seconds is None or not 0 < seconds < LATEST:
        raise ParameterError(
            Param(name),
            " must be a time above 0 such as '7 days', '12 hours' or '30 minutes'",
            InPython(", or a timedelta"),
            f"; got {value!r:.60}.",
        )
    return seconds


def time_text(seconds: float) -> str:
    """Return a time as text, ISO 8601 to the second, UTC.

    >>> time_text(561654061.79)
    '1987-10-19T15:01:01'
    """
    return (datetime(1970, 1, 1) + timedelta(seconds=math.floor(seconds))).isoformat()


def duration_text(seconds: float) -> str:
    """Return a duration as text, in the largest unit without a fraction.

    >>> duration_text(604800), duration_text(5400)
    ('7 days', '90 minutes')
    """
    unit = next((unit for unit in ("day", "hour", "minute") if seconds % UNITS[unit] == 0), "second")
    number = seconds / UNITS[unit]
    return f"{number:g} {unit}{'' if number == 1 else 's'}"
