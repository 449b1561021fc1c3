"""The methods that the benchmark of quality compares with tonmf on bags of words, each at several settings.

A peer is a `Method` of `tonmf.experiments.methods` that returns its scores by setting, since one fit often yields the scores of
several. All peers see the same bag of words: sublinear tf-idf rows of words in at least 2 documents, without English stop
words. Peers that need dense rows see its first 100 singular directions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import normalize
from sklearn.svm import OneClassSVM

from tonmf.baselines import KNNDistance
from tonmf.experiments.methods import METHODS, Method
from tonmf.experiments.tasks import Draw
from tonmf.nmf.ops.on_host import squared_norms

Scores = dict[str, NDArray[np.float64]]
"""Scores of all documents by setting, higher is stranger."""

NEIGHBOURS = (5, 10, 20, 50)
RANKS = (5, 10, 20)
SEED = 0


class Directions(NamedTuple):
    """Documents in the first singular directions of tf-idf, the same at unit norm, and the squared norms of the tf-idf rows."""

    projected: NDArray[np.float32]
    unit: NDArray[np.float32]
    squares: NDArray[np.float64]


class View(Draw):
    """A draw as the peers see it: ``tf-idf`` by scikit-learn, and ``svd``."""

    @cached_property
    def tfidf(self) -> sp.csr_matrix:
        """Sublinear tf-idf, unit rows, float32."""
        rows = self.documents
        if isinstance(rows, list):
            rows = CountVectorizer(min_df=2, stop_words="english").fit_transform(rows)
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(rows.astype(np.float32))
        return weights[:, np.diff(weights.tocsc().indptr) >= 2].tocsr()

    @cached_property
    def svd(self) -> Directions:
        """The first 100 singular directions of tf-idf, by a randomised SVD."""
        projected = TruncatedSVD(n_components=100, random_state=SEED).fit_transform(self.tfidf)
        return Directions(projected, normalize(projected), squared_norms(self.tfidf))

    def rows(self, kind: str) -> Any:
        """Return the rows of a kind."""
        return self.svd if kind == "svd" else super().rows(kind)


def scores_of(peer: Method[Scores], view: View) -> Scores:
    """Score the documents of a draw at every setting of a peer."""
    return peer.run(view, peer.rows[0], SEED)


def _knn(rows: sp.csr_matrix, labels: Any, seed: int) -> Scores:
    swept = KNNDistance(max(NEIGHBOURS), metric="cosine", score_by="mean").fit(rows).sweep()
    return {f"k={k}": swept[:, k - 1] for k in NEIGHBOURS}


def _pyod_knn(svd: Directions, labels: Any, seed: int) -> Scores:
    from pyod.models.knn import KNN

    scores = {}
    for method in ("mean", "largest"):
        for k in (10, 50):
            scores |= _pyod(lambda k=k, method=method: KNN(n_neighbors=k, method=method), svd, f"{method}, k={k}, ")
    return scores


def _local_outlier_factor(svd: Directions, labels: Any, seed: int) -> Scores:
    return {f"k={k}": -LocalOutlierFactor(n_neighbors=k).fit(svd.unit).negative_outlier_factor_ for k in (10, 20, 50)}


def _isolation_forest(svd: Directions, labels: Any, seed: int) -> Scores:
    return {
        f"{n} trees": -IsolationForest(n_estimators=n, random_state=seed).fit(svd.unit).score_samples(svd.unit)
        for n in (100, 300)
    }


def _one_class_svm(svd: Directions, labels: Any, seed: int) -> Scores:
    scores = {}
    for kernel in ("rbf", "linear"):
        for nu in (0.05, 0.5):
            model = OneClassSVM(kernel=kernel, nu=nu, gamma="scale").fit(svd.unit)
            scores[f"{kernel}, nu={nu}"] = -model.score_samples(svd.unit).ravel()
    return scores


def _ecod(svd: Directions, labels: Any, seed: int) -> Scores:
    from pyod.models.ecod import ECOD

    return _pyod(ECOD, svd)


def _copod(svd: Directions, labels: Any, seed: int) -> Scores:
    from pyod.models.copod import COPOD

    return _pyod(COPOD, svd)


def _pca(svd: Directions, labels: Any, seed: int) -> Scores:
    from pyod.models.pca import PCA

    scores = {}
    for n in (10, 50):
        scores |= _pyod(lambda n=n: PCA(n_components=n, random_state=seed), svd, f"{n} components, ")
    return scores


def _pyod(make: Callable[[], Any], svd: Directions, setting: str = "") -> Scores:
    """Fit a detector of PyOD on the singular directions as they are, and one at unit norm."""
    return {
        f"{setting}{name}": np.asarray(make().fit(rows).decision_scores_)
        for name, rows in (("raw", svd.projected), ("unit rows", svd.unit))
    }


def _svd_residual(svd: Directions, labels: Any, seed: int) -> Scores:
    """Compute residuals from the SVD that the dense peers see, not by `SVDScore`, whose decomposition is exact."""
    return {
        f"rank {r}": np.sqrt(np.maximum(svd.squares - (svd.projected[:, :r] ** 2).sum(axis=1), 0))
        for r in (*RANKS, 50, 100)
    }


def _at_ranks(name: str, ranks: Sequence[int], setting: str) -> Callable[[sp.csr_matrix, Any, int], Scores]:
    """Return a function that scores by a method of the experiments at several ranks."""
    score = METHODS[name].score
    return lambda X, labels, seed: {setting.format(rank): score(X, labels, seed, rank=rank)[0] for rank in ranks}


def _peer(name: str, about: str, score: Callable[[Any, Any, int], Scores], rows: str) -> Method[Scores]:
    return Method(name, name, about, score, (rows,))


PEERS: dict[str, Method[Scores]] = {
    peer.name: peer
    for peer in (
        _peer("k-NN, cosine, tf-idf", "mean cosine distance to the k nearest documents", _knn, "tf-idf"),
        _peer("k-NN (PyOD)", "mean or largest distance to the k nearest documents", _pyod_knn, "svd"),
        _peer("LOF", "local outlier factor (scikit-learn)", _local_outlier_factor, "svd"),
        _peer("isolation forest", "isolation forest (scikit-learn)", _isolation_forest, "svd"),
        _peer("one-class SVM", "one-class SVM (scikit-learn)", _one_class_svm, "svd"),
        _peer("ECOD", "empirical cumulative distributions (PyOD)", _ecod, "svd"),
        _peer("COPOD", "copulas (PyOD)", _copod, "svd"),
        _peer("PCA (PyOD)", "principal components (PyOD)", _pca, "svd"),
        _peer("NMF residual", "residual norm of plain NMF", _at_ranks("nmf", RANKS, "rank {}"), "tf-idf"),
        _peer("SVD residual", "residual norm of truncated SVD", _svd_residual, "svd"),
        _peer(
            "paper's algorithm", METHODS["tonmf-paper"].about, _at_ranks("tonmf-paper", (5, 10), "{} topics"), "tf-idf"
        ),
    )
}
"""The bag-of-words peers, in the order in which they are measured."""


def quiet() -> None:
    """Silence all warnings: peers warn about their own futures."""
    warnings.simplefilter("ignore")
