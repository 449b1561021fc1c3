"""The summary: all that a report says, as a dictionary of plain values."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.options import options_of
from tonmf.errors import InputError
from tonmf.metrics import precision_recall_curve, roc_curve
from tonmf.parameters import defaults_of
from tonmf.ranking import LargeRanking, Ranking, ignore, stretches
from tonmf.report.atlas import TopicMap
from tonmf.report.collecting import collecting_rarely
from tonmf.report.describing import Describer, read_stretches
from tonmf.report.large import describe_files, listed_embeddings
from tonmf.report.marking import MarkedRows, marking_of
from tonmf.report.meaning_map import places_by_meaning
from tonmf.report.plan import Plan
from tonmf.report.runs import weights_of_topics
from tonmf.storage.atomic import replacing
from tonmf.storage.bundles import now, versions
from tonmf.storage.parameters import changed_parameters
from tonmf.text.batches import Batches
from tonmf.text.documents import take

SCHEMA = 1
"""Version of the layout of a summary."""

TOPIC_WORDS = 10
"""Words that stand for a topic."""

MOST_POINTS = 2000
"""Points of a curve; more would not be visible."""


def summarise(
    ranking: Ranking,
    *,
    title: str,
    notes: Sequence[str] = (),
    labels: Sequence[int | None] | None = None,
    batches: Batches | None = None,
    on_done: Callable[[float], None] = ignore,
) -> dict[str, Any]:
    """Summarise scored documents, ready for JSON.

    Parameters
    ----------
    ranking : Ranking
    title : str
        The title of the report.
    notes : sequence of str
        Sentences for the reader to know.
    labels : sequence of shape (n_docs,), optional
        1 for known outliers, 0 for ordinary documents, None for those without a label; adds curves.
    batches : Batches, optional
        The documents once more, such as ``tonmf.io.DocumentFiles``, if the ranking is a `LargeRanking`, which does not have
        them. The documents of the summary are then in a temporary file, from which they come when they are wanted.
    on_done : callable
        Called with the share of the work that is done.

    Returns
    -------
    summary : dict
        docs/guide/report.md has all its keys.

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> corpus = make_corpus(n_docs=100, n_outliers=3)
    >>> detector = TextOutlierDetector().fit(corpus.texts)
    >>> ranking = Ranking.of(detector, corpus.texts, corpus.ids, detector.outlier_scores_)
    >>> summary = summarise(ranking, title="A corpus", labels=corpus.labels)
    >>> summary["analysed"]["documents"], summary["documents"][0]["outlier"], summary["curves"]["roc"]["area"]
    (100, True, 1.0)
    """
    with collecting_rarely():
        return _summarise(ranking, title, notes, labels, batches, on_done)


def _summarise(
    ranking: Ranking,
    title: str,
    notes: Sequence[str],
    labels: Sequence[int | None] | None,
    batches: Batches | None,
    on_done: Callable[[float], None],
) -> dict[str, Any]:
    if labels is not None and len(labels) != len(ranking.ids):
        raise InputError(f"Expected one label for each of the {len(ranking.ids)} documents; got {len(labels)}.")
    of_documents = None if labels is None else np.array(labels, dtype=float)
    plan = Plan.of(ranking)
    embeddings = None if ranking.embeddings is None else ranking.embeddings_of(plan.rows.tolist())
    if isinstance(ranking, LargeRanking):
        if batches is None:
            raise InputError("A large ranking does not have its documents. Give them as batches.")
        embeddings = listed_embeddings(ranking, plan, batches)
    places = None if embeddings is None else places_by_meaning(embeddings)
    describer = Describer(ranking, plan, map_of(ranking, plan, places), of_documents)
    documents: Sequence[dict[str, Any]]
    if batches is not None:
        cache = getattr(ranking.detector, "cache", None)
        documents, rows = describe_files(describer, batches, None if cache is None else Path(cache), on_done)
        marking = marking_of(ranking, rows.rows, plan.rows)
    else:
        documents, marks = described_in_memory(describer, on_done)
        marking = marking_of(ranking, marks.rows, plan.rows)
    return summary_of(describer, documents, alarms_beyond(ranking, plan), marking, title, notes)


def described_in_memory(
    describer: Describer, on_done: Callable[[float], None]
) -> tuple[list[dict[str, Any]], MarkedRows]:
    """Describe the listed documents, the strangest first; also return rows of the strangest."""
    documents: list[dict[str, Any]] = []
    marks = MarkedRows()
    for places, read in read_stretches(describer.ranking, describer.plan):
        documents += describer.describe(places, read)
        marks.add(read.rows)
        on_done(len(documents) / len(describer.plan.rows))
    for document, (x, y) in zip(documents, describer.map.rounded.tolist(), strict=True):
        document |= {"x": x, "y": y}
    return documents, marks


def map_of(ranking: Ranking, plan: Plan, places: NDArray[np.float64] | None) -> TopicMap:
    """Return the map of the listed documents; `places` are those by embeddings, if there are any."""
    return TopicMap(len(plan.rows), ranking.detector.rungs_[0].topics.shape[1], places)


def alarms_beyond(ranking: Ranking, plan: Plan) -> Counter[str]:
    """Count the alarms of documents that are not listed."""
    alarms, beyond = Counter[str](), ranking.order[len(plan.rows) :]
    if ranking.is_of_training:
        alarms.update({name: int((values[beyond] > 0).sum()) for name, values in ranking.detector.alarms_.items()})
        return alarms
    for some in stretches(beyond.tolist()):
        found = ranking.detector.alarms(take(ranking.documents, some))
        alarms.update({name: int((values > 0).sum()) for name, values in found.items()})
    return alarms


def summary_of(
    describer: Describer,
    documents: Sequence[dict[str, Any]],
    alarms_beyond: Counter[str],
    marking: dict[str, Any] | None,
    title: str,
    notes: Sequence[str],
) -> dict[str, Any]:
    """Put the summary together, once all listed documents have been described."""
    ranking, plan = describer.ranking, describer.plan
    notes, curves = [*notes, *plan.notes(describer.n_cut)], None
    if describer.labels is not None:
        notes, curves = _curves(ranking, describer.labels, notes)
    return {
        "schema": SCHEMA,
        "title": title,
        "made": {"when": now(), **versions()},
        "analysed": _analysed(describer, describer.alarms + alarms_beyond),
        "notes": notes,
        "topics": _topics(describer),
        "map": "topics" if describer.map.is_of_topics else "meaning",
        "groups": _groups(ranking, plan),
        "curves": curves,
        "marking": marking,
        "documents": documents,
    }


def write_summary(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Write a summary as JSON, whole or not at all; without ``marking``, which only a page can use."""
    about = {name: value for name, value in summary.items() if name not in ("marking", "documents")}
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        file.write(_json(about)[:-1] + ', "documents": [')
        for place, document in enumerate(summary["documents"]):
            file.write((", " if place else "") + _json(document))
        file.write("]}")


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _analysed(describer: Describer, alarms: Counter[str]) -> dict[str, Any]:
    """Return what was analysed, and how."""
    ranking, plan, detector = describer.ranking, describer.plan, describer.ranking.detector
    seed = detector.random_state
    return {
        "documents": plan.n_docs,
        "listed": len(plan.rows),
        "with_reasons": plan.n_reasoned,
        "kind": detector.kind_,
        "word": detector.word_,
        "flagged": int(ranking.outliers.sum()),
        "threshold": float(detector.threshold_),
        "rule": ranking.rule,
        "contamination": detector.contamination,
        "empty": alarms["empty"],
        "unknown": alarms["unknown"],
        "training": {
            "documents": len(detector.outlier_scores_),
            "terms": detector.n_terms_,
            "same": ranking.is_of_training,
        },
        "topics": detector.rungs_[0].topics.shape[1],
        "fits": len(detector.rungs_),
        "seed": seed if isinstance(seed, int) else None,
        "options": changed_parameters(options_of(detector), defaults_of(type(detector))),
    }


def _topics(describer: Describer) -> list[dict[str, Any]]:
    detector = describer.ranking.detector
    topics, weights = detector.topics(TOPIC_WORDS), weights_of_topics(detector)
    return [
        {
            **asdict(topic),
            "documents": describer.topics[topic.number],
            "terms": list(map(list, of_topic.items())),
            "x": round(x, 4),
            "y": round(y, 4),
        }
        for topic, of_topic, (x, y) in zip(topics, weights, describer.map.topics.tolist(), strict=True)
    ]


def _groups(ranking: Ranking, plan: Plan) -> list[dict[str, Any]]:
    """Return the small groups; they name listed documents by their places in the summary, from 1."""
    places = np.zeros(plan.n_docs, np.int64)
    places[plan.rows] = np.arange(1, len(plan.rows) + 1)
    return [
        {**asdict(group), "documents": [place for place in places[group.documents].tolist() if place]}
        for group in ranking.small_groups
    ]


def _curves(ranking: Ranking, labels: NDArray[np.float64], notes: list[str]) -> tuple[list[str], dict[str, Any] | None]:
    """Return notes and the curves; None if all labels are the same.

    Documents without a label, which is NaN, have no part in them.
    """
    known = np.isfinite(labels)
    if len(np.unique(labels[known])) < 2:
        return [*notes, "All labels are the same, so there are no curves."], None
    scores = ranking.scores.copy()
    scores[ranking.empty] = scores.min() - 1  # not judged: they come after all others
    of_known, scores = labels[known].astype(int), scores[known]
    roc, by_recall = roc_curve(of_known, scores), precision_recall_curve(of_known, scores)
    return notes, {
        "outliers": int(of_known.sum()),
        "roc": {
            **_points(roc.false_positive_rates / 100, roc.true_positive_rates / 100, roc.thresholds),
            "area": round(roc.area, 6),
        },
        "precision_recall": {
            **_points(by_recall.recall, by_recall.precision, by_recall.thresholds),
            "average": round(by_recall.average, 6),
        },
    }


def _points(x: Any, y: Any, thresholds: Any) -> dict[str, list[float | None]]:
    """Return some points of a curve, evenly by rank; a threshold that no document reaches is None."""
    some = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).astype(int))
    return {
        "x": [round(value, 5) for value in x[some].tolist()],
        "y": [round(value, 5) for value in y[some].tolist()],
        "threshold": [value if np.isfinite(value) else None for value in thresholds[some].tolist()],
    }
