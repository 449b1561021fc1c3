"""tonmf and two peers behind one interface: fit on texts, score them, and score new ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.peers import SEED
from tonmf import TextOutlierDetector
from tonmf.baselines import KNNDistance, NMFResidual
from tonmf.baselines.base import Baseline
from tonmf.experiments.methods import settled

OURS, KNN, NMF_RESIDUAL = "tonmf", "k-NN", "NMF residual"

NEIGHBOURS = 50
"""Neighbours of k-NN, the best of `benchmarks.peers` on the tasks of quality; a fifth of the documents if these are few."""
RANK = 10
"""Topics of NMF."""


class Contender(Protocol):
    """What all have in common; the names are those of `TextOutlierDetector`."""

    outlier_scores_: Any
    threshold_: float

    def fit(self, documents: Any) -> Any:
        """Fit on texts, and score them."""

    def outlier_score(self, documents: Any) -> Any:
        """Score new texts."""


class PeerOnTexts:
    """A baseline that reads texts as the peers of `benchmarks.peers` do: sublinear tf-idf, without English stop words.

    Only words in at least 2 documents count, unless there are none.
    """

    def __init__(self, make: Callable[[int], Baseline]) -> None:
        self._make = make

    def fit(self, documents: Sequence[str]) -> Self:
        """Fit on texts, and score them."""
        rows = self._learn_words(documents)
        with settled():
            self._model = self._make(len(documents)).fit(rows)
        self.outlier_scores_: NDArray[np.float64] = self._model.outlier_scores_
        self.threshold_ = float(self._model.threshold_)
        return self

    def _learn_words(self, documents: Sequence[str]) -> sp.csr_matrix:
        try:
            self._words = TfidfVectorizer(min_df=2, stop_words="english", sublinear_tf=True)
            return self._words.fit_transform(documents)
        except ValueError:  # no word occurs twice
            self._words = TfidfVectorizer(sublinear_tf=True)
            return self._words.fit_transform(documents)

    def outlier_score(self, documents: Sequence[str]) -> NDArray[np.float64]:
        """Score new texts."""
        scores: NDArray[np.float64] = self._model.outlier_score(self._words.transform(documents))
        return scores


def _knn(n_docs: int) -> Baseline:
    return KNNDistance(min(NEIGHBOURS, max(1, n_docs // 5)), metric="cosine", score_by="mean")


def _nmf(n_docs: int) -> Baseline:
    return NMFResidual(min(RANK, max(1, n_docs // 5)), random_state=SEED)


def scores_alone(detector: TextOutlierDetector, documents: Any) -> NDArray[np.float64]:
    """Return the scores of documents before alarms, and without what strange documents like them add."""
    scores = detector.read(documents).scores
    alone: NDArray[np.float64] = scores.plain - scores.parts.get("company", 0.0)
    return alone


CONTENDERS: dict[str, Callable[[], Contender]] = {
    OURS: lambda: TextOutlierDetector(n_jobs=1),
    KNN: lambda: PeerOnTexts(_knn),
    NMF_RESIDUAL: lambda: PeerOnTexts(_nmf),
}
"""Functions that make a contender with its defaults, by name."""
