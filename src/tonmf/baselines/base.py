"""Share what all baselines need: the contract of an outlier detector, and its threshold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tonmf.arrays import Array
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.nmf.signs import OutlierSigns
from tonmf.nmf.threshold import automatic_threshold, common_norm, threshold_for_share
from tonmf.nmf.validation import check_rows
from tonmf.parameters import Rule, check_parameters


class Baseline(OutlierSigns, BaseEstimator, ABC):  # type: ignore[misc]
    """An outlier detector that scores rows of a sparse matrix.

    A subclass defines the rules of its parameters (`_rules`), how to learn (`_learn`) and how to score new rows (`_score`), and
    has a parameter ``contamination``.
    """

    _rules: ClassVar[Mapping[str, Rule]]

    contamination: float | str

    @abstractmethod
    def _learn(self, X: sp.csr_matrix) -> Array:
        """Learn from the rows of X, and return their scores."""

    @abstractmethod
    def _score(self, X: sp.csr_matrix) -> Array:
        """Return the scores of new rows."""

    def _signed(self) -> bool:
        """Return whether X may have negative values."""
        return True

    def _within_norm(self) -> bool:
        """Return whether no score can exceed the norm of its row, as with residuals of projections."""
        return False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of X, and score them.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe} of shape (n_samples, n_features)
        y : ignored
            Present for API consistency.

        Returns
        -------
        self : Baseline
        """
        check_parameters(self.get_params(deep=False), self._rules)
        X = check_rows(self, X, reset=True, signed=self._signed())
        self.outlier_scores_ = self._learn(X)
        self.threshold_ = self._threshold(X)
        self.offset_ = -self.threshold_
        return self

    def _threshold(self, X: sp.csr_matrix) -> float:
        if not isinstance(self.contamination, str):
            return threshold_for_share(self.outlier_scores_, self.contamination)
        bound = common_norm(squared_norms(X)) if self._within_norm() else None
        return automatic_threshold(self.outlier_scores_, bound=bound)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Fit, and return -1 for the training rows with a score above ``threshold_`` and 1 for the rest."""
        labels: Array = np.where(self.fit(X).outlier_scores_ > self.threshold_, -1, 1)
        return labels

    def outlier_score(self, X: Any) -> Array:
        """Score new rows on the scale of ``outlier_scores_``; higher is stranger.

        Rows do not depend on one another: a row has the same score whatever else is in X.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._score(check_rows(self, X, reset=False, signed=self._signed()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self._signed()
        return tags
