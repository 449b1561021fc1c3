"""Ways to re-rank documents by a reader's marks: tonmf, and the peers that `benchmarks.feedback` compares it with.

Each begins with a ranking of all documents, and is told of one marked document at a time. The peers' settings are the best of
those that we tried on tasks marked `tuned` (`benchmarks.tasks`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks.peers import SEED, View
from tonmf import TextOutlierDetector
from tonmf.experiments.tasks import Draw

Scores = NDArray[np.float64]


class Ranked:
    """A draw, with all that the ways to rank it start from: made once for all of them."""

    def __init__(self, drawn: Draw) -> None:
        self.labels, self._view = drawn.labels, View(drawn.dataset)
        self.detector = TextOutlierDetector(n_jobs=1).fit(drawn.documents)
        self.judged = ~self.detector.empty_
        self.rows: sp.csr_matrix = self.detector.read(drawn.documents).corpus.source.matrix()

    @property
    def scores(self) -> Scores:
        """The detector's scores, in thresholds."""
        scores: Scores = self.detector.outlier_scores_ / self.detector.threshold_
        return scores

    @cached_property
    def leaves(self) -> sp.csr_matrix:
        """The leaves of an isolation forest that each document falls into (`Leaves`)."""
        return leaves_of(self._view.svd.unit)


class Learner(Protocol):
    """What is asked for the next document to show, and told of marks."""

    scores: Scores

    def learn(self, row: int, strange: bool) -> None:
        """Take a mark into account."""


class Unmarked:
    """The detector's ranking as it is."""

    def __init__(self, ranked: Ranked) -> None:
        self.scores = ranked.scores

    def learn(self, row: int, strange: bool) -> None:
        """Ignore the mark."""


class Marked:
    """The detector with marks."""

    def __init__(self, ranked: Ranked) -> None:
        self.detector = copy.copy(ranked.detector)

    @property
    def scores(self) -> Scores:
        """Its scores with marks."""
        scores: Scores = self.detector.outlier_scores_
        return scores

    def learn(self, row: int, strange: bool) -> None:
        """Mark a document."""
        self.detector.mark(**{"strange" if strange else "fine": [row]})


class Logistic:
    """Logistic regression on the rows of marked documents, from the first two different marks on."""

    def __init__(self, ranked: Ranked) -> None:
        self.scores, self._rows = ranked.scores, ranked.rows
        self._marked: list[int] = []
        self._strange: list[bool] = []

    def learn(self, row: int, strange: bool) -> None:
        """Fit again."""
        self._marked.append(row)
        self._strange.append(strange)
        if 0 < sum(self._strange) < len(self._strange):
            model = LogisticRegression(C=10.0, max_iter=200).fit(self._rows[self._marked], self._strange)
            self.scores = model.decision_function(self._rows)


class Rocchio:
    """The mean cosine with strange documents, less that with fine ones, and a little of the detector's score."""

    def __init__(self, ranked: Ranked) -> None:
        self.scores, self._rows, self._prior = ranked.scores, ranked.rows, 0.03 * ranked.scores
        self._sums = {strange: np.zeros(len(ranked.scores)) for strange in (True, False)}
        self._n = {True: 0, False: 0}

    def learn(self, row: int, strange: bool) -> None:
        """Add the cosines with a document."""
        self._sums[strange] += (self._rows @ self._rows[row].T).toarray().ravel()
        self._n[strange] += 1
        means = {kind: total / max(self._n[kind], 1) for kind, total in self._sums.items()}
        self.scores = self._prior + means[True] - means[False]


N_TREES = 100


def leaves_of(rows: NDArray[np.float32]) -> sp.csr_matrix:
    """Return for each document the leaf of every tree of an isolation forest: minus its depth, rows at unit norm."""
    forest = IsolationForest(n_estimators=N_TREES, random_state=SEED).fit(rows)
    parts = []
    for tree, features in zip(forest.estimators_, forest.estimators_features_, strict=True):
        found = tree.apply(rows[:, features])
        depths = -_depths(tree.tree_)[found]
        parts.append(sp.csr_matrix((depths, (np.arange(len(found)), found)), shape=(len(found), tree.tree_.node_count)))
    joined = sp.hstack(parts, format="csr")
    return normalize(joined[:, np.diff(joined.tocsc().indptr) > 0])


def _depths(tree: Any) -> Scores:
    depths = np.zeros(tree.node_count)
    for node in range(tree.node_count):  # parents come before their children
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0:
                depths[child] = depths[node] + 1
    return depths


@dataclass(frozen=True)
class AnomalyDiscovery:
    """Settings of active anomaly discovery (Das and others 2016, 2017): τ, how much anomalies weigh, and the descent."""

    share: float = 0.03
    anomalies: float = 3.0
    step: float = 1.0
    n_steps: int = 100
    prior: float = 0.5


class Leaves:
    """Active anomaly discovery: learn weights w of an isolation forest's leaves, at first all the same.

    Minimise, by subgradients, hinge losses of marked documents: strange ones should score at least q, the score of the
    document at the τ-quantile, by the weights before and by the new ones, and fine ones less; and the distance of w from the
    uniform weights.
    """

    def __init__(self, ranked: Ranked, settings: AnomalyDiscovery | None = None) -> None:
        self._Z, self._settings = ranked.leaves, settings or AnomalyDiscovery()
        self._uniform = np.full(self._Z.shape[1], 1 / np.sqrt(self._Z.shape[1]))
        self._w = self._uniform
        self._marked: list[int] = []
        self._strange: list[bool] = []

    @property
    def scores(self) -> Scores:
        """Scores by the weights of now."""
        scores: Scores = self._Z @ self._w
        return scores

    def learn(self, row: int, strange: bool) -> None:
        """Descend from the weights of now."""
        self._marked.append(row)
        self._strange.append(strange)
        chosen, scores = self._settings, self.scores
        at_share = int(np.argsort(-scores)[int(chosen.share * len(scores))])
        before, z_share = scores[at_share], self._Z[at_share].toarray().ravel()
        Z, is_strange = self._Z[self._marked], np.array(self._strange)
        n_strange, n_fine = max(is_strange.sum(), 1), max((~is_strange).sum(), 1)
        weights = np.where(is_strange, chosen.anomalies / n_strange, 1 / n_fine)
        w = self._w
        for step in range(chosen.n_steps):
            own = Z @ w
            gradient = chosen.prior * 2 * (w - self._uniform)
            for q, of_q in ((before, 0.0), (z_share @ w, 1.0)):
                wrong = np.where(is_strange, -1.0 * (own < q), 1.0 * (own >= q)) * weights
                gradient = gradient + Z.T @ wrong - of_q * wrong.sum() * z_share
            w = w - chosen.step / np.sqrt(1 + step) * gradient
        self._w = w / np.linalg.norm(w)


OURS, WITHOUT = "tonmf", "without marks"

LEARNERS: dict[str, Callable[[Ranked], Learner]] = {
    WITHOUT: Unmarked,
    OURS: Marked,
    "logistic regression": Logistic,
    "Rocchio": Rocchio,
    "anomaly discovery": Leaves,
}
"""All ways, by name; the first two are the detector without and with marks."""


def read_on(learner: Learner, ranked: Ranked, n_shown: int, wrong: float, seed: int) -> NDArray[np.int64]:
    """Return the documents that a reader is shown, the strangest first, who marks each by its label; a share wrongly."""
    rng = np.random.default_rng([seed, round(1000 * wrong)])
    left, shown = ranked.judged.copy(), np.zeros(min(n_shown, int(ranked.judged.sum())), np.int64)
    for place in range(len(shown)):
        row = int(np.argmax(np.where(left, learner.scores, -np.inf)))
        left[row], shown[place] = False, row
        learner.learn(row, bool(ranked.labels[row]) != bool(rng.random() < wrong))
    return shown
