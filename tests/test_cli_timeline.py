"""`tonmf timeline`, and the alerts of `tonmf watch`."""

import csv
import json

import pytest
from command import run
from planted import SUBJECT, stream

from tonmf import ParameterError
from tonmf.cli.timeline import _n_first
from tonmf.times import time_text

FIRST, LATER = 200, 180


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """A folder with a stream as CSV and as JSON lines."""
    folder = tmp_path_factory.mktemp("news")
    rows = rows_of(stream(n_before=FIRST, n_quiet=60, n_after=120, every=5))
    (folder / "news.jsonl").write_text(as_lines(rows), encoding="utf-8")
    with (folder / "news.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows[::-1])
    return folder


def rows_of(made):
    texts, times = made[:2]
    pairs = zip(times, texts, strict=True)
    return [{"id": f"n{row}", "date": time_text(time), "text": text} for row, (time, text) in enumerate(pairs)]


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_timeline_is_shown_written_and_drawn(news):
    options = ("--time-column", "date", "--window", "3 days", "--warm-up", "200")
    ran = run("timeline", "news.jsonl", *options, "--output", "out.csv", "--plot", "plot.png", cwd=news)
    assert (ran.code, ran.error_lines) == (0, [])
    lines = ran.out.splitlines()
    assert lines[0].split()[:3] == ["from", "documents", "outliers"]
    assert [line.split()[1] for line in lines[1:4]] == ["60"] * 3
    assert "*" in lines[2] + lines[3]
    assert "180 documents were flagged, after 200 to learn from." in ran.out
    new = ran.out[ran.out.index("New topics:") :]
    assert len(new.strip().splitlines()) == 2
    assert sum(word in new for word in SUBJECT) >= 4
    with (news / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["time", "id", "score", "outlier", "topic", "unexpected_terms", "text"]
    assert [row["id"] for row in rows] == [f"n{i}" for i in range(FIRST, FIRST + LATER)]
    assert (news / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_files_need_not_be_in_order_and_programs_get_json(news):
    options = ("--time-column", "date", "--window", "3 days", "--warm-up", "10 days", "--no-learn", "--json")
    forwards, backwards = (
        json.loads(run("timeline", name, *options, cwd=news).out) for name in ("news.jsonl", "news.csv")
    )
    note = "The documents did not come in order of time, and were put in order."
    assert note in backwards["notes"]
    assert note not in forwards["notes"]
    assert forwards["learnt_from"] == FIRST
    assert backwards["windows"] == forwards["windows"]
    assert backwards["alerts"] == forwards["alerts"] != []


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 2, "Missing option '--time-column'"),
        (("--time-column", "text"), 1, "expected a time such as 1987-10-19 15:01"),
        (("--time-column", "when"), 1, "has no column 'when' (--time-column); it has id, date, text"),
        (("--time-column", "date", "--window", "soon"), 2, "--window must be a time above 0 such as '7 days'"),
        (("--time-column", "date", "--warm-up", "380"), 2, "--warm-up 380 takes 380 of 380 documents"),
        (("--time-column", "date", "--half-life", "soon"), 2, "--half-life must be"),
        (("--time-column", "date", "--output", "news.csv"), 1, "news.csv is one of the files to read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_makes_no_timeline_is_refused_in_a_line(news, options, code, message):
    ran = run("timeline", "news.csv", *options, cwd=news)
    assert ran.code == code
    assert message in " ".join(ran.err.replace("│", " ").split())
    assert "Traceback" not in ran.err


def test_a_warm_up_may_be_a_number_a_share_or_a_time():
    times = [float(1000 + row) for row in range(100)]
    assert [_n_first(text, times) for text in ("30", "45%", "12.5 %", "1 min")] == [30, 45, 12, 60]
    with pytest.raises(ParameterError, match=r"--warm-up 2 hours takes 100 of 100 documents"):
        _n_first("2 hours", times)


def test_watch_announces_new_topics(tmp_path):
    """It knows of strange documents only since it began to watch."""
    rows = rows_of(stream(n_before=FIRST, n_quiet=160, n_after=160, every=5))
    (tmp_path / "first.jsonl").write_text(as_lines(rows[:FIRST]), encoding="utf-8")
    (tmp_path / "later.jsonl").write_text(as_lines(rows[FIRST:]), encoding="utf-8")
    assert run("detect", "first.jsonl", "--save", "model", "--quiet", cwd=tmp_path).code == 0
    ran = run("watch", "model", "later.jsonl", "--time-column", "date", "--until-end", cwd=tmp_path)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert sum("score" in answer for answer in answers) == 320
    (alert,) = [answer for answer in answers if "alert" in answer]
    assert (alert["alert"], alert["size"]) == ("new topic", len(alert["documents"]))
    assert set(alert["words"][:4]) <= set(SUBJECT)
    assert alert["since"].startswith("2025-")
