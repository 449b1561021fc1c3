"""Tables to files: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, ParameterError
from tonmf.io.arrow import arrow
from tonmf.io.atomic import check_writable, replacing
from tonmf.io.decoding import without_surrogates
from tonmf.io.formats import COMPRESSION_OF, FORMAT_OF, split_name
from tonmf.io.wording import listed, one_line, path_shown

WRITTEN = ("csv", "tsv", "jsonl", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}

BETWEEN_ITEMS = "; "
"""Between the items of a list in a cell."""


def output_format(path: str | os.PathLike[str]) -> str:
    """The format that a table will have at `path`; an error if it cannot be written so, before any work is done."""
    _, extension, compression = split_name(os.fspath(path))
    found = FORMAT_OF.get(extension)
    if found not in WRITTEN or (found == "parquet" and compression):
        extensions = [known for known, name in FORMAT_OF.items() if name in WRITTEN]
        raise InputError(
            f"{path_shown(os.fspath(path))}: expected a name that ends in {listed(extensions)}, and all but Parquet perhaps in "
            f"{listed(COMPRESSION_OF)} after that."
        )
    if found == "parquet":
        arrow("pyarrow.parquet", "Writing Parquet")
    elif compression == ".zst":
        arrow("pyarrow", "Writing .zst files")
    return found


def check_output(path: str | os.PathLike[str], inputs: Iterable[str] = ()) -> None:
    """Refuse to write to `path` before any work is done for it: a format or place that cannot be, or one of the inputs."""
    check_writable(path)
    output_format(path)
    check_no_input(path, inputs)


def check_no_input(path: str | os.PathLike[str], inputs: Iterable[str]) -> None:
    """Refuse to write over one of the files to read."""
    if os.path.exists(path) and any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        raise InputError(
            f"{path_shown(os.fspath(path))} is one of the files to read, and would be lost. Give another name."
        )


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of one length to a file, whole or not at all.

    Values are strings, integers, floats, booleans, None, or lists of strings. In CSV and TSV lists are joined by "; ", and
    None is an empty cell; in JSON lines NaN and infinity, which JSON does not know, are null. What is no valid text, half a
    surrogate pair, is written as U+FFFD.
    """
    form = output_format(path)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1:
        raise ParameterError(
            f"Expected columns of one length, got {listed(f'{name} ({length})' for name, length in lengths.items()) or 'none'}."
        )
    plain = {without_surrogates(name): [_plain(value) for value in column] for name, column in columns.items()}
    with replacing(path) as temporary:
        if form == "parquet":
            _write_parquet(temporary, plain)
            return
        rows = zip(*plain.values(), strict=True)
        lines = _json_lines(list(plain), rows) if form == "jsonl" else _cell_lines(list(plain), rows, DELIMITERS[form])
        with _compressing(temporary, split_name(os.fspath(path))[2]) as file:
            for line in lines:
                file.write(line.encode())


def _plain(value: Any) -> Any:
    """A value of Python's own types, which NumPy's are not, and text that can be encoded."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [without_surrogates(str(item)) for item in value]
    return without_surrogates(value) if isinstance(value, str) else value


def _json_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for row in rows:
        finite = [None if isinstance(value, float) and not math.isfinite(value) else value for value in row]
        yield json.dumps(dict(zip(names, finite, strict=True)), ensure_ascii=False) + "\n"


def _cell_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]], delimiter: str) -> Iterator[str]:
    """Rows of cells, quoted where need be; the csv module leaves a lone carriage return unquoted."""
    special = re.compile(rf'[\r\n"{delimiter}]|^\s|\s$')

    def cell(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        text = BETWEEN_ITEMS.join(value) if isinstance(value, list) else str(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    for row in chain([names], rows):
        # A line that is quite empty would be no row.
        yield (delimiter.join(map(cell, row)) or '""') + "\n"


def _write_parquet(path: Path, columns: Mapping[str, list[Any]]) -> None:
    pyarrow, parquet = (arrow(module, "Writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    arrays = {}
    for name, values in columns.items():
        present = [value for value in values if value is not None]
        of_lists = any(isinstance(value, list) for value in present)
        kind = pyarrow.list_(pyarrow.string()) if of_lists else (None if present else pyarrow.string())
        try:
            arrays[name] = pyarrow.array(values, type=kind)
        except (pyarrow.ArrowException, TypeError, OverflowError) as error:
            raise InputError(f"Column {name}: expected values of one type ({one_line(error)}).") from error
    parquet.write_table(pyarrow.table(arrays), path)


@contextmanager
def _compressing(path: Path, compression: str) -> Iterator[Any]:
    """A binary file to write to."""
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
