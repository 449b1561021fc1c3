"""Describe the documents of a report, some at a time: reasons, texts, and what the map and the tables need of all of them.

Documents may come in any order, so that those that do not fit into memory are described as they are read
(`tonmf.report.large`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import TopicShare
from tonmf.detector.reading import ReadDocuments
from tonmf.ranking import Ranking
from tonmf.ranking.ranking import SIDE_BY_SIDE
from tonmf.report.atlas import TopicMap
from tonmf.report.described import describe, describe_bare
from tonmf.report.plan import Level, Plan
from tonmf.text.documents import take
from tonmf.text.side_by_side import in_order


@dataclass
class Describer:
    """Describes documents by a plan, and counts what they have in common.

    Attributes
    ----------
    alarms : Counter
        Documents that raise each alarm.
    topics : Counter
        Documents by their main topic.
    n_cut : int
        Texts that are cut.
    """

    ranking: Ranking
    plan: Plan
    map: TopicMap
    labels: NDArray[np.float64] | None = None
    alarms: Counter[str] = field(default_factory=Counter)
    topics: Counter[int | None] = field(default_factory=Counter)
    n_cut: int = 0

    def __post_init__(self) -> None:
        self._first, self._n_copies = _copies(self.ranking, self.plan)

    def describe(self, places: Sequence[int], read: Read) -> list[dict[str, Any]]:
        """Describe documents at these places of the report, which have been read. The map has `x` and `y` when all are."""
        documents = []
        for at, (place, row) in enumerate(zip(places, self.plan.rows[list(places)].tolist(), strict=True)):
            document, topics = read.described(self.ranking, row, at)
            self._count(document)
            self.map.put(place, topics)
            document |= {"copy_of": self._first[place], "copies": self._n_copies[place]}
            if self.labels is not None:
                label = self.labels[row]
                document["label"] = int(label) if np.isfinite(label) else None
            documents.append(document)
        return documents

    def _count(self, document: dict[str, Any]) -> None:
        self.alarms.update(document["alarms"].keys())
        self.topics[document["topic"]] += 1
        self.n_cut += "cut" in document


def _copies(ranking: Ranking, plan: Plan) -> tuple[list[int], list[int]]:
    """Return for each place that of the first exact copy that is listed, from 1, and how many copies there are in all."""
    n_copies = np.bincount(ranking.firsts, minlength=plan.n_docs)
    firsts = ranking.firsts[plan.rows]
    _, first_places, inverse = np.unique(firsts, return_index=True, return_inverse=True)
    return (1 + first_places[inverse]).tolist(), n_copies[firsts].tolist()


@dataclass(frozen=True)
class Read:
    """Documents of one level that have been read: their explanations and unit rows, or what is said without."""

    documents: Any
    level: Level
    explanations: Sequence[Any]
    bare: Sequence[tuple[str, dict[str, float], int | None, list[TopicShare]]]
    rows: sp.csr_matrix | None

    @classmethod
    def of(cls, ranking: Ranking, documents: Any, ids: Sequence[str], level: Level, embeddings: Array | None) -> Read:
        """Read documents as far as a level needs it; `embeddings` are theirs, if they are at hand."""
        detector = ranking.detector
        if level.reasons is None:
            read = detector.read_words(documents, names=ids)
            return cls(documents, level, (), _bare(read), None)
        read = detector.read(documents, embeddings=embeddings, names=ids)
        return cls(documents, level, read.explain(**level.reasons), (), read.unit_rows)

    def described(self, ranking: Ranking, row: int, at: int) -> tuple[dict[str, Any], Sequence[TopicShare]]:
        """Describe a document, the number `row` of a ranking, and return its topics too."""
        if not self.explanations:
            name, alarms, topic, topics = self.bare[at]
            arguments = (ranking, row, self.documents, at, name, alarms, topic, topics, self.level)
            return describe_bare(*arguments), topics
        why = ranking.flagged(self.explanations[at], row)
        return describe(ranking, row, self.documents, at, why, self.level), why.topics


def _bare(read: ReadDocuments) -> list[tuple[str, dict[str, float], int | None, list[TopicShare]]]:
    return list(zip(read.ids, read.alarms(), read.main_topics(), read.topic_shares(), strict=True))


def read_stretches(ranking: Ranking, plan: Plan) -> Iterator[tuple[list[int], Read]]:
    """Yield the places of listed documents in memory, some at a time, and these documents as they were read."""

    def read(places: list[int]) -> tuple[list[int], Read]:
        rows = plan.rows[places].tolist()
        ids = [ranking.ids[row] for row in rows]
        level, documents = plan.level(places[0]), take(ranking.documents, rows)
        return places, Read.of(ranking, documents, ids, level, ranking.embeddings_of(rows))

    return in_order(read, plan.stretches(), min(SIDE_BY_SIDE, ranking.detector.n_readers_))
