"""Read embeddings that users have made: a vector for each document, as an array or as a column of a table.

=========== =============================================================================================
``.npy``    an array of documents × columns, which is mapped into memory
``.npz``    one such array
``.parquet``  a column of lists of numbers, and perhaps one of ids
``.jsonl``  the same, an object a line
=========== =============================================================================================

Nothing in these files can execute: arrays of objects, which would be pickles, are rejected.

Vectors belong to documents by their ids, if both files have any. Otherwise they are in the order of the documents: either of
those that were read, or of all that the files hold, with those that were left out because they are blank or short. The number
of vectors tells which.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError, Param
from tonmf.io.arrow import arrow
from tonmf.io.columns import id_from
from tonmf.io.formats import split_name
from tonmf.io.parquet import as_input_errors, seekable
from tonmf.io.reading import Documents
from tonmf.io.streams import Opened, opened
from tonmf.wording import listed, number_of, one_line, path_shown, shown

ARRAYS, TABLES = (".npy", ".npz"), (".parquet", ".pq", ".jsonl", ".ndjson")

NAMES = ("embedding", "embeddings", "vector")
"""Columns that are taken for the vectors if several hold lists of numbers."""

ID = "id"

Vectors = NDArray[Any]


class _Table(NamedTuple):
    vectors: Vectors
    ids: list[str] | None


def check_vectors(path: str, mapped: bool = False) -> None:
    """Reject a file that is not there, or whose name does not end as that of vectors does, before the work begins.

    With `mapped`, only a file will do that need not fit into memory.
    """
    _, extension, compression = split_name(path)
    if extension not in ARRAYS + TABLES or (extension in ARRAYS and compression):
        raise InputError(
            f"{path_shown(path)}: expected embeddings as .npy, .npz, .parquet or .jsonl (", Param("embeddings"), ")."
        )
    if mapped and extension != ".npy":
        raise InputError(
            f"{path_shown(path)} must be read as a whole, which a memory limit does not allow. Save the embeddings as .npy "
            "(numpy.save), or leave ",
            Param("memory"),
            " out.",
        )
    if not os.path.isfile(path):
        with opened(path, path_shown(path)):  # says what is wrong with it
            pass


def read_array(path: str) -> Vectors:
    """Return the vectors in a .npy file, mapped into memory."""
    try:
        return _matrix(np.load(path, mmap_mode="r", allow_pickle=False), path)
    except (OSError, ValueError, EOFError) as error:
        raise _unreadable(path, "an array as numpy.save writes it", error) from error


def read_vectors(path: str, documents: Documents) -> Vectors:
    """Return a vector for each document that was read, in their order.

    Parameters
    ----------
    path : str
        A .npy, .npz, .parquet or .jsonl file.
    documents : Documents
        As `tonmf.io.read_documents` returned them.

    Returns
    -------
    vectors : ndarray of shape (n_docs, width)

    Raises
    ------
    InputError
        If the file cannot be read, or its vectors are not those of the documents.
    """
    check_vectors(path)
    extension = split_name(path)[1]
    if extension == ".npy":
        table = _Table(read_array(path), None)
    elif extension == ".npz":
        table = _Table(_only_array(path), None)
    else:
        table = _read_table(path, extension)
    rows = None if table.ids is None else _rows_by_id(path, table.ids, documents)
    return _in_order(path, table.vectors, documents) if rows is None else table.vectors[rows]


def _only_array(path: str) -> Vectors:
    expected = "one array as numpy.savez writes it"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = list(getattr(arrays, "files", []))
            if len(names) != 1:
                raise InputError(
                    f"{path_shown(path)}: expected one array, got {len(names)} ({listed(names)}). Save the "
                    "embeddings alone, best as .npy (numpy.save)."
                )
            return _matrix(arrays[names[0]], path)
    except InputError:
        raise
    except (OSError, ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise _unreadable(path, expected, error) from error


def _matrix(array: Vectors, path: str) -> Vectors:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InputError(
            f"{path_shown(path)}: expected numbers, a row for each document; got an array of shape {array.shape} and type "
            f"{array.dtype}."
        )
    return array


def _unreadable(path: str, expected: str, error: Exception) -> InputError:
    return InputError(
        f"{path_shown(path)}: expected {expected}, but it cannot be read as such ({one_line(error)}). Save it again, without "
        "pickles."
    )


def _read_table(path: str, extension: str) -> _Table:
    name = path_shown(os.path.basename(path))
    with opened(path, name) as source:
        read = _read_json_lines if extension in (".jsonl", ".ndjson") else _read_parquet
        return read(source)


def _read_parquet(source: Opened) -> _Table:
    types, parquet = arrow("pyarrow", "Reading Parquet").types, arrow("pyarrow.parquet", "Reading Parquet")

    def holds_vectors(kind: Any) -> bool:
        is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        return bool(is_list and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)))

    with as_input_errors(source.name, "a Parquet file"), parquet.ParquetFile(seekable(source)) as file:
        schema = file.schema_arrow
        column = _chosen([field.name for field in schema if holds_vectors(field.type)], schema.names, source.name)
        ids: list[str] | None = [] if ID in schema.names else None
        parts: list[Vectors] = []
        n_rows = 0
        for batch in file.iter_batches(columns=[column, *([] if ids is None else [ID])]):
            parts.append(_rows_of(batch.column(column), source.name, n_rows))
            _check_width(parts, source.name, n_rows)
            if ids is not None:
                ids += [_id(value) for value in batch.column(ID).to_pylist()]
            n_rows += batch.num_rows
    if not parts:
        raise InputError(f"{source.name} has no rows: expected an embedding for each document.")
    return _Table(np.concatenate(parts), ids)


def _rows_of(column: Any, name: str, before: int) -> Vectors:
    """Return the vectors of a column as rows; all must have one length, and none may be missing."""
    if column.null_count:
        row = next(number for number, value in enumerate(column, before + 1) if not value.is_valid)
        raise InputError(f"{name}, row {row}: expected an embedding, got nothing.")
    numbers = column.flatten().to_numpy(zero_copy_only=False)  # a missing number becomes NaN, which is rejected later
    lengths = np.array([len(value) for value in column]) if not hasattr(column.type, "list_size") else None
    width = column.type.list_size if lengths is None else int(lengths[0])
    if lengths is not None and (lengths != width).any():
        place = int(np.argmax(lengths != width))
        raise _uneven(name, f"row {before + place + 1}", int(lengths[place]), width)
    return np.asarray(numbers, np.float32).reshape(len(column), width)


def _check_width(parts: Sequence[Vectors], name: str, before: int) -> None:
    if parts[-1].shape[1] != parts[0].shape[1]:
        raise _uneven(name, f"row {before + 1}", parts[-1].shape[1], parts[0].shape[1])


def _uneven(name: str, place: str, length: int, expected: int) -> InputError:
    return InputError(
        f"{name}, {place}: expected {number_of(expected, 'number')}, as the first embedding has, got {length}."
    )


def _read_json_lines(source: Opened) -> _Table:
    column: str | None = None
    vectors: list[Vectors] = []
    ids: list[str] = []
    has_ids = True
    for place, row in _objects(source):
        if column is None:
            column = _chosen([name for name, value in row.items() if _is_vector(value)], list(row), source.name)
        value = row.get(column)
        if not _is_vector(value):
            raise InputError(
                f"{source.name}, {place}: expected a list of numbers in {shown(column)}, got {shown(value)}."
            )
        vectors.append(np.array(value, np.float32))
        if len(vectors[-1]) != len(vectors[0]):
            raise _uneven(source.name, place, len(vectors[-1]), len(vectors[0]))
        has_ids &= ID in row
        ids.append(_id(row.get(ID)))
    if not vectors:
        raise InputError(f"{source.name} is empty: expected an object with an embedding a line.")
    return _Table(np.stack(vectors), ids if has_ids else None)


def _objects(source: Opened) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(source.stream, 1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source.name}, line {number}: not JSON ({one_line(error)}).") from error
        if not isinstance(value, dict):
            raise InputError(f"{source.name}, line {number}: expected an object, got {shown(value)}.")
        yield f"line {number}", value


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(type(number) in (int, float) for number in value)


def _chosen(candidates: Sequence[str], names: Sequence[str], name: str) -> str:
    """Return the column of vectors: the only one, or the one that is called so."""
    called = [column for column in candidates if column.lower() in NAMES]
    chosen = called if len(candidates) > 1 else candidates
    if len(chosen) == 1:
        return chosen[0]
    if not candidates:
        raise InputError(f"{name}: expected a column with lists of numbers; its columns are {listed(names)}.")
    raise InputError(
        f"{name}: {listed(candidates)} all hold lists of numbers. Call the one with the embeddings 'embedding', and no other "
        f"{listed(NAMES)}."
    )


def _id(value: Any) -> str:
    return id_from(value) or ""


def _rows_by_id(path: str, ids: Sequence[str], documents: Documents) -> NDArray[np.int64] | None:
    """Return the row of each document's vector by its id; None if the order is to tell."""
    if list(ids) == documents.ids:
        return np.arange(len(ids))
    row_of = {name: row for row, name in reversed(list(enumerate(ids)))}
    missing = [name for name in documents.ids if name not in row_of]
    if len(missing) == len(documents.ids) and not documents.brings_ids:
        return None
    name = path_shown(os.path.basename(path))
    if missing:
        have = "document has" if len(missing) == 1 else "documents have"
        raise InputError(
            f"{name}: {len(missing):,} {have} no embedding there by the column 'id' (first: {shown(missing[0])}). Add what is "
            "missing, or leave out the column to go by the order."
        )
    if len(row_of) < len(ids):
        twice = next(name for row, name in enumerate(ids) if row_of[name] != row)
        if twice in set(documents.ids):
            raise InputError(
                f"{name}: several embeddings have the id {shown(twice)}. Leave one, or leave out the column."
            )
    return np.array([row_of[one] for one in documents.ids], np.int64)


def _in_order(path: str, vectors: Vectors, documents: Documents) -> Vectors:
    """Return the vectors of the documents, given in the order of those that were read, or of all in the files."""
    n_docs, places = len(documents.ids), documents.places
    if len(vectors) == n_docs:
        return vectors
    if places is not None and len(vectors) == places.n_all:
        return vectors[places.numbers]
    expected = f"{n_docs:,}, one for each document that was read"
    if places is not None and places.n_all > n_docs:
        expected += f", or {places.n_all:,}, with those that were left out"
    elif places is None:
        expected += ", without those that could not be read"
    raise InputError(f"{path_shown(path)} has {number_of(len(vectors), 'embedding')}; expected {expected}.")
