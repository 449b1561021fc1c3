"""`RobustPCA`: outlier scores from the sparse part of a decomposition into low rank plus sparse.

====== ========================= ==========================================================
letter shape                     what
====== ========================= ==========================================================
X      n_docs × n_terms          the rows
L      n_docs × n_terms          low rank: U diag(σ) Vᵀ
S      n_docs × n_terms          sparse
B      n_terms × rank            V diag(√σ): the directions that explain new rows
a      rank                      coefficients of a new row
====== ========================= ==========================================================
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from tonmf.arrays import Array
from tonmf.baselines.base import Baseline
from tonmf.baselines.pursuit import PursuitOptions, pursue, sparse_rows
from tonmf.baselines.svd import truncated_svd
from tonmf.nmf.ops.on_host import BYTES_OF_WORK, squared_norms
from tonmf.nmf.threads import n_threads_of
from tonmf.parameters import (
    MAX_ITER,
    RUNNING,
    Rule,
    is_number,
    whole_or_none,
)

TIED = 5
"""Decimals of norms, as shares of the largest, that count where the scores are norms."""


ROBUST_PCA_RULES: Mapping[str, Rule] = {
    "lam": Rule(
        "a finite number above 0, or None for 1/√(the longer side of X)",
        lambda v: v is None or (is_number(v, 0) and 0 < v < np.inf),
    ),
    "tol": Rule("a finite number above 0", lambda v: is_number(v, 0) and 0 < v < np.inf),
    "max_iter": MAX_ITER,
    "max_rank": whole_or_none(1, "no bound"),
    "contamination": RUNNING["contamination"],
    "n_jobs": RUNNING["n_jobs"],
}


class RobustPCA(Baseline):
    """Outlier scores from robust PCA by principal component pursuit (Candès, Li, Ma and Wright, 2011).

        min ‖L‖_* + λ‖S‖₁   with L + S = X,        score_i = ‖s_i‖₂

    with the nuclear norm ‖L‖_* (sum of singular values), ‖S‖₁ the sum of absolute values, and s_i the row of S. Solved by an
    augmented Lagrangian method in float32 (`tonmf.baselines.pursuit`), with one dense array of the shape of X without its
    empty columns: 1.8 GB for 10,000 × 45,000.

    To score a new row x, the L of the fit is kept: with L = U diag(σ) Vᵀ and B = V diag(√σ),

        min ½‖a‖² + λ‖s‖₁   over a, s with Ba + s = x

    For a training row this is the same split as in training, since the nuclear norm is the least ½‖A‖² + ½‖B‖² over all
    A Bᵀ = L. So training rows get the scores that they have in ``outlier_scores_``, up to the tolerance.

    **Which λ?** Candès and others use 1/√(longer side), the default here, for a dense matrix with few wrong entries. Rows of
    counts are sparse themselves, and then the solution may be S = X and L = 0: the score is the norm of the row, to five
    decimals of the largest (``rank_`` is 0, with a warning). This is certain if λ‖sign X‖₂ ≤ 1, as Y = λ sign X proves, and
    common beyond. A larger λ makes S more expensive and the rank larger: try 2 to 5 times ``lam_``.

    Parameters
    ----------
    lam : float, optional
        λ; 1/√max(n_samples, number of columns that are not empty) if not given.
    tol : float
        Stop when ‖X − L − S‖ is at most this share of ‖X‖, and the change of S in a step at most this share of the multiplier.
        Arithmetic is in float32: below 1e-6 it may never stop.
    max_iter : int
        Maximum number of steps.
    max_rank : int, optional
        The largest rank of L, to limit the time. If L reaches it (``rank_``), L and S do not solve the problem above, and may
        not reach `tol`.
    contamination : float or "auto"
        Share of the training rows to flag, or "auto" (`tonmf.nmf.threshold`).
    n_jobs : int, optional
        Threads; all cores if not given or -1, all but one if -2, and so on. They do not change the result.
    random_state : int, RandomState instance, optional
        Seed of the first directions in the search for singular vectors.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    sparse_ : sparse matrix of shape (n_samples, n_features)
        S.
    components_ : ndarray of shape (rank, n_features)
        Vᵀ: right singular vectors of L.
    singular_values_ : ndarray of shape (rank,)
        σ of L, descending.
    rank_ : int
        Rank of L, not counting singular values below `tol` times that of X.
    lam_ : float
        The λ used.
    n_iter_ : int
        Steps done.
    residual_ : float
        ‖X − L − S‖ / ‖X‖ (Frobenius norms) after the last step.
    threshold_, offset_ : float
        Rows with a score above ``threshold_`` are outliers; ``offset_`` is its negative.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.baselines import RobustPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((40, 2)) @ rng.random((2, 50))    # of rank 2
    >>> X[7, rng.choice(50, 5)] += 3                     # but for five entries
    >>> model = RobustPCA(random_state=0).fit(X)
    >>> model.rank_, int(model.outlier_scores_.argmax())
    (2, 7)
    """

    _rules = ROBUST_PCA_RULES

    def __init__(
        self,
        lam: float | None = None,
        *,
        tol: float = 1e-4,
        max_iter: int = 300,
        max_rank: int | None = None,
        contamination: float | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.tol = tol
        self.max_iter = max_iter
        self.max_rank = max_rank
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learn(self, X: sp.csr_matrix) -> Array:
        rng = check_random_state(self.random_state)
        used = np.unique(X.indices[X.data != 0])
        part = X[:, used].astype(np.float64)
        self.lam_ = 1 / np.sqrt(max(X.shape[0], len(used), 1)) if self.lam is None else float(self.lam)
        if not len(used):
            return self._keep_nothing(X)
        scale = float(truncated_svd(part, 1, rng)[0][0])
        most = min(part.shape) if self.max_rank is None else self.max_rank
        options = PursuitOptions(self.lam_, self.tol, self.max_iter, most, n_threads_of(self.n_jobs))
        found = pursue(part / scale, options, rng)
        self.singular_values_ = found.sigma.astype(np.float64) * scale
        self.rank_ = len(self.singular_values_)
        self.components_ = np.zeros((self.rank_, X.shape[1]))
        self.components_[:, used] = found.V.T
        self.n_iter_, self.residual_, self._mu = found.n_iter, found.left, found.mu / scale
        S = found.sparse_part().astype(np.float64) * scale if self.rank_ else part
        self.sparse_ = sp.csr_matrix((S.data, used[S.indices], S.indptr), shape=X.shape)
        self._warn(found.converged)
        norms: Array = np.sqrt(squared_norms(self.sparse_))
        self._largest = float(norms.max())
        return norms if self.rank_ else self._tied(norms)

    def _tied(self, norms: Array) -> Array:
        """Round norms, so that rounding errors do not rank equal ones."""
        return np.round(norms / self._largest, TIED) * self._largest

    def _keep_nothing(self, X: sp.csr_matrix) -> Array:
        """Set the result for an X without entries."""
        self.sparse_ = sp.csr_matrix(X.shape)
        self.singular_values_, self.components_, self.rank_ = np.zeros(0), np.zeros((0, X.shape[1])), 0
        self.n_iter_, self.residual_, self._mu, self._largest = 0, 0.0, 1.0, 1.0
        return np.zeros(X.shape[0])

    def _warn(self, converged: bool) -> None:
        if not converged:
            warnings.warn(
                f"After max_iter={self.max_iter} steps low rank and sparse part had not settled to within tol={self.tol} "
                f"(residual {self.residual_:.2g}, rank {self.rank_}). Raise max_iter, or tol if the scores are good enough.",
                ConvergenceWarning,
                stacklevel=4,
            )
        elif not self.rank_:
            warnings.warn(
                f"With lam={self.lam_:.4g} the best split has no low rank part: S is all of X, and the scores are the norms "
                f"of the rows. Raise lam, to {2 * self.lam_:.4g} say.",
                UserWarning,
                stacklevel=4,
            )

    def _score(self, X: sp.csr_matrix) -> Array:
        if not self.rank_:
            return self._tied(np.sqrt(squared_norms(X)))
        block_size = max(BYTES_OF_WORK // (8 * X.shape[1]), 1)
        return np.concatenate(
            [self._sparse_norms(X[low : low + block_size]) for low in range(0, X.shape[0], block_size)]
        )

    def _sparse_norms(self, X: sp.csr_matrix) -> Array:
        rows = X.toarray().astype(np.float64, copy=False)
        S = sparse_rows(
            rows, self.components_.T, self.singular_values_, self.lam_, self._mu, self.tol, 10 * self.max_iter
        )
        norms: Array = np.linalg.norm(S, axis=1)
        return norms
