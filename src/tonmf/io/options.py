"""Options for reading files."""

from __future__ import annotations

from dataclasses import dataclass

from tonmf.errors import Message, Param, ParameterError
from tonmf.io.encodings import AUTO
from tonmf.io.formats import FORMATS
from tonmf.wording import listed, shown


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading files.

    Parameters
    ----------
    format : str, optional
        One of `FORMATS`. By default, each file's extension decides.
    text_column, id_column : str, optional
        Columns of tables, or keys of JSON lines. By default they are guessed, and a note says which were taken.
    label_column : str, optional
        Column or key that marks documents known to be outliers: 1, true or yes; otherwise 0, false or no.
    time_column : str, optional
        Column or key of the time at which each document was written, as `tonmf.stream.times` reads it.
    encoding : str
        Encoding of text files, which a byte-order mark in a file overrides. By default, each file is read as UTF-8 if it is
        UTF-8, else in the encoding that it seems to have, and a note says which.
    encoding_errors : {"replace", "refuse"}
        What to do with bytes that are not valid in the encoding: replace them by U+FFFD, or stop.
    skip_bad : bool
        Skip rows and lines that cannot be read, rather than stop at the first.
    vocabulary : str, optional
        A file with one term a line, the names of a matrix's columns.
    min_words : int
        Leave out documents with fewer words (separated by white space), items, or counts in a row.
    sheet : str, optional
        Name of the sheet of a workbook to read, or its number from 1. By default, the first.
    sql : str, optional
        Query for the documents in a database: a row for each. By default, all rows of its only table.
    """

    format: str | None = None
    text_column: str | None = None
    id_column: str | None = None
    encoding: str = AUTO
    encoding_errors: str = "replace"
    skip_bad: bool = False
    vocabulary: str | None = None
    min_words: int = 0
    label_column: str | None = None
    time_column: str | None = None
    sheet: str | None = None
    sql: str | None = None

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that the user names, by parameter."""
        named = {
            "text_column": self.text_column,
            "id_column": self.id_column,
            "label_column": self.label_column,
            "time_column": self.time_column,
        }
        return {name: column for name, column in named.items() if column is not None}


def check_options(options: ReadOptions) -> None:
    """Raise `ParameterError` for a value that is wrong whatever the files are."""
    if options.format is not None and options.format not in FORMATS:
        raise ParameterError(Param("format"), f" must be one of {', '.join(FORMATS)}; got {shown(options.format)}.")
    if options.encoding_errors not in ("replace", "refuse"):
        raise ParameterError(
            Param("encoding_errors"), f" must be 'replace' or 'refuse'; got {shown(options.encoding_errors)}."
        )
    try:
        for some_bytes in (b"text", b"\xff\xff\xff\xff"):
            some_bytes.decode("utf-8" if options.encoding == AUTO else options.encoding, "replace")
    except (LookupError, ValueError) as error:
        raise ParameterError(
            Param("encoding"),
            f" must be auto, or an encoding of text such as utf-8, latin-1 or cp1252; got {shown(options.encoding)}.",
        ) from error
    by_column: dict[str, list[str]] = {}
    for name, column in options.columns.items():
        by_column.setdefault(column, []).append(name)
    for column, named in by_column.items():
        if len(named) > 1:
            first, *others = map(Param, named)
            rest = [Message(" and ", other) for other in others]
            raise ParameterError(first, *rest, f" must differ; both are {shown(column)}.")


TABLES = ("csv", "tsv", "parquet", "arrow", "spreadsheet", "database", "jsonl")
"""Formats with columns, or keys."""

MAILS = ("mail", "mbox")
"""Formats with headers, which name all but the text."""


def check_options_fit(options: ReadOptions, formats: set[str]) -> None:
    """Raise `ParameterError` for an option that has no effect on files of these formats, rather than ignore it."""
    for name, value in options.columns.items():
        fitting = TABLES if name == "text_column" else (*TABLES, *MAILS)
        if formats.isdisjoint(fitting):
            needs = f"needs files with columns ({', '.join(fitting)}); got {listed(sorted(formats))}."
            raise ParameterError(Param(name), f" {shown(value)} {needs}")
    if options.vocabulary is not None and "matrix" not in formats:
        raise ParameterError(
            Param("vocabulary"),
            f" names a matrix's columns, but no input is a matrix; got {listed(sorted(formats))}.",
        )
    if options.sheet is not None and "spreadsheet" not in formats:
        raise ParameterError(
            Param("sheet"), f" names a sheet of a workbook, but no input is one; got {listed(sorted(formats))}."
        )
    if options.sql is not None and "database" not in formats:
        raise ParameterError(Param("sql"), f" needs a database, but no input is one; got {listed(sorted(formats))}.")
