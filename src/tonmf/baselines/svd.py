"""`SVDScore`: outlier scores from a truncated singular value decomposition.

====== ======================== ==========================================================
letter shape                    what
====== ======================== ==========================================================
X      n_docs × n_terms         the rows; the paper's A is Xᵀ
U      n_docs × n_components    left singular vectors, u_i the row of document i
sigma  n_components             singular values, descending: the diagonal of the paper's S_r
V      n_terms × n_components   right singular vectors
====== ======================== ==========================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.utils import check_random_state

from tonmf.arrays import Array
from tonmf.baselines.base import Baseline
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.parameters import (
    RUNNING,
    Rule,
    is_whole,
    one_of,
)

SVD_RULES: Mapping[str, Rule] = {
    "n_components": Rule("a whole number of at least 1", lambda v: is_whole(v, 1)),
    "score_by": one_of(("paper", "residual")),
    "contamination": RUNNING["contamination"],
}


class SVDScore(Baseline):
    """Outlier scores from a truncated singular value decomposition, X ≈ U S Vᵀ.

    The paper writes documents as columns, A = Xᵀ ≈ (terms) S_r (documents)ᵀ, and scores a document by the ℓ2 norm of its
    column of √S_r Vᵀ: a document that takes many of the directions, and the strong ones, is strange. With documents as rows
    that V is our U, and the score is

        score_by="paper"      ‖√S u_i‖ = √(Σ_j σ_j u_ij²) = √(Σ_j (x_i·v_j)² / σ_j)
        score_by="residual"   ‖x_i − x_i V Vᵀ‖ = √(‖x_i‖² − Σ_j (x_i·v_j)²)

    The second is the residual of PCA without centring. Both need only the products X V, so X stays sparse. A training row has
    the same score in ``outlier_score`` as in ``outlier_scores_``.

    Parameters
    ----------
    n_components : int
        Rank of the decomposition; fewer if X has fewer rows or columns.
    score_by : {"paper", "residual"}
        See above.
    contamination : float or "auto"
        Share of the training rows to flag, or "auto" (`tonmf.nmf.threshold`).
    random_state : int, RandomState instance, optional
        Seed of the vector that the decomposition (ARPACK) starts from. The result does not depend on it but for rounding.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    components_ : ndarray of shape (n_components, n_features)
        Vᵀ.
    singular_values_ : ndarray of shape (n_components,)
    n_components_ : int
        Number of directions kept: those with a singular value above rounding error, at most `n_components`.
    threshold_, offset_ : float
        Rows with a score above ``threshold_`` are outliers; ``offset_`` is its negative.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.baselines import SVDScore
    >>> X = np.kron(np.eye(2), np.ones((20, 4)))    # two groups of rows
    >>> X[7] = [0, 3, 0, 0, 0, 0, 3, 0]             # and one that is neither
    >>> model = SVDScore(n_components=2, score_by="residual").fit(X)
    >>> int(model.outlier_scores_.argmax())
    7
    """

    _rules = SVD_RULES

    def __init__(
        self,
        n_components: int = 10,
        *,
        score_by: str = "paper",
        contamination: float | str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.score_by = score_by
        self.contamination = contamination
        self.random_state = random_state

    def _learn(self, X: sp.csr_matrix) -> Array:
        sigma, V = truncated_svd(X, self.n_components, self.random_state)
        self.singular_values_ = sigma
        self.components_ = V.T
        self.n_components_ = len(sigma)
        self._score_by = self.score_by  # threshold_ belongs to this, even if the parameter changes later
        self._projections = self._project(X)
        self._squares = squared_norms(X)
        return self._sweep(self._projections, self._squares)[:, -1].copy()

    def _score(self, X: sp.csr_matrix) -> Array:
        return self._sweep(self._project(X), squared_norms(X))[:, -1].copy()

    def _within_norm(self) -> bool:
        return self.score_by == "residual"

    def _project(self, X: sp.csr_matrix) -> Array:
        projections: Array = X.astype(np.float64, copy=False) @ self.components_.T
        return projections

    def sweep(self) -> Array:
        """Return the scores of the training rows at every rank from 1 to ``n_components_``, from one decomposition.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
            Column r − 1 holds the scores at rank r.
        """
        return self._sweep(self._projections, self._squares)

    def _sweep(self, projections: Array, squares: Array) -> Array:
        if self._score_by == "paper":
            scores: Array = np.sqrt(np.cumsum(projections**2 / self.singular_values_, axis=1))
        else:
            left = squares[:, None] - np.cumsum(projections**2, axis=1)
            scores = np.sqrt(np.maximum(left, 0))
        return scores


def truncated_svd(X: sp.csr_matrix, n_components: int, random_state: Any = None) -> tuple[Array, Array]:
    """Return (σ, V) of the largest singular values of X, float64, without directions whose σ is 0 up to rounding.

    A matrix of zeros has one direction, with σ = 1 so that one can divide by it.

    >>> sigma, V = truncated_svd(sp.diags([3.0, 0.0, 5.0], format="csr"), 3)
    >>> sigma.round(9).tolist(), abs(V.T.round(9)).tolist()
    ([5.0, 3.0], [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    """
    n_docs, n_terms = X.shape
    if not X.count_nonzero():
        return np.ones(1), np.eye(n_terms, 1)
    X = X.astype(np.float64, copy=False)
    shorter = min(n_docs, n_terms)
    if n_components < shorter - 1:
        start = check_random_state(random_state).uniform(-1, 1, shorter)
        _, sigma, Vt = svds(X, k=n_components, v0=start)
    else:
        _, sigma, Vt = np.linalg.svd(X.toarray(), full_matrices=False)
    order = np.argsort(-sigma, kind="stable")[:n_components]
    order = order[sigma[order] > sigma.max() * max(X.shape) * np.finfo(np.float64).eps]
    return sigma[order], np.ascontiguousarray(Vt[order].T)
