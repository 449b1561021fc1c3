"""scikit-learn's signs: lower is stranger, -1 is an outlier. Ours is the other way round, and this is where it is turned."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from tonmf.arrays import Array


class OutlierSigns(OutlierMixin):  # type: ignore[misc]
    """What scikit-learn expects of an outlier detector that has ``outlier_score`` and, once fitted, ``offset_``."""

    offset_: float

    @abstractmethod
    def outlier_score(self, X: Any) -> Array:
        """How strange each row is; higher is stranger."""

    def score_samples(self, X: Any) -> Array:
        """``-outlier_score(X)``: scikit-learn's sign, lower is stranger."""
        return -self.outlier_score(X)

    def decision_function(self, X: Any) -> Array:
        """``score_samples(X) - offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """-1 for outliers, 1 for the rest."""
        labels: Array = np.where(self.decision_function(X) < 0, -1, 1)
        return labels
