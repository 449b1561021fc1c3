"""Read Parquet: a row for each document, numbered from 1."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tonmf.errors import InputError, Param
from tonmf.io.arrow import arrow
from tonmf.io.columns import SAMPLE, Chooser, items_in
from tonmf.io.notes import note_on_shared_names
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.wording import one_line


def read_parquet(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each row, from a column of strings or of lists."""
    pyarrow, parquet = (arrow(module, "Reading CSV and Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    part = Part(source.name, "parquet", TEXTS, source.sink)
    with _as_input_errors(source.name, pyarrow), parquet.ParquetFile(_seekable(source)) as file:
        sample = _sample(file, pyarrow.types)
        if sample is None:
            return part
        chooser.check_called_once(file.schema_arrow.names, source.name)
        columns, part.notes = chooser.choose(sample, "parquet", source.name)
        if options.keep_columns:
            part.notes += note_on_shared_names(file.schema_arrow.names, source.name)
        part.kind = ITEMS if _is_list(file.schema_arrow.field(columns.text).type, pyarrow.types) else TEXTS
        number = 0
        for batch in file.iter_batches(columns=columns.names):
            for row in batch.to_pylist():
                number += 1
                text = row[columns.text]
                facts = part.facts(f"row {number}", columns, row, options.skip_bad)
                if facts is not None:
                    part.add(number, items_in(text) if isinstance(text, list) else text, facts)
    return part


def _sample(file: Any, types: Any) -> dict[str, list[Any]] | None:
    """Return the first values of every column with a unique name; None if there are no rows."""
    if file.metadata.num_rows == 0:
        return None
    schema = file.schema_arrow
    once = [name for name in schema.names if schema.names.count(name) == 1]
    readable = [name for name in once if _may_hold_documents(schema.field(name).type, types)]
    first = next(file.iter_batches(batch_size=SAMPLE, columns=readable))
    return {
        name: _first_values(first.column(name), types) if name in readable else [schema.field(name).type]
        for name in once
    }


def _may_hold_documents(kind: Any, types: Any) -> bool:
    """Return whether a column holds text, numbers, or lists of those; images and the like are not even read."""
    inner = kind.value_type if _is_list(kind, types) else kind
    return _is_text(inner, types) or _is_number(inner, types)


def _first_values(column: Any, types: Any) -> list[Any]:
    """Return the values; for a column of numbers that are all missing, only the type."""
    kind = column.type
    values: list[Any] = column.to_pylist()
    # A column of numbers stays one even if the first of them are missing.
    return values if not _is_number(kind, types) or any(value is not None for value in values) else [kind]


def _seekable(source: Opened) -> Any:
    """Return what Parquet can be read from, which starts at the end: the path, or all bytes of a pipe or a compressed file."""
    if source.path is not None and source.compression is None:
        return source.path
    return io.BytesIO(source.stream.read())


def _is_list(kind: Any, types: Any) -> bool:
    return bool(types.is_list(kind) or types.is_large_list(kind))


def _is_text(kind: Any, types: Any) -> bool:
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_number(kind: Any, types: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind))


@contextmanager
def _as_input_errors(name: str, pyarrow: Any) -> Iterator[None]:
    """Turn the errors of pyarrow on a damaged file, or one that is not Parquet, into `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"{name}: expected a Parquet file, but it cannot be read as one ({one_line(error)}). Check the file and ",
            Param("format"),
            ".",
        ) from error
