"""The methods that the paper compares its own with, as estimators with the contract of `tonmf.TONMF`."""

from __future__ import annotations

from tonmf.baselines.knn import KNNDistance
from tonmf.baselines.nmf import NMFResidual
from tonmf.baselines.robust_pca import RobustPCA
from tonmf.baselines.svd import SVDScore

__all__ = ["KNNDistance", "NMFResidual", "RobustPCA", "SVDScore"]
