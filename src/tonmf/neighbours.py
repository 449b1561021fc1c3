"""How far a document lies from its nearest neighbours in the user's own embedding space.

The score is the mean of 1 − cos over the 50 nearest training documents. Up to `EXACT` rows neighbours are found by
comparing all with all; beyond, by an inverted file of faiss, which looks only into the cells nearby.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tonmf.errors import InputError, MissingExtraError
from tonmf.ops import Array

NEIGHBOURS = 50
"""Neighbours that are averaged over."""

EXACT = 50_000
"""Rows up to which neighbours are exact."""

CELLS_LOOKED_INTO = 0.1
"""Share of the cells in which an approximate search looks."""


def check_embeddings(embeddings: Any, n_docs: int, width: int | None = None) -> Array:
    """Embeddings as float32 rows of unit norm, one for each document; a row of zeros stays zero."""
    try:
        rows = np.asarray(embeddings, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"embeddings must be a dense matrix of numbers; got {type(embeddings).__name__}.") from error
    if rows.ndim != 2 or len(rows) != n_docs or rows.shape[1] == 0:
        raise InputError(
            f"embeddings must have one row for each of the {n_docs} documents; got an array of shape {rows.shape}."
        )
    if width is not None and rows.shape[1] != width:
        raise InputError(
            f"embeddings have {rows.shape[1]} columns, but the detector was fitted with {width}: use the same embedding model."
        )
    if not (finite := np.isfinite(rows).all(axis=1)).all():
        raise InputError(
            f"embeddings must be finite: row {int(np.argmin(finite))} and {int((~finite).sum()) - 1} more hold NaN, "
            "infinity or numbers too large for float32."
        )
    scaled = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), TINY)  # or squares may overflow or vanish
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.ascontiguousarray(scaled / np.maximum(norms, TINY), dtype=np.float32)


TINY = np.finfo(np.float32).tiny


class Neighbours:
    """An index over the training documents' embeddings, given at unit norm."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        self._search = _exact(rows) if len(rows) <= EXACT else _approximate(rows)

    def distances(self, rows: Array) -> Array:
        """Mean distance of new documents to their nearest training documents."""
        return self._mean(self._search(rows, min(NEIGHBOURS, len(self.rows))))

    def distances_between(self) -> Array:
        """Mean distance of each training document to the others; 0 if there are none."""
        n_neighbours = min(NEIGHBOURS, len(self.rows) - 1)
        if n_neighbours == 0:
            return np.zeros(1)
        # The nearest one is the document itself, or a twin of it at the same distance.
        return self._mean(self._search(self.rows, n_neighbours + 1)[:, 1:])

    def _mean(self, squares: Array) -> Array:
        """1 − cos is half the squared distance of unit vectors."""
        means: Array = np.maximum(squares, 0).mean(axis=1, dtype=np.float64) / 2
        return means


def _exact(rows: Array) -> Any:
    from sklearn.neighbors import NearestNeighbors  # takes a moment to import

    index = NearestNeighbors(algorithm="brute", metric="sqeuclidean").fit(rows)

    def search(queries: Array, n_neighbours: int) -> Array:
        squares: Array = index.kneighbors(queries, n_neighbours)[0]
        return squares

    return search


def _approximate(rows: Array) -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError(
            f"Embeddings of more than {EXACT:,} documents need an approximate index: pip install 'tonmf[neighbours]'."
        ) from error
    n_cells = int(np.sqrt(len(rows)))
    cells = faiss.IndexFlatL2(rows.shape[1])
    index = faiss.IndexIVFFlat(cells, rows.shape[1], n_cells)
    index.train(rows)
    index.add(rows)
    index.nprobe = max(int(CELLS_LOOKED_INTO * n_cells), 1)

    def search(queries: Array, n_neighbours: int) -> Array:
        squares: Array = index.search(queries, n_neighbours)[0]
        return squares

    return search
