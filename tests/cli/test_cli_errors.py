"""What users get wrong, and files that are: one clear line and exit code 1, or a count of what was left out; no traceback."""

import gzip
import json
import os
import re

import numpy as np
import pytest
from command import run

from tonmf import TONMF
from tonmf.cli.errors import answering
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=40, n_outliers=2, random_state=1)
LINES = "\n".join(CORPUS.texts) + "\n"
JSON_LINES = [json.dumps({"id": i, "text": text}) for i, text in enumerate(CORPUS.texts)]
ROWS = [f'{i},"{text}"' for i, text in enumerate(CORPUS.texts)]
CSV = "id,text\n" + "\n".join(ROWS) + "\n"


def put(content, name="docs.csv"):
    def write(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return [name]

    return write


def unreadable(folder):
    (folder / "loop.txt").symlink_to("loop.txt")
    return ["loop.txt"]


REFUSED = {
    "a path that is not there": (lambda folder: ["no.csv"], "no.csv cannot be read: No such file or directory"),
    "a path through a file": (lambda f: [put(LINES, "a.txt")(f)[0] + "/b.txt"], "Not a directory"),
    "an unreadable path": (unreadable, "loop.txt cannot be read"),
    "a pattern without a match": (lambda folder: ["x*.csv"], r"x\*\.csv"),
    "an empty file": (put("", "docs.txt"), "docs.txt is empty: expected a document a line"),
    "blank lines only": (put("\n \n\n", "docs.txt"), "no text"),
    "a header only": (put("id,text\n"), "docs.csv is empty: expected a header, and a row for each document"),
    "an empty folder": (lambda folder: ["."], "empty"),
    "an unknown extension": (put(LINES, "docs.xyz"), "--format"),
    "a binary file": (put(b"\x7fELF\0\0\0\1" * 100, "docs.txt"), "binary"),
    "a truncated gzip file": (put(gzip.compress(CSV.encode())[:-20], "docs.csv.gz"), "docs.csv.gz"),
    "no gzip file at all": (put(CSV, "docs.csv.gz"), "docs.csv.gz"),
    "a column of numbers only": (put("id,price\n1,2.5\n2,3.5\n"), "price"),
    "several columns of text": (
        put("title,author\nA house,B. Bee\nThe red door,C. Cee\n"),
        "title, author. Give --text-column",
    ),
    "columns with names of parameters": (
        put("confidence,stemmer\nA house,B. Bee\nThe red door,C. Cee\n"),
        r"docs\.csv: several columns may hold the text: confidence, stemmer\. Give --text-column\.",
    ),
    "columns with names of options": (
        put("memory,topics\nA house,B. Bee\nThe red door,C. Cee\n"),
        r"docs\.csv: several columns may hold the text: memory, topics\. Give --text-column\.",
    ),
    "a bad JSON line": (
        put("\n".join([*JSON_LINES[:4], '{"text": ', *JSON_LINES[4:]]), "d.jsonl"),
        r"d\.jsonl, line 5: .*--skip-bad",
    ),
    "a row with too many cells": (put(CSV + "1,2,3,4\n"), r"docs\.csv, row 42: .*--skip-bad"),
    "an unclosed quote": (put(CSV + '41,"never closed\n'), "quote"),
    "a damaged Parquet file": (put(b"PAR1" + b"x" * 50, "docs.parquet"), "docs.parquet"),
    "a damaged matrix": (put(b"PK\3\4nothing", "docs.npz"), "docs.npz"),
    "too little to learn from": (put("uno\ndue\ntre\n", "docs.txt"), "nothing can be learnt"),
    "weights in place of counts": (
        put("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.5\n2 2 0.3\n", "docs.mtx"),
        "Expected counts",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_one_line_and_exit_code_1(case, tmp_path):
    write, says = REFUSED[case]
    ran = run("detect", *write(tmp_path), "--output", "scores.csv", "--save", "model", cwd=tmp_path)
    assert ran.code == 1
    assert ran.out == ""
    assert len(ran.error_lines) == 1, ran.err
    assert re.fullmatch(rf"tonmf: .*{says}.*", ran.error_lines[0])
    assert not {"scores.csv", "model"} & set(os.listdir(tmp_path))


LATIN = LINES.encode() + "Der Bär schläft\n".encode("latin-1")
TOLD = {
    "another encoding": (put(LATIN, "d.txt"), [], 41, r"d\.txt was read as cp1252, since it is not UTF-8.*--encoding"),
    "bytes that do not decode": (
        put(LATIN, "d.txt"),
        ["--encoding", "utf-8"],
        41,
        r"1 line of d\.txt .*\(first: line 41\).*--encoding",
    ),
    "a named encoding": (put(LATIN, "d.txt"), ["--encoding", "latin-1"], 41, None),
    "a byte-order mark": (put(b"\xef\xbb\xbf" + CSV.encode()), [], 40, "column 'text'"),
    "UTF-16": (put(LINES.encode("utf-16"), "d.txt"), [], 40, "d.txt was read as UTF-16"),
    "carriage returns": (put(CSV.replace("\n", "\r\n")), [], 40, "column 'text'"),
    "line breaks in cells": (put(CSV + '40,"first line\nsecond ""line"""\n'), [], 41, "column 'text'"),
    "missing texts": (
        put(CSV + "40,\n41,\n"),
        [],
        40,
        r"2 of 42 documents in docs\.csv have no text and were left out",
    ),
    "bad JSON lines": (
        put("\n".join([*JSON_LINES, "{", "}"]), "d.jsonl"),
        ["--skip-bad"],
        40,
        "2 lines of d.jsonl .*line 41",
    ),
    "bad rows": (put(CSV + "1,2,3\n4\n"), ["--skip-bad"], 40, "2 rows of docs.csv"),
    "ids that occur twice": (put(CSV + f"{ROWS[0]}\n"), [], 41, "1 document shares its id with an earlier one"),
    "semicolons": (put(CSV.replace(",", ";")), [], 40, "semicolon|;"),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_is_mended_or_left_out_is_told(case, tmp_path):
    write, options, n_docs, says = TOLD[case]
    ran = run("detect", *write(tmp_path), *options, "--json", "--top", "1", cwd=tmp_path)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["documents"] == n_docs
    if says is None:
        assert ran.err == ""
    else:
        assert any(re.search(says, note) for note in answer["notes"]), ran.err
    assert ran.err.splitlines() == [f"note: {note}" for note in answer["notes"]]


def test_bytes_that_do_not_decode_are_refused_on_request(tmp_path):
    put(LATIN, "d.txt")(tmp_path)
    ran = run("detect", "d.txt", "--encoding-errors", "refuse", cwd=tmp_path)
    assert ran.code == 1
    assert len(ran.error_lines) == 1
    assert "d.txt" in ran.err
    assert "line 41" in ran.err


def test_a_line_of_a_hundred_megabytes_is_read(tmp_path):
    long = ("goal striker coach " * (100_000_000 // 19))[:100_000_000]
    (tmp_path / "d.txt").write_text(LINES + long + "\n")
    ran = run("detect", "d.txt", "--json", "--top", "1", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["documents"] == 41


WRONG_USAGE = [
    (["detect"], "Missing argument"),
    (["detect", "d.txt", "--no-such-option"], "No such option"),
    (
        ["detect", "d.txt", "--contamination", "much"],
        "--contamination must be a share such as 0.05 or 5%, or auto; got 'much'",
    ),
    (["detect", "d.txt", "--contamination", "0.9"], "--contamination must be above 0 and at most 0.5"),
    (["detect", "d.txt", "--format", "word"], "word"),
    (["detect", "d.txt", "--encoding", "klingon"], "--encoding must be"),
    (["detect", "d.txt", "--text-column", "text"], "--text-column 'text' needs files with columns"),
    (["detect", "d.txt", "--stop-words", "klingon"], "known are"),
    (["detect", "d.txt", "--stem", "klingon"], "--stem must be"),
    (["detect", "d.txt", "--jobs", "0"], "--jobs must be"),
    (["detect", "d.txt", "--jobs", "two"], "--jobs must be a whole number; got 'two'."),
    (["detect", "d.txt", "--top", "-1"], "--top must be a whole number of at least 0; got '-1'."),
    (
        ["detect", "d.txt", "--seed", "5000000000"],
        "--seed must be a whole number from 0 to 4294967295; got '5000000000'.",
    ),
    (["watch", "model", "d.jsonl", "--format", "csv"], "--format must be one of jsonl, lines; got 'csv'."),
    (["generate", "baskets", "--length", "long", "--output", "b.dat"], "--length must be a number; got 'long'."),
    (["detect", "d.txt", "--encoding", "punycode"], "--encoding must be"),
    (["detect", "d.txt", "--no-excerpts"], "--no-excerpts has no effect without --save. Give both, or leave it out."),
    (["detect", "d.csv", "--text-column", "a", "--text-column", "a"], "--text-column names 'a' twice"),
    (["detect", "d.csv", "--separator", ""], "--separator must be comma, semicolon, tab"),
    (["detect", "d.txt", "--no-header"], "--header needs files of rows"),
    (["detect", "d.txt", "--label-outlier", "spam"], "--label-outlier has no effect without --report"),
    (
        ["detect", "d.txt", "--report", "r.html", "--label-outlier", "x"],
        "--label-outlier has no effect without --label-column",
    ),
    (["watch", "model", "d.jsonl", "--separator", ","], "--separator has no effect on JSON lines"),
    (["explain", "model", "d.txt", "--id", "x", "--top", "2"], "Give one of the two"),
    (["bench", "--documents", "50", "--outliers", "50"], "--outliers must be fewer than --documents"),
    (["generate", "baskets", "--length", "5000", "--output", "b.dat"], "--length"),
    (["detect", "b.dat", "--stop-words", "none"], "--stop-words has no effect on rows of items. Leave it out."),
    (["detect", "b.dat", "--boilerplate", "none"], "--boilerplate has no effect on rows of items. Leave it out."),
    (
        ["detect", "d.txt", "--boilerplate", "some"],
        "--boilerplate must be a share such as 0.05 or 5%, or none; got 'some'.",
    ),
    (["detect", "d.txt", "--boilerplate", "120%"], "--boilerplate must be above 0 and at most 1 (100%); got '120%'."),
    (["nonsense"], "No such command"),
    (["generate", "corpus", "--documents", "5", "--outliers", "9", "--output", "c.jsonl"], "outliers from 0 up"),
]


@pytest.mark.parametrize(("args", "says"), WRONG_USAGE, ids=[" ".join(args) for args, _ in WRONG_USAGE])
def test_wrong_usage_is_exit_code_2(args, says, tmp_path):
    (tmp_path / "d.txt").write_text(LINES)
    (tmp_path / "b.dat").write_text(LINES)
    (tmp_path / "d.csv").write_text(CSV)
    ran = run(*args, cwd=tmp_path)
    assert ran.code == 2, ran.err
    assert says in " ".join(re.sub("[│╭╮╰╯─]", " ", ran.err).split())
    assert "Traceback" not in ran.err


def test_places_that_cannot_be_written_are_refused_before_the_work_begins(tmp_path):
    (tmp_path / "d.txt").write_text(LINES)
    (tmp_path / "not-to-be-read.xyz").write_text(LINES)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    for options, says in [
        (["--output", "scores.xls"], "scores.xls"),
        (["--output", "no/folder/scores.csv"], "Make the folder first"),
        (["--output", "mine"], "mine"),
        (["--output", ""], "empty"),
        (["--save", "mine"], "is a folder with other things in it"),
        (["--save", "d.txt"], "is a file; a model is saved as a folder"),
    ]:
        ran = run("detect", "not-to-be-read.xyz", *options, cwd=tmp_path)
        assert ran.code == 1, options
        assert ran.out == ""
        assert says in ran.error_lines[0]
        assert len(ran.error_lines) == 1
    assert sorted(os.listdir(tmp_path)) == ["d.txt", "mine", "not-to-be-read.xyz"]


def test_models_that_are_none_are_refused(tmp_path):
    (tmp_path / "d.txt").write_text(LINES)
    TONMF(n_topics=2, random_state=0).fit(np.random.default_rng(0).poisson(1.0, (30, 5)) + 0.0).save(tmp_path / "rows")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.json").write_text("{")
    (tmp_path / "broken" / "arrays.safetensors").write_text("")
    for model, says in [
        ("nowhere", "There is no nowhere"),
        ("d.txt", "is no saved model"),
        ("broken", "is damaged"),
        ("rows", "rows holds a TONMF, which knows rows of numbers only"),
    ]:
        for args in (["score", model, "d.txt"], ["explain", model, "d.txt"], ["topics", model]):
            ran = run(*args, cwd=tmp_path)
            assert ran.code == 1
            assert says in ran.error_lines[0]
            assert len(ran.error_lines) == 1


def test_documents_of_another_kind_than_the_models_are_refused(tmp_path):
    (tmp_path / "d.txt").write_text(LINES)
    (tmp_path / "d.dat").write_text(LINES)
    assert run("detect", "d.txt", "--save", "model", "-q", cwd=tmp_path).code == 0
    ran = run("score", "model", "d.dat", cwd=tmp_path)
    assert (ran.code, ran.error_lines) == (1, ["tonmf: The detector was fitted on texts, but got rows of items."])


def test_a_fault_of_our_own_is_one_line_too(capsys, monkeypatch):
    typer = pytest.importorskip("typer")
    monkeypatch.setattr("warnings.showwarning", None)  # put back afterwards

    def faulty():
        raise KeyError("what\nnow")

    for command, says, code in [
        (faulty, "unexpected error, a fault in tonmf: KeyError: 'what\\nnow' (set TONMF_TRACEBACK=1 to see where).", 1),
        (lambda: (_ for _ in ()).throw(MemoryError), "there is not enough memory for these documents.", 1),
        (lambda: (_ for _ in ()).throw(OSError(28, "No space left on device")), "No space left on device", 1),
        (lambda: (_ for _ in ()).throw(KeyboardInterrupt), "stopped; nothing was left half-written.", 130),
    ]:
        with pytest.raises(typer.Exit) as left:
            answering(command)()
        assert left.value.exit_code == code
        said = capsys.readouterr().err
        assert says in said
        assert said.count("\n") == 1
