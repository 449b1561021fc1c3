"""Runs to compare: what a ranking, or the report of an earlier one, says of its documents and topics.

Documents stand in the order of their ranks, as in a report. Of more than a report lists, the others are ordinary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tonmf.detector.explain.topics import by_share
from tonmf.detector.fitted import FittedDetector
from tonmf.errors import InputError
from tonmf.ranking import Ranking
from tonmf.text.documents import content_key, is_matrix

TOPIC_TERMS = 50
"""First terms of a topic that it is told by."""

NUMBERED = re.compile(r"(.*):(\d{1,18})", re.DOTALL)
"""An id that was made of the name of a file and the number of a line or row."""


@dataclass(frozen=True)
class RunTopic:
    """A topic of a run: its number, share and first words, and the weights of its terms, at unit norm."""

    number: int
    share: float
    words: list[str]
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """What is compared of a run.

    ========== ========== ======================================================================
    field      shape      what
    ========== ========== ======================================================================
    title                 of its report
    when                  the time at which it was made, in ISO 8601; None if that is now
    threshold             score above which documents are flagged
    n_docs                all documents, those that are not listed included
    ids        n_listed   the strangest first
    rows       n_listed   their places among the documents that were read
    contents   n_listed   keys of what they hold (`tonmf.text.documents.content_key`); None if there are none
    scores     n_listed
    ranks      n_listed
    flagged    n_listed
    sentences             the reasons of flagged documents, by place, where they are known
    topics     n_topics
    ========== ========== ======================================================================
    """

    title: str
    when: str | None
    threshold: float
    n_docs: int
    ids: Sequence[str]
    rows: Sequence[int]
    contents: Sequence[str] | None
    scores: Sequence[float]
    ranks: Sequence[int]
    flagged: Sequence[bool]
    topics: Sequence[RunTopic]
    sentences: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of_ranking(cls, ranking: Ranking, title: str) -> Run:
        """Take it from scored documents in memory."""
        order, documents = ranking.order.tolist(), ranking.documents
        detector = ranking.detector
        topics = zip(detector.topics(), weights_of_topics(detector), strict=True)
        return cls(
            title,
            None,
            float(detector.threshold_),
            len(order),
            [ranking.ids[row] for row in order],
            order,
            None if is_matrix(documents) else [content_key(documents[row]) for row in order],
            ranking.scores[order].tolist(),
            ranking.ranks[order].tolist(),
            ranking.outliers[order].tolist(),
            [RunTopic(topic.number, topic.share, topic.words, weights) for topic, weights in topics],
        )

    @classmethod
    def of_summary(cls, summary: Mapping[str, Any], name: str = "The summary") -> Run:
        """Take it from the summary of a report; raise `InputError` if that is none."""
        try:
            return cls._of_summary(summary)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"{name} is no report of tonmf that can be compared: {_reason(error)}.") from error

    @classmethod
    def _of_summary(cls, summary: Mapping[str, Any]) -> Run:
        ids, rows, ranks, flagged = list[str](), list[int](), list[int](), list[bool]()
        contents, scores, sentences = list[str](), list[float](), dict[int, str]()
        for place, document in enumerate(summary["documents"]):
            ids.append(str(document["id"]))
            rows.append(int(document["row"]))
            ranks.append(int(document["rank"]))
            scores.append(_finite(document["score"]))
            flagged.append(bool(document["outlier"]))
            if document.get("content"):
                contents.append(str(document["content"]))
            if flagged[-1] and document.get("sentence"):
                sentences[place] = str(document["sentence"])
        return cls(
            str(summary["title"]),
            str(summary["made"]["when"]),
            _finite(summary["analysed"]["threshold"]),
            int(summary["analysed"]["documents"]),
            ids,
            rows,
            contents if len(contents) == len(ids) else None,
            scores,
            ranks,
            flagged,
            [_topic(topic) for topic in summary["topics"]],
            sentences,
        )

    @property
    def is_numbered(self) -> bool:
        """Return whether ids are numbers of rows or lines, which other documents have in another run."""
        if all(name == str(row) for name, row in zip(self.ids, self.rows, strict=True)):
            return True
        last: dict[str, int] = {}
        for name in map(self.ids.__getitem__, np.argsort(self.rows, kind="stable").tolist()):
            found = NUMBERED.fullmatch(name)
            if found is None or int(found[2]) <= last.get(found[1], -1):
                return False
            last[found[1]] = int(found[2])
        return True


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"expected a number, got {value!r}")
    return number


def _reason(error: Exception) -> str:
    return f"it has no {error.args[0]!r}" if isinstance(error, KeyError) and error.args else str(error)


def _topic(topic: Mapping[str, Any]) -> RunTopic:
    words = [str(word) for word in topic["words"]]
    weights = {str(term): _finite(weight) for term, weight in topic.get("terms", [])}
    # Reports of earlier versions have words without weights.
    return RunTopic(int(topic["number"]), _finite(topic["share"]), words, weights or dict.fromkeys(words, 1.0))


def weights_of_topics(detector: FittedDetector) -> list[dict[str, float]]:
    """Return the weights of the first terms of each topic, at unit norm, in order of the topics' numbers."""
    rung, terms = detector.rungs_[0], detector.terms_
    found = []
    for column in by_share(rung):
        topic = np.asarray(rung.topics[:, column], np.float64)
        first = np.argsort(-topic, kind="stable")[:TOPIC_TERMS]
        first = first[topic[first] > 0]
        norm = float(np.linalg.norm(topic[first])) or 1.0
        found.append({terms[term]: float(f"{topic[term] / norm:.4g}") for term in first.tolist()})
    return found
