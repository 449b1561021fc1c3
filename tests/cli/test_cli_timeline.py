"""`tonmf timeline`, and the alerts of `tonmf watch`."""

import csv
import json

import numpy as np
import pytest
from command import run
from planted import DAY, SUBJECT, stream

from tonmf import ParameterError
from tonmf.cli.commands.timeline import _n_first
from tonmf.cli.timeline_tables import topic_lines, window_lines
from tonmf.stream.times import time_text
from tonmf.timeline.results import Timeline, Window

FIRST, LATER = 200, 170


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """A folder with a stream as CSV and as JSON lines."""
    folder = tmp_path_factory.mktemp("news")
    rows = rows_of(stream(n_before=FIRST, n_quiet=60, n_after=110, every=5))
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


def test_a_timeline_is_shown_written_drawn_and_saved(news):
    """The first documents are few, and so are those of the last window."""
    options = ("--time-column", "date", "--window", "3 days", "--warm-up", FIRST - 1)
    targets = ("--output", "out.csv", "--plot", "plot.png", "--save", "model")
    ran = run("timeline", "news.jsonl", *options, *targets, cwd=news, COLUMNS="40")
    assert (ran.code, ran.error_lines) == (0, [])
    assert ran.err.count("With only 199 documents to learn from before the timeline begins") == 1
    said = " ".join(ran.out.split())
    assert "171 documents were flagged, after 199 to fit on. Each was judged when it came, by those before it" in said
    assert "tonmf detect judges all together, so it may flag more or fewer" in said
    assert "raise each other's scores. 1 window has fewer than 20 documents (few)" in said
    assert "Next: tonmf score model NEW_FILES" in ran.out
    blocks = {block.split()[0]: block.splitlines()[1:] for block in ran.out.split("\n\n")}
    windows = [line.split() for line in blocks["from"]]  # a line each, however narrow, as this is no terminal
    assert [window[1] for window in windows] == ["41", "60", "60", "10"]
    assert [window[2] == "few" for window in windows] == [False, False, False, True]
    (new,) = blocks["New"]
    assert sum(word in new for word in SUBJECT) >= 4
    number = new.split(": ")[0].split()[-1]
    assert f"*{number}: " in ran.out
    topics = {line.split()[0]: line for line in blocks["topic"]}
    assert sum(word in topics[number] for word in SUBJECT) >= 4
    with (news / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ours = ["time", "id", "score", "outlier", "judged", "topic", "unexpected_terms", "text"]
    assert list(rows[0]) == [*ours, "date"]
    assert all(row["date"][:10] == row["time"][:10] for row in rows)
    assert [row["id"] for row in rows] == [f"n{i}" for i in range(FIRST - 1, FIRST + LATER)]
    assert number in {row["topic"] for row in rows} <= {"", *topics}
    assert (news / "plot.png").read_bytes().startswith(b"\x89PNG")
    more = b"".join((news / "news.jsonl").read_bytes().splitlines(keepends=True)[-20:])
    watched = run("watch", "model", "-", "--time-column", "date", "--quiet", cwd=news, stdin=more)
    assert (watched.code, len(watched.out.splitlines())) == (0, 20)


@pytest.fixture
def eventful():
    """Two windows, of 5 documents and of 500, and much that happens in the second."""
    words = [[f"word{topic}{letter}" for letter in "abcde"] for topic in range(12)]
    shares = np.full(12, 0.05)
    windows = [Window(0, DAY, 5, 1, shares, [], []), Window(DAY, 2 * DAY, 500, 5, shares, [0, 1, 2, 3], [4, 5, 6, 7])]
    none = np.zeros(0)
    return Timeline(windows, words, [], none, [""] * 505, none, none, none, none, none, [], [])


def test_elsewhere_than_in_a_terminal_each_window_has_one_line(eventful):
    head, few, many = (line.plain for line in window_lines(eventful, None))
    assert head.startswith("from        documents  outliers  topics")
    assert few == "1970-01-01      5 few    20.0 %"
    assert many.startswith("1970-01-02    500         1.0 %  +1: word0a word0b word0c  +2: word1a")
    assert many.endswith("  -8: word7a word7b word7c")


@pytest.mark.parametrize("width", [20, 60, 100])
def test_in_a_terminal_what_does_not_fit_goes_on_in_the_next_line(eventful, width):
    lines = [line.plain for line in window_lines(eventful, width)]
    assert len(lines) > 3
    assert all(line.startswith(" " * 30) for line in lines[3:])
    shown = " ".join(lines)
    assert all(
        f"{mark}{topic + 1}: word{topic}a word{topic}b word{topic}c" in shown for topic, mark in enumerate("++++----")
    )
    assert "…" not in shown
    assert max(map(len, lines[1:])) <= max(width, 60)


def test_all_topics_are_listed_with_their_numbers(eventful):
    lines = [line.plain for line in topic_lines(eventful)]
    assert len(lines) == 13
    assert lines[1] == "    1   5.0 %  word0a, word0b, word0c, word0d, word0e"


def test_files_need_not_be_in_order_and_programs_get_json(news):
    options = ("--time-column", "date", "--window", "3 days", "--warm-up", "10 days", "--no-learn", "--json")
    ran = [run("timeline", name, *options, cwd=news) for name in ("news.jsonl", "news.csv")]
    forwards, backwards = (json.loads(one.out) for one in ran)
    note = "The documents did not come in order of time, and were put in order."
    assert backwards["notes"].count(note) == ran[1].err.count(note) == 1
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
        (("--time-column", "date", "--warm-up", "370"), 2, "--warm-up 370 takes 370 of 370 documents"),
        (("--time-column", "date", "--half-life", "soon"), 2, "--half-life must be"),
        (("--time-column", "date", "--output", "news.csv"), 1, "news.csv is one of the files to read"),
        (("--time-column", "date", "--save", "news.csv"), 1, "news.csv is a file; a model is saved as a folder"),
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
    rows = rows_of(stream(n_before=FIRST, n_quiet=240, n_after=160, every=5))
    (tmp_path / "first.jsonl").write_text(as_lines(rows[:FIRST]), encoding="utf-8")
    (tmp_path / "later.jsonl").write_text(as_lines(rows[FIRST:]), encoding="utf-8")
    assert run("detect", "first.jsonl", "--save", "model", "--quiet", cwd=tmp_path).code == 0
    ran = run("watch", "model", "later.jsonl", "--time-column", "date", "--until-end", cwd=tmp_path)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert sum("score" in answer for answer in answers) == 400
    (alert,) = [answer for answer in answers if "alert" in answer]
    assert (alert["alert"], alert["size"]) == ("new topic", len(alert["documents"]))
    assert set(alert["words"][:4]) <= set(SUBJECT)
    assert alert["since"].startswith("2025-")
