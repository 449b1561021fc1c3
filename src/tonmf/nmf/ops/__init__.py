"""The arithmetic on one block of documents, one module a backend.

============== ==================================================================================
module         what
============== ==================================================================================
(here)         `Ops`, the protocol that every backend implements
`two_way`      a block compressed by rows and by columns
`on_host`      what is the same for all backends whose arrays are NumPy's
`reference`    backend "numpy": plain numpy and scipy, which the others are tested against
`compiled`     backend "numba": the kernels on a pool of threads
`kernels`      the numba kernels
`simd`         what numba lacks: SIMD for sparse-dense products and for tiles, an atomic counter
`cuda`         device "cuda": a GPU
============== ==================================================================================

One set of tests runs on every backend.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops.two_way import TwoWay

A = TypeVar("A", bound=NDArray[Any])

SAME_ROW = 1 - 1e-5
"""Product of unit rows above which they count as the same row."""


class Ops(Protocol):
    """The operations on one block of documents.

    ====== ====================== =============================================
    letter shape                  what
    ====== ====================== =============================================
    X      n_docs × n_terms       a block of documents, `tonmf.nmf.ops.two_way.TwoWay`
    W      n_terms × n_topics     topics
    F      n_rows × n_topics      a factor: H (rows are documents) or W (terms)
    rhs    n_rows × n_topics      float64
    gram   n_topics × n_topics    float64
    ratios n_terms × n_topics     a topic's probability of a term over the background's
    prior  n_topics + 1           pseudo-counts of the background and the topics
    theta  n_docs × n_topics + 1  mixture of each document over the background and the topics
    ====== ====================== =============================================

    Attributes
    ----------
    n_threads : int
        Threads that an operation may use.
    bytes_of_work : int
        Size of one float64 array of n_docs × n_topics that suits the backend, which sets the default block size.
    rows_at_a_time : int
        Rows that are best solved to convergence together.
    fits_at_a_time : int or None
        Fits that are best run side by side; None for as many as there are threads.

    The rows of a block and of the topics are where `place` puts them, and operations leave their results there. Numbers of
    n_topics or n_topics² are in host memory.
    """

    n_threads: int
    bytes_of_work: int
    rows_at_a_time: int
    fits_at_a_time: int | None

    def place(self, array: A) -> A:
        """Return an array where operations on it are fastest; itself, if it is there."""

    def fetch(self, array: A) -> A:
        """Return an array in host memory."""

    def zeros(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
        """Return an array of zeros, as `place` would."""

    def prepare(self, X: sp.csr_matrix) -> TwoWay:
        """Return a block in the form that `project` and `collect` need."""

    def project(self, X: TwoWay, W: Array) -> Array:
        """Return X W, float64."""

    def collect(self, X: TwoWay, F: Array, out: Array) -> None:
        """Add Xᵀ F to `out`, float64."""

    def hals(self, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
        """Do cyclic coordinate descent on F in place (`tonmf.nmf.inner`)."""

    def greedy(self, F: Array, rhs: Array, gram: Array, n_updates: int) -> None:
        """Do greedy coordinate descent on F in place (`tonmf.nmf.inner`)."""

    def quadratic(self, F: Array, rhs: Array, gram: Array) -> Array:
        """Return f gram fᵀ − 2 rhs·f for each row f of F, float64."""

    def gram(self, A: Array, weight: Array, B: Array) -> Array:
        """Return Aᵀ(weight∘B) for two factors over the same rows, float64."""

    def column_sums(self, weight: Array, F: Array) -> Array:
        """Return Σ_i weight_i f_i, float64."""

    def squared_norms(self, X: TwoWay) -> Array:
        """Return ‖x_i‖² of each row, float64."""

    def nearest(self, X: TwoWay, others: TwoWay, n_nearest: int) -> Array:
        """Return the mean of the `n_nearest` largest products of each row of X with rows of `others`, float64.

        One product of 1 is left out: with rows of unit norm, that is the row itself.
        """

    def strongest(self, X: TwoWay, others: TwoWay, weights: Array, n_largest: int) -> Array:
        """Return the sum of the `n_largest` largest products of each row of X with weighted rows of `others`, float64.

        One product that is 1 before it is weighted is left out, as in `nearest`.
        """

    def mean_around(self, X: TwoWay, others: TwoWay, weights: Array, values: Array, n_nearest: int) -> Array:
        """Return the mean value of the `n_nearest` rows of `others` that have the largest products with each row of X, float64.

        Rows count by their products times `weights`, which are positive. Row i of X is also row i of `others`, and does not
        count for itself. A row without any products above 0 has a mean of 0.
        """

    def smallest(self, X: TwoWay, values: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the least value of each column of `values` over the terms of each row of X; 2³² − 1 if it has none."""

    def mixtures(self, X: TwoWay, ratios: Array, prior: Array, n_steps: int) -> tuple[Array, Array]:
        """Run EM for the mixture of each row (`tonmf.nmf.mixture`); return (θ, lift), float64. Rows are independent.

        Steps may be in float32.
        """

    def mixed(self, X: TwoWay, ratios: Array, theta: Array) -> Array:
        """Return θ_0 + Σ_k θ_k ratios_tk for every stored term t of each row, in stored order, float64."""

    def largest(self, ends: NDArray[np.int64], values: Array, n_largest: int) -> NDArray[np.int64]:
        """Return the places of the `n_largest` largest values of each run, or of all if they are fewer, run by run.

        Run i is values[ends[i] : ends[i + 1]]. The largest comes first; of equals, the first.
        """
