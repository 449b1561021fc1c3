"""Options for reading files."""

from __future__ import annotations

from dataclasses import dataclass, field

from tonmf.errors import Message, Param, ParameterError
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
        Encoding of text files. A byte-order mark in a file overrides it.
    encoding_errors : {"replace", "refuse"}
        What to do with bytes that are not valid in the encoding: replace them by U+FFFD, or stop.
    skip_bad : bool
        Skip rows and lines that cannot be read, rather than stop at the first.
    vocabulary : str, optional
        A file with one term a line, the names of a matrix's columns.
    min_words : int
        Leave out documents with fewer words (separated by white space), items, or counts in a row.
    keep_columns : bool
        Keep all columns of tables and keys of JSON lines, to write them beside the results.
    """

    format: str | None = None
    text_column: str | None = None
    id_column: str | None = None
    encoding: str = "utf-8"
    encoding_errors: str = "replace"
    skip_bad: bool = False
    vocabulary: str | None = None
    min_words: int = 0
    label_column: str | None = None
    time_column: str | None = None
    keep_columns: bool = field(default=False, repr=False)  # documents are the same, so caches are too

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
        raise ParameterError(Param("format"), f" must be one of {listed(FORMATS)}; got {shown(options.format)}.")
    if options.encoding_errors not in ("replace", "refuse"):
        raise ParameterError(
            Param("encoding_errors"), f" must be 'replace' or 'refuse'; got {shown(options.encoding_errors)}."
        )
    try:
        for some_bytes in (b"text", b"\xff\xff\xff\xff"):
            some_bytes.decode(options.encoding, "replace")
    except (LookupError, ValueError) as error:
        raise ParameterError(
            Param("encoding"),
            f" must be an encoding of text such as utf-8, latin-1 or cp1252; got {shown(options.encoding)}.",
        ) from error
    by_column: dict[str, list[str]] = {}
    for name, column in options.columns.items():
        by_column.setdefault(column, []).append(name)
    for column, named in by_column.items():
        if len(named) > 1:
            first, *others = map(Param, named)
            rest = [Message(" and ", other) for other in others]
            raise ParameterError(first, *rest, f" must differ; both are {shown(column)}.")


def check_options_fit(options: ReadOptions, formats: set[str]) -> None:
    """Raise `ParameterError` for an option that has no effect on files of these formats, rather than ignore it."""
    if not formats & {"csv", "tsv", "parquet", "jsonl"}:
        for name, value in options.columns.items():
            needs = f"needs files with columns (csv, tsv, parquet, jsonl); got {listed(sorted(formats))}."
            raise ParameterError(Param(name), f" {shown(value)} {needs}")
    if options.vocabulary is not None and "matrix" not in formats:
        raise ParameterError(
            Param("vocabulary"),
            f" names a matrix's columns, but no input is a matrix; got {listed(sorted(formats))}.",
        )
