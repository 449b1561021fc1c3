"""The distance of a document from ordinary ones in the user's own embedding space.

The distance is the mean of 1 − cos over the 50 nearest ordinary training documents (`tonmf.detector.scores.ordinary` explains
why only ordinary ones). Up to `EXACT` of them, neighbours are found by brute force; beyond, by an inverted file index of faiss,
which searches only the cells nearby.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.errors import InputError, MissingExtraError

NEIGHBOURS = 50
"""Nearest neighbours that the mean is taken over."""

EXACT = 50_000
"""Rows up to which neighbours are exact."""

CELLS_LOOKED_INTO = 0.1
"""Share of the cells that an approximate search looks into."""


def check_embeddings(embeddings: Any, n_docs: int, width: int | None = None) -> Array:
    """Check embeddings, and return them as float32 rows of unit norm; a row of zeros stays zero."""
    given = np.asarray(embeddings)
    if given.dtype.kind not in "biuf":
        raise InputError(f"embeddings must be a dense matrix of real numbers; got values of type {given.dtype}.")
    with np.errstate(over="ignore"):
        rows = given.astype(np.float32)
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


def check_new_embeddings(embeddings: Any, n_docs: int, neighbours: Neighbours | None) -> Array | None:
    """Check the embeddings of new documents, which must be given if the training documents had some, and only then."""
    if neighbours is None:
        if embeddings is not None:
            raise InputError(
                "The detector was fitted without embeddings, so it has none to compare with. Fit it with them."
            )
        return None
    if embeddings is None:
        raise InputError(
            "The detector was fitted with embeddings: give those of the new documents too (embeddings=...)."
        )
    return check_embeddings(embeddings, n_docs, neighbours.rows.shape[1])


class Neighbours:
    """An index of the embeddings of ordinary documents, given at unit norm; rows of zeros are left out."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows[rows.any(axis=1)]

    @cached_property
    def _search(self) -> Callable[[Array, int], Array]:
        """Search the index: return squared distances to the nearest rows, in rising order."""
        return _exact(self.rows) if len(self.rows) <= EXACT else _approximate(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows}  # the index is made again when it is needed

    def distances(self, rows: Array) -> Array:
        """Return the mean distance of documents to their nearest neighbours in the index; 1 for an embedding of zeros.

        One neighbour at distance 0 is left out: that is the document itself, if it is in the index.
        """
        distances = np.ones(len(rows))
        n_neighbours = min(NEIGHBOURS, len(self.rows) - 1)
        usable = rows.any(axis=1)
        if n_neighbours < 1 or not usable.any():
            return distances
        squares = np.maximum(self._search(rows[usable], n_neighbours + 1), 0)
        itself = squares[:, :1] < SAME_PLACE
        nearest = np.where(itself, squares[:, 1:], squares[:, :-1])
        distances[usable] = nearest.mean(axis=1, dtype=np.float64) / 2  # 1 − cos is half the square, for unit vectors
        return distances


SAME_PLACE = 1e-5
"""Squared distance below which two embeddings count as the same."""


def _exact(rows: Array) -> Callable[[Array, int], Array]:
    from sklearn.neighbors import NearestNeighbors  # takes a moment to import

    index = NearestNeighbors(algorithm="brute", metric="sqeuclidean").fit(rows)

    def search(queries: Array, n_neighbours: int) -> Array:
        squares: Array = index.kneighbors(queries, n_neighbours)[0]
        return squares

    return search


def require_index(n_docs: int) -> Any:
    """Import the library of the approximate index if so many ordinary documents need it."""
    if n_docs <= EXACT:
        return None
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError(
            f"Embeddings of more than {EXACT:,} ordinary documents need an approximate index: "
            "pip install 'tonmf[neighbours]'."
        ) from error
    return faiss


def _approximate(rows: Array) -> Callable[[Array, int], Array]:
    faiss = require_index(len(rows))
    n_cells = int(np.sqrt(len(rows)))
    cells = faiss.IndexFlatL2(rows.shape[1])
    index = faiss.IndexIVFFlat(cells, rows.shape[1], n_cells)
    index.train(rows)
    index.add(rows)

    def search(queries: Array, n_neighbours: int) -> Array:
        index.nprobe = max(int(CELLS_LOOKED_INTO * n_cells), 1)
        squares, found = index.search(queries, n_neighbours)
        short = (found < 0).any(axis=1)  # fewer than that in the cells nearby: look into all of them
        if short.any():
            index.nprobe = n_cells
            squares[short] = index.search(queries[short], n_neighbours)[0]
        result: Array = squares
        return result

    return search
