"""Queries on databases, as sqlite3 and DuckDB write them. Nothing that a query says changes a file."""

import hashlib
import sqlite3
import sys
from pathlib import Path

import duckdb
import pytest
from files_to_read import put, read, refusal

from tonmf.errors import MissingExtraError, ParameterError
from tonmf.io import DocumentFiles, ReadOptions

ROWS = [
    (1, "The committee met.", "2024-01-02", 0),
    (2, "Grüße aus München", "2024-01-03", 1),
    (3, None, "2024-01-04", 0),
]
CREATE = "create table reviews (id integer, text varchar, day varchar, odd integer)"


def sqlite_file(folder, name="reviews.db", more=()):
    path = folder / name
    connection = sqlite3.connect(path)
    for statement in (CREATE, *more):
        connection.execute(statement)
    connection.executemany("insert into reviews values (?, ?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return str(path)


def duckdb_file(folder, name="reviews.duckdb", more=()):
    path = str(folder / name)
    with duckdb.connect(path) as connection:
        for statement in (CREATE, *more):
            connection.execute(statement)
        connection.executemany("insert into reviews values (?, ?, ?, ?)", ROWS)
    return path


both = pytest.mark.parametrize("make", [sqlite_file, duckdb_file])


@both
def test_the_rows_of_a_query_are_documents(tmp_path, make):
    path = make(tmp_path)
    name = Path(path).name
    options = {"sql": "select id, text, odd, day from reviews where id < 3 order by id desc"}
    documents = read(path, label_column="odd", time_column="day", **options)
    assert documents.content == ["Grüße aus München", "The committee met."]
    assert documents.ids == ["2", "1"]
    assert documents.labels == [1, 0]
    assert documents.times == [1704240000.0, 1704153600.0]
    assert read(path, sql="select text from reviews order by id").ids == [f"{name}:1", f"{name}:2"]


@both
def test_columns_of_one_name_go_by_their_numbers(tmp_path, make):
    path = make(tmp_path)
    name, sql = Path(path).name, "select a.text, b.text from reviews a, reviews b where a.id = 1 and b.id = 2"
    assert refusal(path, sql=sql) == f"{name}: several columns may hold the text: 1 (text), 2 (text). Give text_column."
    assert refusal(path, sql=sql, text_column="text") == (
        f"{name}: 2 columns are called 'text'. Give the number of the one that is meant, such as 2."
    )
    assert read(path, sql=sql, text_column=2).content == ["Grüße aus München"]


@both
def test_without_a_query_the_only_table_is_read(tmp_path, make):
    path = make(tmp_path)
    documents = read(path, text_column="text")
    assert len(documents.content) == 2
    assert documents.notes[0] == f"All rows of 'reviews' in {Path(path).name} were read; for others give sql."


@both
def test_with_several_tables_a_query_is_asked_for(tmp_path, make):
    path = make(tmp_path, more=["create table others (x integer)"])
    message = refusal(path)
    assert message.startswith(f"{Path(path).name} has the tables ")
    assert "others" in message
    assert message.endswith("Give a query, such as sql='select id, text from …'.")


@both
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("selct text", "syntax error"),
        ("select text from nowhere", "nowhere"),
        ("drop table reviews", ""),
        ("delete from reviews", ""),
        ("insert into reviews values (9, 'x', 'y', 0) returning *", ""),
        ("select text from reviews; select 1", ""),
        ("attach 'other.db' as other", ""),
        ("vacuum into 'copy.db'", ""),
        ("copy reviews to 'copy.csv'", ""),
        ("pragma user_version = 7", ""),
        ("-- nothing", ""),
        ("select load_extension('evil')", ""),
    ],
)
def test_a_query_that_fails_or_would_write_is_refused_and_changes_nothing(tmp_path, monkeypatch, make, sql, why):
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    before = hashlib.sha256(Path(path).read_bytes()).digest()
    message = refusal(path, sql=sql)
    assert message.startswith(f"{Path(path).name}: the query (sql) failed: ")
    assert why in message
    assert message.endswith("Correct it.")
    assert hashlib.sha256(Path(path).read_bytes()).digest() == before
    assert [found.name for found in tmp_path.iterdir()] == [Path(path).name]


def test_duckdb_does_not_read_other_files(tmp_path):
    other = put(tmp_path, "secret.csv", "text\nsecret\n")
    message = refusal(duckdb_file(tmp_path), sql=f"select * from '{other}'")  # noqa: S608
    assert "the query (sql) failed: Permission Error" in message


def test_lists_and_times_of_duckdb(tmp_path):
    sql = (
        "select ['milk', 'bread'] as items, timestamptz '2024-01-04 12:00:00+00' as at union all select ['salt'], now()"
    )
    documents = read(duckdb_file(tmp_path), sql=sql, text_column="items", time_column="at")
    assert ["milk", "bread"] in documents.content
    assert 1704369600.0 in documents.times


@both
def test_several_columns_and_labels_in_words(tmp_path, make):
    sql = "select day, text, case odd when 1 then 'odd' else 'plain' end as kind from reviews where id < 3 order by id"
    documents = read(make(tmp_path), sql=sql, text_column=["day", "text"], label_column="kind", label_outlier="odd")
    assert documents.content == ["2024-01-02\nThe committee met.", "2024-01-03\nGrüße aus München"]
    assert documents.labels == [0, 1]


def test_bytes_in_a_column_of_texts_are_refused(tmp_path):
    path = sqlite_file(tmp_path, more=["insert into reviews values (0, x'00ff', '', 0)"])
    message = refusal(path, sql="select text from reviews")
    assert message.startswith("reviews.db, row 1: expected text in column 'text', got b'\\x00\\xff'.")
    assert len(read(path, sql="select text from reviews", skip_bad=True).content) == 2


@both
def test_a_database_is_read_in_batches_as_well(tmp_path, monkeypatch, make):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    sql = (
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) "
        "select i as id, 'text ' || i as text from n"
    )
    path = make(tmp_path)
    files = DocumentFiles([path], ReadOptions(sql=sql))
    for _ in range(2):
        assert [batch.ids for batch in files] == [["1", "2"], ["3", "4"], ["5"]]
    assert [one for batch in files for one in batch.content] == read(path, sql=sql).content


@both
def test_an_empty_answer_is_refused(tmp_path, make):
    path = make(tmp_path)
    message = refusal(path, sql="select text from reviews where id > 9")
    assert message == f"{Path(path).name} is empty: expected a row for each document."


@pytest.mark.parametrize("name", ["a.db", "a.sqlite", "a.sqlite3", "a.duckdb"])
def test_a_file_that_is_no_database_is_refused(tmp_path, name):
    message = refusal(put(tmp_path, name, "no database, but text that is long enough"), sql="select 1")
    assert message.startswith(f"{name}: expected a database of SQLite or DuckDB, but it starts like neither")


@both
def test_a_damaged_database_is_refused(tmp_path, make):
    data = Path(make(tmp_path)).read_bytes()
    path = put(tmp_path, "broken.db", data[:2000])
    assert refusal(path).startswith("broken.db cannot be read (")
    assert refusal(path, sql="select text from reviews").startswith("broken.db: the query (sql) failed: ")


def test_a_name_with_odd_characters_is_no_part_of_an_address(tmp_path):
    path = sqlite_file(tmp_path, name="a?mode=rwc#%20.db")
    assert len(read(path).content) == 2


def test_a_query_needs_a_database(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "text\n"), sql="select 1", error=ParameterError)
    assert message == "sql needs a database, but no input is one; got lines."


def test_the_extra_is_named_when_it_is_missing(tmp_path, monkeypatch):
    path = duckdb_file(tmp_path)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    message = refusal(path, error=MissingExtraError)
    assert message == "Reading databases of DuckDB needs duckdb: pip install 'tonmf[duckdb]'."
