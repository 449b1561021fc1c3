"""``tonmf review``: the reading loop, by keys on lines."""

import csv
import json

import pytest
from command import run
from rich.text import Text

from tonmf import TextOutlierDetector, load
from tonmf.cli.reviewing.view import fitting
from tonmf.datasets import load_noticeboard
from tonmf.io import read_marks

BOARD = load_noticeboard()
CABLE = "Submarine cable repair ship splices armoured fibre strands near the abyssal trench."


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    """A folder with posts of a notice board, a strange one three times, and a model."""
    folder = tmp_path_factory.mktemp("review")
    rows = [*zip(BOARD.ids, BOARD.texts, strict=True), *((f"copy-{number}", CABLE) for number in range(3))]
    lines = [json.dumps({"id": name, "text": text, "author": f"by {name}"}) + "\n" for name, text in rows]
    (folder / "posts.jsonl").write_text("".join(lines))
    assert run("detect", "posts.jsonl", "--save", "model", "--json", cwd=folder).code == 0
    return folder


@pytest.fixture
def here(posts, tmp_path):
    """The same posts and model in a folder without marks."""
    for name in ("posts.jsonl", "model"):
        (tmp_path / name).symlink_to(posts / name)
    return tmp_path


def review(here, keys, *args):
    ran = run("review", *(args or ["posts.jsonl"]), cwd=here, stdin="".join(f"{key}\n" for key in keys).encode())
    assert ran.code == 0, ran.err
    return ran


def lines_of(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def headings(ran):
    """The ids of the documents shown, in order."""
    return [line.split("  ")[0] for line in ran.out.splitlines() if "  score " in line]


def test_each_document_is_the_strangest_that_is_not_marked(here):
    shown = headings(review(here, "sfsf"))
    rows = [json.loads(line) for line in (here / "posts.jsonl").read_text().splitlines()]
    ids, texts = ([row[key] for row in rows] for key in ("id", "text"))
    detector = TextOutlierDetector().fit(texts, names=ids)
    expected, read = [], set()
    for mark in ("strange", "fine", "strange", "fine", None):
        name = max(
            (name for name in ids if name not in read), key=lambda name: detector.outlier_scores_[ids.index(name)]
        )
        expected.append(name)
        read |= {other for other, text in zip(ids, texts, strict=True) if text == texts[ids.index(name)]}
        if mark is not None:
            detector.mark(**{mark: [name]})
    assert shown == expected
    assert read_marks(here / "posts.marks.csv") == dict(zip(expected[:4], ["strange", "fine"] * 2, strict=True))


def test_a_saved_model_reviews_as_one_that_has_just_learnt(here):
    learnt = review(here, "sfskfsq")
    loaded = review(here, "sfskfsq", "model", "posts.jsonl", "--marks", "others.csv")
    assert headings(loaded) == headings(learnt)
    assert read_marks(here / "others.csv") == read_marks(here / "posts.marks.csv")


def test_marks_are_appended_and_an_undo_takes_one_back(here):
    ran = review(here, "suufkuq")
    shown = headings(ran)
    first, second = shown[0], shown[4]
    assert shown == [first, shown[1], first, first, second, shown[5], second]
    assert f"{first} is no longer marked as strange." in ran.out
    assert "Nothing to undo." in ran.out
    assert lines_of(here / "posts.marks.csv") == [["id", "mark"], [first, "strange"], [first, ""], [first, "fine"]]


def test_a_second_review_goes_on_where_the_first_ended(here):
    at_once = headings(review(here, "sfsfsq", "posts.jsonl", "--marks", "at_once.csv"))
    first = review(here, "sfs")
    assert "Marks go to posts.marks.csv." in first.out
    again = review(here, "fsq")
    assert "Going on after 3 marks in posts.marks.csv." in again.out
    assert "Found 2 in 3 read" in again.out
    assert [*headings(first)[:3], *headings(again)] == at_once


@pytest.mark.parametrize("args", [["posts.jsonl"], ["model", "posts.jsonl"]])
def test_marks_of_earlier_reviews_are_undone_from_the_last_on(here, args):
    first, second, third, _ = headings(review(here, "fsf", *args))
    ran = review(here, "uuuuq", *args)
    assert headings(ran)[1:] == [third, second, first, first]
    for name, mark in ((third, "fine"), (second, "strange"), (first, "fine")):
        assert f"{name} is no longer marked as {mark}." in ran.out
    assert "Nothing to undo." in ran.out
    assert "Nothing marked yet; " in ran.out
    assert read_marks(here / "posts.marks.csv") == {}
    assert "Marks go to posts.marks.csv." in review(here, "q", *args).out


def test_earlier_marks_on_copies_are_undone_one_by_one(here):
    (here / "posts.marks.csv").write_text("copy-0,strange\ncopy-2,fine\nnobody,fine\n")
    ran = review(here, "uuuq")
    assert "Going on after 2 marks in posts.marks.csv." in ran.out
    assert headings(ran)[1:] == ["copy-2", "copy-0", "copy-0"]
    assert "Found 1 in 1 read of" in ran.out
    assert read_marks(here / "posts.marks.csv") == {"nobody": "fine"}


def test_skipped_documents_are_shown_by_the_next_review(here):
    first, second, _ = headings(review(here, "kk"))
    assert not (here / "posts.marks.csv").exists()
    assert headings(review(here, "q")) == [first]
    assert second != first


def test_copies_are_one_reading(here):
    ran = review(here, "k" * 300)
    shown = headings(ran)
    assert len(shown) == len(set(shown)) == len(set(BOARD.texts)) + 1 - sum(not text.strip() for text in BOARD.texts)
    assert "copy-0  ×3  score " in ran.out
    keys = "k" * shown.index("copy-0") + "s"
    ran = review(here, keys, "posts.jsonl", "--export", "found.csv")
    assert "Found 1 in 1 read of" in ran.out
    assert lines_of(here / "posts.marks.csv") == [["id", "mark"], ["copy-0", "strange"]]
    assert {line[1] for line in lines_of(here / "found.csv")[1:]} == {"copy-0", "copy-1", "copy-2"}
    assert not any(name.startswith("copy-") for name in headings(review(here, "k" * 300)))


@pytest.mark.parametrize("name", ["found.csv", "found.jsonl", "found.parquet"])
def test_the_found_documents_are_exported_with_their_own_columns(here, name):
    import pandas as pd

    shown = headings(review(here, ["s"] * 12 + ["f", "q"], "posts.jsonl", "--export", name))[:12]
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet}.get(
        (here / name).suffix, lambda path: pd.read_json(path, lines=True)
    )
    found = read(here / name)
    copies = ["copy-1", "copy-2"] if "copy-0" in shown else []
    assert sorted(found["id"]) == sorted([*shown, *copies])
    assert (found["author"] == "by " + found["id"]).all()
    assert found["score"].is_monotonic_decreasing
    is_copy = found["id"].isin(copies)
    assert (found["reason"].str.endswith("You marked it as strange.") == ~is_copy).all()


def test_what_was_found_before_is_exported_without_any_key(here):
    first, *_ = headings(review(here, "sq"))
    ran = review(here, "", "posts.jsonl", "--export", "found.csv")
    assert "1 strange document is in found.csv." in ran.err
    assert [line[1] for line in lines_of(here / "found.csv")[1:]] == [first]


def test_nothing_found_is_an_empty_table(here):
    review(here, "fq", "posts.jsonl", "--export", "found.csv")
    assert [line[:2] for line in lines_of(here / "found.csv")] == [["rank", "id"]]


def test_the_marks_serve_the_other_commands(here):
    shown = headings(review(here, "sffq"))
    ran = run("score", "model", "posts.jsonl", "--marks", "posts.marks.csv", "--json", cwd=here)
    strangest = {why["id"]: why for why in json.loads(ran.out)["strangest"]}
    assert strangest[shown[0]]["sentence"].endswith("You marked it as strange.")
    assert strangest[shown[1]]["parts"]["marks"] < 0


def test_words_stand_for_keys_and_others_are_named(here):
    ran = review(here, ["strange", "no", "x", "", "?", "undo", "skip", "quit"])
    assert "'x' is no key here; ? lists them." in ran.out
    assert "s, y      strange: it is what you are looking for" in ran.out
    assert [mark for _, mark in lines_of(here / "posts.marks.csv")] == ["mark", "strange", "fine", ""]


def test_open_shows_all_of_a_long_text(here):
    long = " ".join(f"quizzaciously{number}" for number in range(900))
    (here / "long.txt").write_text("\n".join([*BOARD.texts[:60], long]) + "\n")
    shown = review(here, "q", "long.txt").out
    assert "more lines (o)" in shown
    assert "quizzaciously899" not in shown
    assert "quizzaciously899" in review(here, "oq", "long.txt").out


def shown_of(n_lines, highlighted, room):
    lines = [Text(f"line {n}", style="") for n in range(n_lines)]
    for n in highlighted:
        lines[n].stylize("red")
    shown = [line.plain for line in fitting(lines, room)]
    assert len(shown) <= room
    return shown


def test_a_long_text_shows_its_beginning():
    assert shown_of(12, [], 12) == [f"line {n}" for n in range(12)]
    assert shown_of(40, [2, 5, 30], 12) == [*(f"line {n}" for n in range(11)), "… 29 more lines (o)"]
    assert shown_of(40, [], 2) == ["line 0", "… 39 more lines (o)"]
    assert shown_of(40, [30, 31], 1) == ["line 0"]


def test_a_long_text_shows_its_first_lines_and_the_place_with_most_of_the_unexpected_words():
    shown = shown_of(40, [2, 25, 26, 30], 12)
    assert shown[:4] == ["line 0", "line 1", "line 2", "… 21 more lines (o)"]
    assert shown[4:] == [*(f"line {n}" for n in range(24, 31)), "… 9 more lines (o)"]
    assert shown_of(40, [37, 38, 39], 12)[3:] == ["… 30 more lines (o)", *(f"line {n}" for n in range(33, 40))]


def test_when_all_are_read_the_last_can_be_undone(here):
    (here / "few.txt").write_text("".join(f"{' '.join(text.split())}\n" for text in BOARD.texts[:5]))
    ran = review(here, "ffkfffuq", "few.txt")
    assert "That was the last one: 4 documents read, and 1 document skipped." in ran.out
    assert "No document is left to mark." in ran.out
    assert "few.txt:" in ran.out.split("That was the last one")[-1]
    assert len(read_marks(here / "few.marks.csv")) == 3


def test_the_number_left_to_find_is_estimated_from_five_readings_on(here):
    out = review(here, "sssssq").out
    assert out.count("more to find") == 2  # with the last document, and at the end
    assert out.index("Found 4 in 4 read") < out.index("; about")


def test_marks_in_a_model_count_as_read(here):
    shown = headings(review(here, "sfq"))
    assert run("detect", "posts.jsonl", "--marks", "posts.marks.csv", "--save", "marked", "--json", cwd=here).code == 0
    assert load(here / "marked").marks_ == {shown[0]: "strange", shown[1]: "fine"}
    ran = review(here, "q", "marked", "posts.jsonl", "--marks", "more.csv")
    assert headings(ran) == [shown[2]]
    assert "Found 1 in 2 read" in ran.out


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (
            ["model"],
            2,
            "model is a saved model, which has no documents. Give files to review as well: tonmf review model",
        ),
        (["model", "posts.jsonl", "--topics", "9"], 2, "--topics has no effect beside a saved model"),
        (["model", "posts.jsonl", "--stop-words", "english"], 2, "--stop-words has no effect beside a saved model"),
        (["posts.jsonl", "--export", "-"], 2, "--export needs the name of a file"),
        (["posts.jsonl", "--export", "found.xls"], 1, "found.xls: expected a name that ends in"),
        (["posts.jsonl", "--marks", "no/marks.csv"], 1, "no/marks.csv cannot be written"),
        (["posts.jsonl", "--marks", "posts.jsonl"], 1, "posts.jsonl is one of the files to read"),
        (["posts.jsonl", "--marks", "wrong.csv"], 1, "wrong.csv, line 2: 'odd' is no mark; use strange or fine"),
        (["nothing.jsonl"], 1, "nothing.jsonl cannot be read: No such file or directory. Check the name."),
        (["-"], 1, "Documents come from standard input, and there is no terminal that keys could come from."),
    ],
)
def test_what_cannot_be_reviewed_ends_in_one_line(here, args, code, says):
    (here / "wrong.csv").write_text("id,mark\npost-1,odd\n")
    ran = run("review", *args, cwd=here)
    assert ran.code == code
    (line,) = ran.error_lines
    assert says in line


def test_a_folder_has_its_marks_beside_it(here):
    (here / "texts").mkdir()
    for number, text in enumerate(BOARD.texts[:30]):
        (here / "texts" / f"{number}.txt").write_text(text)
    review(here, "sq", "texts")
    assert list(read_marks(here / "texts.marks.csv").values()) == ["strange"]
    assert len(list((here / "texts").iterdir())) == 30


def test_a_table_without_known_names_of_columns_and_ids_is_reviewed(here):
    with (here / "odd.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["key", "body"], *([f'a, "{n}"', text] for n, text in enumerate(BOARD.texts[:40]))])
    ran = review(here, "sfq", "odd.csv", "--text-column", "body", "--id-column", "key")
    marks = read_marks(here / "odd.marks.csv")
    assert list(marks.values()) == ["strange", "fine"]
    assert all(name.startswith('a, "') for name in marks)
    again = review(here, "q", "odd.csv", "--text-column", "body", "--id-column", "key")
    assert headings(again) == headings(ran)[2:]


def test_ids_of_any_kind_are_known_again(here):
    names = [
        "carriage\rreturn",
        "line\nfeed",
        "comma,",
        '"quote"',
        "=1+1",
        "größe 漢字",
        *(f"  spaces {n} " for n in range(12)),
    ]
    rows = zip(names, BOARD.texts[100:118], strict=True)
    (here / "odd.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows))
    assert "That was the last one: 18 documents read." in review(here, "sf" * 9, "odd.jsonl").out
    again = review(here, "q", "odd.jsonl")
    assert "Found 9 in 18 read of 18" in again.out
    assert "That was the last one" in again.out
