"""Files as people have them, through the commands: tables without a header, messages, baskets, JSON arrays, labels in words."""

import csv
import json

import numpy as np
import pytest
from command import run

from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=3)
CLASSES = ["spam" if odd else "ham" for odd in CORPUS.labels]
ITEMS = [
    "whole milk", "rolls/buns", "soda", "yogurt", "citrus fruit", "root vegetables", "bottled water", "semi-finished bread",
    "cream cheese", "liquor (appetizer)", "UHT-milk", "long life bakery product",
]  # fmt: skip


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with the same documents in many forms."""
    folder = tmp_path_factory.mktemp("tables")
    with (folder / "plain.csv").open("w", newline="") as file:
        csv.writer(file).writerows(zip(CLASSES, CORPUS.ids, CORPUS.texts, strict=True))
    (folder / "sms").write_text("".join(f"{c}\t{text}\n" for c, text in zip(CLASSES, CORPUS.texts, strict=True)))
    rows = [
        {"class": c, "user": {"name": name, "bio": text}}
        for c, name, text in zip(CLASSES, CORPUS.ids, CORPUS.texts, strict=True)
    ]
    (folder / "users.json").write_text(json.dumps(rows, indent=1))
    (folder / "users.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    draw = np.random.default_rng(0)
    baskets = [draw.choice(ITEMS, draw.integers(1, 8), replace=False).tolist() for _ in range(200)]
    (folder / "groceries.csv").write_text("".join(",".join(basket) + "\n" for basket in baskets))
    ran = run("detect", "plain.csv", "--id-column", 2, "--save", "model", "--json", cwd=folder)
    assert ran.code == 0, ran.err
    ran = run("detect", "groceries.csv", "--save", "baskets", "--json", cwd=folder)
    assert ran.code == 0, ran.err
    return folder


def answer_of(*args, cwd):
    ran = run(*args, "--json", cwd=cwd)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("memory", [[], ["--memory", "1GB"]], ids=["in memory", "on disk"])
@pytest.mark.parametrize(
    "args", [["plain.csv"], ["sms", "--format", "tsv"], ["users.json", "--text-column", "user.bio"]], ids=" ".join
)
def test_every_document_is_read(here, args, memory):
    answer = answer_of("detect", *args, *memory, cwd=here)
    assert answer["documents"] == 120
    taken_as_document = any("is like the others and was read as a document" in note for note in answer["notes"])
    assert taken_as_document == (args[0] != "users.json")


def test_the_notes_name_the_flags(here):
    (note,) = [note for note in answer_of("detect", "plain.csv", cwd=here)["notes"] if "first row" in note]
    assert note == (
        "The first row of plain.csv is like the others and was read as a document; if it names the columns, give --header."
    )
    assert answer_of("detect", "plain.csv", "--header", cwd=here)["documents"] == 119
    (here / "short.csv").write_text(
        "nice one\n" + "".join(f"{one} {two}\n" for one in CORPUS.texts[0].split() for two in ITEMS)
    )
    notes = answer_of("detect", "short.csv", "--boilerplate", "none", cwd=here)["notes"]
    assert any(note.endswith("if it is a document, give --no-header.") for note in notes)


@pytest.mark.parametrize("memory", [[], ["--memory", "1GB"]], ids=["in memory", "on disk"])
def test_groceries_just_work(here, memory):
    answer = answer_of("detect", "groceries.csv", *memory, cwd=here)
    assert answer["documents"] == 200
    words = {word["word"] for document in answer["strangest"] for word in document["unexpected"]}
    assert words <= set(ITEMS)
    assert any("was read as baskets, with commas between the items" in note for note in answer["notes"])


def test_a_saved_model_reads_its_files_the_same_way(here):
    answer = answer_of("score", "model", "plain.csv", "--id-column", 2, cwd=here)
    assert answer["documents"] == 120
    ran = run("explain", "model", "plain.csv", "--id-column", 2, "--id", CORPUS.ids[0], cwd=here)
    assert (ran.code, CORPUS.ids[0] in ran.out) == (0, True)
    assert answer_of("score", "baskets", "groceries.csv", cwd=here)["documents"] == 200


def test_several_columns_are_one_text(here):
    ran = run("detect", "plain.csv", "--text-column", 2, "--text-column", 3, "-o", "s.jsonl", "-q", cwd=here)
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in (here / "s.jsonl").read_text().splitlines()]
    assert {row["text"] for row in rows} == {
        f"{name}\n{text}" for name, text in zip(CORPUS.ids, CORPUS.texts, strict=True)
    }


def test_labels_in_words_make_curves(here):
    flags = ["--label-column", "1", "--label-outlier", "spam"]
    for command in (["detect", "sms"], ["report", "model", "sms"]):
        target = ["--report", "r.json"] if command[0] == "detect" else ["-o", "r.json"]
        ran = run(*command, "--format", "tsv", *flags, *target, "-q", cwd=here)
        assert ran.code == 0, ran.err
        report = json.loads((here / "r.json").read_text())
        assert report["curves"]["outliers"] == sum(CORPUS.labels)
    ran = run("detect", "sms", "--format", "tsv", "--label-column", 1, "--report", "x.html", cwd=here)
    assert (ran.code, len(ran.error_lines)) == (1, 1)
    assert "for labels in words, name those of outliers (--label-outlier)" in ran.err
    ran = run(
        "detect", "sms", "--format", "tsv", "--label-column", 1, "--label-outlier", "ad", "--report", "x.html", cwd=here
    )
    assert (ran.code, ran.error_lines) == (
        1,
        ["tonmf: No document is labelled ad (--label-outlier); column '1' holds ham, spam."],
    )
    assert not (here / "x.html").exists()


def test_the_next_steps_repeat_how_files_were_read(here):
    ran = run("detect", "plain.csv", "--no-header", "--text-column", 2, "--text-column", 3, "--save", "again", cwd=here)
    assert ran.code == 0, ran.err
    assert "plain.csv --text-column 2 --text-column 3 --no-header --id" in ran.out


def watched(here, model, content, *options):
    (here / "new").write_text(content)
    ran = run("watch", model, "new", "--until-end", "--no-learn", *options, cwd=here)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()], ran.err


def test_watch_reads_keys_within_keys_and_several(here):
    lines = (here / "users.jsonl").read_text().splitlines(keepends=True)[:5]
    options = ["--text-column", "user.bio", "--id-column", "user.name"]
    answers, _ = watched(here, "model", "".join(lines), *options)
    assert [answer["id"] for answer in answers] == CORPUS.ids[:5]
    assert [answer["text"] for answer in answers] == CORPUS.texts[:5]
    answers, _ = watched(here, "model", "".join(lines), "--text-column", "user.name", *options[:2])
    assert answers[0]["text"] == f"{CORPUS.ids[0]}\n{CORPUS.texts[0]}"


def test_watch_reads_baskets_with_commas(here):
    content = "whole milk,soda,citrus fruit\nyogurt\nroot vegetables,soda\n"
    answers, notes = watched(here, "baskets", content, "--format", "lines")
    assert [answer["text"] for answer in answers] == [
        "whole milk, soda, citrus fruit",
        "yogurt",
        "root vegetables, soda",
    ]
    assert "has commas between its items" in notes
    same, notes = watched(here, "baskets", content.replace(",", "&"), "--format", "lines", "--separator", "&")
    assert [answer["score"] for answer in same] == [answer["score"] for answer in answers]
    assert "between its items" not in notes
