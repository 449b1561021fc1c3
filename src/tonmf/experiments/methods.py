"""The methods that are compared: the paper's baselines, its own algorithm from two starts, and ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from tonmf import TONMF, TextOutlierDetector
from tonmf.arrays import Array
from tonmf.baselines import KNNDistance, NMFResidual, RobustPCA, SVDScore
from tonmf.experiments.specification import Config
from tonmf.experiments.tasks import Draw
from tonmf.experiments.tracing import trace_fit
from tonmf.metrics import area_under_curve

RANK = 10
"""Topics, components and so on, for all methods that have a rank and do not find it themselves; the published code's k."""
NEIGHBOURS = 50
"""k of k-NN is chosen from 1 to this, with the labels at hand."""
SHOWN_K = (1, 2, 5, 10, 20, 50)
"""The area is kept for these k too."""
AUTHORS_ALPHA, AUTHORS_BETA, AUTHORS_ITERATIONS = 10.0, 1.0, 9
"""As the published code sets them, which does 9 times a new Z and for each of them 9 inner iterations."""

Scored = tuple[Array, dict[str, Any]]
"""Scores of all documents, and what else there is to know."""


@dataclass(frozen=True)
class Method:
    """A way to score documents, by rows of numbers; if `own_rows`, it takes documents as they come."""

    name: str
    title: str
    about: str
    score: Callable[[Any, Any, int], Scored]
    own_rows: bool = False

    def run(self, draw: Draw, rows: str | None, seed: int) -> Scored:
        """Scores of a draw's documents; higher is stranger."""
        with settled():
            return self.score(draw.documents if rows is None else draw.rows(rows), draw.labels, seed)


@contextmanager
def settled() -> Iterator[None]:
    """That a fit ran to its last iteration, stayed at its start or found no low rank, is what is measured here."""
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


def _svd(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    return SVDScore(RANK, score_by="paper", random_state=seed).fit(X).outlier_scores_, {}


def _svd_residual(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    return SVDScore(RANK, score_by="residual", random_state=seed).fit(X).outlier_scores_, {}


def _robust_pca(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    model = RobustPCA(random_state=seed).fit(X)
    return model.outlier_scores_, {"rank": model.rank_, "iterations": model.n_iter_, "residual": model.residual_}


def _nmf(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    return NMFResidual(RANK, random_state=seed).fit(X).outlier_scores_, {}


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


def _paper(X: sp.csr_matrix, labels: Any, seed: int) -> Scored:
    model = TONMF(RANK, solver="paper", max_iter=20, random_state=seed).fit(X)
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

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("knn", "k-NN", f"distance to the k-th nearest, the best k from 1 to {NEIGHBOURS} chosen by AUC", _knn),
        Method("svd", "SVD", "the paper's score ‖√S_r Vᵀ‖ of each document", _svd),
        Method("svd-residual", "SVD residual", "what is left of each document after the same SVD", _svd_residual),
        Method(
            "rpca",
            "RPCA",
            "norm of each row in the sparse part of robust PCA, at the textbook's λ",
            _robust_pca,
        ),
        Method("nmf", "NMF residual", "what plain NMF leaves of each document", _nmf),
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
            "the same objective by the solver that `tonmf.TONMF` has as default",
            _reweighted,
        ),
        Method(
            "tonmf-prior",
            "TONMF, topics that earn their place",
            "the model with the topic prior; the score is the share that no topic explains",
            _prior,
        ),
        Method(OURS, "tonmf detector", "`TextOutlierDetector()`, nothing set", _detector, own_rows=True),
    )
}

PAPER_BASELINES = ("knn", "svd", "rpca")
"""Those of the paper."""


def applies(config: Config) -> bool:
    """Whether a method takes such rows: None if and only if it makes its own."""
    return (config["rows"] is None) == METHODS[config["method"]].own_rows
