"""The detectors that tonmf is compared with, each at several settings.

Bag-of-words peers see the same sublinear tf-idf rows (words in at least 2 documents, English stop words out); dense
ones see its first 100 singular directions, at unit norm. Every function returns scores by setting, higher = stranger.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import normalize
from sklearn.svm import OneClassSVM

from tonmf import TONMF
from tonmf.baselines import KNNDistance, NMFResidual
from tonmf.experiments.tasks import Draw
from tonmf.nmf.in_memory import squared_norms

Scores = dict[str, NDArray[np.float64]]

NEIGHBOURS = (5, 10, 20, 50)
RANKS = (5, 10, 20)


@dataclass(frozen=True)
class View:
    """A draw as the peers see it."""

    draw: Draw

    @cached_property
    def tfidf(self) -> sp.csr_matrix:
        """Sublinear tf-idf, unit rows, float32."""
        rows = self.draw.documents
        if isinstance(rows, list):
            rows = CountVectorizer(min_df=2, stop_words="english").fit_transform(rows)
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(rows.astype(np.float32))
        return weights[:, np.diff(weights.tocsc().indptr) >= 2].tocsr()

    @cached_property
    def svd(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Documents in the first 100 singular directions of tf-idf, and the same at unit norm."""
        projected = TruncatedSVD(n_components=100, random_state=0).fit_transform(self.tfidf)
        return projected, normalize(projected)


def nearest_neighbours(view: View) -> Scores:
    """Mean cosine distance to the k nearest on tf-idf (scikit-learn)."""
    return _knn(view.tfidf, NEIGHBOURS)


def _knn(rows: sp.csr_matrix | NDArray[np.float32], ks: tuple[int, ...]) -> Scores:
    swept = KNNDistance(max(ks), metric="cosine", score_by="mean").fit(rows).sweep()
    return {f"k={k}": swept[:, k - 1] for k in ks}


def local_outlier_factor(view: View) -> Scores:
    """LOF (scikit-learn) on SVD-100."""
    scores = {}
    for k in (10, 20, 50):
        scores[f"k={k}"] = -LocalOutlierFactor(n_neighbors=k).fit(view.svd[1]).negative_outlier_factor_
    return scores


def isolation_forest(view: View) -> Scores:
    """Isolation forest (scikit-learn) on SVD-100."""
    return {
        f"{n} trees": -IsolationForest(n_estimators=n, random_state=0).fit(view.svd[1]).score_samples(view.svd[1])
        for n in (100, 300)
    }


def one_class_svm(view: View) -> Scores:
    """One-class SVM (scikit-learn) on SVD-100."""
    scores = {}
    for kernel in ("rbf", "linear"):
        for nu in (0.05, 0.5):
            model = OneClassSVM(kernel=kernel, nu=nu, gamma="scale").fit(view.svd[1])
            scores[f"{kernel}, nu={nu}"] = -model.score_samples(view.svd[1]).ravel()
    return scores


def pyod_knn(view: View) -> Scores:
    """PyOD's k-NN on SVD-100."""
    from pyod.models.knn import KNN

    scores = {}
    for method in ("mean", "largest"):
        for k in (10, 50):
            scores |= _pyod(lambda k=k, method=method: KNN(n_neighbors=k, method=method), view, f"{method}, k={k}, ")
    return scores


def ecod(view: View) -> Scores:
    """PyOD's ECOD on SVD-100."""
    from pyod.models.ecod import ECOD

    return _pyod(ECOD, view)


def copod(view: View) -> Scores:
    """PyOD's COPOD on SVD-100."""
    from pyod.models.copod import COPOD

    return _pyod(COPOD, view)


def pca(view: View) -> Scores:
    """PyOD's PCA on SVD-100."""
    from pyod.models.pca import PCA

    scores = {}
    for n in (10, 50):
        scores |= _pyod(lambda n=n: PCA(n_components=n, random_state=0), view, f"{n} components, ")
    return scores


def _pyod(make: Callable[[], Any], view: View, setting: str = "") -> Scores:
    """On the singular directions as they are, and at unit norm."""
    return {
        f"{setting}{name}": np.asarray(make().fit(rows).decision_scores_)
        for name, rows in zip(("raw", "unit rows"), view.svd, strict=True)
    }


def nmf_residual(view: View) -> Scores:
    """Residual norm of scikit-learn's NMF on tf-idf."""
    return {f"rank {rank}": NMFResidual(rank, random_state=0).fit(view.tfidf).outlier_scores_ for rank in RANKS}


def svd_residual(view: View) -> Scores:
    """Residual norm of truncated SVD on tf-idf: the randomised one that the dense peers see, not `SVDScore`, which is exact."""
    squares = squared_norms(view.tfidf)
    return {
        f"rank {r}": np.sqrt(np.maximum(squares - (view.svd[0][:, :r] ** 2).sum(axis=1), 0)) for r in (*RANKS, 50, 100)
    }


def papers_algorithm(view: View) -> Scores:
    """The paper's Algorithm 1 from a start scaled to the data, as tonmf has it, residual norm."""
    return {
        f"{rank} topics": TONMF(rank, solver="paper", max_iter=20, random_state=0).fit(view.tfidf).outlier_scores_
        for rank in (5, 10)
    }


BAG_OF_WORDS: dict[str, Callable[[View], Scores]] = {
    "k-NN, cosine, tf-idf": nearest_neighbours,
    "k-NN (PyOD)": pyod_knn,
    "LOF": local_outlier_factor,
    "isolation forest": isolation_forest,
    "one-class SVM": one_class_svm,
    "ECOD": ecod,
    "COPOD": copod,
    "PCA (PyOD)": pca,
    "NMF residual": nmf_residual,
    "SVD residual": svd_residual,
    "paper's algorithm": papers_algorithm,
}


def embedding_neighbours(rows: NDArray[np.float32]) -> Scores:
    """Mean cosine distance to the k nearest in embedding space."""
    return _knn(rows, NEIGHBOURS)


def quiet() -> None:
    """Peers warn about their own futures; that is not what is measured here."""
    warnings.simplefilter("ignore")
