"""Read Arrow: files of the Arrow and Feather formats, streams, and datasets that Hugging Face's library has saved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from tonmf.errors import InputError
from tonmf.io.arrow import arrow
from tonmf.io.columns import Chooser
from tonmf.io.options import ReadOptions
from tonmf.io.parquet import add_batches, as_input_errors, rows_to_measure, seekable, size_of_batches, with_keys
from tonmf.io.part import Part
from tonmf.io.streams import Opened, Sink
from tonmf.text.documents import TEXTS

if TYPE_CHECKING:
    from tonmf.io.inputs import Input

FILE, OLD_FEATHER = b"ARROW1", b"FEA1"
"""First bytes of Arrow files, and of the first version of Feather; a stream has none."""


class BatchReader:
    """Record batches that come once, with the interface of a Parquet file."""

    def __init__(self, reader: Any) -> None:
        self.schema_arrow, self.names = with_keys(reader.schema), reader.schema.names
        self._batches = _nonempty(reader, self.schema_arrow.names)
        self._first: list[Any] = []

    def first(self, columns: list[str]) -> Any:
        """Return these columns of the first batch, which stays to be read; None if there are no rows."""
        self._first = self._first or [batch for _, batch in zip(range(1), self._batches, strict=False)]
        return self._first[0].select(columns) if self._first else None

    def iter_batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield these columns of all batches."""
        return (batch.select(columns) for batch in chain(self._first, self._batches))


def _nonempty(reader: Any, names: list[str]) -> Iterator[Any]:
    """Return the batches that have rows, with these names for their columns."""
    return (batch.rename_columns(names) for batch in reader if batch.num_rows)


def read_arrow(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each row of a file."""
    part = Part(source.name, "arrow", TEXTS, source.sink)
    if not source.head:
        return part
    if source.head.startswith(OLD_FEATHER):
        raise InputError(f"{source.name} is in the first version of Feather. Save it as .parquet, and read that.")
    with as_input_errors(source.name, "an Arrow or Feather file"):
        add_batches(BatchReader(_Batches([_opened(seekable(source), source.head)])), part, options, chooser)
    return part


def size_of_arrow(source: Opened, stored: int, most: int) -> int:
    """Return the size of all values of a file of so many bytes, as far as it is at most `most`."""
    if not source.head or source.head.startswith(OLD_FEATHER):
        return 0
    with as_input_errors(source.name, "an Arrow or Feather file"):
        batches = _Batches([_opened(seekable(source), source.head)])
        return size_of_batches(batches, rows_to_measure(stored, most), most)


def read_saved(source: Input, options: ReadOptions, chooser: Chooser, sink: Sink) -> Part:
    """Read a dataset that ``save_to_disk`` has written, all of its files."""
    part = Part(source.name, "arrow", TEXTS, sink)
    with as_input_errors(source.name, "a dataset of Arrow files"):
        readers = [_opened(str(file), b"") for _, file in source.members]
        if readers:
            add_batches(BatchReader(_Batches(readers)), part, options, chooser)
    return part


class _Batches:
    """The batches of several readers, one after the other."""

    def __init__(self, readers: list[Any]) -> None:
        self.schema, self._readers = readers[0].schema, readers

    def __iter__(self) -> Iterator[Any]:
        for reader in self._readers:
            if hasattr(reader, "num_record_batches"):
                yield from map(reader.get_batch, range(reader.num_record_batches))
            else:
                yield from reader


def _opened(place: Any, head: bytes) -> Any:
    """Open a file of either format, mapped into memory if it is on disk."""
    pyarrow, ipc = (arrow(module, "Reading Arrow files") for module in ("pyarrow", "pyarrow.ipc"))
    file = pyarrow.memory_map(place) if isinstance(place, str) else pyarrow.PythonFile(place, mode="r")
    return ipc.open_file(file) if head.startswith(FILE) else ipc.open_stream(file)
