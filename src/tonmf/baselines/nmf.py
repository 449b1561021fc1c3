"""`NMFResidual`: the part of a document that plain non-negative matrix factorisation does not explain.

====== ======================== ==========================================================
letter shape                    what
====== ======================== ==========================================================
X      n_docs × n_terms         the rows
H      n_docs × n_components    documents in topics, ≥ 0
W      n_terms × n_components   topics, ≥ 0
G      n_components²            WᵀW
====== ======================== ==========================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF

from tonmf.arrays import Array
from tonmf.baselines.base import Baseline
from tonmf.nmf.objective import residual_norms
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.nmf.pivoting import solve_exactly
from tonmf.nmf.threads import make_ops
from tonmf.parameters import (
    MAX_ITER,
    RUNNING,
    TOL,
    Rule,
    is_whole,
)

NMF_RULES: Mapping[str, Rule] = {
    "n_components": Rule("a whole number of at least 1", lambda v: is_whole(v, 1)),
    "max_iter": MAX_ITER,
    "tol": TOL,
    "contamination": RUNNING["contamination"],
}


class NMFResidual(Baseline):
    """Outlier scores from scikit-learn's NMF: the residual norm of each row.

        X ≈ H Wᵀ,   score_i = ‖x_i − h_i Wᵀ‖ = √(‖x_i‖² − 2 h_i·(XW)_i + h_i WᵀW h_iᵀ)

    Outliers take part in the fit like all other rows and pull the topics towards themselves; `tonmf.TONMF` prevents that.
    Training rows are scored with scikit-learn's final H. New rows get the best h ≥ 0, solved exactly and for each row alone, so
    a training row may score a little lower in ``outlier_score`` than in ``outlier_scores_``.

    Parameters
    ----------
    n_components : int
        Number of topics; fewer if X has fewer rows or columns.
    max_iter : int
        Maximum number of iterations of scikit-learn's coordinate descent, which starts from "nndsvda".
    tol : float
        Its tolerance. It warns if it reaches `max_iter` first.
    contamination : float or "auto"
        Share of the training rows to flag, or "auto" (`tonmf.nmf.threshold`).
    random_state : int, RandomState instance, optional
        Seed of the decomposition that gives the start.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    components_ : ndarray of shape (n_components, n_features)
        Wᵀ.
    n_components_ : int
        Number of topics.
    n_iter_ : int
        Iterations done.
    threshold_, offset_ : float
        Rows with a score above ``threshold_`` are outliers; ``offset_`` is its negative.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.baselines import NMFResidual
    >>> X = np.kron(np.eye(2), np.ones((20, 4)))    # two groups of rows
    >>> X[7] = [0, 3, 0, 0, 0, 0, 3, 0]             # and one that is neither
    >>> model = NMFResidual(n_components=2, random_state=0).fit(X)
    >>> int(model.outlier_scores_.argmax())
    7
    """

    _rules = NMF_RULES

    def __init__(
        self,
        n_components: int = 10,
        *,
        max_iter: int = 60,
        tol: float = 1e-3,
        contamination: float | str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.contamination = contamination
        self.random_state = random_state

    def _learn(self, X: sp.csr_matrix) -> Array:
        self.n_components_ = min(self.n_components, *X.shape)
        model = NMF(
            n_components=self.n_components_,
            init="nndsvda",
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        H = model.fit_transform(X)
        self.components_ = model.components_
        self.n_iter_ = model.n_iter_
        return residuals_of(X, H, self.components_.T)

    def _score(self, X: sp.csr_matrix) -> Array:
        W = self.components_.T.astype(np.float64)
        H = np.zeros((X.shape[0], self.n_components_))
        solve_exactly(H, X @ W, W.T @ W)
        return residuals_of(X, H, W)

    def _signed(self) -> bool:
        return False

    def _within_norm(self) -> bool:
        return True


def residuals_of(X: sp.csr_matrix, H: Array, W: Array) -> Array:
    """Return ‖x_i − h_i Wᵀ‖ of each row, float64, from norms and Gram matrices (`tonmf.nmf.objective.residual_norms`).

    >>> residuals_of(sp.csr_matrix([[3.0, 4.0]]), np.array([[3.0]]), np.array([[1.0], [0.0]])).tolist()
    [4.0]
    """
    W = W.astype(np.float64, copy=False)
    return residual_norms(make_ops("numpy", None), squared_norms(X), H, X @ W, W.T @ W)
