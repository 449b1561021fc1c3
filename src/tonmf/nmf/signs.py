"""scikit-learn's signs: lower is stranger, -1 is an outlier. Our scores have the opposite sign; this module converts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from tonmf.arrays import Array


class OutlierSigns(OutlierMixin):  # type: ignore[misc]
    """scikit-learn's methods for an outlier detector with ``outlier_score`` and, once fitted, ``offset_``."""

    offset_: float

    @abstractmethod
    def outlier_score(self, X: Any) -> Array:
        """Return the outlier score of each row; higher is stranger."""

    def score_samples(self, X: Any) -> Array:
        """Return ``-outlier_score(X)``: scikit-learn's sign, lower is stranger."""
        return -self.outlier_score(X)

    def decision_function(self, X: Any) -> Array:
        """Return ``score_samples(X) - offset_``, negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """Return -1 for outliers and 1 for the rest."""
        labels: Array = np.where(self.decision_function(X) < 0, -1, 1)
        return labels
