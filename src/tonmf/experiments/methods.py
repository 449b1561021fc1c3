"""The methods to compare: the paper's baselines, its own algorithm from two starts, and ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from tonmf import TONMF, TextOutlierDetector
from tonmf.arrays import Array
from tonmf.baselines import KNNDistance, NMFResidual, RobustPCA, SVDScore
from tonmf.experiments.specification import Config
from tonmf.experiments.tasks import ROWS, Draw
from tonmf.experiments.tracing import trace_fit
from tonmf.metrics import area_under_curve

RANK = 10
"""Number of topics or components of every method that does not choose its own rank; the published code's k."""
NEIGHBOURS = 50
"""The largest k of k-NN; the labels choose among 1 to this."""
SHOWN_K = (1, 2, 5, 10, 20, 50)
"""The k whose areas are kept too."""
AUTHORS_ALPHA, AUTHORS_BETA, AUTHORS_ITERATIONS = 10.0, 1.0, 9
"""Settings of the published code, which updates Z 9 times, with 9 inner iterations each."""

Scored = tuple[Array, dict[str, Any]]
"""Scores of all documents, higher is stranger, and notes about the fit."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Method(Generic[Answer]):
    """A way to score documents.

    Attributes
    ----------
    name, title, about : str
        What configurations call it, what tables call it, and a line about it.
    score : function of rows, labels and seed
        Return the scores. Settings, such as a rank, are keyword arguments with defaults.
    rows : tuple
        The kinds of rows it can score (`Draw.rows`); None stands for the documents themselves.
    """

    name: str
    title: str
    about: str
    score: Callable[..., Answer]
    rows: tuple[str | None, ...] = ROWS

    def run(self, draw: Draw, rows: str | None, seed: int, **settings: Any) -> Answer:
        """Score the documents of a draw."""
        with settled():
            return self.score(draw.documents if rows is None else draw.rows(rows), draw.labels, seed, **settings)


@contextmanager
def settled() -> Iterator[None]:
    """Silence warnings about fits that did not converge, did not move or found no low rank: the experiments measure that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "With lam=.* no low rank part")
        yield


def _knn(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    sweep = KNNDistance(min(NEIGHBOURS, X.shape[0] - 1)).fit(X).sweep()
    areas = [area_under_curve(labels, scores) for scores in sweep.T]
    best = int(np.argmax(areas))
    return sweep[:, best], {
        "k": best + 1,
        "areas": {str(k): round(areas[k - 1], 5) for k in SHOWN_K if k <= len(areas)},
    }


def _svd(X: sp.csr_matrix, labels: Any, seed: int, rank: int = RANK) -> Scored:
    return SVDScore(rank, score_by="paper", random_state=seed).fit(X).outlier_scores_, {}


def _svd_residual(X: sp.csr_matrix, labels: Any, seed: int, rank: int = RANK) -> Scored:
    return SVDScore(rank, score_by="residual", random_state=seed).fit(X).outlier_scores_, {}


def _robust_pca(X: sp.csr_matrix, labels: Any, seed: int, **settings: Any) -> Scored:
    model = RobustPCA(**settings, random_state=seed).fit(X)
    return model.outlier_scores_, {"rank": model.rank_, "iterations": model.n_iter_, "residual": model.residual_}


def _nmf(X: sp.csr_matrix, labels: Any, seed: int, rank: int = RANK) -> Scored:
    return NMFResidual(rank, random_state=seed).fit(X).outlier_scores_, {}


def _authors(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    trace = trace_fit(
        X,
        RANK,
        alpha=AUTHORS_ALPHA,
        beta=AUTHORS_BETA,
        solver="paper",
        start="uniform",
        max_iter=AUTHORS_ITERATIONS,
        inner_iter=AUTHORS_ITERATIONS,
        random_state=seed,
    )
    return trace.last, {"start_correlation": trace.start_correlation}


def _paper(X: sp.csr_matrix, labels: Any, seed: int, rank: int = RANK) -> Scored:
    model = TONMF(rank, solver="paper", max_iter=20, random_state=seed).fit(X)
    return model.outlier_scores_, {"alpha": model.alpha_}


def _reweighted(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    model = TONMF(RANK, random_state=seed).fit(X)
    return model.outlier_scores_, {"alpha": model.alpha_}


def _prior(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    model = TONMF("auto", score_by="unexplained", random_state=seed).fit(X)
    return model.outlier_scores_, {"topics": model.n_topics_}


def _detector(documents: Any, labels: Any, seed: int) -> Scored:
    detector = TextOutlierDetector(random_state=seed).fit(documents)
    flagged = detector.outlier_scores_ > detector.threshold_
    return detector.outlier_scores_, {"flagged": int(flagged.sum()), "flagged_outliers": int(labels[flagged].sum())}


OURS = "detector"

METHODS: dict[str, Method[Scored]] = {
    method.name: method
    for method in (
        Method(
            "knn",
            "k-NN",
            f"distance to the k-th nearest document, for the k from 1 to {NEIGHBOURS} with the highest AUC",
            _knn,
        ),
        Method("svd", "SVD", "the paper's score ‖√S_r Vᵀ‖ of each document", _svd),
        Method("svd-residual", "SVD residual", "residual norm of each document after the same SVD", _svd_residual),
        Method(
            "rpca",
            "RPCA",
            "norm of each row in the sparse part of robust PCA, at the textbook's λ",
            _robust_pca,
        ),
        Method("nmf", "NMF residual", "residual norm of each document after plain NMF", _nmf),
        Method(
            "tonmf-authors",
            "TONMF, authors' start",
            "the paper's algorithm from W and H uniform on [0, 1], with the published code's settings",
            _authors,
        ),
        Method("tonmf-paper", "TONMF, scaled start", "the paper's algorithm from a start scaled to the data", _paper),
        Method(
            "tonmf",
            "TONMF, reweighted",
            "the same objective, minimised by the default solver of `tonmf.TONMF`",
            _reweighted,
        ),
        Method(
            "tonmf-prior",
            "TONMF, topics that earn their place",
            "the model with the topic prior; the score is the share that no topic explains",
            _prior,
        ),
        Method(OURS, "tonmf detector", "`TextOutlierDetector()` with its defaults", _detector, rows=(None,)),
    )
}

PAPER_BASELINES = ("knn", "svd", "rpca")
"""The baselines of the paper."""


def applies(config: Config) -> bool:
    """Return whether the configuration's method can score the configuration's rows."""
    return config["rows"] in METHODS[config["method"]].rows
