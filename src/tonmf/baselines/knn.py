"""`KNNDistance`: the distance of a document to its nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors

from tonmf.arrays import Array
from tonmf.baselines.base import Baseline
from tonmf.errors import InputError
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.parameters import (
    RUNNING,
    Rule,
    is_whole,
    one_of,
)

MEGABYTES = 64
"""scikit-learn's memory for distances. Its default, 1024, is slower on sparse rows."""

DENSE = 0.1
"""Share of nonzero values above which rows are compared as a dense matrix, which is then faster."""

SAME_PLACE = 1e-6
"""Distance, as a share of the norm, up to which two rows count as the same; for 1 − cos, its square."""


KNN_RULES: Mapping[str, Rule] = {
    "n_neighbors": Rule("a whole number of at least 1", lambda v: is_whole(v, 1)),
    "metric": one_of(("euclidean", "cosine")),
    "score_by": one_of(("kth", "mean")),
    "contamination": RUNNING["contamination"],
    "n_jobs": Rule(
        "a whole number of threads other than 0 (-1 for all cores), or None for one", RUNNING["n_jobs"].holds
    ),
}


class KNNDistance(Baseline):
    """Outlier scores by distance to the nearest other rows (Ramaswamy, Rastogi and Shim, 2000).

    With d_1 ≤ d_2 ≤ … the distances of a row to all other training rows,

        score_by="kth"     d_k
        score_by="mean"    (d_1 + … + d_k) / k

    scikit-learn's `NearestNeighbors` compares every row with every other, a block at a time: time grows with the square of the
    number of rows; memory beyond that of X is a few times 64 MB, and k numbers for each row.

    In training a row is not its own neighbour. ``outlier_score`` cannot know whether a row was in training, so it leaves out
    one training row at distance 0: training rows get the score that they have in ``outlier_scores_``, and a new row that equals
    a training row is scored as if it were that row.

    Parameters
    ----------
    n_neighbors : int
        k; fewer if there are fewer other rows.
    metric : {"euclidean", "cosine"}
        ‖x − y‖, or 1 − cos(x, y), which is 1 if a row is zero.
    score_by : {"kth", "mean"}
        See above.
    contamination : float or "auto"
        Share of the training rows to flag, or "auto" (`tonmf.nmf.threshold`).
    n_jobs : int, optional
        Threads of scikit-learn's `NearestNeighbors`; one if not given, which was the fastest for sparse rows.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    distances_ : ndarray of shape (n_samples, n_neighbors)
        Distances of the training rows to their nearest neighbours, ascending.
    n_neighbors_ : int
        The k used.
    threshold_, offset_ : float
        Rows with a score above ``threshold_`` are outliers; ``offset_`` is its negative.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.baselines import KNNDistance
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> model = KNNDistance(n_neighbors=2).fit(X)
    >>> model.outlier_scores_.tolist()
    [2.0, 1.0, 2.0, 8.0]
    >>> model.sweep()[:, 0].tolist()                # by the nearest neighbour alone
    [1.0, 1.0, 1.0, 7.0]
    >>> model.outlier_score([[5.0]]).tolist()
    [4.0]
    """

    _rules = KNN_RULES

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        metric: str = "euclidean",
        score_by: str = "kth",
        contamination: float | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.score_by = score_by
        self.contamination = contamination
        self.n_jobs = n_jobs

    def _learn(self, X: sp.csr_matrix) -> Array:
        if X.shape[0] < 2:
            raise InputError("X has n_samples=1 row, which has no neighbours: fit on at least 2.")
        self.n_neighbors_ = min(self.n_neighbors, X.shape[0] - 1)
        self._metric, self._score_by = (
            self.metric,
            self.score_by,
        )  # scores depend on these, even if the parameters change later
        self._dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
        index = NearestNeighbors(algorithm="brute", metric=self.metric, n_jobs=self.n_jobs)
        self._index = index.fit(self._comparable(X))
        self.distances_ = self._nearest(None, self.n_neighbors_)
        return self.sweep()[:, -1].copy()

    def _score(self, X: sp.csr_matrix) -> Array:
        nearest = self._nearest(self._comparable(X), self.n_neighbors_ + 1)
        limit = SAME_PLACE**2 if self._metric == "cosine" else SAME_PLACE * np.sqrt(squared_norms(X))[:, None]
        others = np.where(nearest[:, :1] <= limit, nearest[:, 1:], nearest[:, :-1])
        return self._sweep(others)[:, -1].copy()

    def _comparable(self, X: sp.csr_matrix) -> Any:
        X = X.astype(np.float64, copy=False)
        return X.toarray() if self._dense else X

    def _nearest(self, rows: Any, n_neighbors: int) -> Array:
        """Return the distances to the nearest training rows, ascending; of the training rows themselves if `rows` is None."""
        with config_context(working_memory=MEGABYTES):
            distances: Array = self._index.kneighbors(rows, n_neighbors)[0]
        return distances

    def sweep(self) -> Array:
        """Return the scores of the training rows for every k from 1 to ``n_neighbors_``, from one fit.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_neighbors)
            Column k − 1 holds the scores for k neighbours.
        """
        return self._sweep(self.distances_)

    def _sweep(self, distances: Array) -> Array:
        if self._score_by == "kth":
            return distances.copy()
        means: Array = np.cumsum(distances, axis=1) / np.arange(1, distances.shape[1] + 1)
        return means
