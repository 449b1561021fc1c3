"""How much two documents have in common, beyond what all ordinary documents have.

    k(x, x') = φ(x) · φ(x')        φ(x) = (y − μ) / ‖y − μ‖

where y is the unit row of a document and μ the mean row of the ordinary ones in the sample. Two documents that have nothing
in common but the words of all have a positive cosine, and a likeness of about 0. Likeness is an inner product, so the matrix
of likenesses is positive semi-definite, and a weighted sum of likenesses is one product with a vector. With embeddings it is
the mean of the likenesses by words and by embeddings.

Of documents without a known term, nothing else is known: they are like each other, and like no others.

====== =================== ============================================================
letter shape               what
====== =================== ============================================================
R      n_docs × n_columns  unit rows, sparse, or embeddings, dense
μ      n_columns           their mean over ordinary documents
====== =================== ============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.meaning import Meaning

NOTHING_LEFT = 1e-3
"""Norm of y − μ below which a row is the mean row: nothing tells it from ordinary documents."""


@dataclass(frozen=True)
class Centred:
    """Rows relative to a mean row, at unit norm. They are never stored: R stays sparse.

    φ has one more column, for sparse rows without any term: it is 1 for these, and 0 for all others.
    """

    mean: Array

    @classmethod
    def around(cls, rows: Any) -> Self:
        """Take the mean of some rows; 0 if there are none."""
        return cls(np.asarray(rows.sum(axis=0), np.float64).ravel() / max(rows.shape[0], 1))

    @cached_property
    def square(self) -> float:
        """Return ‖μ‖²."""
        return float(self.mean @ self.mean)

    def scales(self, R: Any, onto_mean: Array | None = None) -> Array:
        """Return 1 / ‖y − μ‖ of unit rows, given y · μ if known; 0 for a row of zeros, and for one that is the mean."""
        filled = ~bare(R) if sp.issparse(R) else R.any(axis=1)
        onto_mean = onto(R, self.mean) if onto_mean is None else onto_mean
        norms = np.sqrt(np.maximum(1 - 2 * onto_mean + self.square, 0))
        return np.where(filled & (norms > NOTHING_LEFT), 1 / np.maximum(norms, NOTHING_LEFT), 0.0)

    def times(self, R: Any, vector: Array) -> Array:
        """Return φ · v of each row."""
        of_terms = vector[:-1]
        centred = onto(R, of_terms) - self.mean @ of_terms
        product: Array = self.scales(R) * centred + bare(R) * vector[-1]
        return product

    def combined(self, R: Any, weights: Array) -> Array:
        """Return Σ weight φ of the rows."""
        scaled = self.scales(R) * weights
        return np.append(R.T @ scaled - self.mean * scaled.sum(), weights @ bare(R))

    def between(self, R: Any, others: Any) -> Array:
        """Return φ · φ' of all pairs of rows, n_docs × n_others."""
        products = R @ others.T
        dense = products.toarray() if sp.issparse(products) else products
        left, right = onto(R, self.mean), onto(others, self.mean)
        centred = dense - left[:, None] - right[None, :] + self.square
        likeness: Array = self.scales(R, left)[:, None] * centred * self.scales(others, right)[None, :]
        return likeness + np.outer(bare(R), bare(others))

    def gram(self, R: Any) -> Callable[[Array], Array]:
        """Return the function that multiplies a vector by the matrix φ · φ' of the rows, which is never made."""
        onto_mean, is_bare = onto(R, self.mean), bare(R)
        scales = self.scales(R, onto_mean)
        if sp.issparse(R):  # only the columns that occur
            R = R[:, np.unique(R.indices)]
        R = R.astype(np.float64)
        transposed = R.T

        def times(vector: Array) -> Array:
            scaled = scales * vector
            total = scaled.sum()
            centred = R @ (transposed @ scaled) - onto_mean * total - onto_mean @ scaled + self.square * total
            product: Array = scales * centred + is_bare * (vector @ is_bare)
            return product

        return times


def onto(R: Any, vector: Array) -> Array:
    """Return y · v of each row, computed as the rows are stored: widening them would take longer than the product."""
    product: Array = (R @ vector.astype(R.dtype)).astype(np.float64)
    return product


def bare(R: Any) -> NDArray[np.bool_]:
    """Return True for the sparse rows that have no term."""
    return np.diff(R.indptr) == 0 if sp.issparse(R) else np.zeros(len(R), bool)


@dataclass(frozen=True)
class Likeness:
    """Likeness by all that is known of documents: the mean of that by words and that by embeddings, if there are any.

    Documents are given as matrices, in that order (`known_of`).
    """

    by: tuple[Centred, ...]

    @classmethod
    def among(cls, sample: sp.csr_matrix, meaning: Meaning | None) -> Self:
        """Take the means of the ordinary documents that a detector keeps."""
        return cls(tuple(map(Centred.around, known_of(sample, None if meaning is None else meaning.rows))))

    def between(self, documents: Sequence[Any], others: Sequence[Any]) -> Array:
        """Return the likeness of all pairs of documents, n_docs × n_others."""
        parts = [by.between(*both) for by, *both in zip(self.by, documents, others, strict=True)]
        mean: Array = np.add.reduce(parts) / len(self.by)
        return mean

    def gram(self, documents: Sequence[Any]) -> Callable[[Array], Array]:
        """Return the function that multiplies a vector by the matrix of likenesses."""
        functions = [by.gram(R) for by, R in zip(self.by, documents, strict=True)]
        return lambda vector: np.add.reduce([times(vector) for times in functions]) / len(functions)

    def combined(self, documents: Sequence[Any], weights: Array) -> list[Array]:
        """Return vectors whose product with a document is the weighted sum of its likenesses with these."""
        return [by.combined(R, weights) / len(self.by) for by, R in zip(self.by, documents, strict=True)]


def known_of(rows: sp.csr_matrix, embeddings: Array | None) -> list[Any]:
    """Return what is known of documents, as matrices."""
    return [rows] if embeddings is None else [rows, embeddings]
