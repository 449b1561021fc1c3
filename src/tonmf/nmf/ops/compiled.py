"""The numba backend: kernels on a pool of threads.

The kernels do not use numba's own threading: they release the GIL and ordinary threads run them. That compiles in a fraction
of the time, works with fork, joblib and other users of threads, and leaves the number of threads to the caller. Ranges of
rows do not depend on the number of threads, so results do not either.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops import kernels
from tonmf.nmf.ops.on_host import OnHost
from tonmf.nmf.ops.two_way import TwoWay

Cuts = NDArray[np.int64]

ROWS_PER_RANGE = 512
"""Rows of a factor in a range."""

ROWS_PER_GRAM = 8192
"""Rows in a partial Gram matrix."""

STORED_PER_RANGE = 16_384
"""Stored values in a range of a sparse product."""

DENSE_SHARE = 0.125
"""Share of the rows that a term must be in for a dense column to be faster in products with many rows."""

ROWS_WORTH_DENSE_COLUMNS = 256
"""Rows from which on dense columns are worth making."""


@lru_cache(maxsize=64)
def even_cuts(n_rows: int, rows_per_range: int) -> Cuts:
    """Cut rows into ranges of the same length; the passes of a fit share the result, which nobody changes.

    >>> even_cuts(10, 4).tolist()
    [0, 4, 8, 10]
    """
    return np.append(np.arange(0, n_rows, rows_per_range), n_rows)


def cuts_of_equal_work(indptr: NDArray[Any], stored_per_range: int = STORED_PER_RANGE) -> Cuts:
    """Cut compressed rows into ranges with about the same number of stored values.

    >>> cuts_of_equal_work(np.array([0, 2, 60, 64, 200]), stored_per_range=50).tolist()
    [0, 1, 3, 4]
    """
    stored, n_rows = int(indptr[-1]), len(indptr) - 1
    if stored <= stored_per_range:
        return np.arange(0, n_rows + 1, max(n_rows, 1))  # one range, and no time lost on a single document
    goals = np.arange(stored_per_range, stored, stored_per_range)
    inside = np.searchsorted(indptr, goals, side="right") - 1
    return np.unique(np.concatenate([[0], inside, [n_rows]])).astype(np.int64)


def _for_products(others: TwoWay, n_rows: int) -> tuple[Array, ...]:
    """Return rows as `kernels.nearest` needs them for its products with `n_rows` rows: by columns, and the fullest dense."""
    B = others.by_column
    if n_rows < ROWS_WORTH_DENSE_COLUMNS:
        return B.indptr, B.indices, B.data, np.zeros(0, np.int32), np.zeros((0, B.shape[0]), B.dtype)
    full = np.flatnonzero(np.diff(B.indptr) > DENSE_SHARE * B.shape[0])
    dense_row = np.full(B.shape[1], -1, np.int32)
    dense_row[full] = np.arange(len(full))
    dense = np.ascontiguousarray(B[:, full].toarray().T)
    return B.indptr, B.indices, B.data, dense_row, dense


class CompiledOps(OnHost):
    """`tonmf.nmf.ops.Ops` with numba kernels.

    Parameters
    ----------
    n_threads : int
        Threads to use.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(max(self.n_threads - 1, 1), thread_name_prefix="tonmf")

    def __reduce__(self) -> tuple[type[CompiledOps], tuple[int]]:
        return type(self), (self.n_threads,)  # threads cannot be pickled

    def project(self, X: TwoWay, W: Array) -> Array:
        out = np.zeros((X.by_row.shape[0], W.shape[1]))
        self._add_product(X.by_row, W, out)
        return out

    def collect(self, X: TwoWay, F: Array, out: Array) -> None:
        self._add_product(X.by_column, F, out)

    def _add_product(self, S: sp.spmatrix, B: Array, out: Array) -> None:
        cuts = cuts_of_equal_work(S.indptr)
        self._run(kernels.sparse_times_dense, (S.indptr, S.indices, S.data, np.ascontiguousarray(B), out), cuts)

    def hals(self, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
        largest = float(gram.diagonal().max())
        scale = 1 / largest if largest > 0 else 1.0  # else entries may be too large or too small for float32
        scaled = np.ascontiguousarray(gram * scale, dtype=F.dtype)
        self._run(kernels.hals, (F, rhs, scale, scaled, n_sweeps), even_cuts(len(F), ROWS_PER_RANGE))

    def greedy(self, F: Array, rhs: Array, gram: Array, n_updates: int) -> None:
        self._run(kernels.greedy, (F, rhs, gram, n_updates), even_cuts(len(F), ROWS_PER_RANGE))

    def quadratic(self, F: Array, rhs: Array, gram: Array) -> Array:
        out = np.empty(len(F))
        self._run(kernels.quadratic, (F, rhs, gram, out), even_cuts(len(F), ROWS_PER_RANGE))
        return out

    def gram(self, A: Array, weight: Array, B: Array) -> Array:
        cuts = even_cuts(len(A), ROWS_PER_GRAM)
        parts = np.zeros(((len(cuts) - 1) * A.shape[1], B.shape[1]))
        self._run(kernels.partial_grams, (A, weight, B, parts), cuts)
        if len(cuts) == 2:
            return parts
        total: Array = parts.reshape(len(cuts) - 1, A.shape[1], B.shape[1]).sum(axis=0)
        return total

    def nearest(self, X: TwoWay, others: TwoWay, n_nearest: int) -> Array:
        S, out = X.by_row, np.zeros(X.by_row.shape[0])
        arguments = (S.indptr, S.indices, S.data, *_for_products(others, S.shape[0]), n_nearest, out)
        self._run(kernels.nearest, arguments, cuts_of_equal_work(S.indptr))
        return out

    def strongest(self, X: TwoWay, others: TwoWay, weights: Array, n_largest: int) -> Array:
        S, out = X.by_row, np.zeros(X.by_row.shape[0])
        arguments = (S.indptr, S.indices, S.data, *_for_products(others, S.shape[0]), weights, n_largest, out)
        self._run(kernels.strongest, arguments, cuts_of_equal_work(S.indptr))
        return out

    def mean_around(self, X: TwoWay, others: TwoWay, weights: Array, values: Array, n_nearest: int) -> Array:
        S, out = X.by_row, np.zeros(X.by_row.shape[0])
        products = _for_products(others, S.shape[0])
        arguments = (S.indptr, S.indices, S.data, *products, weights, values, n_nearest, out)
        self._run(kernels.mean_around, arguments, cuts_of_equal_work(S.indptr))
        return out

    def smallest(self, X: TwoWay, values: NDArray[np.uint32]) -> NDArray[np.uint32]:
        S, out = X.by_row, np.empty((X.by_row.shape[0], values.shape[1]), np.uint32)
        self._run(kernels.smallest, (S.indptr, S.indices, values, out), cuts_of_equal_work(S.indptr))
        return out

    def mixtures(self, X: TwoWay, ratios: Array, prior: Array, n_steps: int) -> tuple[Array, Array]:
        S = X.by_row
        theta, lift = np.empty((S.shape[0], len(prior))), np.empty(S.shape[0])
        arguments = (S.indptr, S.indices, S.data, np.ascontiguousarray(ratios), prior, n_steps, theta, lift)
        self._run(kernels.mixtures, arguments, cuts_of_equal_work(S.indptr))
        return theta, lift

    def mixed(self, X: TwoWay, ratios: Array, theta: Array) -> Array:
        S, out = X.by_row, np.empty(X.by_row.nnz)
        arguments = (S.indptr, S.indices, np.ascontiguousarray(ratios), np.ascontiguousarray(theta), out)
        self._run(kernels.mixed, arguments, cuts_of_equal_work(S.indptr))
        return out

    def largest(self, ends: NDArray[np.int64], values: Array, n_largest: int) -> NDArray[np.int64]:
        n_largest = min(n_largest, int(np.diff(ends).max(initial=0)))
        place_ends = np.append(0, np.cumsum(np.minimum(np.diff(ends), n_largest)))
        places = np.empty(place_ends[-1], np.int64)
        self._run(kernels.largest, (ends, values, n_largest, places, place_ends), cuts_of_equal_work(ends))
        return places

    def _run(self, kernel: Callable[..., None], arguments: tuple[Any, ...], cuts: Cuts) -> None:
        """Run a kernel on this thread and on as many others as there are ranges for."""
        cursor = np.zeros(1, np.int64)
        n_others = min(self.n_threads, len(cuts) - 1) - 1
        others = [self._pool.submit(kernel, *arguments, cuts, cursor) for _ in range(n_others)]
        kernel(*arguments, cuts, cursor)
        for other in others:
            other.result()
