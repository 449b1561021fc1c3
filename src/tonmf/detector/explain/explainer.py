"""Explanations of documents, made from what a fitted detector knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import Explanation, NearDocument, NearMark, TopicShare
from tonmf.detector.explain.profile import Compared, CorpusProfile
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.explain.topics import KnownDocument, Topic, by_share
from tonmf.detector.explain.unexpected import Leftovers, UnexpectedWord, joined
from tonmf.detector.marks.effects import Effects
from tonmf.detector.marks.likeness import known_of
from tonmf.detector.marks.marks import FINE, STRANGE
from tonmf.detector.scores.ladder import first_words
from tonmf.detector.scores.scoring import DocumentScores, Scorer
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import SAME_ROW
from tonmf.text.forms import in_words

TOPIC_WORDS = 5
"""Words that stand for a topic in an explanation."""

TERMS_OF_A_WORD = 4
"""Terms to look at for each word to show, since several may have come from one word."""

SMALLEST_LEAN = 0.1
"""The smallest share of a document that makes a topic one of its topics."""

MARKS, LEAST_LIKE = 3, 0.1
"""Marked documents to list, at most, and the likeness from which on they are."""

AT_ONCE = 500
"""Documents to compare with the sample at a time: each takes a column of cosines in memory."""


@dataclass(frozen=True)
class Explainer:
    """Explains documents by a fitted detector, and ranks them among `scores`, those of judged documents.

    `forms` are the words to show for terms that are none (`tonmf.text.forms`).
    """

    terms: Sequence[str]
    forms: Mapping[str, str]
    weights: Array
    scorer: Scorer
    profile: CorpusProfile
    scores: Array
    threshold: float
    kind: str
    effects: Effects | None = None

    def topics(self, n_words: int) -> list[Topic]:
        """Return the topics of the finest rung."""
        rung = self.scorer.rungs[0]
        return [
            Topic(
                number,
                float(rung.shares[column]),
                self.first_words(rung.topics[:, column], n_words),
                [self.profile.ordinary(row) for row in self.profile.typical[column]],
            )
            for number, column in enumerate(by_share(rung), start=1)
        ]

    @cached_property
    def terms_of(self) -> dict[str, list[str]]:
        """Return the terms that came from each word."""
        terms: dict[str, list[str]] = {}
        for term, word in self.forms.items():
            terms.setdefault(word, []).append(term)
        return terms

    def first_words(self, topic: Array, n_words: int) -> list[str]:
        """Return the words of largest weight; terms that came from one word count once."""
        n_terms = n_words if not self.forms else n_words * TERMS_OF_A_WORD
        return in_words(first_words(topic, self.terms, n_terms), self.forms)[:n_words]

    @cached_property
    def _short_topics(self) -> list[Topic]:
        """Return the topics as explanations show them."""
        return self.topics(TOPIC_WORDS)

    @cached_property
    def _ascending(self) -> Array:
        """Return the scores to rank among, sorted."""
        return np.sort(self.scores)

    def ranks(self, scores: Array, judged: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Return the rank of each score among those of the training documents, or of the last ones of a stream.

        Documents that are not judged rank after all of them.
        """
        return rank_among(self._ascending, scores if judged is None else np.where(judged, scores, -np.inf))

    def main_topics(self, leftovers: Leftovers) -> list[int | None]:
        """Return for each document the number of the topic that explains most of it; None if none explains a tenth.

        The finest fit decides, so that a topic is named even where the other fits explain less of the document.
        """
        shares = leftovers.explained[:, by_share(self.scorer.rungs[0])]
        leans = shares.max(axis=1, initial=0.0) >= SMALLEST_LEAN
        return [
            number + 1 if lean else None for number, lean in zip(shares.argmax(axis=1).tolist(), leans, strict=True)
        ]

    def words(
        self, leftovers: Leftovers, row: int, n_words: int, own: Mapping[str, str] | None = None
    ) -> list[UnexpectedWord]:
        """Return the words of a document that say most, the largest share first.

        `own` are the words to show for terms that only the document has, if any term is no word itself.
        """
        outside, typical = self.scorer.alarms.rarity_outside + 1, float(self.profile.unknown[50])
        if not (self.forms or own):
            return leftovers.words(row, n_words, self.terms, self.weights, outside, typical)
        n_terms = leftovers.n_terms(row)
        return joined(
            leftovers.words(row, n_terms, self.terms, self.weights, outside, typical),
            {**self.forms, **(own or {})},
            n_words,
        )

    def explain(
        self,
        ids: Sequence[str],
        leftovers: Leftovers,
        Y: sp.csr_matrix,
        readings: Sequence[Reading],
        scores: DocumentScores,
        p_values: Array,
        n_words: int,
        n_nearest: int,
        n_missing: int,
        own: Callable[[int], Mapping[str, str]] = lambda row: {},
        embeddings: Array | None = None,
    ) -> list[Explanation]:
        """Explain documents, given by their counts, as unit rows, as the rungs read them, by their scores and p-values.

        `own` returns the words to show for terms that only the document of a row has. `embeddings` are those of the
        documents, if there are any.
        """
        counts, topics = leftovers.counts, self._short_topics
        unknown = counts.n_outside / np.maximum(counts.n_distinct, 1)
        ranks = self.ranks(scores.total, scores.judged)
        shares, outliers = leftovers.topic_shares, scores.outliers(self.threshold)
        near, main = self._nearest(Y, n_nearest), self.main_topics(leftovers)
        marks = self._nearest_marks(Y, embeddings)
        explanations = []
        for row, name in enumerate(ids):
            alarms = {alarm: float(values[row]) for alarm, values in scores.alarms.items() if values[row] > 0}
            main_topics = self._topic_shares(shares[row], leftovers.explained[row] >= SMALLEST_LEAN, topics)
            explanations.append(
                Explanation(
                    id=name,
                    score=float(scores.total[row]),
                    threshold=self.threshold,
                    outlier=bool(outliers[row]),
                    p_value=float(p_values[row]),
                    fdr=None,
                    rank=int(ranks[row]),
                    n_docs=len(self.scores),
                    parts=_parts(scores, row),
                    unexplained=Compared.with_quantiles(leftovers.unexplained[row], self.profile.unexplained),
                    unexpected=self.words(leftovers, row, n_words, own(row)),
                    topic=main[row],
                    topics=main_topics,
                    missing=self._missing(_terms_of(counts.matrix, row), readings, row, n_missing)
                    if main_topics
                    else [],
                    length=Compared.with_quantiles(counts.n_words[row], self.profile.lengths),
                    unknown=Compared.with_quantiles(unknown[row], self.profile.unknown),
                    alarms=alarms,
                    nearest=near[row],
                    marks=marks[row] if scores.judged[row] else [],
                    kind=self.kind,
                )
            )
        return explanations

    def _topic_shares(self, shares: Array, leans: NDArray[np.bool_], topics: Sequence[Topic]) -> list[TopicShare]:
        """Return the topics that a document leans on, the largest share first."""
        order = by_share(self.scorer.rungs[0])
        listed = [
            TopicShare(topic.number, float(shares[column]), topic.words)
            for topic, column in zip(topics, order, strict=True)
            if leans[column]
        ]
        return sorted(listed, key=lambda topic: -topic.share)

    def _missing(self, present: Array, readings: Sequence[Reading], row: int, n_missing: int) -> list[str]:
        """Return the words with the most weight in the document's mixture, the mean over the ladder, that it lacks."""
        if n_missing == 0:
            return []
        pairs = zip(self.scorer.rungs, readings, strict=True)
        expected = np.mean([rung.topics @ reading.theta[row, 1:] for rung, reading in pairs], axis=0)
        expected[present] = 0
        return self.first_words(expected, n_missing)

    def _nearest(self, Y: sp.csr_matrix, n_nearest: int) -> list[list[NearDocument]]:
        """Return for each row the most similar ordinary documents of the sample, itself not among them."""
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
        """Return the first of these documents; one that is in the sample more than once is listed once."""
        near: dict[KnownDocument, NearDocument] = {}
        for row in order.tolist():
            if len(near) == n_nearest or cosines[row] <= 0:
                break
            document = self.profile.ordinary(row)
            near.setdefault(document, NearDocument(document, float(cosines[row])))
        return list(near.values())

    def _nearest_marks(self, Y: sp.csr_matrix, embeddings: Array | None) -> list[list[NearMark]]:
        """Return for each row the marked documents that it is most like, and what each adds to its score."""
        if self.effects is None:
            return [[] for _ in range(Y.shape[0])]
        found = []
        for start in range(0, Y.shape[0], AT_ONCE):
            some = slice(start, start + AT_ONCE)
            known = known_of(Y[some], None if embeddings is None else embeddings[some])
            likeness = self.effects.likeness.between(known, self.effects.marks.known)
            found += [_most_like(self.effects, of_document) for of_document in likeness]
        return found


def _most_like(effects: Effects, likeness: Array) -> list[NearMark]:
    """Return the marked documents with the largest likeness to a document."""
    marks, pulls = effects.marks, effects.pulls
    order = np.argsort(-likeness, kind="stable")[:MARKS]
    return [
        NearMark(
            marks.ids[mark],
            STRANGE if marks.strange[mark] else FINE,
            float(likeness[mark]),
            float(pulls[mark] * likeness[mark]),
        )
        for mark in order.tolist()
        if likeness[mark] >= LEAST_LIKE
    ]


def _terms_of(matrix: sp.csr_matrix, row: int) -> Array:
    """Return the numbers of a document's terms."""
    terms: Array = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return terms


def _parts(scores: DocumentScores, row: int) -> dict[str, float]:
    """Return the parts that add up to a document's score; none if it is not judged."""
    total, plain = float(scores.total[row]), float(scores.plain[row])
    if not scores.judged[row]:
        return {}
    parts = {name: float(values[row]) for name, values in scores.parts.items()}
    return parts if total == plain else {**parts, "alarms": total - plain}
