"""Every command that reads files reads every format: workbooks, databases, archives, pages, mails, saved datasets."""

import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from command import run

from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=60, n_outliers=3, random_state=4)
DAYS = [f"2024-01-{1 + number // 2:02}" for number in range(60)]
ROWS = list(zip(CORPUS.ids, CORPUS.texts, DAYS, strict=True))


def as_workbook(folder):
    book = openpyxl.Workbook()
    for row in (("id", "text", "day"), *ROWS):
        book.active.append(row)
    book.create_sheet("Notes").append(["nothing"])
    book.save(folder / "a.xlsx")
    return ["a.xlsx", "--sheet", "1"], "day"


def as_database(folder):
    with closing(sqlite3.connect(folder / "a.db")) as connection:
        connection.execute("create table reviews (id, text, day)")
        connection.executemany("insert into reviews values (?, ?, ?)", ROWS)
        connection.commit()
    return ["a.db", "--sql", "select id, text, day from reviews"], "day"


def as_archive(folder):
    rows = [json.dumps({"id": row[0], "text": row[1], "day": row[2]}) for row in ROWS]
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/rows.jsonl", "\n".join(rows))
        archive.writestr("README.md", "Some rows.")
    return ["a.zip"], "day"


def as_mails(folder):
    (folder / "mails").mkdir()
    for name, text, day in ROWS:
        mail = EmailMessage()
        mail["From"], mail["Message-ID"], mail["Date"] = "ann@example.org", name, datetime.fromisoformat(day)
        mail.set_content(text, cte="base64")
        (folder / "mails" / f"{name}.eml").write_bytes(bytes(mail))
    return ["mails", "--id-column", "message-id"], "date"


def as_dataset(folder):
    (folder / "saved").mkdir()
    table = pa.table(dict(zip(("id", "text", "day"), map(list, zip(*ROWS, strict=True)), strict=True)))
    with pa.OSFile(str(folder / "saved" / "data.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    (folder / "saved" / "state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}')
    return ["saved"], "day"


def as_pages(folder):
    (folder / "pages").mkdir()
    for name, text, _ in ROWS:
        page = f'<html><head><meta charset="latin-1"></head><body><p>{text} –</p></body></html>'
        (folder / "pages" / f"{name}.html").write_bytes(page.encode("cp1252"))
    return ["pages"], None


@pytest.fixture(
    params=[as_workbook, as_database, as_archive, as_mails, as_dataset, as_pages], ids=lambda make: make.__name__
)
def files(request, tmp_path):
    """What to type for the same documents in this format, and the name of their times."""
    return request.param(tmp_path)


def strangest(ran, top=3):
    """The ids of the strangest documents, without the extensions of files."""
    assert ran.code == 0, ran.err
    return {Path(document["id"]).stem for document in json.loads(ran.out)["strangest"][:top]}


def test_every_command_reads_it(files, tmp_path):
    arguments, time = files
    expected = {name for name, label in zip(CORPUS.ids, CORPUS.labels, strict=True) if label}
    ran = run(
        "detect",
        *arguments,
        "--topics",
        "6",
        "--json",
        "--save",
        "model",
        "-o",
        "a.csv",
        "--report",
        "a.html",
        cwd=tmp_path,
    )
    assert strangest(ran) == expected
    assert len((tmp_path / "a.csv").read_text().splitlines()) >= 61
    ran = run("detect", *arguments, "--topics", "6", "--json", "--memory", "1GB", "--cache", "cache", cwd=tmp_path)
    assert strangest(ran) == expected
    assert json.loads(run("score", "model", *arguments, "--json", cwd=tmp_path).out)["documents"] == 60
    ran = run("report", "model", *arguments, "-o", "b.html", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert (tmp_path / "b.html").stat().st_size > 10_000
    ran = run("explain", "model", *arguments, "--top", "1", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    if time is not None:
        ran = run("timeline", *arguments, "--time-column", time, "--topics", "6", "--json", cwd=tmp_path)
        assert ran.code == 0, ran.err
