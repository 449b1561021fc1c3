"""Read matrices of counts: files of ``scipy.sparse.save_npz``, and Matrix Market files."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from tonmf.errors import InputError, Param
from tonmf.io.decoding import DecodedLines, without_line_end
from tonmf.io.formats import split_name
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened, opened
from tonmf.text.documents import COUNTS
from tonmf.wording import number_of, one_line, path_shown

VOCABULARY_SUFFIXES = [a + b for b in ("", ".txt") for a in (".terms", ".vocab", ".vocabulary")]
"""Endings of the file beside a matrix that names its columns."""

IDS_SUFFIX = ".docs"
"""Ending of the file beside a matrix that has the ids of its documents."""


def read_matrix(source: Opened, options: ReadOptions) -> Part:
    """Read documents × terms; transpose the matrix if the vocabulary fits its rows and not its columns."""
    part = Part(source.name, "matrix", COUNTS)
    data = source.stream.read()
    if not data:
        return part
    matrix = _load(data, source.name)
    part.terms, vocabulary = _terms(source, options, part)
    if part.terms is not None:
        matrix = _with_terms_as_columns(matrix, len(part.terms), vocabulary, part)
    _check_size(matrix, source.name)
    part.content = sp.csr_matrix(matrix)
    part.n_seen = part.content.shape[0]
    part.ids = _ids(source, part, options)
    part.places, part.brings_ids = list(range(part.n_seen)), False
    return part


def _load(data: bytes, name: str) -> Any:
    """Return the matrix as it is in the file, sparse."""
    is_market = data[:14].lower() == b"%%matrixmarket"
    if is_market:
        _check_declared_size(data, name)
    elif not data.startswith(b"PK"):
        raise InputError(
            f"{name}: expected a sparse matrix as scipy.sparse.save_npz or scipy.io.mmwrite write it, but it starts like "
            "neither. Check the file and ",
            Param("format"),
            ".",
        )
    try:
        # load_npz never unpickles: a file cannot run code.
        matrix = scipy.io.mmread(io.BytesIO(data)) if is_market else sp.load_npz(io.BytesIO(data))
        if sp.issparse(matrix) and matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
    except Exception as error:  # a damaged archive raises nearly anything
        expected = "a Matrix Market file" if is_market else "what scipy.sparse.save_npz writes"
        raise InputError(f"{name}: expected {expected}, but it cannot be read as such ({one_line(error)}).") from error
    if matrix.ndim != 2:
        raise InputError(f"{name}: expected a matrix of documents × terms, got an array of shape {matrix.shape}.")
    return sp.coo_matrix(matrix) if isinstance(matrix, np.ndarray) else matrix


def _check_declared_size(data: bytes, name: str) -> None:
    """Reject a file that declares more entries than it can hold, before memory is allocated for them."""
    lines = io.BytesIO(data)
    is_dense = b"array" in lines.readline().lower()
    sizes = next((line.split() for line in lines if line.strip() and not line.startswith(b"%")), [])
    try:
        numbers = [int(size) for size in sizes]
    except ValueError:
        numbers = []
    if len(numbers) != (2 if is_dense else 3) or min(numbers) < 0:
        raise InputError(f"{name}: expected its rows, columns and entries after the comments, got {one_line(sizes)}.")
    # A symmetric dense matrix has only half of its entries in the file, and each takes two bytes at least.
    fewest_bytes = numbers[0] * numbers[1] if is_dense else 4 * numbers[2]
    if fewest_bytes > len(data):
        what = " × ".join(f"{number:,}" for number in numbers[:2])
        entries = "" if is_dense else f" with {numbers[2]:,} entries"
        raise InputError(
            f"{name}: it declares a matrix of {what}{entries}, which its {len(data):,} bytes cannot hold. It is damaged or cut "
            "short: get it again."
        )


MOST_EMPTY_DOCUMENTS, MOST_EMPTY_TERMS = 10_000, 2**20
"""The most rows and columns of a matrix that has hardly any value. Hashed vocabularies have many empty columns."""

VALUE_FOR = 100
"""Rows, or columns, for each stored value, at most, beyond those."""


def _check_size(matrix: Any, name: str) -> None:
    """Reject dimensions that the values cannot fill, before memory is allocated for them."""
    n_docs, n_terms = matrix.shape
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name}: expected counts, but its values are of type {matrix.dtype}.")
    filled = VALUE_FOR * matrix.nnz
    if n_docs > max(MOST_EMPTY_DOCUMENTS, filled) or n_terms > max(MOST_EMPTY_TERMS, filled):
        raise InputError(
            f"{name}: it declares {n_docs:,} documents × {n_terms:,} terms, but has only "
            f"{number_of(matrix.nnz, 'stored value')}. It is damaged: get it again, without empty rows and columns."
        )


def _terms(source: Opened, options: ReadOptions, part: Part) -> tuple[list[str] | None, str]:
    """Return the vocabulary, if there is one, and the name of its file."""
    path = options.vocabulary or _beside(source, VOCABULARY_SUFFIXES)
    if path is None:
        return None, ""
    name = path_shown(os.path.basename(path))
    terms = [line.strip() for line in _lines(path, name, options, part)]
    if not terms:
        raise InputError(f"{name}: expected a term a line for the columns of {source.name}, but it is empty.")
    return terms, name


def _beside(source: Opened, suffixes: list[str]) -> str | None:
    if source.path is None:
        return None
    stem = split_name(source.path)[0]
    return next((stem + suffix for suffix in suffixes if os.path.isfile(stem + suffix)), None)


def _lines(path: str, name: str, options: ReadOptions, part: Part) -> list[str]:
    """Return the lines of a file; blank ones keep their places, except at the end."""
    with opened(path, name) as file:
        decoded = DecodedLines(file, options)
        lines = [without_line_end(line) for line in decoded]
    part.notes += decoded.notes()
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _with_terms_as_columns(matrix: Any, n_terms: int, vocabulary: str, part: Part) -> Any:
    n_rows, n_columns = matrix.shape
    if n_terms == n_columns:
        part.notes.append(f"The terms of {part.name} were taken from {vocabulary}.")
        return matrix
    if n_terms == n_rows:
        part.notes.append(
            f"The terms of {part.name} were taken from {vocabulary}; they are its rows, so it was transposed to documents × "
            "terms."
        )
        return matrix.T
    raise InputError(
        f"{vocabulary} has {n_terms:,} terms, but {part.name} has {n_rows:,} rows and {n_columns:,} columns. Give the "
        "vocabulary that belongs to it (",
        Param("vocabulary"),
        ").",
    )


def _ids(source: Opened, part: Part, options: ReadOptions) -> list[str]:
    numbered = [f"{source.name}:{row}" for row in range(1, part.n_seen + 1)]
    path = _beside(source, [IDS_SUFFIX])
    if path is None:
        return numbered
    name = path_shown(os.path.basename(path))
    lines = _lines(path, name, options, part)
    if len(lines) != part.n_seen:
        part.notes.append(
            f"{name} has {number_of(len(lines), 'line')} for {number_of(part.n_seen, 'document')} of {source.name} and was "
            "not used."
        )
        return numbered
    part.notes.append(f"The ids were taken from {name}.")
    return [line.split()[0] if line.strip() else numbered[row] for row, line in enumerate(lines)]
