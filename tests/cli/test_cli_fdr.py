"""``--fdr`` of ``tonmf detect`` and ``tonmf score``."""

import csv
import json

import numpy as np
import pytest
from command import run

from tonmf import load
from tonmf.datasets import make_corpus
from tonmf.metrics import discoveries

CORPUS = make_corpus(n_docs=200, n_outliers=5, random_state=2)
NEW = make_corpus(n_docs=60, n_outliers=3, random_state=3)


def write(folder, name, corpus):
    rows = zip(corpus.ids, corpus.texts, strict=True)
    (folder / name).write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in rows))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fdr")
    write(folder, "docs.jsonl", CORPUS)
    write(folder, "new.jsonl", NEW)
    done = run("detect", "docs.jsonl", "--fdr", "10%", "--save", "model", "--output", "all.csv", "--json", cwd=folder)
    assert done.code == 0, done.err
    (folder / "answer.json").write_text(done.out)
    return folder


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def flagged_in(rows):
    return {row["id"] for row in rows if row["outlier"] == "true"}


def test_training_documents_are_flagged_as_the_library_says(folder):
    p_values = load(folder / "model").p_values_
    expected = {CORPUS.ids[row] for row in np.flatnonzero(discoveries(p_values, 0.1))}
    rows = table(folder / "all.csv")
    assert flagged_in(rows) == expected != set()
    assert {row["id"]: float(row["p_value"]) for row in rows} == dict(zip(CORPUS.ids, p_values.tolist(), strict=True))


def test_the_answer_says_what_is_assumed(folder):
    answer = json.loads((folder / "answer.json").read_text())
    assert answer["fdr"] == 0.1
    assert answer["flagged"] == len(flagged_in(table(folder / "all.csv")))
    assert answer["rule"] == "p-value small enough for a false-discovery rate of 10 %"
    assert "at most 10 % are expected to be ordinary, provided that" in answer["assumptions"][0]
    first = answer["strangest"][0]
    assert (first["outlier"], first["fdr"]) == (True, 0.1)
    assert first["sentence"].startswith("Flagged at a false-discovery rate of 10 %: its score of")
    assert "of ordinary documents" in first["sentence"]
    assert "threshold" not in first["sentence"]


def test_new_documents_are_flagged_as_the_library_says(folder):
    done = run("score", "model", "new.jsonl", "--fdr", "0.2", "--output", "new.csv", cwd=folder)
    assert done.code == 0, done.err
    p_values = load(folder / "model").p_value(NEW.texts)
    expected = {NEW.ids[row] for row in np.flatnonzero(discoveries(p_values, 0.2))}
    rows = table(folder / "new.csv")
    assert flagged_in(rows) == expected
    assert {row["id"]: float(row["p_value"]) for row in rows} == pytest.approx(
        dict(zip(NEW.ids, p_values.tolist(), strict=True))
    )
    assert "false-discovery rate of 20 %" in done.out


def test_the_training_documents_are_known_again(folder):
    done = run("score", "model", "docs.jsonl", "--fdr", "0.1", "--output", "again.csv", "--quiet", cwd=folder)
    assert done.code == 0, done.err
    assert flagged_in(table(folder / "again.csv")) == flagged_in(table(folder / "all.csv"))


def test_documents_on_disk_are_flagged_alike(folder):
    options = ("--memory", "1GB", "--fdr", "0.1", "--output", "large.csv", "--quiet")
    done = run("detect", "docs.jsonl", *options, cwd=folder)
    assert done.code == 0, done.err
    assert flagged_in(table(folder / "large.csv")) == flagged_in(table(folder / "all.csv"))


def test_without_a_rate_the_threshold_decides_and_p_values_are_still_told(folder):
    done = run("score", "model", "docs.jsonl", "--output", "plain.csv", cwd=folder)
    detector, rows = load(folder / "model"), table(folder / "plain.csv")
    assert flagged_in(rows) == {CORPUS.ids[row] for row in np.flatnonzero(detector.labels_ == -1)}
    assert "automatic threshold" in done.out
    assert "false-discovery" not in done.out
    assert all(0 < float(row["p_value"]) <= 1 for row in rows)


def test_marks_do_not_count(folder):
    (folder / "marks.csv").write_text(f"id,mark\n{CORPUS.ids[int(np.argmax(CORPUS.labels))]},fine\n")
    options = ("--fdr", "0.1", "--marks", "marks.csv", "--output", "marked.csv")
    done = run("detect", "docs.jsonl", *options, cwd=folder)
    assert done.code == 0, done.err
    assert "P-values are of the scores without marks." in " ".join(done.out.split())
    assert flagged_in(table(folder / "marked.csv")) == flagged_in(table(folder / "all.csv"))


@pytest.mark.parametrize("rate", ["0", "1", "-0.1", "nan", "lots", "100%", ""])
def test_a_rate_that_cannot_be_is_refused(folder, rate):
    for command in (("detect", "docs.jsonl"), ("score", "model", "new.jsonl")):
        done = run(*command, "--fdr", rate, cwd=folder)
        assert done.code == 2
        assert done.out == ""
        assert f"--fdr must be a rate above 0 and below 1, such as 0.1 or 10%; got '{rate}'." in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--contamination", "5%"), "--fdr and --contamination both say which documents to flag. Give one of the two."),
        (("--report", "report.html"), "Leave out either --fdr or --report."),
    ],
)
def test_a_rate_beside_what_else_decides_is_refused(folder, options, says):
    done = run("detect", "docs.jsonl", "--fdr", "0.1", *options, cwd=folder)
    assert done.code == 2
    assert says in done.err


def test_the_answer_says_that_strange_training_documents_keep_p_values_large(folder):
    done = run("score", "model", "new.jsonl", "--fdr", "0.0001", cwd=folder)
    assert "No document has a p-value small enough for a false-discovery rate of 0.01 %; the smallest is " in done.out
    n_strange = int((load(folder / "model").outlier_scores_ > load(folder / "model").threshold_).sum())
    said = f"compared with all 200 training documents, and {n_strange} of these are flagged themselves"
    assert said in " ".join(done.out.split())
