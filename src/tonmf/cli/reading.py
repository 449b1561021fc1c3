"""Read the files that a command is given, with the options for reading."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tonmf.cli.errors import in_flags
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.io import Documents, ReadOptions

PANEL = "Reading files"


class Format(StrEnum):
    """Formats of files (`tonmf.io.formats`)."""

    LINES = "lines"
    FILES = "files"
    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    ARROW = "arrow"
    SPREADSHEET = "spreadsheet"
    DATABASE = "database"
    MAIL = "mail"
    MBOX = "mbox"
    BASKETS = "baskets"
    MATRIX = "matrix"


class EncodingErrors(StrEnum):
    """Ways to treat bytes that do not decode."""

    REPLACE = "replace"
    REFUSE = "refuse"


def _options(
    file_format: Annotated[
        Format | None,
        typer.Option("--format", help="Format of the files, if their names do not tell.", rich_help_panel=PANEL),
    ] = None,
    text_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column with the texts, by name, by number from 1, or as user.bio for a key within another in JSON. Give it "
            "several times to join columns, such as title and body.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(help="Column with ids. (Default: a column called id, or file and line.)", rich_help_panel=PANEL),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first row of CSV and TSV files names the columns. (Default: the rows decide.)",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(
            help="What separates the items of baskets, or the cells of CSV files: comma, semicolon, tab, bar, space, or the "
            "characters themselves. (Default: the data decide.)",
            rich_help_panel=PANEL,
        ),
    ] = None,
    encoding: Annotated[
        str,
        typer.Option(
            help="Encoding of text files, such as cp1252. auto: UTF-8, or what each file seems to be in.",
            rich_help_panel=PANEL,
        ),
    ] = "auto",
    encoding_errors: Annotated[
        EncodingErrors,
        typer.Option(help="Replace bytes that do not decode, or refuse the file.", rich_help_panel=PANEL),
    ] = EncodingErrors.REPLACE,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad", help="Skip lines and rows that cannot be read, and count them.", rich_help_panel=PANEL
        ),
    ] = False,
    vocabulary: Annotated[
        str | None,
        typer.Option(help="File with the names of a matrix's columns, one per line.", rich_help_panel=PANEL),
    ] = None,
    min_words: Annotated[
        int, typer.Option(min=0, help="Skip documents with fewer words or items.", rich_help_panel=PANEL)
    ] = 0,
    sheet: Annotated[
        str | None,
        typer.Option(help="Sheet of a workbook, by name or by number. (Default: the first.)", rich_help_panel=PANEL),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(
            help="Query on a database, such as 'select id, text from reviews'. (Default: its only table.)",
            rich_help_panel=PANEL,
        ),
    ] = None,
) -> ReadOptions:
    """Return the options for reading, as `tonmf.io` takes them."""
    from tonmf.io import ReadOptions

    return ReadOptions(
        format=None if file_format is None else file_format.value,
        text_column=tuple(text_column) if text_column else None,
        id_column=id_column,
        encoding=encoding,
        encoding_errors=encoding_errors.value,
        skip_bad=skip_bad,
        vocabulary=vocabulary,
        min_words=min_words,
        header=header,
        separator=separator,
        sheet=sheet,
        sql=sql,
    )


def reading_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for reading; it gets them all as its argument `reading`."""
    of_reading = _resolved(_options)
    own = [parameter for parameter in _resolved(command) if parameter.name != "reading"]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        reading = _options(**{parameter.name: values.pop(parameter.name) for parameter in of_reading})
        command(**values, reading=reading)

    run.__signature__ = inspect.Signature([*own, *of_reading])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *of_reading)}
    del run.__wrapped__
    return run


def _resolved(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, with annotations as objects rather than text."""
    hints = get_type_hints(function, include_extras=True, localns={"ReadOptions": Any})
    return [
        parameter.replace(annotation=hints[name]) for name, parameter in inspect.signature(function).parameters.items()
    ]


def read(screen: Screen, files: Sequence[str], reading: ReadOptions) -> Documents:
    """Read files, and show the notes on them."""
    from tonmf.io import read_documents

    with screen.step("Reading"):
        documents = read_documents(files, reading)
    documents = replace(documents, notes=list(map(in_flags, documents.notes)))
    for note in documents.notes:
        screen.note(note)
    return documents


def with_labels(reading: ReadOptions, label_column: str | None, label_outlier: Sequence[str] | None) -> ReadOptions:
    """Return the options with those for labels."""
    return replace(reading, label_column=label_column, label_outlier=tuple(label_outlier or ()))


def as_flags(reading: ReadOptions) -> list[str]:
    """Return the options that are not at their defaults, as one would type them."""
    flags = []
    for field in fields(reading):
        value = getattr(reading, field.name)
        if value == field.default:
            continue
        name = field.name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{name}" if value else f"--no-{name}")
        else:
            several = value if isinstance(value, tuple) else (value,)
            flags += [f"--{name} {shlex.quote(str(one))}" for one in several]
    return flags
