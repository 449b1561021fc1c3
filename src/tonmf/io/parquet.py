"""Read Parquet: a row for each document, numbered from 1."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from tonmf.errors import InputError, Param
from tonmf.io.arrow import arrow
from tonmf.io.columns import SAMPLE, Chooser, items_in, keys_of
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.wording import one_line


class RowBatches(Protocol):
    """What rows are read from in batches: their columns, the first of them to choose by, and all of them."""

    schema_arrow: Any
    """With the keys of the columns for names."""
    names: list[str]
    """The names, of which several columns may have one."""

    def first(self, columns: list[str]) -> Any:
        """Return these columns of some first rows, None if there are no rows."""

    def iter_batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield these columns of all rows."""


class _ParquetRows:
    """The rows of a Parquet file."""

    def __init__(self, file: Any) -> None:
        self._file, self.schema_arrow, self.names = file, with_keys(file.schema_arrow), file.schema_arrow.names
        self._share_names = self.schema_arrow.names != self.names

    def first(self, columns: list[str]) -> Any:
        if self._file.metadata.num_rows == 0:
            return None
        return next(self._batches(columns, batch_size=SAMPLE))

    def iter_batches(self, columns: list[str]) -> Iterator[Any]:
        return self._batches(columns)

    def _batches(self, columns: list[str], **options: Any) -> Iterator[Any]:
        if not self._share_names:
            batches: Iterator[Any] = self._file.iter_batches(columns=columns, **options)
            return batches
        names = self.schema_arrow.names  # columns of one name can only be read together
        return (batch.rename_columns(names).select(columns) for batch in self._file.iter_batches(**options))


def read_parquet(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each row, from a column of strings or of lists."""
    parquet = arrow("pyarrow.parquet", "Reading CSV and Parquet")
    part = Part(source.name, "parquet", TEXTS, source.sink)
    with as_input_errors(source.name, "a Parquet file"), parquet.ParquetFile(seekable(source)) as file:
        add_batches(_ParquetRows(file), part, options, chooser)
    return part


def size_of_parquet(source: Opened, most: int) -> int:
    """Return the size of all values of a file, as far as it is at most `most`; one that is repeated is stored once."""
    parquet = arrow("pyarrow.parquet", "Reading CSV and Parquet")
    with as_input_errors(source.name, "a Parquet file"), parquet.ParquetFile(seekable(source)) as file:
        groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
        stored = sum(group.total_byte_size for group in groups)
        at_once = rows_to_measure(stored, most)
        return stored if stored > most else size_of_batches(file.iter_batches(at_once), at_once, most)


def rows_to_measure(stored: int, most: int) -> int:
    """Return how many rows to measure at a time: no value is longer than all that are stored."""
    return min(max(2 * most // max(stored, 1), 1), 256)


def size_of_batches(batches: Iterable[Any], at_once: int, most: int) -> int:
    """Return the size of all values of record batches, as far as it is at most `most`, a few rows after the other."""
    size = 0
    for batch in batches:
        for first in range(0, batch.num_rows, at_once):
            for column in batch.slice(first, at_once).columns:
                values = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
                size += values.nbytes
            if size > most:
                return size
    return size


def with_keys(schema: Any) -> Any:
    """Return a schema in which columns that share a name go by their numbers."""
    pyarrow, keys = arrow("pyarrow", "Reading CSV and Parquet"), keys_of(schema.names)
    return pyarrow.schema([field.with_name(key) for field, key in zip(schema, keys, strict=True)], schema.metadata)


def add_batches(rows: RowBatches, part: Part, options: ReadOptions, chooser: Chooser) -> None:
    """Choose the columns by the first rows, and add a document from each row."""
    types = arrow("pyarrow", "Reading CSV and Parquet").types
    schema = rows.schema_arrow
    sample = _sample(rows, types)
    if sample is None:
        return
    chooser.check_called_once(rows.names, part.name)
    columns, notes = chooser.choose(sample, part.format, part.name, rows.names)
    part.notes += notes
    part.kind = ITEMS if all(_is_list(schema.field(column).type, types) for column in columns.text) else TEXTS
    number, classes = 0, class_names(schema).get(columns.label or "", [])
    for batch in rows.iter_batches(columns.names):
        for row in batch.to_pylist():
            number += 1
            text = columns.content_of(row)
            if columns.outlier_labels and columns.label is not None:
                row[columns.label] = _label_in_words(row[columns.label], classes, columns.outlier_labels)
            facts = part.facts(f"row {number}", columns, row, options.skip_bad)
            if facts is not None:
                part.add(number, items_in(text) if isinstance(text, list) else text, facts)


def class_names(schema: Any) -> dict[str, list[str]]:
    """Return the names of the classes in each column of labels, where Hugging Face's ``datasets`` has noted them."""
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return {name: list(map(str, feature["names"])) for name, feature in features.items() if "names" in feature}
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}


def _label_in_words(label: Any, classes: Sequence[str], outlier_labels: Sequence[str]) -> Any:
    """Return the name of a class that is given by its number, unless the user means the number."""
    is_class = isinstance(label, int) and 0 <= label < len(classes) and str(label) not in outlier_labels
    return classes[label] if is_class else label


def _sample(rows: RowBatches, types: Any) -> dict[str, list[Any]] | None:
    """Return the first values of every column with a unique name; None if there are no rows."""
    schema = rows.schema_arrow
    once = [name for name in schema.names if schema.names.count(name) == 1]
    readable = [name for name in once if _may_hold_documents(schema.field(name).type, types)]
    first = rows.first(readable)
    if first is None:
        return None
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


def seekable(source: Opened) -> Any:
    """Return what can be read from any place, as Parquet is: the path, or all bytes of a pipe or a compressed file."""
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
def as_input_errors(name: str, expected: str) -> Iterator[None]:
    """Turn the errors of pyarrow on a damaged file, or one that is something else, into `InputError`."""
    pyarrow = arrow("pyarrow", "Reading CSV and Parquet")
    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"{name}: expected {expected}, but it cannot be read as one ({one_line(error)}). Check the file and ",
            Param("format"),
            ".",
        ) from error
