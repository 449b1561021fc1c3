"""`tonmf timeline`, and the alerts of `tonmf watch`."""

import csv
import json

import pytest
from command import run
from planted import SUBJECT, stream

from tonmf.times import time_text


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """A folder with a stream as CSV and as JSON lines."""
    folder = tmp_path_factory.mktemp("news")
    texts, times, _, _ = stream()
    rows = [
        {"id": f"n{i}", "date": time_text(t), "text": text}
        for i, (t, text) in enumerate(zip(times, texts, strict=True))
    ]
    (folder / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with (folder / "news.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows[::-1])
    return folder


def test_a_timeline_is_shown_written_and_drawn(news):
    options = ("--time-column", "date", "--window", "5 days", "--warm-up", "300")
    ran = run("timeline", "news.jsonl", *options, "--output", "out.csv", "--plot", "plot.png", cwd=news)
    assert (ran.code, ran.error_lines) == (0, [])
    lines = ran.out.splitlines()
    assert lines[0].split()[:3] == ["from", "documents", "outliers"]
    assert [line.split()[1] for line in lines[1:5]] == ["100"] * 4
    assert "*" in lines[4]
    assert "400 documents were flagged, after 300 to learn from." in ran.out
    new = ran.out[ran.out.index("New topics:") :]
    assert len(new.strip().splitlines()) == 2
    assert sum(word in new for word in SUBJECT) >= 4
    with (news / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["time", "id", "score", "outlier", "topic", "unexpected_terms", "text"]
    assert [row["id"] for row in rows] == [f"n{i}" for i in range(300, 700)]
    assert (news / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_files_need_not_be_in_order_and_programs_get_json(news):
    options = ("--time-column", "date", "--window", "5 days", "--warm-up", "300", "--no-learn", "--json")
    forwards, backwards = (
        json.loads(run("timeline", name, *options, cwd=news).out) for name in ("news.jsonl", "news.csv")
    )
    note = "The documents did not come in order of time, and were put in order."
    assert note in backwards["notes"]
    assert note not in forwards["notes"]
    assert forwards["learnt_from"] == 300
    assert backwards["windows"] == forwards["windows"]
    assert backwards["alerts"] == forwards["alerts"] != []


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 2, "Missing option '--time-column'"),
        (("--time-column", "text"), 1, "expected a time such as 1987-10-19 15:01"),
        (("--time-column", "when"), 1, "has no column 'when' (--time-column); it has id, date, text"),
        (("--time-column", "date", "--window", "soon"), 2, "--window must be a time above 0 such as '7 days'"),
        (("--time-column", "date", "--warm-up", "700"), 2, "--warm-up 700 takes 700 of 700 documents"),
        (("--time-column", "date", "--warm-up", "lots"), 2, "--warm-up, if neither a number of documents nor a share"),
        (("--time-column", "date", "--half-life", "soon"), 2, "--half-life must be"),
        (("--time-column", "date", "--plot", "plot.pdf"), 1, "expected a name that ends in .png or .svg"),
        (("--time-column", "date", "--output", "news.csv"), 1, "news.csv is one of the files to read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_makes_no_timeline_is_refused_in_a_line(news, options, code, message):
    ran = run("timeline", "news.csv", *options, cwd=news)
    assert ran.code == code
    assert message in " ".join(ran.err.replace("│", " ").split())
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("warm_up", ["45%", "15 days"])
def test_a_warm_up_may_be_a_share_or_a_time(news, warm_up):
    options = ("--time-column", "date", "--warm-up", warm_up, "--half-life", "30 days", "--json")
    assert json.loads(run("timeline", "news.jsonl", *options, cwd=news).out)["learnt_from"] in (300, 315)


def test_watch_announces_new_topics(news):
    lines = (news / "news.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (news / "first.jsonl").write_text("".join(lines[:300]), encoding="utf-8")
    (news / "later.jsonl").write_text("".join(lines[300:]), encoding="utf-8")
    assert run("detect", "first.jsonl", "--save", "model", "--quiet", cwd=news).code == 0
    options = ("--time-column", "date", "--until-end")
    answers = [json.loads(line) for line in run("watch", "model", "later.jsonl", *options, cwd=news).out.splitlines()]
    assert sum("score" in answer for answer in answers) == 400
    (alert,) = [answer for answer in answers if "alert" in answer]
    assert (alert["alert"], alert["size"]) == ("new topic", len(alert["documents"]))
    assert set(alert["words"][:4]) <= set(SUBJECT)
    assert alert["since"].startswith("2025-")
    quiet = run("watch", "model", "later.jsonl", *options, "--no-new-topics", cwd=news)
    assert "alert" not in quiet.out
