"""The summary: all that a report says, as a dictionary of plain values."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.options import options_of
from tonmf.errors import InputError
from tonmf.metrics import precision_recall_curve, roc_curve
from tonmf.parameters import defaults_of
from tonmf.ranking import Ranking, ignore, stretches
from tonmf.report.atlas import TopicMap
from tonmf.report.described import IN_FULL, IN_SHORT, Level, describe, levels
from tonmf.report.marking import marking_of
from tonmf.report.meaning_map import places_by_meaning
from tonmf.storage.atomic import replacing
from tonmf.storage.bundles import now, versions
from tonmf.storage.parameters import changed_parameters
from tonmf.wording import number_of

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
    if labels is not None and len(labels) != len(ranking.ids):
        raise InputError(f"Expected one label for each of the {len(ranking.ids)} documents; got {len(labels)}.")
    how_much, atlas = levels(ranking), _map_of(ranking)
    documents = _documents(ranking, how_much, atlas, on_done)
    for document, (x, y) in zip(documents, atlas.places.tolist(), strict=True):
        document |= {"x": round(x, 4), "y": round(y, 4)}
    for document, (first, n_copies) in zip(documents, _copies(ranking), strict=True):
        document |= {"copy_of": first, "copies": n_copies}
    notes = [*notes, *_note_on_cut_texts(documents, how_much)]
    curves = None
    if labels is not None:
        notes, curves = _labelled(ranking, documents, np.array(labels, dtype=float), notes)
    return {
        "schema": SCHEMA,
        "title": title,
        "made": {"when": now(), **versions()},
        "analysed": _analysed(ranking, documents),
        "notes": notes,
        "topics": _topics(ranking, documents, atlas.topics),
        "map": "topics" if atlas.is_of_topics else "meaning",
        "groups": _groups(ranking),
        "curves": curves,
        "marking": marking_of(ranking),
        "documents": documents,
    }


def write_summary(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Write a summary as JSON, whole or not at all; without ``marking``, which only a page can use."""
    written = {name: value for name, value in summary.items() if name != "marking"}
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        json.dump(written, file, ensure_ascii=False, allow_nan=False)


def _map_of(ranking: Ranking) -> TopicMap:
    """Return the map of the documents, in order of rank."""
    n_topics = ranking.detector.rungs_[0].topics.shape[1]
    by_meaning = None if ranking.embeddings is None else places_by_meaning(ranking.embeddings)[ranking.order]
    return TopicMap(len(ranking.ids), n_topics, by_meaning)


def _documents(
    ranking: Ranking, how_much: tuple[int, Level, Level], atlas: TopicMap, on_done: Callable[[float], None]
) -> list[dict[str, Any]]:
    """Describe all documents, the strangest first, those that are not judged last, and put their topics on the map."""
    rows = ranking.order.tolist()
    n_detailed, full, short = how_much
    documents: list[dict[str, Any]] = []
    for of_level, level in ((rows[:n_detailed], full), (rows[n_detailed:], short)):
        for some in stretches(of_level):
            explanations = ranking.explain(some, **(IN_FULL if level.in_full else IN_SHORT))
            for row, why in zip(some, explanations, strict=True):
                atlas.put(len(documents), why.topics)
                documents.append(describe(ranking, row, why, level))
            on_done(len(documents) / len(rows))
    return documents


def _analysed(ranking: Ranking, documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what was analysed, and how."""
    detector = ranking.detector
    alarms = Counter(alarm for document in documents for alarm in document["alarms"])
    seed = detector.random_state
    return {
        "documents": len(documents),
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


def _topics(ranking: Ranking, documents: Sequence[dict[str, Any]], names: NDArray[np.float64]) -> list[dict[str, Any]]:
    main = Counter(document["topic"] for document in documents)
    return [
        {**asdict(topic), "documents": main[topic.number], "x": round(x, 4), "y": round(y, 4)}
        for topic, (x, y) in zip(ranking.detector.topics(TOPIC_WORDS), names.tolist(), strict=True)
    ]


def _groups(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the small groups; they name documents by their places in the summary, from 1."""
    places = 1 + ranking.order.argsort()
    return [{**asdict(group), "documents": places[group.documents].tolist()} for group in ranking.small_groups]


def _copies(ranking: Ranking) -> list[tuple[int, int]]:
    """Return for each document of the summary the place of the first exact copy, from 1, and how many copies there are."""
    firsts = ranking.firsts[ranking.order].tolist()
    place_of: dict[int, int] = {}
    n_copies = Counter(firsts)
    for place, first in enumerate(firsts, start=1):
        place_of.setdefault(first, place)
    return [(place_of[first], n_copies[first]) for first in firsts]


def _note_on_cut_texts(documents: Sequence[dict[str, Any]], how_much: tuple[int, Level, Level]) -> list[str]:
    n_cut = sum("cut" in document for document in documents)
    if not n_cut:
        return []
    n_detailed, full, short = how_much
    beyond = f", and beyond rank {n_detailed:,} to {short.longest:,}" if len(documents) > n_detailed else ""
    are = "is" if n_cut == 1 else "are"
    return [f"{number_of(n_cut, 'text')} {are} cut: to {full.longest:,} characters{beyond}. Scores are of whole texts."]


def _labelled(
    ranking: Ranking, documents: Sequence[dict[str, Any]], labels: NDArray[Any], notes: list[str]
) -> tuple[list[str], dict[str, Any] | None]:
    """Label the documents, and return notes and the curves; None if all labels are the same.

    Documents without a label, which is NaN, have no part in the curves.
    """
    known = np.isfinite(labels)
    for document in documents:
        document["label"] = int(labels[document["row"]]) if known[document["row"]] else None
    if len(np.unique(labels[known])) < 2:
        return [*notes, "All labels are the same, so there are no curves."], None
    scores = ranking.scores.copy()
    scores[ranking.empty] = scores.min() - 1  # not judged: they come after all others
    labels, scores = labels[known].astype(int), scores[known]
    roc, by_recall = roc_curve(labels, scores), precision_recall_curve(labels, scores)
    return notes, {
        "outliers": int(labels.sum()),
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
