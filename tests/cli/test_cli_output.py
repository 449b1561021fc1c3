"""The table of results: the users' own columns beside ours, in every format, in memory and out of core."""

import csv
import datetime as dt
import io
import json
import sqlite3
from contextlib import closing

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run, run_in_terminal

from tonmf.datasets import make_corpus
from tonmf.ranking import COLUMNS

CORPUS = make_corpus(n_docs=60, n_outliers=3, random_state=2)


def users_rows():
    """What a user has: columns with our names, dates, lists, missing values, and a formula."""
    return [
        {
            "id": name,
            "score": number - 30,
            "text": text,
            "when": f"2026-11-{number % 28 + 1:02}",
            "tags": [f"t{number}", "=1+1"],
            "title": None if number % 7 == 0 else f"=title {number}",
        }
        for number, (name, text) in enumerate(zip(CORPUS.ids, CORPUS.texts, strict=True))
    ]


def write_csv(folder):
    with (folder / "docs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(users_rows()[0]))
        writer.writeheader()
        writer.writerows({**row, "tags": "; ".join(row["tags"])} for row in users_rows())
    return "docs.csv"


def write_tsv(folder):
    rows = [{**row, "tags": "; ".join(row["tags"])} for row in users_rows()]
    lines = ["\t".join(rows[0]), *("\t".join("" if v is None else str(v) for v in row.values()) for row in rows)]
    (folder / "docs.tsv").write_text("\n".join(lines) + "\n")
    return "docs.tsv"


def write_jsonl(folder):
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in users_rows()))
    return "docs.jsonl"


def write_parquet(folder):
    rows = [{**row, "when": dt.date.fromisoformat(row["when"])} for row in users_rows()]
    pq.write_table(pa.Table.from_pylist(rows), folder / "docs.parquet")
    return "docs.parquet"


def read_back(path):
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def as_written(row, source, target):
    """The user's values as a table should have them, given the formats of the input and the output."""
    has_lists, in_cells = source in ("docs.jsonl", "docs.parquet"), target.suffix in (".csv", ".tsv")
    tags = (json.dumps(row["tags"]) if in_cells else row["tags"]) if has_lists else "; ".join(row["tags"])
    when = (
        dt.date.fromisoformat(row["when"]) if source == "docs.parquet" and target.suffix == ".parquet" else row["when"]
    )
    score = str(row["score"]) if in_cells or not has_lists else row["score"]
    title = "" if row["title"] is None and in_cells else row["title"]
    if in_cells and title:
        title = f"'{title}"
    return {"input_score": score, "when": when, "tags": tags, "title": title}


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")], ids=["in memory", "out of core"])
@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("write", [write_csv, write_tsv, write_jsonl, write_parquet], ids=lambda write: write.__name__)
def test_the_output_keeps_the_users_columns_and_adds_ours(tmp_path, write, extension, memory):
    source, target = write(tmp_path), tmp_path / f"out.{extension}"
    ran = run("detect", source, *memory, "-o", target, "--reasons", "all", cwd=tmp_path)
    assert ran.code == 0, ran.err
    rows = read_back(target)
    assert list(rows[0]) == [*COLUMNS, "input_score", "when", "tags", "title"]
    known = {row["id"]: row for row in users_rows()}
    assert len(rows) == len(known)
    for row in rows:
        given = known[row["id"]]
        assert row["text"] == given["text"]
        assert {name: row[name] for name in ("input_score", "when", "tags", "title")} == as_written(
            given, source, target
        )
        assert row["reason"].endswith(".")
    note = (
        f"note: Your column score is called input_score in {target}, because tonmf writes a column of that name itself."
    )
    assert note in ran.err.splitlines()


def test_our_own_table_can_be_read_again_and_loses_nothing(tmp_path):
    write_csv(tmp_path)
    for source, target in (("docs.csv", "a.csv"), ("a.csv", "b.csv"), ("b.csv", "c.csv")):
        ran = run("detect", source, "-o", target, cwd=tmp_path)
        assert ran.code == 0, ran.err
    first, third = ({row["id"]: row for row in read_back(tmp_path / name)} for name in ("a.csv", "c.csv"))
    renamed = [name for name in COLUMNS if name not in ("id", "text")]
    assert set(third[CORPUS.ids[0]]) == {
        *COLUMNS,
        *(prefix + name for prefix in ("input_", "input_input_") for name in renamed),
        *("input_input_input_score", "when", "tags", "title"),
    }
    for name, row in first.items():
        again = third[name]
        # A name stays as long as nothing of ours takes it, so the oldest has the shortest.
        assert (again["input_score"], again["input_input_score"]) == (row["input_score"], row["score"])
        assert again["input_reason"] == row["reason"]
        assert (again["text"], again["title"]) == (row["text"], row["title"])


@pytest.mark.parametrize("extension", ["csv", "tsv"])
def test_names_of_columns_gain_no_apostrophes_on_the_way_through(tmp_path, extension):
    rows = [{"id": row["id"], "text": row["text"], "=1+1": row["when"], "-x": 1} for row in users_rows()]
    pd.DataFrame(rows).to_csv(tmp_path / f"0.{extension}", index=False, sep="," if extension == "csv" else "\t")
    for number in range(3):
        ran = run("detect", f"{number}.{extension}", "-o", f"{number + 1}.{extension}", cwd=tmp_path)
        assert ran.code == 0, ran.err
    assert list(read_back(tmp_path / f"3.{extension}")[0])[-2:] == ["'=1+1", "'-x"]


def test_blank_cells_of_a_workbook_are_null_and_its_columns_keep_their_types(tmp_path):
    days = [dt.datetime(2026, 1, 1 + number % 20, 0 if number == 5 else 12) for number in range(len(CORPUS.texts))]
    frame = pd.DataFrame(
        {"text": CORPUS.texts, "stars": 2.5, "n": 4, "sure": True, "when": days, "day": days[0].date()}
    )
    frame = frame.astype(dict.fromkeys(frame, object))
    frame.loc[3, ["stars", "n", "sure", "when", "day"]] = None
    frame.to_excel(tmp_path / "docs.xlsx", index=False)
    for extension in ("parquet", "jsonl"):
        ran = run("detect", "docs.xlsx", "--text-column", "text", "-o", f"out.{extension}", cwd=tmp_path)
        assert ran.code == 0, ran.err
    table = pq.read_table(tmp_path / "out.parquet")
    types = {name: str(table.schema.field(name).type) for name in ("stars", "n", "sure", "when", "day")}
    expected = {"stars": "double", "n": "int64", "sure": "bool", "when": "timestamp[us]", "day": "date32[day]"}
    assert types == expected
    for row in (table.to_pylist(), read_back(tmp_path / "out.jsonl")):
        (blank,) = [one for one in row if one["id"] == "docs.xlsx:5"]
        assert [blank[name] for name in expected] == [None] * len(expected)
    assert (
        dict(zip(table.column("id").to_pylist(), table.column("when").to_pylist(), strict=True))["docs.xlsx:2"]
        == days[0]
    )


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_keys_that_only_later_lines_have_are_columns_out_of_core_too(tmp_path, extension):
    texts = [f"{text} {number}" for number, text in enumerate(CORPUS.texts * 50)]
    lines = [{"text": text} for text in texts]
    lines[0]["early"], lines[-1]["late"] = 1, {"deep": [1.5]}
    lines[-2]["early"] = "one"
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for cache in ("new", "again"):  # the second time, counts come from the cache
        target = tmp_path / f"{cache}.{extension}"
        ran = run("detect", "docs.jsonl", "--memory", "1GB", "--cache", "cache", "-o", target, "-q", cwd=tmp_path)
        assert (ran.code, ran.err) == (0, "")
        rows = read_back(target)
        assert len(rows) == len(lines)
        expected = {
            "csv": ('{"deep": [1.5]}', ""),
            "parquet": ({"deep": [1.5]}, None),
            "jsonl": ({"deep": [1.5]}, None),
        }
        assert (rows[-1]["late"], rows[0]["late"]) == expected[extension]
        assert (str(rows[0]["early"]), rows[-2]["early"]) == ("1", "one")


def test_files_with_different_columns_have_them_all(tmp_path):
    half = len(CORPUS.texts) // 2
    for name, other, part in (("a.csv", "stars", slice(0, half)), ("b.csv", "likes", slice(half, None))):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows([["text", other], *((text, "5") for text in CORPUS.texts[part])])
    ran = run("detect", "a.csv", "b.csv", "-o", "out.jsonl", cwd=tmp_path)
    assert ran.code == 0, ran.err
    for row in read_back(tmp_path / "out.jsonl"):
        has = ("5", None) if row["id"].startswith("a.csv") else (None, "5")
        assert (row["stars"], row["likes"]) == has


def test_score_keeps_columns_too_and_documents_without_columns_have_none(tmp_path):
    write_csv(tmp_path)
    (tmp_path / "docs.txt").write_text("\n".join(CORPUS.texts))
    assert run("detect", "docs.txt", "--save", "model", "-o", "a.csv", cwd=tmp_path).code == 0
    assert list(read_back(tmp_path / "a.csv")[0]) == list(COLUMNS)
    ran = run("score", "model", "docs.csv", "docs.txt", "-o", "b.csv", "--min-words", "2", cwd=tmp_path)
    assert ran.code == 0, ran.err
    rows = read_back(tmp_path / "b.csv")
    assert {row["when"] for row in rows if row["id"].startswith("docs.txt")} == {""}
    assert "" not in {row["when"] for row in rows if not row["id"].startswith("docs.txt")}


@pytest.mark.parametrize("source", ["docs.csv", "docs.parquet", "docs.arrow", "docs.xlsx"])
def test_columns_that_share_a_name_go_by_their_numbers(tmp_path, source):
    rows = [["text", "x", "x"], *([text, 1, 2] for text in CORPUS.texts)]
    table = pa.Table.from_arrays([pa.array(list(column)) for column in zip(*rows[1:], strict=True)], names=rows[0])
    if source == "docs.csv":
        (tmp_path / source).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    elif source == "docs.parquet":
        pq.write_table(table, tmp_path / source)
    elif source == "docs.arrow":
        with pa.OSFile(str(tmp_path / source), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        pd.DataFrame(rows[1:], columns=rows[0]).to_excel(tmp_path / source, index=False)
    ran = run("detect", source, "-o", "out.csv", cwd=tmp_path)
    assert ran.code == 0, ran.err
    (first, *_) = read_back(tmp_path / "out.csv")
    assert list(first) == [*COLUMNS, "2", "3"]
    assert (first["2"], first["3"]) == ("1", "2")


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")], ids=["in memory", "out of core"])
@pytest.mark.parametrize("source", ["docs.xlsx", "docs.db", "docs.json", "docs.arrow"])
def test_rows_of_every_format_with_columns_are_kept(tmp_path, source, memory):
    rows = [{"nr": n, "text": text, "stars": n % 5 - 2.5} for n, text in enumerate(CORPUS.texts)]
    if source == "docs.xlsx":
        pd.DataFrame(rows).to_excel(tmp_path / source, index=False)
    elif source == "docs.db":
        with closing(sqlite3.connect(tmp_path / source)) as base, base:
            pd.DataFrame(rows).to_sql("docs", base, index=False)
    elif source == "docs.json":
        (tmp_path / source).write_text(json.dumps(rows))
    else:
        table = pa.Table.from_pylist(rows)
        with pa.ipc.new_file(tmp_path / source, table.schema) as file:
            file.write_table(table)
    ran = run("detect", source, "--id-column", "nr", *memory, "-o", "out.jsonl", cwd=tmp_path)
    assert ran.code == 0, ran.err
    got = {int(row["id"]): row for row in read_back(tmp_path / "out.jsonl")}
    assert len(got) == 60
    assert list(got[0]) == [*COLUMNS, "nr", "stars"]
    assert all((got[row["nr"]]["nr"], got[row["nr"]]["stars"]) == (row["nr"], row["stars"]) for row in rows)


def test_several_text_columns_and_keys_within_keys_are_kept_as_they_were(tmp_path):
    lines = [{"text": f"title {n}", "user": {"bio": text, "age": n}} for n, text in enumerate(CORPUS.texts)]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    args = ("--text-column", "text", "--text-column", "user.bio", "--id-column", "user.age")
    ran = run("detect", "docs.jsonl", *args, "-o", "out.jsonl", cwd=tmp_path)
    assert ran.code == 0, ran.err
    for row in read_back(tmp_path / "out.jsonl"):
        line = lines[int(row["id"])]
        assert list(row) == [*COLUMNS, "input_text", "user"]
        assert row["text"] == f"{line['text']}\n{line['user']['bio']}"
        assert (row["input_text"], row["user"]) == (line["text"], line["user"])


# ------------------------------------------------------------------ standard output


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB", "--reasons", "all")], ids=["in memory", "out of core"])
@pytest.mark.parametrize(("output", "extension"), [("-", "csv"), ("-.tsv", "tsv"), ("-.jsonl", "jsonl")])
def test_standard_output_gets_the_same_table_as_a_file(tmp_path, output, extension, memory):
    write_csv(tmp_path)
    to_file = run("detect", "docs.csv", *memory, "-o", f"out.{extension}", "--save", "model", cwd=tmp_path)
    ran = run("detect", "docs.csv", *memory, "-o", output, cwd=tmp_path)
    assert ran.code == to_file.code == 0, ran.err
    assert ran.out.encode() == (tmp_path / f"out.{extension}").read_bytes()
    flagged = next(line for line in to_file.out.splitlines() if "flagged (score" in line)
    assert f"note: {flagged}" in ran.err.splitlines()
    assert all(line.startswith("note: ") for line in ran.err.splitlines())
    scored = run("score", "model", "docs.csv", "-o", output, "-q", cwd=tmp_path)
    assert (scored.code, scored.err) == (0, "")
    assert len(scored.out.splitlines()) == 60 + (extension != "jsonl")


def test_a_timeline_goes_to_standard_output_with_the_users_columns(tmp_path):
    write_csv(tmp_path)
    ran = run("timeline", "docs.csv", "--time-column", "when", "-o", "-", cwd=tmp_path)
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(io.StringIO(ran.out, newline="")))
    assert rows
    known = {row["id"]: row for row in users_rows()}
    assert all(row["when"] == known[row["id"]]["when"] == row["time"][:10] for row in rows)
    assert all(row["input_score"] == str(known[row["id"]]["score"]) for row in rows)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("-o", "-.parquet"),
            "-.parquet: expected - for CSV on standard output, -.tsv or -.jsonl. Give the name of a file",
        ),
        (("-o", "-.csv.gz"), "-.csv.gz: expected - for CSV on standard output"),
        (("-o", "-", "--json"), "--json and --output - both write to standard output. Leave one of them out."),
    ],
)
def test_what_cannot_go_to_standard_output_is_refused_at_once(tmp_path, args, message):
    (tmp_path / "empty.csv").touch()
    ran = run("detect", "empty.csv", *args, cwd=tmp_path)
    assert ran.code in (1, 2)
    assert "--json" in args or ran.out == ""  # with it, the answer says what is wrong, too
    (line,) = ran.error_lines
    assert line.startswith(f"tonmf: {message}")


def test_a_table_on_a_terminal_cannot_steer_it(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join([*CORPUS.texts, "zxcv \x1b[2J qwer \x1b]0;owned\x07"]))
    code, shown = run_in_terminal("detect", "docs.txt", "-o", "-", cwd=tmp_path)
    assert code == 0
    assert "owned" in shown
    assert "\x1b[2J" not in shown
    assert "\x1b]0;" not in shown
