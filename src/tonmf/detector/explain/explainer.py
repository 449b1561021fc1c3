"""Explanations of documents, made from what a fitted detector knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import SAME, Explanation, NearDocument, NearMark, TopicShare
from tonmf.detector.explain.missing import ExpectedTerms
from tonmf.detector.explain.profile import Compared, CorpusProfile
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.explain.topics import KnownDocument, Topic, by_share
from tonmf.detector.explain.unexpected import Leftovers, UnexpectedWord, joined
from tonmf.detector.marks.effects import Effects
from tonmf.detector.marks.likeness import known_of
from tonmf.detector.marks.marks import FINE, STRANGE
from tonmf.detector.scores.ladder import first_words
from tonmf.detector.scores.prepared import Prepares
from tonmf.detector.scores.scoring import DocumentScores, Scorer
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import SAME_ROW, Ops
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
class Explainer(Prepares):
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
        return in_words(first_words(topic, self.terms, self._n_terms(n_words)), self.forms)[:n_words]

    def _n_terms(self, n_words: int) -> int:
        """Return the number of terms to look at for some words."""
        return n_words if not self.forms else n_words * TERMS_OF_A_WORD

    @cached_property
    def _short_topics(self) -> list[Topic]:
        """Return the topics as explanations show them."""
        return self.topics(TOPIC_WORDS)

    @cached_property
    def _expected(self) -> ExpectedTerms:
        """Return what tells the words that topics lead one to expect."""
        return ExpectedTerms.of(self.scorer.rungs)

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
        self, ops: Ops, leftovers: Leftovers, n_words: int, own: Callable[[int], Mapping[str, str]] = lambda row: {}
    ) -> list[list[UnexpectedWord]]:
        """Return the words of each document that say most, the largest share first.

        `own` returns the words to show for terms that only the document of a row has, if any term is no word itself.
        """
        all_rows = range(leftovers.C.shape[0])
        of_rows = {row: forms for row in all_rows if (forms := own(row)) or self.forms}
        words = self._terms_that_tell(ops, leftovers, all_rows, n_words)
        if of_rows:  # several terms may have come from one word, so that all of them count
            most = max(map(leftovers.n_terms, of_rows))
            all_terms = self._terms_that_tell(ops, leftovers, list(of_rows), most)
            for (row, forms), terms in zip(of_rows.items(), all_terms, strict=True):
                known = {one.word: self.forms.get(one.word, one.word) for one in terms}
                words[row] = joined(terms, {**known, **forms}, n_words)
        return words

    def _terms_that_tell(
        self, ops: Ops, leftovers: Leftovers, rows: Sequence[int], n_words: int
    ) -> list[list[UnexpectedWord]]:
        outside, typical = self.scorer.alarms.rarity_outside + 1, float(self.profile.unknown[50])
        return leftovers.words(ops, rows, n_words, self.terms, self.weights, outside, typical)

    def explain(
        self,
        ops: Ops,
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
        counts, judged, profile = leftovers.counts, scores.judged.tolist(), self.profile
        totals, outliers = scores.total.tolist(), scores.outliers(self.threshold).tolist()
        ranks, parts, alarms = (
            self.ranks(scores.total, scores.judged).tolist(),
            _parts(scores),
            alarms_of(scores.alarms, len(scores.total)),
        )
        unexplained = Compared.each_with_quantiles(leftovers.unexplained, profile.unexplained)
        lengths = Compared.each_with_quantiles(counts.n_words, profile.lengths)
        unknown = Compared.each_with_quantiles(counts.n_outside / np.maximum(counts.n_distinct, 1), profile.unknown)
        topics, main = self.topic_shares(leftovers), self.main_topics(leftovers)
        missing = self._missing(counts.matrix, readings, leftovers.explained, n_missing)
        near, marks = self._nearest(Y, n_nearest), self._nearest_marks(ids, Y, embeddings)
        meant = self._nearest_by_meaning(embeddings, len(ids), n_nearest)
        words = self.words(ops, leftovers, n_words, own)
        return [
            Explanation(
                id=name,
                score=totals[row],
                threshold=self.threshold,
                outlier=outliers[row],
                p_value=float(p_values[row]),
                fdr=None,
                rank=ranks[row],
                n_docs=len(self.scores),
                parts=parts[row],
                unexplained=unexplained[row],
                unexpected=words[row],
                topic=main[row],
                topics=topics[row],
                missing=missing[row],
                length=lengths[row],
                unknown=unknown[row],
                alarms=alarms[row],
                nearest=near[row],
                nearest_by_meaning=meant[row],
                marks=marks[row] if judged[row] else [],
                kind=self.kind,
            )
            for row, name in enumerate(ids)
        ]

    def topic_shares(self, leftovers: Leftovers) -> list[list[TopicShare]]:
        """Return for each document the topics that it leans on, the largest share first."""
        order, topics = by_share(self.scorer.rungs[0]), self._short_topics
        leans, shares = leftovers.explained[:, order] >= SMALLEST_LEAN, leftovers.topic_shares[:, order]
        rows, columns = np.nonzero(leans)
        shares = shares[rows, columns]
        largest_first = np.lexsort((columns, -shares, rows))
        rows, columns, shares = rows[largest_first], columns[largest_first], shares[largest_first]
        listed = [
            TopicShare(topics[column].number, share, topics[column].words)
            for column, share in zip(columns.tolist(), shares.tolist(), strict=True)
        ]
        ends = np.searchsorted(rows, np.arange(len(leans) + 1)).tolist()
        return [listed[start:end] for start, end in pairwise(ends)]

    def _missing(
        self, counts: sp.csr_matrix, readings: Sequence[Reading], explained: Array, n_missing: int
    ) -> list[list[str]]:
        """Return for each document the words with the most weight in its mixture, the mean over the ladder, that it lacks.

        There are none for a document that leans on no topic, by the shares of documents that topics explain.
        """
        missing: list[list[str]] = [[] for _ in explained]
        if n_missing > 0:
            rows = np.flatnonzero((explained >= SMALLEST_LEAN).any(axis=1))
            found = self._expected.missing(counts, readings, rows, self._n_terms(n_missing))
            for row, terms in zip(rows.tolist(), found, strict=True):
                missing[row] = in_words([self.terms[term] for term in terms.tolist()], self.forms)[:n_missing]
        return missing

    def _nearest(self, Y: sp.csr_matrix, n_nearest: int) -> list[list[NearDocument]]:
        """Return for each row the most similar ordinary documents of the sample, itself not among them."""
        if n_nearest == 0:
            return [[] for _ in range(Y.shape[0])]
        found = []
        for start in range(0, Y.shape[0], AT_ONCE):
            cosines = (Y[start : start + AT_ONCE] @ self._sample_by_term).toarray()
            if cosines.shape[1]:
                places = np.arange(len(cosines)), cosines.argmax(axis=1)
                cosines[places] = np.where(cosines[places] > SAME_ROW, 0, cosines[places])
            found += self._different(cosines, n_nearest)
        return found

    def _nearest_by_meaning(self, embeddings: Array | None, n_docs: int, n_nearest: int) -> list[list[NearDocument]]:
        """Return for each document the ordinary documents that are nearest in meaning; none without embeddings."""
        meaning = self.scorer.meaning
        if n_nearest == 0 or meaning is None or embeddings is None:
            return [[] for _ in range(n_docs)]
        found = []
        for start in range(0, n_docs, AT_ONCE):
            found += self._different(meaning.cosines(embeddings[start : start + AT_ONCE]), n_nearest)
        return found

    @cached_property
    def _sample_by_term(self) -> sp.csr_matrix:
        """Return the sample of ordinary documents, n_terms × n_sample."""
        return self.scorer.sample.T.tocsr()

    def _different(self, cosines: Array, n_nearest: int) -> list[list[NearDocument]]:
        """Return the nearest documents of each row; one that is in the sample more than once is listed once.

        Only as many are put in order as are needed, since most documents of the sample differ.
        """
        n_docs, n_sample = cosines.shape
        n_first, found = min(n_nearest, n_sample), [list[NearDocument]()] * n_docs
        left = np.arange(n_docs)
        while len(left) and n_first:
            some = cosines[left]
            least = np.partition(some, n_sample - n_first, axis=1)[:, n_sample - n_first]
            for place, row, of_row in zip(left.tolist(), some, least.tolist(), strict=True):
                order = np.flatnonzero((row >= of_row) & (row > 0))
                order = order[np.argsort(-row[order], kind="stable")]
                found[place] = self._listed(order, row, n_nearest)
            incomplete = np.array([len(found[place]) < n_nearest for place in left.tolist()]) & (least > 0)
            if n_first == n_sample:
                break
            left, n_first = left[incomplete], min(2 * n_first, n_sample)
        return found

    def _listed(self, order: NDArray[np.int64], cosines: Array, n_nearest: int) -> list[NearDocument]:
        near: dict[KnownDocument, NearDocument] = {}
        for row in order.tolist():
            if len(near) == n_nearest:
                break
            document = self.profile.ordinary(row)
            near.setdefault(document, NearDocument(document, float(cosines[row])))
        return list(near.values())

    def _nearest_marks(self, ids: Sequence[str], Y: sp.csr_matrix, embeddings: Array | None) -> list[list[NearMark]]:
        """Return for each row the marked documents that it is most like, and what each adds to its score.

        Of those that are equally like it, as its copies are, the one that is called the same comes first.
        """
        if self.effects is None:
            return [[] for _ in range(Y.shape[0])]
        found, places = [], {name: place for place, name in enumerate(self.effects.marks.ids)}
        for start in range(0, Y.shape[0], AT_ONCE):
            some = slice(start, start + AT_ONCE)
            known = known_of(Y[some], None if embeddings is None else embeddings[some])
            likeness = self.effects.likeness.between(known, self.effects.marks.known)
            found += [
                _most_like(self.effects, of_document, places.get(name))
                for of_document, name in zip(likeness, ids[some], strict=True)
            ]
        return found


def _most_like(effects: Effects, likeness: Array, same_id: int | None) -> list[NearMark]:
    """Return the marked documents with the largest likeness to a document; `same_id` is the place of the one of its id."""
    marks, pulls = effects.marks, effects.pulls
    ranked = -likeness
    if same_id is not None and likeness[same_id] >= SAME:
        ranked[same_id] = -np.inf
    order = np.argsort(ranked, kind="stable")[:MARKS]
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


def _parts(scores: DocumentScores) -> list[dict[str, float]]:
    """Return for each document the parts that add up to its score; none if it is not judged."""
    names, values = [*scores.parts, "alarms"], [*scores.parts.values(), scores.total - scores.plain]
    of_alarms = scores.total != scores.plain
    return [
        dict(zip(names if alarmed else names[:-1], of_document, strict=False)) if judged else {}
        for of_document, alarmed, judged in zip(
            np.column_stack(values).tolist(), of_alarms.tolist(), scores.judged.tolist(), strict=True
        )
    ]


def alarms_of(values: Mapping[str, Array], n_docs: int) -> list[dict[str, float]]:
    """Return for each document the alarms that it raises, given the values of all alarms."""
    raised: list[dict[str, float]] = [{} for _ in range(n_docs)]
    for name, of_documents in values.items():
        for row in np.flatnonzero(of_documents > 0).tolist():
            raised[row][name] = float(of_documents[row])
    return raised
