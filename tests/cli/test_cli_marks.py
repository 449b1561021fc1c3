"""``--marks``: marks in a file, for ``tonmf detect``, ``score`` and ``report``."""

import json

import pytest
from command import run

from tonmf import load
from tonmf.datasets import load_noticeboard

BOARD = load_noticeboard()
MARKS = "id,mark\npost-015,strange\npost-088,fine\n"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with posts, marks on two of them, and a model that was fitted with these."""
    folder = tmp_path_factory.mktemp("marks")
    rows = zip(BOARD.ids, BOARD.texts, strict=True)
    (folder / "posts.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows))
    (folder / "marks.csv").write_text(MARKS)
    assert run("detect", "posts.jsonl", "--save", "plain", "--json", cwd=folder).code == 0
    return folder


def found(ran):
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    return answer, {why["id"]: why for why in answer["strangest"]}


def test_detect_ranks_by_marks_and_saves_them(here):
    plain, _ = found(run("detect", "posts.jsonl", "--json", cwd=here))
    answer, strangest = found(
        run("detect", "posts.jsonl", "--marks", "marks.csv", "--save", "model", "--json", cwd=here)
    )
    assert strangest["post-015"]["rank"] < 6
    assert strangest["post-015"]["parts"]["marks"] > 0
    assert strangest["post-015"]["sentence"].endswith("You marked it as strange.")
    assert "post-088" not in [why["id"] for why in answer["strangest"] if why["outlier"]]
    assert answer["threshold"] != plain["threshold"]
    loaded = load(here / "model")
    assert loaded.marks_ == {"post-015": "strange", "post-088": "fine"}
    assert loaded.threshold_ == answer["threshold"]


def test_score_and_report_mark_documents_of_their_files(here):
    by_detect, _ = found(run("detect", "posts.jsonl", "--marks", "marks.csv", "--json", cwd=here))
    answer, strangest = found(run("score", "plain", "posts.jsonl", "--marks", "marks.csv", "--json", cwd=here))
    assert answer["threshold"] == by_detect["threshold"]
    assert strangest == {why["id"]: why for why in by_detect["strangest"]}
    ran = run("report", "plain", "posts.jsonl", "--marks", "marks.csv", "--output", "report.json", cwd=here)
    assert ran.code == 0, ran.err
    assert json.loads((here / "report.json").read_text())["analysed"]["threshold"] == answer["threshold"]


def test_marks_of_documents_that_were_not_read_are_counted_in_a_note(here):
    (here / "more.csv").write_text(MARKS + "nobody,fine\n")
    says = "1 mark is of a document that was not read: nobody."
    ran = run("detect", "posts.jsonl", "--marks", "more.csv", "--json", cwd=here)
    assert says in ran.err
    assert says in json.loads(ran.out)["notes"]
    ran = run("score", "plain", "posts.jsonl", "--marks", "more.csv", "--json", cwd=here)
    assert says in json.loads(ran.out)["notes"]


def test_the_table_tells_marked_documents_their_own_marks(here):
    for command in (["detect"], ["score", "plain"]):
        ran = run(*command, "posts.jsonl", "--marks", "marks.csv", "--output", "table.jsonl", cwd=here)
        assert ran.code == 0, ran.err
        reasons = {row["id"]: row["reason"] for row in map(json.loads, (here / "table.jsonl").read_text().splitlines())}
        assert reasons["post-015"].endswith("You marked it as strange.")
        assert reasons["post-088"].endswith("You marked it as fine.")
        assert sum("You marked it" in reason for reason in reasons.values()) == 2


def test_marks_of_no_document_that_was_read_change_nothing_but_a_note(here):
    (here / "others.csv").write_text("nope-1,fine\nnope-2,strange\nnope-3,fine\n")
    (here / "other.csv").write_text("nope-1,fine\n")
    for command in (["detect"], ["score", "plain"]):
        plain = json.loads(run(*command, "posts.jsonl", "--json", cwd=here).out)
        ran = run(*command, "posts.jsonl", "--marks", "others.csv", "--json", cwd=here)
        assert ran.code == 0, ran.err
        says = "No document has one of the 3 marked ids, such as nope-1. Give ids as tonmf shows them."
        assert says in ran.err
        with_marks = json.loads(ran.out)
        assert {**with_marks, "run": None} == {**plain, "notes": [*plain["notes"], says], "run": None}
    ran = run("report", "plain", "posts.jsonl", "--marks", "other.csv", "--output", "report.json", cwd=here)
    assert ran.code == 0, ran.err
    assert "No document has the marked id nope-1. Give ids as tonmf shows them." in ran.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("post-015,odd\n", "wrong.csv, line 1: 'odd' is no mark; use strange or fine"),
        ("", "wrong.csv has no marks. Expected an id and a mark on each line, such as post-17,strange."),
    ],
)
def test_marks_that_cannot_be_used_end_in_one_line(here, content, says):
    (here / "wrong.csv").write_text(content)
    for command in (["detect"], ["score", "plain"], ["report", "plain"]):
        ran = run(*command, "posts.jsonl", "--marks", "wrong.csv", "--quiet", cwd=here)
        assert ran.code == 1
        assert ran.err.count("\n") == 1
        assert says in ran.err


@pytest.mark.parametrize("option", [["--memory", "1GB"], ["--dask", "tcp://127.0.0.1:1"]])
def test_marks_need_documents_in_memory(here, option):
    ran = run("detect", "posts.jsonl", "--marks", "marks.csv", *option, cwd=here)
    assert ran.code == 2
    assert f"--marks needs all documents in memory. Leave out either {option[0]} or --marks." in ran.err
