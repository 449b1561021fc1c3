"""Read documents from a query on a database in a file, SQLite or DuckDB: a row for each, numbered from 1.

Nothing is ever written, whatever the query says: the file is opened for reading only, SQLite may do nothing but select, and
DuckDB has no access to other files.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import quote

from tonmf.errors import InputError, Message, MissingExtraError, Param
from tonmf.io.arrow import arrow
from tonmf.io.arrow_files import BatchReader
from tonmf.io.columns import Chooser
from tonmf.io.options import ReadOptions
from tonmf.io.parquet import add_batches
from tonmf.io.part import Part
from tonmf.io.rows import add_rows
from tonmf.io.streams import Opened
from tonmf.text.documents import TEXTS
from tonmf.wording import listed, one_line, shown

AT_ONCE = 1000
"""Rows to fetch at a time."""

ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
"""What a query may do in SQLite."""

LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "lock_configuration": True,
    "threads": 1,
}
"""How DuckDB is set up: no other files, and one thread, so that rows come in the same order each time."""


def read_database(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each row of a query; without one, from each row of the only table."""
    if source.path is None or source.compression is not None:
        raise InputError(f"{source.name}: a database is read where it is. Unpack it, and give the file.")
    part = Part(source.name, "database", TEXTS, source.sink)
    if source.head.startswith(b"SQLite format 3\0"):
        _read_sqlite(source.path, part, options, chooser)
    elif source.head[8:12] == b"DUCK":
        _read_duckdb(source.path, part, options, chooser)
    elif source.head:
        raise InputError(
            f"{source.name}: expected a database of SQLite or DuckDB, but it starts like neither, or it is encrypted. Check "
            "the file and ",
            Param("format"),
            ".",
        )
    return part


def _read_sqlite(path: str, part: Part, options: ReadOptions, chooser: Chooser) -> None:
    try:
        with closing(sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)) as connection:
            connection.text_factory = _text
            tables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            query = options.sql or _all_rows([name for (name,) in connection.execute(tables)], part)
            connection.set_authorizer(_authorize)
            cursor = connection.execute(query)
            if cursor.description is None:
                raise _no_rows(part.name)
            names = [column[0] for column in cursor.description]
            add_rows(names, enumerate(_fetched(cursor), 1), part, options, chooser)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if options.sql is None:
            raise InputError(f"{part.name} cannot be read ({one_line(error)}). Check the file.") from error
        raise _failed(part.name, "only SELECT is allowed" if "not authorized" in str(error) else error) from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    harmless = action in ALLOWED and second != "load_extension"
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


def _fetched(cursor: sqlite3.Cursor) -> Iterator[Any]:
    while rows := cursor.fetchmany(AT_ONCE):
        yield from rows


def _read_duckdb(path: str, part: Part, options: ReadOptions, chooser: Chooser) -> None:
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtraError("Reading databases of DuckDB needs duckdb: pip install 'tonmf[duckdb]'.") from error
    arrow("pyarrow", "Reading databases of DuckDB")
    try:
        with duckdb.connect(path, read_only=True, config=LOCKED) as connection:
            tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY table_name"
            query = options.sql or _all_rows([name for (name,) in connection.execute(tables).fetchall()], part)
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise _failed(part.name, "expected one SELECT")
            # The connection can be closed only after its reader.
            with connection.sql(query).to_arrow_reader(AT_ONCE) as reader:
                add_batches(BatchReader(reader), part, options, chooser)
    except duckdb.Error as error:
        if options.sql is None:
            raise InputError(f"{part.name} cannot be read ({one_line(error)}). Check the file.") from error
        raise _failed(part.name, error) from error


def _all_rows(tables: list[str], part: Part) -> str:
    """Return a query for all rows of the only table."""
    if len(tables) != 1:
        has = f"has the tables {listed(tables)}" if tables else "has no tables"
        raise InputError(f"{part.name} {has}. Give a query, such as ", Param("sql", "select id, text from …"), ".")
    part.notes.append(
        Message(f"All rows of {shown(tables[0])} in {part.name} were read; for others give ", Param("sql"), ".")
    )
    return 'SELECT * FROM "{}"'.format(tables[0].replace('"', '""'))  # noqa: S608 (the name is from the database itself)


def _no_rows(name: str) -> InputError:
    return _failed(name, "it gives no rows; expected one SELECT")


def _failed(name: str, why: object) -> InputError:
    return InputError(f"{name}: the query (", Param("sql"), f") failed: {one_line(why)}. Correct it.")
