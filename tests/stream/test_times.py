"""Times and durations in any usual writing."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from tonmf import InputError, ParameterError
from tonmf.stream.times import duration_of, duration_text, moment_of, seconds_of, time_text

MOMENT = datetime(1987, 10, 19, 15, 1, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "value",
    [
        datetime(1987, 10, 19, 15, 1, 1),
        datetime(1987, 10, 19, 15, 1, 1, tzinfo=UTC),
        datetime(1987, 10, 19, 17, 1, 1, tzinfo=timezone(timedelta(hours=2))),
        np.datetime64("1987-10-19T15:01:01"),
        pd.Timestamp("1987-10-19 15:01:01"),
        "1987-10-19T15:01:01Z",
        "1987-10-19 15:01:01",
        " 1987-10-19T17:01:01+02:00 ",
        "Mon, 19 Oct 1987 15:01:01 GMT",
        "19 Oct 1987 17:01:01 +0200",
        "Mon, 19 Oct 1987 15:01:01 -0000 (somewhere)",
        "Mon Oct 19 15:01:01 1987",
        "Mon Oct 19 08:01:01 PDT 1987",
        "19-OCT-1987 15:01:01.00",
        MOMENT,
        int(MOMENT),
        np.float64(MOMENT),
        str(int(MOMENT)),
    ],
    ids=repr,
)
def test_one_moment_in_many_writings(value):
    assert moment_of(value).seconds == MOMENT


@pytest.mark.parametrize(
    "value", ["1987-10-19", "19871019", date(1987, 10, 19), "19-OCT-1987", "  19-oct-1987  "], ids=repr
)
def test_a_day_is_its_beginning(value):
    assert moment_of(value).seconds == datetime(1987, 10, 19, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "value",
    [
        "",
        "soon",
        "31-FEB-1987 10:00:00",
        "Mon, 19 Oct 1987 15:01:01 CET",  # which mail does not know
        "Mon, 19 Oct 1987 03:01:01 PM",
        "1763010512345",  # milliseconds, though the year 1763 would fit
        "1987-13-01",
        None,
        True,
        float("nan"),
        np.datetime64("NaT"),
        pd.NaT,
        [1],
        "1" * 99,
        1e15,
    ],
    ids=repr,
)
def test_what_is_no_time(value):
    assert moment_of(value) is None


def test_times_must_be_one_for_each_document_and_all_readable():
    with pytest.raises(InputError, match="one for each of the 3 documents; got 2"):
        seconds_of([1, 2], 3)
    with pytest.raises(InputError, match="The time of document 1 is 'soon'; expected a time such as"):
        seconds_of(["1987-10-19", "soon"], 2)


def test_times_with_and_without_a_zone_cannot_be_put_in_order():
    with pytest.raises(InputError, match="time of document 1 has a zone, that of document 0 has none"):
        seconds_of(["1987-10-19 10:00", "1987-10-19 10:00Z"], 2)
    with pytest.raises(InputError, match="time of document 0 has a zone, that of document 1 has none"):
        seconds_of(["19 Oct 1987 15:01:01 -0000", "19 Oct 1987 15:01:01"], 2)
    assert len(seconds_of([MOMENT, "1987-10-19 10:00Z"], 2)) == 2  # seconds have none, and need none


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7 days", 604800),
        ("1 week", 604800),
        ("12h", 43200),
        ("90 min", 5400),
        ("0.5 days", 43200),
        (timedelta(days=1), 86400),
    ],
)
def test_durations(value, seconds):
    assert duration_of(value, "window") == seconds
    assert duration_of(duration_text(seconds), "window") == seconds


@pytest.mark.parametrize("value", ["", "7", "0 days", "-1 day", "a month", 7, None, timedelta(0), "1 year 2 days"])
def test_what_is_no_duration(value):
    with pytest.raises(ParameterError, match="window must be a time above 0 such as '7 days'"):
        duration_of(value, "window")


def test_times_come_back_in_writing():
    assert time_text(MOMENT + 0.9) == "1987-10-19T15:01:01"
    assert time_text(-1.5) == "1969-12-31T23:59:58"
