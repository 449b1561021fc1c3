"""What is the same for all backends whose arrays are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.nmf.ops import A
from tonmf.nmf.ops.two_way import TwoWay, TwoWayMatrix

BYTES_OF_WORK = 8 * 2**20
"""Size of one float64 array of n_docs × n_topics that fits the caches."""

ROWS_AT_A_TIME = 8192
"""Rows that are solved to convergence together, which bounds memory."""


class OnHost:
    """The part of `tonmf.nmf.ops.Ops` that says where arrays are, and sums that NumPy does as fast as memory allows."""

    bytes_of_work = BYTES_OF_WORK
    rows_at_a_time = ROWS_AT_A_TIME
    fits_at_a_time: int | None = None

    def place(self, array: A) -> A:
        return array

    def fetch(self, array: A) -> A:
        return array

    def zeros(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
        return np.zeros(shape, dtype)

    def prepare(self, X: sp.csr_matrix) -> TwoWayMatrix:
        return TwoWayMatrix(X)

    def column_sums(self, weight: Array, F: Array) -> Array:
        sums: Array = np.einsum("i,ij->j", weight, F)
        return sums

    def squared_norms(self, X: TwoWay) -> Array:
        return squared_norms(X.by_row)


def squared_norms(X: sp.csr_matrix) -> Array:
    """Return ‖x_i‖² in float64, a few documents at a time so that no float64 copy of all values is made.

    >>> squared_norms(sp.csr_matrix([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [25.0, 0.0]
    """
    norms = np.zeros(X.shape[0])
    for low in range(0, X.shape[0], 4096):
        high = min(low + 4096, X.shape[0])
        first, last = X.indptr[low], X.indptr[high]
        squares = X.data[first:last].astype(np.float64) ** 2
        documents = np.repeat(np.arange(high - low), np.diff(X.indptr[low : high + 1]))
        norms[low:high] = np.bincount(documents, weights=squares, minlength=high - low)
    return norms
