"""Options for reading files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tonmf.errors import Message, Param, ParameterError
from tonmf.io.encodings import AUTO
from tonmf.io.formats import FORMATS
from tonmf.io.separators import separator_from
from tonmf.wording import listed, shown

WITH_COLUMNS = frozenset({"csv", "tsv", "parquet", "arrow", "spreadsheet", "database", "jsonl", "json"})
"""Formats of files with columns or keys."""

WITH_HEADERS = frozenset({"mail", "mbox"})
"""Formats of mails, whose headers serve as columns for all but the text."""


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading files.

    Parameters
    ----------
    format : str, optional
        One of `FORMATS`. By default, each file's extension decides.
    text_column, id_column : str or int, optional
        Columns of tables, by name or by number from 1, or keys of JSON objects, such as ``user.bio`` for a key within another.
        By default they are guessed, and a note says which were taken. A list of text columns makes each document of all of
        them, with line breaks between.
    label_column : str or int, optional
        Column or key that marks documents known to be outliers: 1, true or yes; otherwise 0, false or no.
    time_column : str or int, optional
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
    label_outlier : str or sequence of str
        Labels of the outliers, if `label_column` holds words: every other label is that of an ordinary document.
    header : bool, optional
        Whether the first row of a CSV or TSV file, or of a sheet, holds the names of the columns. By default, the rows decide.
    separator : str, optional
        What separates the items of a basket, or the cells of a CSV file: comma, semicolon, tab, bar, space (any white space) or
        the characters themselves. By default, the data decide.
    sheet : str, optional
        Name of the sheet of a workbook to read, or its number from 1. By default, the first.
    sql : str, optional
        Query for the documents in a database: a row for each. By default, all rows of its only table.
    keep_columns : bool
        Keep all columns of tables and keys of JSON, to write them beside the results.
    """

    format: str | None = None
    text_column: str | int | Sequence[str | int] | None = None
    id_column: str | int | None = None
    encoding: str = AUTO
    encoding_errors: str = "replace"
    skip_bad: bool = False
    vocabulary: str | None = None
    min_words: int = 0
    label_column: str | int | None = None
    time_column: str | int | None = None
    label_outlier: str | Sequence[str] = ()
    header: bool | None = None
    separator: str | None = None
    sheet: str | None = None
    sql: str | None = None
    keep_columns: bool = field(default=False, repr=False)  # documents are the same, so caches are too

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Return the text columns that the user names, in order."""
        given = self.text_column
        if given is None:
            return ()
        return (str(given),) if isinstance(given, str | int) else tuple(map(str, given))

    @property
    def outlier_labels(self) -> tuple[str, ...]:
        """Return the labels of outliers that the user names."""
        return (self.label_outlier,) if isinstance(self.label_outlier, str) else tuple(self.label_outlier)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return the columns that the user names, each after its parameter."""
        single = (("id_column", self.id_column), ("label_column", self.label_column), ("time_column", self.time_column))
        return [
            *(("text_column", column) for column in self.text_columns),
            *((param, str(column)) for param, column in single if column is not None),
        ]


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
    if options.separator is not None:
        separator_from(options.separator)
    if options.outlier_labels and options.label_column is None:
        raise ParameterError(
            Param("label_outlier"), " has no effect without ", Param("label_column"), ". Give both, or leave it out."
        )
    check_all_differ(options.columns)


def check_all_differ(columns: Sequence[tuple[str, str]]) -> None:
    """Raise `ParameterError` if a column is given twice; `columns` are pairs of a parameter and a column."""
    by_column: dict[str, list[str]] = {}
    for param, column in columns:
        by_column.setdefault(column, []).append(param)
    for column, params in by_column.items():
        if len(params) == 1:
            continue
        first, *others = map(Param, dict.fromkeys(params))
        if others:
            rest = [Message(" and ", other) for other in others]
            raise ParameterError(first, *rest, f" must differ; both are {shown(column)}.")
        raise ParameterError(first, f" names {shown(column)} twice. Name each column once.")


def check_options_fit(options: ReadOptions, formats: set[str]) -> None:
    """Raise `ParameterError` for an option that has no effect on files of these formats, rather than ignore it."""
    for name, value in options.columns:
        fitting = WITH_COLUMNS if name == "text_column" else WITH_COLUMNS | WITH_HEADERS
        if not formats & fitting:
            needs = f"needs files with columns ({', '.join(sorted(fitting))}); got {listed(sorted(formats))}."
            raise ParameterError(Param(name), f" {shown(value)} {needs}")
    for param, given, rows in (
        ("header", options.header, ("csv", "tsv", "spreadsheet", "baskets")),
        ("separator", options.separator, ("csv", "tsv", "baskets")),
    ):
        if given is not None and formats.isdisjoint(rows):
            needs = f" needs files of rows ({', '.join(rows)}); got {listed(sorted(formats))}. Leave it out."
            raise ParameterError(Param(param), needs)
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
