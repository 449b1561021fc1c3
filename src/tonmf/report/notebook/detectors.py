"""A detector or a model on a card: what it learnt, how the scores are spread, its topics, and scikit-learn's diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tonmf.detector.fitted import FittedDetector
from tonmf.detector.scores.groups import Groups
from tonmf.detector.vectors.detector import EmbeddingOutlierDetector
from tonmf.nmf.estimator import TONMF
from tonmf.report.notebook.groups import groups_table
from tonmf.report.notebook.markup import Markup, card, element, heading
from tonmf.report.notebook.parts import TOPICS, WORDS, facts, histogram, topics_table
from tonmf.wording import number_of

GROUPS = 3
"""Groups on the card of a detector, at most."""


def of_detector(detector: FittedDetector) -> str | None:
    """Return a `TextOutlierDetector` as HTML."""
    if not hasattr(detector, "outlier_scores_"):
        return _unfitted(detector, "fit(documents)")
    judged = ~detector.empty_
    known: dict[str, Any] = {
        "Flagged": _flagged(int((detector.labels_ == -1).sum()), len(detector.labels_), detector.threshold_),
        "Vocabulary": number_of(detector.n_terms_, detector.word_),
        "Topics": f"{detector.rungs_[0].topics.shape[1]:,} in the finest of {number_of(len(detector.rungs_), 'fit')}",
    }
    if detector.n_seen_ != len(detector.labels_):
        known["Learnt from"] = number_of(detector.n_seen_, "document")
    if detector.boilerplate_:
        known["Left out"] = number_of(len(detector.boilerplate_), "line") + " of boilerplate"
    if (~judged).any():
        known["Not judged"] = number_of(int((~judged).sum()), "document") + f" without {detector.word_}s that count"
    if detector.uses_embeddings_:
        known["Embeddings"] = "given" if detector.embedded_by_ is None else detector.embedded_by_
    if detector.marks_:
        known["Marked"] = number_of(len(detector.marks_), "document")
    topics = [(topic.number, topic.share, topic.words) for topic in detector.topics(WORDS)]
    groups = detector.groups_
    return _fitted(
        detector,
        facts(known),
        histogram(detector.outlier_scores_[judged], detector.threshold_),
        topics_table(topics, len(topics)) if topics else None,
        [element("p", "Small groups"), groups_table(Groups(groups, groups.names), GROUPS)] if groups else None,
    )


def of_embedding_detector(detector: EmbeddingOutlierDetector) -> str | None:
    """Return an `EmbeddingOutlierDetector` as HTML."""
    if not hasattr(detector, "outlier_scores_"):
        return _unfitted(detector, "fit(embeddings)")
    known = {
        "Flagged": _flagged(int((detector.labels_ == -1).sum()), len(detector.labels_), detector.threshold_),
        "Embeddings": number_of(detector.n_features_in_, "column"),
    }
    return _fitted(detector, facts(known), histogram(detector.outlier_scores_, detector.threshold_))


def of_model(model: TONMF) -> str | None:
    """Return a `TONMF` as HTML."""
    if not hasattr(model, "outlier_scores_"):
        return _unfitted(model, "fit(X)")
    n_flagged = int((model.outlier_scores_ > model.threshold_).sum())
    known = {
        "Flagged": _flagged(n_flagged, len(model.outlier_scores_), model.threshold_, "row"),
        "Columns": f"{model.n_features_in_:,}",
        "Topics": f"{model.n_topics_:,}",
        "α": f"{model.alpha_:.4g}",
        "Iterations": f"{model.n_iter_:,}"
        + (f", objective {model.objective_history_[-1]:,.4g}" if len(model.objective_history_) else ""),
    }
    return _fitted(
        model,
        facts(known),
        histogram(model.outlier_scores_, model.threshold_),
        topics_table(topics_of_model(model, WORDS)[:TOPICS], model.n_topics_),
    )


def topics_of_model(model: TONMF, n_words: int) -> list[tuple[int, float, list[str]]]:
    """Return the topics of a model, the largest share first: number, share, and the columns with the most weight."""
    order = np.argsort(-model.topic_shares_, kind="stable")
    names = getattr(model, "feature_names_in_", None)
    return [
        (place + 1, float(model.topic_shares_[topic]), _columns(model.components_[topic], names, n_words))
        for place, topic in enumerate(order.tolist())
    ]


def _columns(weights: Any, names: Sequence[Any] | None, n_words: int) -> list[str]:
    first = [column for column in np.argsort(-weights, kind="stable")[:n_words].tolist() if weights[column] > 0]
    return [str(column if names is None else names[column]) for column in first]


def _flagged(n_flagged: int, n_docs: int, threshold: float, noun: str = "document") -> str:
    return f"{n_flagged:,} of {number_of(n_docs, noun)}, with a score above {threshold:.2f}"


def _unfitted(estimator: Any, call: str) -> str | None:
    diagram = _diagram(estimator)
    if diagram is None:
        return None
    return card(heading(type(estimator).__name__, "not fitted: call ", element("code", call))) + diagram


def _fitted(estimator: Any, *content: Any) -> str | None:
    diagram = _diagram(estimator)
    return None if diagram is None else card(heading(type(estimator).__name__, "fitted"), content) + diagram


def _diagram(estimator: Any) -> Markup | None:
    """Return scikit-learn's diagram, which lists the parameters; None where scikit-learn is told to show text only."""
    from sklearn import get_config
    from sklearn.base import BaseEstimator
    from sklearn.utils import estimator_html_repr

    if get_config()["display"] != "diagram":
        return None
    return Markup(estimator_html_repr(estimator) if isinstance(estimator, BaseEstimator) else "")
