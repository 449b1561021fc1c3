"""Embeddings that a user gives, checked, and read at unit norm a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.embeddings import to_unit_norm
from tonmf.detector.scores.meaning import AT_ONCE
from tonmf.errors import InputError

EXPECTED = "embeddings must be a dense matrix of floating-point numbers, one row for each document"


@dataclass(frozen=True)
class UnitRows:
    """Embeddings in any floating-point format, in memory or on disk; what is taken of them has unit norm, in float32."""

    given: NDArray[Any]

    @classmethod
    def of(cls, embeddings: Any) -> Self:
        """Check embeddings without making a copy of those in an array; raise `InputError` if they cannot be used."""
        given = _as_array(embeddings)
        if given.dtype.kind in "biu":
            raise InputError(
                f"{EXPECTED}; got values of type {given.dtype}, as counts or labels have. Give what an embedding model "
                "returned; if these whole numbers are embeddings, convert them with astype('float32')."
            )
        if given.dtype.kind == "c":
            raise InputError(f"Complex data not supported: {EXPECTED}.")
        if given.dtype.kind != "f":
            raise InputError(f"{EXPECTED}; got values of type {given.dtype}.")
        if given.ndim != 2:
            advice = " Reshape your data: a single embedding is a matrix of one row." if given.ndim == 1 else ""
            raise InputError(f"{EXPECTED}; got an array of shape {given.shape}.", advice)
        if given.shape[1] == 0:
            raise InputError(f"{EXPECTED}; got 0 feature(s) (shape={given.shape}) while a minimum of 1 is required.")
        rows = cls(given)
        rows._check_values()
        return rows

    def _check_values(self) -> None:
        """Raise `InputError` for rows that are not finite, or zero."""
        unusable, zero = [], []
        for start in range(0, len(self), AT_ONCE):
            block = self.given[start : start + AT_ONCE]
            unusable.append(start + np.flatnonzero(~np.isfinite(block).all(axis=1)))
            zero.append(start + np.flatnonzero(~block.any(axis=1)))
        for wrong, are in ((unusable, "NaN or infinity"), (zero, "nothing but zeros")):
            numbers = np.concatenate([np.zeros(0, np.int64), *wrong])
            if len(numbers):
                which = (
                    f"row {numbers[0]} has"
                    if len(numbers) == 1
                    else f"row {numbers[0]} and {len(numbers) - 1} more have"
                )
                raise InputError(f"{EXPECTED}; {which} {are}. Leave them out: they say nothing about their documents.")

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of documents, and the width of an embedding."""
        n_docs, width = self.given.shape
        return n_docs, width

    def __len__(self) -> int:
        return len(self.given)

    def __getitem__(self, which: Any) -> Array:
        rows = np.ascontiguousarray(self.given[which])
        return to_unit_norm(rows.astype(np.float32) if rows.dtype == np.float16 else rows)

    @cached_property
    def keys(self) -> NDArray[np.float64]:
        """Return a number for each embedding, which depends on it alone: by it, samples do not depend on the order of rows."""
        factors = np.random.default_rng(0).integers(2**63, size=self.shape[1], dtype=np.uint64) | np.uint64(1)
        return np.concatenate([np.zeros(0), *(_hashed(block, factors) for block in self._blocks())])

    def _blocks(self) -> Iterator[Array]:
        for start in range(0, len(self), AT_ONCE):
            yield self[start : start + AT_ONCE]


def _hashed(rows: Array, factors: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return a sum over the bits of each row: exact, as it is one of whole numbers."""
    bits = np.ascontiguousarray(rows).view(np.uint32).astype(np.uint64)
    return np.asarray((bits * factors).sum(axis=1, dtype=np.uint64).astype(np.float64))


def _as_array(embeddings: Any) -> NDArray[Any]:
    if sp.issparse(embeddings):
        raise InputError(
            f"{EXPECTED}; got a sparse matrix, as counts of words are in. Use TextOutlierDetector for counts."
        )
    try:
        return np.asarray(embeddings)
    except Exception as error:  # of whatever kind its __array__ raises, such as that of a tensor on a GPU
        raise InputError(f"{EXPECTED}; what came cannot be made one ({error}).") from error
