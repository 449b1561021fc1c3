"""Help and errors of usage come at once: they load neither scikit-learn nor numba.

This asks what is loaded, not how long it takes. One interpreter loads what most cases need, and forks for each of them: what
it has loaded counts for all.
"""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tonmf.cli.commands.paper import NAMES

HEAVY = ["dask", "distributed", "matplotlib", "numba", "pandas", "sklearn"]
"""What no error of usage needs."""

LEARN = [
    (["--contamination", "much"], "--contamination must be a share"),
    (["--contamination", "0.9"], "--contamination must be above 0"),
    (["--stop-words", "klingon"], "--stop-words must be a language; known are"),
    (["--stem", "klingon"], "--stem must be one of"),
    (
        ["--mask", "id,verb"],
        "--mask must be some of url, email, handle, id, date, number, with commas between; or all, or none",
    ),
    (["--jobs", "0"], "--jobs must be a whole number of threads other than 0 (-1 for all cores); got 0."),
    (["--min-df", "0"], "--min-df"),
    (["--seed", "-1"], "--seed"),
    (["--no-excerpts"], "--no-excerpts"),
    (["--save", "mine"], "is a folder with other things in it"),
    (["--save", "d.txt"], "is a file; a model is saved as a folder"),
]
READ = [
    (["nofile.csv"], "nofile.csv cannot be read: No such file or directory. Check the name."),
    (["x*.csv"], "x*.csv: expected files that match this pattern, found none."),
    (["docs.xyz"], "docs.xyz: cannot tell the format, since the extension .xyz is not known. Give --format, one of"),
    (["docs.pdf"], "docs.pdf: .pdf files are not read. Turn it into plain text, .txt."),
    (["docs.xlsx"], "docs.xlsx: expected a workbook (.xlsx, .xls, .ods), but it cannot be read as one"),
    (["docs.zip"], "docs.zip: expected a zip archive, but it cannot be read as one"),
    (["docs.db"], "docs.db: expected a database of SQLite or DuckDB, but it starts like neither"),
    (["d.txt", "--sheet", "2"], "--sheet names a sheet of a workbook, but no input is one; got lines."),
    (["d.txt", "--sql", "select 1"], "--sql needs a database, but no input is one; got lines."),
    (["t.db", "--sql", "selct 1"], 't.db: the query (--sql) failed: near "selct": syntax error. Correct it.'),
    (["d.txt", "--format", "word"], "word"),
    (["d.txt", "--encoding", "klingon"], "--encoding must be auto, or an encoding of text"),
    (["d.txt", "--text-column", "text"], "--text-column 'text' needs files with columns"),
    (["d.txt", "--vocabulary", "v.txt"], "--vocabulary names a matrix's columns"),
    (["two.csv"], "several columns may hold the text: title, author. Give --text-column."),
    (["two.csv", "--text-column", "review"], "has no column 'review' (--text-column); it has title, author."),
    (["two.csv", "--text-column", "title", "--id-column", "title"], "--text-column and --id-column must differ"),
    (["two.csv", "--text-column", "title", "--text-column", "title"], "--text-column names 'title' twice."),
    (
        ["two.csv", "--text-column", "title", "--text-column", "3"],
        "has no column '3' (--text-column); it has title, author.",
    ),
    (["two.csv", "--separator", "::"], "--separator must be one character in a csv file; got '::'."),
    (["d.txt", "--header"], "--header needs files of rows (csv, tsv, spreadsheet, baskets); got lines. Leave it out."),
    (["two.csv", "--text-column", "title", "--min-words", "9"], "9 words or more (--min-words)."),
]
WRITE = [
    (["--output", "scores.xls"], "scores.xls: expected a name that ends in"),
    (["--output", "no/folder/scores.csv"], "Make the folder first."),
    (["--output", "mine"], "mine cannot be written"),
    (["--output", "d.txt"], "d.txt"),
]


def cases():
    for options, says in READ:
        yield ["detect", *options], says
        yield ["score", "model", *options], says
        yield ["explain", "model", *options], says
        yield ["report", "model", *options], says
        yield ["review", *options], says
        yield ["review", "model", *options], says
        yield ["timeline", "--time-column", "when", *options], None
    for options, says in LEARN:
        yield ["detect", "d.txt", *options], says
        yield ["timeline", "d.jsonl", "--time-column", "when", *options], says
    for options, says in WRITE:
        yield ["detect", "d.txt", *options], says
        yield ["score", "model", "d.txt", *options], says
    for command in (["score"], ["explain"], ["report"]):
        yield [*command, "nowhere", "d.txt"], "There is no nowhere. Expected the folder of a saved model."
        yield [*command, "mine", "d.txt"], "mine is no saved model"
    yield from [
        (["--help"], None),
        (["--version"], None),
        *(([command, "--help"], "Example: ") for command in ("demo", "detect", "score", "explain", "report", "watch")),
        *(
            ([command, "--help"], "Example: ")
            for command in ("review", "topics", "timeline", "serve", "paper", "bench")
        ),
        (["generate", "baskets", "--help"], "Example: "),
        ([], None),
        (["nonsense"], "No such command"),
        (["detect"], "Missing argument"),
        (["detect", "d.txt", "--no-such-option"], "No such option"),
        (["detect", "d.txt", "--reasons", "all"], "--reasons"),
        (["detect", "d.txt", "--title", "T"], "--title"),
        (["detect", "d.txt", "--report", "page.pdf"], "page.pdf: expected a name that ends in .html"),
        (["detect", "d.txt", "--report", "no/page.html"], "Make the folder first."),
        (["detect", "d.txt", "--dask", "tcp://nowhere:1", "--jobs", "2"], "--jobs has no effect beside --dask"),
        (["detect", "d.txt", "--cache", "folder"], "--cache has no effect without --memory"),
        (["detect", "d.txt", "--memory", "lots"], "--memory must be a number of bytes"),
        (["detect", "d.txt", "--memory", "1MB"], "--memory must be at least 500 MB"),
        (["detect", "d.txt", "--memory", "2GB", "--report", "r.html", "--label-column", "l"], "--label-column"),
        (["detect", "d.txt", "--memory", "2GB", "--dask", "tcp://nowhere:1"], "--dask"),
        (["detect", "nofile.csv", "--memory", "2GB"], "nofile.csv cannot be read"),
        (["detect", "m.mtx", "--memory", "2GB"], "m.mtx is a matrix, which is read as a whole. Leave --memory out."),
        (["detect", "b.dat", "--stem", "english"], "--stem has no effect on rows of items. Leave it out."),
        (["detect", "b.dat", "--mask", "none"], "--mask has no effect on rows of items. Leave it out."),
        (["score", "model", "d.txt", "--jobs", "0"], "--jobs must be"),
        (["explain", "model", "d.txt", "--id", "x", "--top", "2"], "Give one of the two"),
        (["report", "model", "d.txt", "--output", "page.pdf"], "page.pdf: expected a name that ends in .html"),
        (["review", "model"], "model is a saved model, which has no documents. Give files to review as well"),
        (["review", "model", "d.txt", "--topics", "9"], "--topics has no effect beside a saved model"),
        (["review", "d.txt", "--stem", "klingon"], "--stem must be one of"),
        (["review", "d.txt", "--export", "found.xls"], "found.xls: expected a name that ends in"),
        (["review", "d.txt", "--marks", "no/marks.csv"], "Make the folder first."),
        (["topics", "nowhere"], "There is no nowhere."),
        (["demo", "--report", "page.pdf"], "page.pdf: expected a name that ends in .html"),
        (["bench", "--documents", "50", "--outliers", "50"], "--outliers must be fewer than --documents"),
        (["bench", "--jobs", "0"], "--jobs must be"),
        (["timeline", "d.jsonl"], "Missing option"),
        (["timeline", "d.jsonl", "--time-column", "no"], "has no column 'no' (--time-column); it has text, when."),
        (["timeline", "d.jsonl", "--time-column", "when", "--window", "long"], "--window must be a time above 0"),
        (["timeline", "d.jsonl", "--time-column", "when", "--warm-up", "some"], "--warm-up must be a number"),
        (["timeline", "d.jsonl", "--time-column", "when", "--warm-up", "99"], "--warm-up 99 takes 99 of 2 documents"),
        (["timeline", "d.jsonl", "--time-column", "when", "--half-life", "x"], "--half-life must be a number of"),
        (["timeline", "d.jsonl", "--time-column", "when", "--plot", "p.gif"], "p.gif: expected a name that ends in"),
        (["watch", "nowhere", "d.jsonl"], "There is no nowhere."),
        (["watch", "model", "nofile.jsonl"], "nofile.jsonl cannot be read"),
        (["watch", "model", "two.csv"], "(--format)"),
        (["watch", "model", "docs.xlsx"], "(--format)"),
        (["watch", "model", "docs.zip"], "(--format)"),
        (["watch", "model", "d.jsonl", "--half-life", "x"], "--half-life must be a number of documents above 0"),
        (["watch", "model", "d.jsonl", "--no-learn", "--learn-every", "2"], "--learn-every"),
        (["watch", "model", "d.jsonl", "--snapshot-every", "60 s"], "--snapshot-every"),
        (["watch", "model", "d.jsonl", "--marks", "mine"], "mine cannot be read: Is a directory. Give a file."),
        (["serve", "nowhere"], "There is no nowhere."),
        (["serve", "model", "--threads", "0"], "--threads must not be 0"),
        (["serve", "model", "--host", "0.0.0.0"], "Give --token, or TONMF_TOKEN in the environment."),  # noqa: S104
        (["serve", "model", "--token", "short"], "The token must have at least"),
        (["paper", "--only", "rocc"], f"--only must be one of {', '.join(NAMES)}; got rocc."),
        (["paper", "--out", ""], "--out must be the name of a folder"),
        (["generate", "corpus"], "Missing option"),
        (["generate", "corpus", "--output", "c.xls"], "c.xls"),
        (["generate", "baskets", "--output", "b.xls"], "b.xls"),
        (
            ["generate", "baskets", "--output", "b.jsonl", "--length", "5000"],
            "--length must be a number from 1 to --items",
        ),
    ]


RUNNER = r"""
import json, os, sys, tempfile
import pyarrow.csv, pydantic, rich.console  # what most cases need, loaded once
import tonmf.cli.answer, tonmf.detector.options, tonmf.storage.bundles, tonmf.text.analysis
from tonmf.io import *
from tonmf.cli.app import COMMANDS, command
pydantic.TypeAdapter(int)
list(map(command, COMMANDS))
for line in sys.stdin:
    arguments, read, write = json.loads(line), *os.pipe()
    pid = os.fork()
    if pid == 0:
        from tonmf.cli import main
        with tempfile.TemporaryFile("w+") as said:
            os.dup2(said.fileno(), 1), os.dup2(said.fileno(), 2)
            sys.argv, code = ["tonmf", *arguments], 0
            try:
                main()
            except SystemExit as end:
                code = end.code or 0
            sys.stdout.flush(), sys.stderr.flush()
            said.seek(0)
            loaded = sorted({name.partition(".")[0] for name in sys.modules})
            with os.fdopen(write, "w") as pipe:
                json.dump({"code": code, "said": said.read(), "loaded": loaded}, pipe)
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    sys.__stdout__.write(answer + "\n")
    sys.__stdout__.flush()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usage")
    (folder / "d.txt").write_text("one text\nanother text\n")
    (folder / "b.dat").write_text("milk bread\nbread eggs\n")
    (folder / "docs.xyz").write_text("a text\n")
    for name in ("docs.pdf", "docs.xlsx", "docs.zip", "docs.db"):
        (folder / name).write_text("something else")
    with closing(sqlite3.connect(folder / "t.db")) as connection:
        connection.execute("create table t (text)")
    (folder / "two.csv").write_text("title,author\nA house,B. Bee\nThe red door,C. Cee\n")
    (folder / "m.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 2 3\n")
    (folder / "d.jsonl").write_text('{"text": "a b", "when": "2020-01-01"}\n{"text": "c d", "when": "2020-01-02"}\n')
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("")
    (folder / "model").mkdir()  # as empty as a model can be: no case gets as far as to load it
    (folder / "model" / "model.json").write_text('{"format": "tonmf model"}')
    (folder / "model" / "arrays.safetensors").write_text("")
    return folder


@pytest.fixture(scope="module")
def command(folder):
    env = {**os.environ, "COLUMNS": "500", "TERM": "dumb", "NO_COLOR": "1"}
    env.pop("TONMF_TOKEN", None)
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def run(arguments):
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield run
        process.stdin.close()


@pytest.mark.parametrize(
    ("arguments", "says"), list(cases()), ids=lambda value: " ".join(value) if type(value) is list else ""
)
def test_help_and_errors_of_usage_load_nothing_heavy(arguments, says, command):
    answer = command(arguments)
    asked = not arguments or arguments[-1] in ("--help", "--version")
    assert answer["code"] in ((0, 2) if asked else (1, 2)), answer["said"]
    assert "Traceback" not in answer["said"]
    assert says is None or says in " ".join(answer["said"].split())
    assert not set(HEAVY) & set(answer["loaded"])


def test_the_names_of_experiments_are_those_that_there_are():
    from tonmf.experiments.paper import EXPERIMENTS

    assert tuple(EXPERIMENTS) == NAMES
