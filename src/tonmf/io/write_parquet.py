"""Write tables to Parquet, some rows at a time."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tonmf.errors import InputError
from tonmf.io.arrow import arrow
from tonmf.io.values import json_text, plain_columns
from tonmf.wording import one_line

TYPES = ("whole", "number", "truth", "text", "texts", "any")
"""Types of columns: whole numbers, numbers, true or false, texts, lists of texts, or whatever a user's column holds."""

ANY = TYPES[-1]


@contextmanager
def parquet_writer(
    path: Path, types: Mapping[str, str] | None = None
) -> Iterator[Callable[[Mapping[str, Sequence[Any]]], None]]:
    """Yield a function that writes some rows of a table, given by columns."""
    pyarrow, parquet = (arrow(module, "Writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    kinds = (pyarrow.int64(), pyarrow.float64(), pyarrow.bool_(), pyarrow.string(), pyarrow.list_(pyarrow.string()))
    known = {name: dict(zip(TYPES, kinds, strict=False))[kind] for name, kind in (types or {}).items() if kind != ANY}
    of_any_type = {name for name, kind in (types or {}).items() if kind == ANY}
    with ExitStack() as stack:
        writer: Any = None

        def write(columns: Mapping[str, Sequence[Any]]) -> None:
            nonlocal writer
            table = pyarrow.table(_arrays(plain_columns(columns, of_any_type), known, of_any_type, pyarrow))
            if of_any_type:
                writer = writer or stack.enter_context(_Waiting(of_any_type, pyarrow))
            elif writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)

        yield write
        if isinstance(writer, _Waiting):
            with parquet.ParquetWriter(path, writer.schema) as final:
                for table in writer.tables():
                    final.write_table(table)


class _Waiting:
    """Tables that wait in a temporary file until the types of all their columns are known.

    The first rows of a user's column may lack what later ones have: a key, a fraction, any value at all.
    """

    def __init__(self, of_any_type: set[str], pyarrow: Any) -> None:
        self._of_any_type, self._pyarrow, self._ipc = of_any_type, pyarrow, arrow("pyarrow.ipc", "Writing Parquet")
        self._n_tables = 0
        self._types: dict[str, Any] = {}

    def __enter__(self) -> _Waiting:
        self._file = tempfile.TemporaryFile(prefix="tonmf-table-")
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write_table(self, table: Any) -> None:
        """Keep a table."""
        for field in table.schema:
            self._types[field.name] = self._common(self._types.get(field.name, field.type), field.type)
        with self._ipc.new_stream(self._file, table.schema) as stream:
            stream.write_table(table)
        self._n_tables += 1

    def _common(self, one: Any, other: Any) -> Any:
        """Return a type that holds the values of both: text if there is no other."""
        if one == other:
            return one
        types = self._pyarrow.types
        for day, moment in ((one, other), (other, one)):
            if types.is_date(day) and types.is_timestamp(moment):
                return moment
        schemas = [self._pyarrow.schema([("column", kind)]) for kind in (one, other)]
        try:
            return self._pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type
        except self._pyarrow.ArrowException:
            return self._pyarrow.string()

    @property
    def schema(self) -> Any:
        """Return the types of all columns; a column without any value is one of texts."""
        null, text = self._pyarrow.null(), self._pyarrow.string()
        return self._pyarrow.schema([(name, text if kind == null else kind) for name, kind in self._types.items()])

    def tables(self) -> Iterator[Any]:
        """Yield the tables, all with the same types."""
        self._file.seek(0)
        for _ in range(self._n_tables):
            with self._ipc.open_stream(self._file) as stream:
                table = stream.read_all()
            yield self._pyarrow.table(
                [self._cast(table.column(field.name), field.type) for field in self.schema], schema=self.schema
            )

    def _cast(self, column: Any, kind: Any) -> Any:
        text, null = self._pyarrow.string(), self._pyarrow.null()
        if kind == text and column.type not in (text, null):
            return self._pyarrow.array(_as_texts(column.to_pylist()), text)
        return column.cast(kind)


def _as_texts(values: Sequence[Any]) -> list[str | None]:
    return [None if value is None else json_text(value) for value in values]


def _arrays(
    columns: Mapping[str, list[Any]], known: Mapping[str, Any], of_any_type: set[str], pyarrow: Any
) -> dict[str, Any]:
    arrays = {}
    for name, values in columns.items():
        if name in of_any_type:
            arrays[name] = _array_of_any_type(values, pyarrow)
            continue
        present = [value for value in values if value is not None]
        of_lists = any(isinstance(value, list) for value in present)
        guess = pyarrow.list_(pyarrow.string()) if of_lists else (None if present else pyarrow.string())
        try:
            arrays[name] = pyarrow.array(values, type=known.get(name, guess))
        except (pyarrow.ArrowException, TypeError, OverflowError) as error:
            raise InputError(f"Column {name}: expected values of one type ({one_line(error)}).") from error
    return arrays


def _array_of_any_type(values: list[Any], pyarrow: Any) -> Any:
    """Return an array of what a user's column holds; of texts, JSON where need be, if it holds several types."""
    if any(isinstance(value, dt.datetime) for value in values):
        values = list(map(_at_midnight, values))
    try:
        array = pyarrow.array(values)
        if _is_storable(array.type, pyarrow.types):
            return array
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        pass
    return pyarrow.array(_as_texts(values), pyarrow.string())


def _at_midnight(value: Any) -> Any:
    """Return a date as a time, since an array of both would lose the times; spreadsheets keep midnight as a date."""
    is_date = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return dt.datetime.combine(value, dt.time()) if is_date else value


def _is_storable(kind: Any, types: Any) -> bool:
    """Return whether Parquet has such a type: it has no structure without fields."""
    if types.is_struct(kind):
        return kind.num_fields > 0 and all(_is_storable(kind.field(i).type, types) for i in range(kind.num_fields))
    return not types.is_nested(kind) or all(_is_storable(kind.field(i).type, types) for i in range(kind.num_fields))
