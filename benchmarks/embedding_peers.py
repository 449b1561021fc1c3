"""The detectors of PyOD that the benchmark of quality compares with tonmf on sentence embeddings, each at several settings.

All see the same rows of unit norm as tonmf does. The neighbours of k-NN are found once for all settings; the scores are PyOD's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from benchmarks.peers import Scores
from tonmf.experiments.methods import Method

NEIGHBOURS = (5, 10, 20, 50, 100)


def _knn(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    most = min(max(NEIGHBOURS), len(rows) - 1)
    distances, _ = NearestNeighbors(n_neighbors=most).fit(rows).kneighbors()
    nearest = {k: distances[:, :k] for k in NEIGHBOURS if k <= most}
    return {f"mean, k={k}": some.mean(axis=1) for k, some in nearest.items()} | {
        f"largest, k={k}": some[:, -1] for k, some in nearest.items()
    }


def _local_outlier_factor(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.lof import LOF

    return _scores(rows, ((f"k={k}", LOF(n_neighbors=k)) for k in (10, 20, 50, 100)))


def _isolation_forest(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.iforest import IForest

    return _scores(rows, ((f"{n} trees", IForest(n_estimators=n, random_state=seed)) for n in (100, 300)))


def _ecod(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.ecod import ECOD

    return _scores(rows, [("default", ECOD())])


def _copod(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.copod import COPOD

    return _scores(rows, [("default", COPOD())])


def _one_class_svm(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.ocsvm import OCSVM

    grid = [(kernel, nu) for kernel in ("rbf", "linear") for nu in (0.05, 0.5)]
    return _scores(rows, ((f"{kernel}, nu={nu}", OCSVM(kernel=kernel, nu=nu, gamma="scale")) for kernel, nu in grid))


def _pca(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    from pyod.models.pca import PCA

    settings = {"10 components": 10, "50 components": 50, "all components": None}
    return _scores(rows, ((name, PCA(n_components=n, random_state=seed)) for name, n in settings.items()))


def _autoencoder(rows: NDArray[np.float32], labels: Any, seed: int) -> Scores:
    import torch
    from pyod.models.auto_encoder import AutoEncoder

    torch.set_num_threads(1)
    detectors = ((f"{n} epochs", AutoEncoder(epoch_num=n, random_state=seed, verbose=0)) for n in (10, 30))
    return _scores(rows, detectors)


def _scores(rows: NDArray[np.float32], detectors: Iterable[tuple[str, Any]]) -> Scores:
    """Fit detectors of PyOD one after the other, and return their scores by setting."""
    return {setting: np.asarray(detector.fit(rows).decision_scores_).ravel() for setting, detector in detectors}


def _peer(name: str, about: str, score: Callable[[Any, Any, int], Scores]) -> Method[Scores]:
    return Method(f"MiniLM + {name}", f"MiniLM + {name}", f"{about} (PyOD)", score, ("MiniLM",))


EMBEDDING_PEERS: dict[str, Method[Scores]] = {
    method.name: method
    for method in (
        _peer("k-NN", "mean or largest distance to the k nearest", _knn),
        _peer("LOF", "local outlier factor", _local_outlier_factor),
        _peer("isolation forest", "isolation forest", _isolation_forest),
        _peer("ECOD", "empirical cumulative distributions", _ecod),
        _peer("COPOD", "copulas", _copod),
        _peer("one-class SVM", "one-class SVM", _one_class_svm),
        _peer("PCA", "principal components", _pca),
        _peer("autoencoder", "error of an autoencoder", _autoencoder),
    )
}
"""The peers that see embeddings, in the order in which they are measured."""
