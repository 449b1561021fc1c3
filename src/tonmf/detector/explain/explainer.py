"""From what a detector knows to explanations of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import Explanation, NearDocument, TopicShare
from tonmf.detector.explain.profile import Compared, CorpusProfile
from tonmf.detector.explain.topics import KnownDocument, Topic, by_share
from tonmf.detector.explain.unexpected import Leftovers, UnexpectedWord
from tonmf.detector.scores.ladder import first_words
from tonmf.detector.scores.scoring import DocumentScores, Scorer
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import SAME_ROW

TOPIC_WORDS = 5
"""Words that stand for a topic in an explanation."""

SMALLEST_LEAN = 0.1
"""Share of a document from which on it leans on a topic."""

AT_ONCE = 500
"""Documents that are compared with the sample together: they take as many rows of it in memory."""


@dataclass(frozen=True)
class Explainer:
    """A fitted detector, as far as explanations need it; `scores` are those that others are ranked among."""

    terms: Sequence[str]
    idf: Array
    scorer: Scorer
    profile: CorpusProfile
    scores: Array
    threshold: float
    kind: str

    def topics(self, n_words: int) -> list[Topic]:
        """The topics of the finest rung that scores."""
        rung = self.scorer.rungs[0]
        return [
            Topic(
                number,
                float(rung.shares[column]),
                first_words(rung.topics[:, column], self.terms, n_words),
                [self.profile.ordinary(row) for row in self.profile.typical[column]],
            )
            for number, column in enumerate(by_share(rung), start=1)
        ]

    @cached_property
    def _short_topics(self) -> list[Topic]:
        """The same as explanations show them."""
        return self.topics(TOPIC_WORDS)

    def main_topics(self, leftovers: Leftovers) -> list[int | None]:
        """Of each document the number of the topic that explains most of it; None if it leans on none."""
        shares = leftovers.explained[:, by_share(self.scorer.rungs[0])]
        leans = shares.max(axis=1, initial=0.0) >= SMALLEST_LEAN
        return [
            number + 1 if lean else None for number, lean in zip(shares.argmax(axis=1).tolist(), leans, strict=True)
        ]

    def words(self, leftovers: Leftovers, row: int, n_words: int) -> list[UnexpectedWord]:
        """The words of a document that say most, in order."""
        outside = self.scorer.alarms.rarity_outside + 1
        return leftovers.words(row, n_words, self.terms, self.idf, outside, typical=float(self.profile.unknown[50]))

    def explain(
        self,
        ids: Sequence[str],
        leftovers: Leftovers,
        Y: sp.csr_matrix,
        readings: Sequence[Reading],
        scores: DocumentScores,
        n_words: int,
        n_nearest: int,
        n_missing: int,
    ) -> list[Explanation]:
        """Explanations of documents: given by their counts, as unit rows, as the rungs read them, and by their scores."""
        counts, topics = leftovers.counts, self._short_topics
        unknown = counts.n_outside / np.maximum(counts.n_distinct, 1)
        rank = 1 + len(self.scores) - np.searchsorted(np.sort(self.scores), scores.total, side="right")
        near, main = self._nearest(Y, n_nearest), self.main_topics(leftovers)
        explanations = []
        for row, name in enumerate(ids):
            alarms = {alarm: float(values[row]) for alarm, values in scores.alarms.items() if values[row] > 0}
            leans = [] if main[row] is None else self._leans(leftovers.explained[row], topics)
            explanations.append(
                Explanation(
                    id=name,
                    score=float(scores.total[row]),
                    threshold=self.threshold,
                    outlier=bool(scores.total[row] > self.threshold),
                    rank=int(rank[row]),
                    n_docs=len(self.scores),
                    parts=_parts(scores, row),
                    unexplained=Compared.with_quantiles(leftovers.unexplained[row], self.profile.unexplained),
                    unexpected=self.words(leftovers, row, n_words),
                    topic=main[row],
                    topics=leans,
                    background=max(1.0 - float(leftovers.explained[row].sum()), 0.0),
                    missing=self._missing(_terms_of(counts.matrix, row), readings, row, n_missing) if leans else [],
                    length=Compared.with_quantiles(counts.n_words[row], self.profile.lengths),
                    unknown=Compared.with_quantiles(unknown[row], self.profile.unknown),
                    alarms=alarms,
                    nearest=near[row],
                    kind=self.kind,
                )
            )
        return explanations

    def _leans(self, shares: Array, topics: Sequence[Topic]) -> list[TopicShare]:
        order = by_share(self.scorer.rungs[0])
        leans = [
            TopicShare(topic.number, float(shares[column]), topic.words)
            for topic, column in zip(topics, order, strict=True)
            if shares[column] >= SMALLEST_LEAN
        ]
        return sorted(leans, key=lambda lean: -lean.share)

    def _missing(self, present: Array, readings: Sequence[Reading], row: int, n_missing: int) -> list[str]:
        """The words with most weight in the document's mixture of topics, the mean over the ladder, that it lacks."""
        if n_missing == 0:
            return []
        pairs = zip(self.scorer.rungs, readings, strict=True)
        expected = np.mean([rung.topics @ reading.theta[row, 1:] for rung, reading in pairs], axis=0)
        expected[present] = 0
        return first_words(expected, self.terms, n_missing)

    def _nearest(self, Y: sp.csr_matrix, n_nearest: int) -> list[list[NearDocument]]:
        """For each row the ordinary documents of the sample that share most with it, itself not among them."""
        if n_nearest == 0:
            return [[] for _ in range(Y.shape[0])]
        found = []
        for start in range(0, Y.shape[0], AT_ONCE):
            for cosines in (self.scorer.sample @ Y[start : start + AT_ONCE].T).toarray().T:
                if len(cosines) and cosines.max() > SAME_ROW:
                    cosines[cosines.argmax()] = 0
                found.append(self._different(np.argsort(-cosines, kind="stable"), cosines, n_nearest))
        return found

    def _different(self, order: NDArray[np.int64], cosines: Array, n_nearest: int) -> list[NearDocument]:
        """The first of these documents; one that is in the sample more than once is listed once."""
        near: dict[KnownDocument, NearDocument] = {}
        for row in order.tolist():
            if len(near) == n_nearest or cosines[row] <= 0:
                break
            document = self.profile.ordinary(row)
            near.setdefault(document, NearDocument(document, float(cosines[row])))
        return list(near.values())


def _terms_of(matrix: sp.csr_matrix, row: int) -> Array:
    """Numbers of a document's terms."""
    terms: Array = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return terms


def _parts(scores: DocumentScores, row: int) -> dict[str, float]:
    """What adds up to a document's score."""
    total, plain = float(scores.total[row]), float(scores.plain[row])
    if scores.alarms["empty"][row] > 0:
        return {"alarms": total}
    parts = {name: float(values[row]) for name, values in scores.parts.items()}
    return parts if total == plain else {**parts, "alarms": total - plain}
