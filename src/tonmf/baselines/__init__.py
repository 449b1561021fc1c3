"""The methods that the paper compares its own with, as estimators with the contract of `tonmf.TONMF`.

============= =====================================================================
`knn`         `KNNDistance`: distance to the nearest other rows
`nmf`         `NMFResidual`: residual norm of plain NMF
`svd`         `SVDScore`: truncated singular value decomposition
`robust_pca`  `RobustPCA`: the sparse part of low rank plus sparse
`pursuit`     the algorithm behind `RobustPCA`, with its compiled passes in `kernels`
`base`        what all of them share
============= =====================================================================
"""

from __future__ import annotations

from tonmf.baselines.knn import KNNDistance
from tonmf.baselines.nmf import NMFResidual
from tonmf.baselines.robust_pca import RobustPCA
from tonmf.baselines.svd import SVDScore

__all__ = ["KNNDistance", "NMFResidual", "RobustPCA", "SVDScore"]
