"""Blocks of documents in files, a shard each; only the current one is mapped into memory.

=============== ================= ===========================================================
array           shape             what
=============== ================= ===========================================================
ends, columns   n_docs + 1, nnz   sparsity pattern by document
y, c            nnz               values of the unit rows Y and the damped counts C
column_ends     n_terms + 1       the same by term, of Y only
rows, y_columns nnz
squared_norms   n_docs            ‖y_i‖²
n_words, …      n_docs            `tonmf.text.totals.WordTotals`
=============== ================= ===========================================================

A fit keeps H in one more file (`tonmf.detector.disk.shard_fit`).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.disk.shard_fit import FitOnDisk
from tonmf.detector.scores.corpus import DocumentBlock, FewerTerms, rows_of_terms
from tonmf.nmf.blocks import not_in_one_place
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.storage.array_file import ArrayFile, DamagedFileError, write_arrays
from tonmf.text.totals import WordTotals

TOTALS = tuple(field.name for field in fields(WordTotals))


def write_shard(path: Path, Y: sp.csr_matrix, C: sp.csr_matrix, totals: WordTotals) -> None:
    """Write documents; Y and C share their sparsity pattern."""
    by_column = Y.tocsc()
    arrays: dict[str, NDArray[Any]] = {
        "ends": Y.indptr.astype(np.int32),
        "columns": Y.indices.astype(np.int32),
        "y": Y.data,
        "c": C.data,
        "column_ends": by_column.indptr.astype(np.int32),
        "rows": by_column.indices.astype(np.int32),
        "y_columns": by_column.data,
        "squared_norms": squared_norms(Y),
        **{name: getattr(totals, name) for name in TOTALS},
    }
    write_arrays(path, arrays)


class MappedMatrix:
    """`tonmf.nmf.ops.two_way.TwoWay` in a file: mapped on access, and unmapped when no longer referenced."""

    def __init__(self, file: ArrayFile, values: str, n_docs: int, n_terms: int) -> None:
        self._file, self._values, self._shape = file, values, (n_docs, n_terms)

    @property
    def by_row(self) -> sp.csr_matrix:
        """Return the documents, compressed by rows."""
        return self._mapped(sp.csr_matrix, self._values, "columns", "ends")

    @property
    def by_column(self) -> sp.csc_matrix:
        """Return the documents, compressed by terms: mapped if they are unit rows, otherwise converted in memory."""
        if self._values != "y":
            return TwoWayMatrix(self.by_row).by_column
        return self._mapped(sp.csc_matrix, "y_columns", "rows", "column_ends")

    def _mapped(self, kind: Any, values: str, places: str, ends: str) -> Any:
        matrix = kind(self._shape, dtype=np.float32)
        # The constructor would look at every place, and copy some.
        matrix.data, matrix.indices, matrix.indptr = (self._file.map(name) for name in (values, places, ends))
        matrix.has_canonical_format = True
        return matrix


@dataclass(frozen=True)
class Shard:
    """A file of documents, and the number of the first of them."""

    file: ArrayFile
    first: int
    n_docs: int


def _check(shard: Shard, n_terms: int) -> None:
    """Check that no index points outside: kernels read arrays without bounds checks."""
    n_docs, file = shard.n_docs, shard.file
    for ends, places, values, n_rows, n_columns in (
        ("ends", "columns", ("y", "c"), n_docs, n_terms),
        ("column_ends", "rows", ("y_columns",), n_terms, n_docs),
    ):
        indptr, indices = file.map(ends), file.map(places)
        sound = (
            all(array.dtype == np.int32 and array.ndim == 1 for array in (indptr, indices))
            and len(indptr) == n_rows + 1
            and indptr[0] == 0
            and indptr[-1] == len(indices)
            and not (np.diff(indptr) < 0).any()
            and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < n_columns))
            and all(file.map(name).shape == indices.shape and file.map(name).dtype == np.float32 for name in values)
        )
        if not sound:
            raise file.damaged(f"its {places} do not fit the documents")
    if any(file.map(name).shape != (n_docs,) for name in (*TOTALS, "squared_norms")):
        raise file.damaged("it has other documents")


class ShardSource:
    """`tonmf.detector.scores.corpus.DocumentSource` on disk.

    Parameters
    ----------
    folder : Path
        Where the shards are, and where fits keep H.
    names : sequence of str
        The files, in order, with the number of documents in each.
    n_terms : int
    """

    def __init__(self, folder: Path, names: Sequence[tuple[str, int]], n_terms: int) -> None:
        self.folder, self.n_terms, self.dtype = folder, n_terms, np.dtype(np.float32)
        self._names = list(names)
        self._sound: set[ArrayFile] = set()
        for name, _ in names:
            if not re.fullmatch(r"shard-\d+", name):
                raise DamagedFileError(
                    f"{folder} is damaged: {name!r:.60} is no name of a shard. Remove it and run again."
                )
        firsts = np.cumsum([0, *(n_docs for _, n_docs in names)]).tolist()
        self.n_docs = firsts[-1]
        self._shards = [
            Shard(ArrayFile(folder / name), first, n_docs)
            for (name, n_docs), first in zip(names, firsts[:-1], strict=True)
        ]
        self._weights = np.ones(self.n_docs)
        self.fit = FitOnDisk(folder / "H", self.n_docs)

    def again(self) -> ShardSource:
        """Return the same documents for another fit. One fit at a time: they share the file of H."""
        twin = ShardSource(self.folder, self._names, self.n_terms)
        twin._shards, twin._sound, twin._weights = self._shards, self._sound, self._weights
        return twin

    def of_terms(self, terms: FewerTerms) -> ShardSource:
        """Copy the documents to shards by some of the terms."""
        folder = self.folder / "kept"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for (name, _), block in zip(self._names, self.blocks(), strict=True):
            rows = rows_of_terms(block, terms)
            write_shard(folder / name, rows.Y, rows.C, rows.totals)
        return ShardSource(folder, self._names, len(terms.kept))

    def weighted(self, weights: Array) -> ShardSource:
        """Return the same documents, each to count so much in fits."""
        twin = self.again()
        twin._weights = weights
        return twin

    def among(self, rows: NDArray[np.int64]) -> ShardSource:
        """Copy some documents to shards of their own."""
        folder = self.folder / "among"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        names: list[tuple[str, int]] = []
        for block in self.blocks():
            inside = block.inside(rows)
            if len(inside):
                name = f"shard-{len(names):05}"
                Y, C = block.X.by_row[inside], block.C.by_row[inside]
                write_shard(folder / name, Y, C, block.totals.take(inside))
                names.append((name, len(inside)))
        return ShardSource(folder, names, self.n_terms).weighted(self._weights[rows])

    def blocks(self) -> Iterator[DocumentBlock]:
        """Yield one block at a time: each is valid until the next is asked for, and what a fit changed in it is stored."""
        for shard in self._shards:
            block = self._open(shard)
            with self.fit.opened(block):
                yield block

    def _open(self, shard: Shard) -> DocumentBlock:
        if shard.file not in self._sound:
            _check(shard, self.n_terms)
            self._sound.add(shard.file)
        X, C = (MappedMatrix(shard.file, values, shard.n_docs, self.n_terms) for values in ("y", "c"))
        totals = WordTotals(*(shard.file.map(name) for name in TOTALS))
        norms, weights = shard.file.map("squared_norms"), self._weights[shard.first : shard.first + shard.n_docs]
        return DocumentBlock(X, norms, weights, shard.first, np.zeros((0, 0), self.dtype), C=C, totals=totals)

    def start_from(self, H: Array | None, n_topics: int) -> None:
        """Begin a fit."""
        self.fit.begin(n_topics)
        if H is not None:
            for block in self.blocks():
                block.H[:] = H[block.first : block.first + len(block.H)]

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        """Forget every document's use of the other topics."""
        self.fit.keep_topics(kept, [(shard.first, shard.n_docs) for shard in self._shards])

    def matrix(self) -> sp.csr_matrix:
        """Raise, because documents on disk are never put together."""
        raise not_in_one_place("on disk")
