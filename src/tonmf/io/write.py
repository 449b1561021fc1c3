"""Write tables to files: CSV, TSV, JSON lines and Parquet (`tonmf.io.write_parquet`)."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, ParameterError
from tonmf.io.arrow import arrow
from tonmf.io.formats import COMPRESSION_OF, FORMAT_OF, split_name
from tonmf.io.harmless import harmless
from tonmf.io.values import cell_of, json_value, plain_columns
from tonmf.io.write_parquet import ANY, parquet_writer
from tonmf.storage.atomic import check_writable, replacing
from tonmf.wording import listed, path_shown

WRITTEN = ("csv", "tsv", "jsonl", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}

BETWEEN_ITEMS = "; "
"""Separates the items of a list in a cell."""


def output_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a table at `path`; raise an error, before any work is done, if it cannot be written."""
    _, extension, compression = split_name(os.fspath(path))
    found = FORMAT_OF.get(extension)
    if found not in WRITTEN or (found == "parquet" and compression):
        extensions = [known for known, name in FORMAT_OF.items() if name in WRITTEN]
        raise InputError(
            f"{path_shown(os.fspath(path))}: expected a name that ends in {listed(extensions)}; any but Parquet may be "
            f"followed by {listed(COMPRESSION_OF)}."
        )
    if found == "parquet":
        arrow("pyarrow.parquet", "Writing Parquet")
    elif compression == ".zst":
        arrow("pyarrow", "Writing .zst files")
    return found


def check_output(path: str | os.PathLike[str], inputs: Iterable[str] = ()) -> None:
    """Raise an error, before any work is done, if `path` cannot be written: by its format, its folder, or being an input."""
    check_writable(path)
    output_format(path)
    check_no_input(path, inputs)


def check_no_input(path: str | os.PathLike[str], inputs: Iterable[str]) -> None:
    """Raise `InputError` if `path` is one of the files to read."""
    if os.path.exists(path) and any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        raise InputError(
            f"{path_shown(os.fspath(path))} is one of the files to read, and would be lost. Give another name."
        )


def write_table(
    path: str | os.PathLike[str], columns: Mapping[str, Sequence[Any]], types: Mapping[str, str] | None = None
) -> None:
    """Write columns of equal length to a file, atomically.

    Values are strings, integers, floats, booleans, None, or lists of strings. In CSV and TSV, lists are joined by "; ", None is
    an empty cell, and a text that a spreadsheet would run has an apostrophe before it (`tonmf.io.harmless`). In JSON lines, NaN
    and infinity, which JSON does not have, become null. Half a surrogate pair, which is not valid text, becomes U+FFFD.

    `types` names the types of columns (`TYPES`); for columns without one, the values decide.
    """
    check_lengths(columns)
    with writing_table(path, types) as write:
        write(columns)


def check_lengths(columns: Mapping[str, Sequence[Any]]) -> None:
    """Raise `ParameterError` unless all columns have the same length."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1:
        raise ParameterError(
            f"Expected columns of one length, got {listed(f'{name} ({length})' for name, length in lengths.items()) or 'none'}."
        )


Write = Callable[[Mapping[str, Sequence[Any]]], None]


@contextmanager
def writing_table(path: str | os.PathLike[str], types: Mapping[str, str] | None = None) -> Iterator[Write]:
    """Yield a function that writes some rows of a table, given by columns; the file appears when all are written.

    `types` names the types of columns (`TYPES`); without it the first rows decide.
    """
    form = output_format(path)
    with replacing(path) as temporary:
        if form == "parquet":
            with parquet_writer(temporary, types) as write:
                yield write
            return
        with _compressing(temporary, split_name(os.fspath(path))[2]) as file:
            yield text_writer(file.write, form, types)


def text_writer(write: Callable[[bytes], Any], form: str, types: Mapping[str, str] | None = None) -> Write:
    """Return a function that writes some rows of a table as CSV, TSV or JSON lines, given a function that takes bytes."""
    first, of_any_type = True, {name for name, kind in (types or {}).items() if kind == ANY}

    def write_rows(columns: Mapping[str, Sequence[Any]]) -> None:
        nonlocal first
        plain = plain_columns(columns, of_any_type)
        if form == "jsonl":
            lines = _json_lines(list(plain), zip(*plain.values(), strict=True))
        else:
            cells = {
                name: list(map(cell_of, column)) if name in of_any_type else column for name, column in plain.items()
            }
            lines = _cell_lines(cells, DELIMITERS[form], with_names=first)
        for line in lines:
            write(line.encode())
        first = False

    return write_rows


def _json_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(dict(zip(names, map(json_value, row), strict=True)), ensure_ascii=False) + "\n"


def _cell_lines(columns: Mapping[str, Sequence[Any]], delimiter: str, with_names: bool) -> Iterator[str]:
    """Yield rows of cells, quoted where need be; the csv module would leave a lone carriage return unquoted."""
    names = [_cell(name, delimiter) for name in columns]
    cells = [_cells(column, delimiter) for column in columns.values()]
    for row in chain([names] if with_names else [], zip(*cells, strict=True)):
        # A line that is quite empty would be no row.
        yield (delimiter.join(row) or '""') + "\n"


def _cells(column: Sequence[Any], delimiter: str) -> list[str]:
    if set(map(type, column)) <= {int, float}:
        return list(map(str, column))
    return [_cell(value, delimiter) for value in column]


def _cell(value: Any, delimiter: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = BETWEEN_ITEMS.join(value)
    text = harmless(value) if isinstance(value, str) else str(value)
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text, delimiter) else text


def _needs_quotes(text: str, delimiter: str) -> bool:
    """Return whether a cell has something special in it, or begins or ends with a space."""
    special = delimiter in text or '"' in text or "\n" in text or "\r" in text
    return special or text[:1].isspace() or text[-1:].isspace()


@contextmanager
def _compressing(path: Path, compression: str) -> Iterator[Any]:
    """Yield a binary file to write to."""
    with path.open("wb") as file:
        if not compression:
            yield file
            return
        with closing(_compressor(file, compression)) as compressor:
            yield compressor


def _compressor(file: Any, compression: str) -> Any:
    if compression == ".gz":
        return gzip.GzipFile("", "wb", fileobj=file, mtime=0)  # no name, no time: the same table gives the same bytes
    if compression == ".zst":
        return arrow("pyarrow", "Writing .zst files").CompressedOutputStream(file, "zstd")
    return bz2.BZ2File(file, "wb") if compression == ".bz2" else lzma.LZMAFile(file, "wb")
