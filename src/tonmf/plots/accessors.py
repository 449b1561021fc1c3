"""``detector.plot``: the plots of a detector or a model. Each takes axes, and returns them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.vectors.detector import EmbeddingOutlierDetector
from tonmf.metrics import false_positive_rate, roc_curve, true_positive_rate
from tonmf.nmf.estimator import TONMF
from tonmf.parameters import check_at_least
from tonmf.plots.canvas import canvas, label
from tonmf.plots.charts import (
    COLUMNS,
    DrawnTopic,
    draw_map,
    draw_objective,
    draw_roc,
    draw_scores,
    draw_topics,
    draw_words,
)
from tonmf.report.atlas import TopicMap
from tonmf.report.meaning_map import places_by_meaning
from tonmf.report.notebook.detectors import topics_of_model
from tonmf.report.runs import TOPIC_TERMS, weights_of_topics


class ScorePlots:
    """Plots of scores: those that a detector and a model have in common.

    Each method draws on `ax`, and returns it. If none is given, it draws on new axes, on a figure that pyplot does not know:
    a notebook shows them, and ``ax.figure.savefig`` writes them.
    """

    _noun = "documents"

    def __init__(self, fitted: Any) -> None:
        self._fitted = fitted

    def __repr__(self) -> str:
        """Return which plots there are."""
        return "<plots: " + ", ".join(f"plot.{name}()" for name in dir(self) if not name.startswith("_")) + ">"

    def scores(self, ax: Any = None) -> Any:
        """Draw how the scores of the training documents are spread, with the threshold.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        scores = self._scores()
        with canvas(ax, 6.4, 3.2) as axes:
            draw_scores(axes, scores, float(self._fitted.threshold_), self._noun)
        return axes

    def roc(self, labels: Any, scores: Any = None, ax: Any = None) -> Any:
        """Draw the ROC curve, given which documents are outliers; a dot is where the threshold is.

        Parameters
        ----------
        labels : sequence of shape (n_docs,)
            1 for outliers, 0 for the others.
        scores : array of shape (n_docs,), optional
            Scores of other documents, as ``outlier_score`` returns them; those of the training documents if not given.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        _check_fitted(self._fitted)
        of = np.asarray(self._fitted.outlier_scores_ if scores is None else scores, np.float64)
        curve, flagged = roc_curve(labels, of), of > self._fitted.threshold_
        point = false_positive_rate(labels, flagged), true_positive_rate(labels, flagged)
        with canvas(ax, 4.2, 4.0) as axes:
            draw_roc(axes, curve, point)
        return axes

    def _scores(self) -> Array:
        """Return the scores of the judged training documents."""
        _check_fitted(self._fitted)
        return np.asarray(self._fitted.outlier_scores_)


class TopicPlots(ScorePlots, ABC):
    """Plots of scores and topics."""

    def topics(self, n_topics: int = 9, n_words: int = 8, ax: Any = None) -> Any:
        """Draw the words with the most weight in each topic, the topics with the largest shares first.

        Parameters
        ----------
        n_topics, n_words : int
            Topics, and words of each, at most.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        _check_fitted(self._fitted)
        check_at_least(n_topics, 1, "n_topics")
        check_at_least(n_words, 1, "n_words")
        topics = self._topics(n_words)[:n_topics]
        height = 0.2 * (n_words + 2) * -(-len(topics) // COLUMNS) + 0.2
        with canvas(ax, 7.2, height) as axes:
            draw_topics(axes, topics)
        return axes

    @abstractmethod
    def _topics(self, n_words: int) -> list[DrawnTopic]:
        """Return the topics to draw, the largest shares first."""


class DetectorPlots(TopicPlots):
    """Plots of a `TextOutlierDetector`."""

    def map(self, documents: Any, *, embeddings: Any = None, names: Sequence[Any] | None = None, ax: Any = None) -> Any:
        """Draw documents as the map of the report does: around their topics, or side by side where embeddings are alike.

        Colours and shapes tell topics apart, rings are around flagged documents, and the strangest are named.

        Parameters
        ----------
        documents : as in ``fit``
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents, as in ``explain``.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        detector: FittedDetector = self._fitted
        documents, called = detector.named(documents, names)
        rows = detector.embed(documents, embeddings=embeddings)
        read = detector.read(documents, embeddings=rows, names=called)
        placed = TopicMap(
            len(called), detector.rungs_[0].topics.shape[1], None if rows is None else places_by_meaning(rows)
        )
        for document, shares in enumerate(read.topic_shares()):
            placed.put(document, shares)
        topics = np.array([topic or 0 for topic in read.main_topics()], np.int64)
        scores = read.scores
        flagged = scores.judged & (scores.total > detector.threshold_)
        order = np.argsort(-np.where(flagged, scores.total, -np.inf), kind="stable")
        with canvas(ax, 7.2, 4.6) as axes:
            names_of_flagged = [called[row] for row in order[: int(flagged.sum())].tolist()]
            draw_map(axes, placed.places[order], topics[order], flagged[order], names_of_flagged)
        return axes

    def document(
        self,
        documents: Any,
        id: int | str,  # noqa: A002
        *,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
        n_words: int = 12,
        ax: Any = None,
    ) -> Any:
        """Draw the unexpected words of one document, with their shares of it.

        Parameters
        ----------
        documents : as in ``fit``
        id : int or str
            Number of the document, from 0, or its name.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents, as in ``explain``.
        n_words : int
            Words to draw, at most.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        explained = self._fitted.explain(documents, [id], embeddings=embeddings, names=names, n_words=n_words)
        why = explained[0]
        verdict = "flagged" if why.outlier else "not flagged" if why.judged else "not judged"
        title = f"{label(why.id, 40)}: score {why.score:.2f}, {verdict}"
        with canvas(ax, 6.0, 0.9 + 0.24 * max(len(why.unexpected), 3)) as axes:
            draw_words(axes, why.unexpected, title, why.kind)
        return axes

    def _scores(self) -> Array:
        scores: Array = super()._scores()[~self._fitted.empty_]
        return scores

    def _topics(self, n_words: int) -> list[DrawnTopic]:
        topics = self._fitted.topics(min(n_words, TOPIC_TERMS))
        return [
            DrawnTopic(topic.number, topic.share, topic.words, _of_words(weights, len(topic.words)))
            for topic, weights in zip(topics, weights_of_topics(self._fitted), strict=True)
        ]


class EmbeddingDetectorPlots(ScorePlots):
    """Plots of an `EmbeddingOutlierDetector`."""

    def map(self, X: Any, *, names: Sequence[Any] | None = None, ax: Any = None) -> Any:
        """Draw documents side by side where their embeddings are alike; rings are around flagged ones.

        Parameters
        ----------
        X : array of shape (n_docs, width)
            Embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents, to name the strangest by.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        scores = self._fitted.outlier_score(X)
        order, flagged = np.argsort(-scores, kind="stable"), scores > self._fitted.threshold_
        places = places_by_meaning(np.asarray(X, np.float64))
        of_flagged = [] if names is None else [str(names[row]) for row in order[: int(flagged.sum())].tolist()]
        with canvas(ax, 6.0, 4.6) as axes:
            draw_map(axes, places[order], np.zeros(len(order), np.int64), flagged[order], of_flagged)
        return axes


class ModelPlots(TopicPlots):
    """Plots of a `TONMF`."""

    _noun = "rows"

    def objective(self, ax: Any = None) -> Any:
        """Draw the objective over the iterations.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        _check_fitted(self._fitted)
        with canvas(ax, 5.6, 3.2) as axes:
            draw_objective(axes, self._fitted.objective_history_)
        return axes

    def _topics(self, n_words: int) -> list[DrawnTopic]:
        model: TONMF = self._fitted
        order = np.argsort(-model.topic_shares_, kind="stable")
        return [
            DrawnTopic(number, share, words, np.sort(model.components_[topic])[::-1][: len(words)].tolist())
            for (number, share, words), topic in zip(topics_of_model(model, n_words), order, strict=True)
        ]


def _check_fitted(fitted: FittedDetector | EmbeddingOutlierDetector | TONMF) -> None:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(fitted, "outlier_scores_")


def _of_words(weights: dict[str, float], n_words: int) -> list[float]:
    """Return the largest weights of a topic, in order; terms of one word may share its place."""
    return sorted(weights.values(), reverse=True)[:n_words]
