"""Write tables to files: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, ParameterError
from tonmf.io.arrow import arrow
from tonmf.io.formats import COMPRESSION_OF, FORMAT_OF, split_name
from tonmf.storage.atomic import check_writable, replacing
from tonmf.text.documents import without_surrogates
from tonmf.wording import listed, one_line, path_shown

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


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of equal length to a file, atomically.

    Values are strings, integers, floats, booleans, None, or lists of strings. In CSV and TSV, lists are joined by "; " and
    None is an empty cell. In JSON lines, NaN and infinity, which JSON does not have, become null. Half a surrogate pair, which
    is not valid text, becomes U+FFFD.
    """
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1:
        raise ParameterError(
            f"Expected columns of one length, got {listed(f'{name} ({length})' for name, length in lengths.items()) or 'none'}."
        )
    with writing_table(path) as write:
        write(columns)


Write = Callable[[Mapping[str, Sequence[Any]]], None]


@contextmanager
def writing_table(path: str | os.PathLike[str], types: Mapping[str, str] | None = None) -> Iterator[Write]:
    """Yield a function that writes some rows of a table, given by columns; the file appears when all are written.

    `types` names the types of columns (`TYPES`); without it the first rows decide.
    """
    form = output_format(path)
    with replacing(path) as temporary:
        if form == "parquet":
            with _parquet_writer(temporary, types) as write:
                yield write
            return
        with _compressing(temporary, split_name(os.fspath(path))[2]) as file:
            first = True

            def write(columns: Mapping[str, Sequence[Any]]) -> None:
                nonlocal first
                plain = _plain_columns(columns)
                rows = zip(*plain.values(), strict=True)
                if form == "jsonl":
                    lines = _json_lines(list(plain), rows)
                else:
                    lines = _cell_lines(list(plain), rows, DELIMITERS[form], with_names=first)
                for line in lines:
                    file.write(line.encode())
                first = False

            yield write


def _plain_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {without_surrogates(name): [_plain(value) for value in column] for name, column in columns.items()}


def _plain(value: Any) -> Any:
    """Turn NumPy values into Python's own, and text into text that can be encoded."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [without_surrogates(str(item)) for item in value]
    return without_surrogates(value) if isinstance(value, str) else value


def _json_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for row in rows:
        finite = [None if isinstance(value, float) and not math.isfinite(value) else value for value in row]
        yield json.dumps(dict(zip(names, finite, strict=True)), ensure_ascii=False) + "\n"


def _cell_lines(
    names: Sequence[str], rows: Iterable[tuple[Any, ...]], delimiter: str, with_names: bool
) -> Iterator[str]:
    """Yield rows of cells, quoted where need be; the csv module would leave a lone carriage return unquoted."""
    special = re.compile(rf'[\r\n"{delimiter}]|^\s|\s$')

    def cell(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        text = BETWEEN_ITEMS.join(value) if isinstance(value, list) else str(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    for row in chain([names] if with_names else [], rows):
        # A line that is quite empty would be no row.
        yield (delimiter.join(map(cell, row)) or '""') + "\n"


TYPES = ("whole", "number", "truth", "text", "texts")
"""Types of columns: whole numbers, numbers, true or false, texts, or lists of texts."""


@contextmanager
def _parquet_writer(path: Path, types: Mapping[str, str] | None) -> Iterator[Write]:
    pyarrow, parquet = (arrow(module, "Writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    kinds = (pyarrow.int64(), pyarrow.float64(), pyarrow.bool_(), pyarrow.string(), pyarrow.list_(pyarrow.string()))
    known = {name: dict(zip(TYPES, kinds, strict=True))[kind] for name, kind in (types or {}).items()}
    with ExitStack() as stack:
        writer: Any = None

        def write(columns: Mapping[str, Sequence[Any]]) -> None:
            nonlocal writer
            table = pyarrow.table(_arrow_arrays(_plain_columns(columns), known, pyarrow))
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)

        yield write


def _arrow_arrays(columns: Mapping[str, list[Any]], known: Mapping[str, Any], pyarrow: Any) -> dict[str, Any]:
    arrays = {}
    for name, values in columns.items():
        present = [value for value in values if value is not None]
        of_lists = any(isinstance(value, list) for value in present)
        guess = pyarrow.list_(pyarrow.string()) if of_lists else (None if present else pyarrow.string())
        try:
            arrays[name] = pyarrow.array(values, type=known.get(name, guess))
        except (pyarrow.ArrowException, TypeError, OverflowError) as error:
            raise InputError(f"Column {name}: expected values of one type ({one_line(error)}).") from error
    return arrays


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
