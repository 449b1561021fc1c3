"""The one road to a score: measure documents against topics, ordinary documents and alarms, then combine.

    text   = e (z(b) + z(g) + 2 u + 5 z(r)) / 7
                                               b, g: `tonmf.nmf.mixture`, means over the ladder;  r: `ordinary`
    alone  = text, or text + λ m               m: `meaning`, if there are embeddings
    plain  = alone + e c                       c: `company`, the strange training documents that are like it
    score  = plain, or max(plain, level) + a   a: the largest alarm (`alarms`), if it is above 0
    empty  = 0, the middle, and never flagged  a document without words: it is not judged

where e = n/(n + 3) for a document of n different words: a few words say little, and little evidence leaves a document near the
middle; u says how far the share of unknown words is beyond one width of that alarm, and is 0 below it; z is the distance from
the training documents' median in units of their spread (`tonmf.detector.scores.scale`), and `level` is the automatic threshold,
so that a document with an alarm always lies above it.

`learn_scorer` scores the training documents, and `Scorer.score` all others, by the same two steps: `measure`, then
`Scorer.combine`. The training documents are scored twice: first against those that the topics explain best, then against all
below the threshold, each trusted by its first score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.alarms import Alarms, without_alarm
from tonmf.detector.scores.company import Company, learn_company
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.meaning import Meaning, as_rows
from tonmf.detector.scores.ordinary import ordinary_documents, sample_of, trust_in
from tonmf.detector.scores.prepared import Prepares
from tonmf.detector.scores.scale import UNSCALED, Scale, doubt
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay, TwoWayMatrix
from tonmf.nmf.threshold import UPPER_QUANTILE, weighted_quantile
from tonmf.text.totals import WordTotals

REMOTENESS_WEIGHT, REMOTENESS_WEIGHT_AT_FIRST = 5.0, 3.0
"""Weight of z(r), the distance from ordinary documents, beside z(b) and z(g); and before it is known how far to trust each."""

UNKNOWN_WEIGHT = 2.0
"""Weight of u, the unknown words, beside z(b) and z(g)."""

EVIDENCE = 3.0
"""Different words at which the words of a document count half."""

MOST_AT_FIRST = 16_000
"""Documents that are scored at first, at most, to find out which documents are ordinary."""

WIDTHS = 2.2
"""Upper widths beyond the median at which the threshold lies: fewer than for residuals, as a mean of z has less of a tail."""


@dataclass(frozen=True)
class Measures:
    """The numbers of documents that scores are made of.

    ========== ======= ======================================================
    field      shape   what
    ========== ======= ======================================================
    topics     n_docs  z(b) + z(g), the mean over the ladder
    remoteness n_docs  r, the distance from ordinary documents
    meaning    n_docs  the same by meaning, if there are embeddings
    rarity     n_docs  the sum of the rarity of a document's terms
    company    n_docs  the weighted cosines with strange training documents
    ========== ======= ======================================================
    """

    topics: Array
    remoteness: Array
    meaning: Array | None
    rarity: Array
    company: Array

    @classmethod
    def joined(cls, several: Sequence[Measures]) -> Measures:
        """Join those of several lists of documents, in order."""
        topics, remoteness, rarity, company = (
            np.concatenate([getattr(one, name) for one in several])
            for name in ("topics", "remoteness", "rarity", "company")
        )
        meaning = [one.meaning for one in several if one.meaning is not None]
        return cls(topics, remoteness, np.concatenate(meaning) if meaning else None, rarity, company)


@dataclass(frozen=True)
class DocumentScores:
    """Scores of documents: what was measured, the parts that add up to the score before alarms, that score, the alarms, and the
    final score.

    The parts are "topics" for e (z(b) + z(g) + 2 u)/7, "neighbours" for 5 e z(r)/7, "meaning" for λ m if there are embeddings,
    and "company" for e c if any document vouches for others.
    """

    measures: Measures
    parts: dict[str, Array]
    plain: Array
    alarms: dict[str, Array]
    total: Array

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Return False for the documents without words: they have a score of 0, and are never outliers."""
        return np.asarray(self.alarms["empty"] == 0)

    def outliers(self, threshold: float) -> NDArray[np.bool_]:
        """Return True for the judged documents above a threshold."""
        return np.asarray(self.judged & (self.total > threshold))

    @classmethod
    def joined(cls, several: Sequence[DocumentScores]) -> DocumentScores:
        """Join the scores of several lists of documents, in order."""
        plain, total = (np.concatenate([getattr(one, name) for one in several]) for name in ("plain", "total"))
        parts, alarms = (
            {
                name: np.concatenate([getattr(one, field)[name] for one in several])
                for name in getattr(several[0], field)
            }
            for field in ("parts", "alarms")
        )
        return cls(Measures.joined([one.measures for one in several]), parts, plain, alarms, total)


@dataclass(frozen=True)
class Scorer(Prepares):
    """All that is needed to score documents: the ladder, a sample of ordinary documents, alarms, and the scales of each.

    `trust` says how far each document of the sample is trusted to be ordinary. It is None at first, and in detectors saved by
    earlier versions: all are trusted alike.
    """

    rungs: Sequence[Rung]
    sample: sp.csr_matrix
    remoteness_scale: Scale
    alarms: Alarms
    level: float
    evidence: float = EVIDENCE
    company: Company | None = None
    trust: Array | None = None
    meaning: Meaning | None = None

    @property
    def embedding_width(self) -> int | None:
        """Return the width of the embeddings that documents must come with, None if they need none."""
        return None if self.meaning is None else self.meaning.rows.shape[1]

    @cached_property
    def _ordinary(self) -> TwoWay:
        """Return the sample, prepared once for all documents to come."""
        return TwoWayMatrix(self.sample)

    def score(
        self, ops: Ops, corpus: Corpus, embeddings: Array | None = None, topics: Array | None = None
    ) -> DocumentScores:
        """Score the documents of a corpus; `topics` is their z(b) + z(g), if the rungs have read them already."""
        if topics is None:
            topics = mean_score(rung.score(corpus.glance(rung.mixture, ops)) for rung in self.rungs)
        measures = self.measure(ops, corpus, topics, corpus.rarity(), embeddings)
        return self.combine(measures, corpus.totals)

    def measure(self, ops: Ops, corpus: Corpus, topics: Array, rarity: Array, embeddings: Array | None) -> Measures:
        """Measure documents against the ordinary ones, and the strange ones that vouch for others."""
        meaning = (
            None if self.meaning is None or embeddings is None else self.meaning.remoteness(embeddings, self.trust)
        )
        remoteness = corpus.remoteness(self._ordinary, self.trust, ops)
        return Measures(topics, remoteness, meaning, rarity, self.vouched_for(ops, corpus, embeddings))

    def vouched_for(self, ops: Ops, corpus: Corpus, embeddings: Array | None) -> Array:
        """Return the sum of the largest weighted cosines of documents with strange ones."""
        if self.company is None:
            return np.zeros(corpus.n_docs)
        meaning_of = self.meaning_of(embeddings)
        if meaning_of is None:
            return corpus.vouched_for(self.company, ops)
        return corpus.vouched_for_by_both(self.company, meaning_of)

    def meaning_of(self, embeddings: Array | None) -> Callable[[Any], Array] | None:
        """Return the function from numbers of documents to their meaning, as company compares it; None if words alone count."""
        meaning = self.meaning
        if meaning is None or embeddings is None:
            return None
        return lambda numbers: meaning.around_centre(as_rows(embeddings, numbers))

    def combine(self, measures: Measures, totals: WordTotals) -> DocumentScores:
        """Add up what was measured, and lift the documents that raise an alarm."""
        parts, alarms = self._parts(measures, totals), self.alarms.raised(totals, measures.rarity)
        plain = np.add.reduce(list(parts.values()))
        largest = np.maximum.reduce([value for name, value in alarms.items() if name != "empty"])
        total = np.where(largest > 0, np.maximum(plain, self.level) + largest, plain)
        return DocumentScores(measures, parts, plain, alarms, np.where(alarms["empty"] > 0, 0.0, total))

    def _parts(self, measures: Measures, totals: WordTotals) -> dict[str, Array]:
        weight = REMOTENESS_WEIGHT_AT_FIRST if self.trust is None else REMOTENESS_WEIGHT
        n_distinct = np.maximum(totals.n_distinct, 1)
        pull = n_distinct / (n_distinct + self.evidence)
        unexplained = measures.topics + UNKNOWN_WEIGHT * self.alarms.unknown_widths(totals)
        parts: dict[str, Array] = {
            "topics": pull * unexplained / (2 + weight),
            "neighbours": pull * weight * self.remoteness_scale.z(measures.remoteness) / (2 + weight),
        }
        if self.meaning is not None and measures.meaning is not None:
            parts["meaning"] = self.meaning.part(measures.meaning)
        if self.company is not None:
            parts["company"] = pull * self.company.part(measures.company)
        return parts


def level_of(plain: Array, weights: Array | None = None, doubt: float = 1.0) -> float:
    """Return the automatic threshold of scores before alarms.

    Outliers are few. If more than `MOST_FLAGGED` of the documents would be beyond it, and more than `NO_LUMP` of them, scores
    come in lumps, as those of log lines do, and P84 says little about the upper ones. The width is then more and more that of
    P95, in the same units, and that alone from twice the share on.
    """
    median, p84, p95 = (weighted_quantile(plain, q, weights) for q in (0.5, UPPER_QUANTILE, 1 - MOST_FLAGGED))
    level, level_of_lumps = (median + WIDTHS * doubt * width for width in (p84 - median, (p95 - median) / UPPER_WIDTHS))
    counts = np.ones(len(plain)) if weights is None else weights
    n_beyond = float(counts[plain > level].sum())
    if n_beyond <= NO_LUMP:
        return level
    lumps = float(np.clip(n_beyond / counts.sum() / MOST_FLAGGED - 1, 0, 1))
    return level + lumps * max(level_of_lumps - level, 0.0)


MOST_FLAGGED, UPPER_WIDTHS = 0.05, 1.6448536269514722
"""Share of documents from which on those beyond the threshold are too many to be outliers; and P95 of a normal distribution, in
standard deviations."""

NO_LUMP = 3
"""Documents beyond the threshold that may be outliers, each by itself, however few documents there are."""


def mean_score(scores: Iterable[Array]) -> Array:
    """Return the mean over the ladder of what the rungs score, one rung at a time."""
    total, n_rungs = np.zeros(1), 0
    for score in scores:
        total, n_rungs = total + score, n_rungs + 1
    return total / n_rungs


def learn_scorer(
    ops: Ops,
    corpus: Corpus,
    rungs: Sequence[Rung],
    topics: Array,
    embeddings: Array | None,
    rng: np.random.RandomState,
    weights: Array | None = None,
) -> tuple[Scorer, DocumentScores, NDArray[np.int64]]:
    """Learn the scorer of the training documents, and score them; `topics` is their z(b) + z(g).

    In the threshold each document counts by its weight, copies of one together like one. Returns the scorer, the scores, and
    the numbers of the documents in the scorer's sample.
    """
    rarity = corpus.rarity()
    training = _Training(ops, corpus, topics, rarity, Alarms.learn(corpus.totals, rarity), embeddings, weights)
    sampled, trust, n_trusted = _trusted(training, rungs, rng)
    scorer, scores = training.learn(rungs, sampled, n_trusted, trust)
    return scorer, scores, sampled


def _trusted(
    training: _Training, rungs: Sequence[Rung], rng: np.random.RandomState
) -> tuple[NDArray[np.int64], Array, int]:
    """Draw a sample of documents that are ordinary by their first scores; also return the trust in each, and how many are.

    Of more than `MOST_AT_FIRST` documents, only so many are scored for this.
    """
    first, numbers = training, np.arange(training.corpus.n_docs)
    if len(numbers) > MOST_AT_FIRST:
        numbers = np.sort(rng.permutation(np.argsort(training.keys))[:MOST_AT_FIRST])
        first = training.among(numbers)
    corpus, topics = first.corpus, first.topics
    ordinary = ordinary_documents(topics, corpus.readable)
    scorer, scores = first.learn(rungs, sample_of(ordinary, first.keys, rng), len(ordinary), None)
    trusted = np.flatnonzero(corpus.readable & (scores.plain <= max(scorer.level, float(scores.plain.min()))))
    sampled = sample_of(trusted, first.keys, rng)
    n_trusted = round(len(trusted) * training.corpus.n_docs / len(numbers))
    return numbers[sampled], trust_in(scores.plain[sampled], scorer.level), n_trusted


@dataclass(frozen=True)
class _Training:
    """Training documents to learn a scorer from.

    These are their z(b) + z(g), the sum of the rarity of their terms, the alarms, embeddings if there are any, and how much
    each document counts.
    """

    ops: Ops
    corpus: Corpus
    topics: Array
    rarity: Array
    alarms: Alarms
    embeddings: Array | None
    weights: Array | None

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Return the places of documents in a list that does not depend on their order, and hardly on rounding."""
        return np.argsort(np.lexsort((self.topics, self.rarity.round(9))))

    def among(self, rows: NDArray[np.int64]) -> _Training:
        """Return only the documents with these rising numbers, in memory."""
        return _Training(
            self.ops,
            self.corpus.among(rows, self.ops),
            self.topics[rows],
            self.rarity[rows],
            self.alarms,
            None if self.embeddings is None else self.embeddings[rows],
            None if self.weights is None else self.weights[rows],
        )

    def learn(
        self, rungs: Sequence[Rung], sampled: NDArray[np.int64], n_ordinary: int, trust: Array | None
    ) -> tuple[Scorer, DocumentScores]:
        """Learn a scorer that compares with the sampled documents, which stand for `n_ordinary`; also return the scores."""
        corpus = self.corpus
        unscaled = Scorer(rungs, corpus.take(sampled).Y, UNSCALED, self.alarms, level=0.0, trust=trust)
        measures = unscaled.measure(self.ops, corpus, self.topics, self.rarity, None)
        scorer = replace(unscaled, remoteness_scale=Scale.of(measures.remoteness[corpus.readable]))
        by_words = self._with_company(scorer, measures, sampled, n_ordinary)
        if self.embeddings is None:
            return by_words
        meaning = Meaning.of(self.embeddings, sampled)
        far = meaning.remoteness(self.embeddings, trust)
        scorer = replace(scorer, meaning=meaning.weighed(far, by_words[1].plain))
        return self._with_company(scorer, replace(measures, meaning=far), sampled, n_ordinary)

    def _with_company(
        self, scorer: Scorer, measures: Measures, sampled: NDArray[np.int64], n_ordinary: int
    ) -> tuple[Scorer, DocumentScores]:
        """Add the strange documents that vouch for others, and the automatic threshold."""
        corpus, totals = self.corpus, self.corpus.totals
        alone = scorer.combine(measures, totals)
        company = learn_company(
            self.ops,
            alone.plain,
            _level(alone, self.weights),
            corpus.readable,
            sampled,
            n_ordinary,
            lambda rows: corpus.take(rows).Y,
            self.weights,
            scorer.meaning_of(self.embeddings),
        )
        if company is not None:
            vouched = replace(scorer, company=company).vouched_for(self.ops, corpus, self.embeddings)
            measures = replace(measures, company=vouched)
            scorer = replace(scorer, company=company.beyond(vouched[corpus.readable]))
        scorer = replace(scorer, level=_level(scorer.combine(measures, totals), self.weights))
        return scorer, scorer.combine(measures, totals)


def _level(scores: DocumentScores, weights: Array | None) -> float:
    """Return the automatic threshold of documents, by those without an alarm if there are any."""
    quiet = without_alarm(scores.alarms)
    if not quiet.any():
        quiet = np.ones(len(quiet), bool)
    return level_of(scores.plain[quiet], None if weights is None else weights[quiet], doubt(int(quiet.sum())))
