"""Where one block's arithmetic runs.

An `Ops` object is a set of operations on one block of documents. `tonmf.nmf.ops.reference.ReferenceOps` does them with
numpy and scipy, in the plainest way; `tonmf.nmf.ops.compiled.CompiledOps` does the same with numba kernels on several
threads. A shared test runs on each of them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.nmf.ops.two_way import TwoWay

Array = NDArray[np.floating[Any]]

__all__ = ["SAME_ROW", "Array", "Ops"]

SAME_ROW = 1 - 1e-5
"""Product of unit rows from which on they are taken for the same row."""


class Ops(Protocol):
    """The operations that a block needs.

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
    ====== ====================== =============================================
    """

    def prepare(self, X: sp.csr_matrix) -> TwoWay:
        """Hold a block in the form that `project` and `collect` want."""

    def project(self, X: TwoWay, W: Array) -> Array:
        """X W, float64."""

    def collect(self, X: TwoWay, F: Array, out: Array) -> None:
        """Add Xᵀ F to `out`, float64."""

    def hals(self, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
        """Cyclic coordinate descent on F in place (`tonmf.nmf.inner`)."""

    def greedy(self, F: Array, rhs: Array, gram: Array, n_updates: int) -> None:
        """Greedy coordinate descent on F in place (`tonmf.nmf.inner`)."""

    def quadratic(self, F: Array, rhs: Array, gram: Array) -> Array:
        """f gram fᵀ − 2 rhs·f for each row f of F, float64."""

    def gram(self, A: Array, weight: Array, B: Array) -> Array:
        """Aᵀ(weight∘B) for two factors over the same rows, float64."""

    def nearest(self, X: TwoWay, others: TwoWay, n_nearest: int) -> Array:
        """Mean product of each row of X with those `n_nearest` rows of `others` with which it is largest, float64.

        One product of 1 is left out: with rows of unit norm, that is the row itself.
        """

    def mixtures(self, X: TwoWay, ratios: Array, prior: Array, n_steps: int) -> tuple[Array, Array]:
        """EM for the mixture of each row (`tonmf.nmf.mixture`): (θ, lift), float64. Rows do not depend on one another."""
