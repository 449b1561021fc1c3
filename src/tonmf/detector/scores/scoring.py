"""The one road to a score: measure documents against topics, ordinary documents and alarms, then combine.

    text   = e (z(b) + z(g) + 2 u + 3 z(r)) / 5
                                               b, g: `tonmf.nmf.mixture`, means over the ladder;  r: `ordinary`
    alone  = text, or text + z(d)              d: `embeddings`, if there are any
    plain  = alone + e c                       c: `company`, the strange training documents that are like it
    score  = plain, or max(plain, level) + a   a: the largest alarm (`alarms`), if it is above 0
    empty  = 0, the middle, and never flagged  a document without words: it is not judged

where e = n/(n + 3) for a document of n different words: a few words say little, and little evidence leaves a document near the
middle; u says how far the share of unknown words is beyond one width of that alarm, and is 0 below it; z is the distance from
the training documents' median in units of their spread (`tonmf.detector.scores.scale`), and `level` is the automatic threshold,
so that a document with an alarm always lies above it. `learn_scorer` scores the training documents, and `Scorer.score` all
others, by the same two steps: `measure`, then `Scorer.combine`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.alarms import Alarms, without_alarm
from tonmf.detector.scores.company import Company, learn_company
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.embeddings import Neighbours
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.ordinary import ordinary_documents, sample_of
from tonmf.detector.scores.scale import Scale, doubt
from tonmf.nmf.ops import Ops
from tonmf.nmf.threshold import UPPER_QUANTILE, weighted_quantile
from tonmf.text.totals import WordTotals

REMOTENESS_WEIGHT = 3.0
"""Weight of z(r), the distance from ordinary documents, beside z(b) and z(g)."""

UNKNOWN_WEIGHT = 2.0
"""Weight of u, the unknown words, beside z(b) and z(g)."""

EVIDENCE = 3.0
"""Different words at which the words of a document count half."""

WIDTHS = 2.35
"""Upper widths beyond the median at which the threshold lies: fewer than for residuals, as a mean of z has less of a tail."""


@dataclass(frozen=True)
class Measures:
    """The numbers of documents that scores are made of.

    ========== ======= ======================================================
    field      shape   what
    ========== ======= ======================================================
    topics     n_docs  z(b) + z(g), the mean over the ladder
    remoteness n_docs  r, the distance from ordinary documents
    distances  n_docs  d, the same in the user's embeddings, if there are any
    rarity     n_docs  the sum of the rarity of a document's terms
    company    n_docs  the weighted cosines with strange training documents
    ========== ======= ======================================================
    """

    topics: Array
    remoteness: Array
    distances: Array | None
    rarity: Array
    company: Array

    @classmethod
    def joined(cls, several: Sequence[Measures]) -> Measures:
        """Join those of several lists of documents, in order."""
        topics, remoteness, rarity, company = (
            np.concatenate([getattr(one, name) for one in several])
            for name in ("topics", "remoteness", "rarity", "company")
        )
        distances = [one.distances for one in several if one.distances is not None]
        return cls(topics, remoteness, np.concatenate(distances) if distances else None, rarity, company)


@dataclass(frozen=True)
class DocumentScores:
    """Scores of documents: what was measured, the parts that add up to the score before alarms, that score, the alarms, and the
    final score.

    The parts are "topics" for e (z(b) + z(g) + 2 u)/5, "neighbours" for 3 e z(r)/5, "embeddings" for z(d) if there are any, and
    "company" for e c if any document vouches for others.
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
class Scorer:
    """All that is needed to score documents: the ladder, a sample of ordinary documents, alarms, and the scales of each."""

    rungs: Sequence[Rung]
    sample: sp.csr_matrix
    remoteness_scale: Scale
    neighbours: Neighbours | None
    distance_scale: Scale
    alarms: Alarms
    level: float
    evidence: float = EVIDENCE
    company: Company | None = None

    def score(
        self, ops: Ops, corpus: Corpus, embeddings: Array | None = None, topics: Array | None = None
    ) -> DocumentScores:
        """Score the documents of a corpus; `topics` is their z(b) + z(g), if the rungs have read them already."""
        if topics is None:
            topics = mean_score(rung.score(corpus.glance(rung.mixture, ops)) for rung in self.rungs)
        measures = measure(ops, corpus, topics, self.sample, self.neighbours, embeddings, self.company)
        return self.combine(measures, corpus.totals)

    def combine(self, measures: Measures, totals: WordTotals) -> DocumentScores:
        """Add up what was measured, and lift the documents that raise an alarm."""
        parts, alarms = self._parts(measures, totals), self.alarms.raised(totals, measures.rarity)
        plain = np.add.reduce(list(parts.values()))
        largest = np.maximum.reduce([value for name, value in alarms.items() if name != "empty"])
        total = np.where(largest > 0, np.maximum(plain, self.level) + largest, plain)
        return DocumentScores(measures, parts, plain, alarms, np.where(alarms["empty"] > 0, 0.0, total))

    def _parts(self, measures: Measures, totals: WordTotals) -> dict[str, Array]:
        weight, n_distinct = REMOTENESS_WEIGHT, np.maximum(totals.n_distinct, 1)
        pull = n_distinct / (n_distinct + self.evidence)
        unexplained = measures.topics + UNKNOWN_WEIGHT * self.alarms.unknown_widths(totals)
        parts: dict[str, Array] = {
            "topics": pull * unexplained / (2 + weight),
            "neighbours": pull * weight * self.remoteness_scale.z(measures.remoteness) / (2 + weight),
        }
        if measures.distances is not None:
            parts["embeddings"] = self.distance_scale.z(measures.distances)
        if self.company is not None:
            parts["company"] = pull * self.company.part(measures.company)
        return parts


def measure(
    ops: Ops,
    corpus: Corpus,
    topics: Array,
    sample: sp.csr_matrix,
    neighbours: Neighbours | None,
    embeddings: Array | None,
    company: Company | None = None,
) -> Measures:
    """Measure documents against the ordinary ones in `sample` and `neighbours`, and the strange ones in `company`."""
    distances = None if embeddings is None or neighbours is None else neighbours.distances(embeddings)
    vouched = np.zeros(corpus.n_docs) if company is None else corpus.vouched_for(company, ops)
    return Measures(topics, corpus.remoteness(sample, ops), distances, corpus.rarity(), vouched)


def level_of(plain: Array, weights: Array | None = None, doubt: float = 1.0) -> float:
    """Return the automatic threshold of scores before alarms.

    Outliers are few. If more than `MOST_FLAGGED` of the documents would be beyond it, and more than `NO_LUMP` of them, scores
    come in lumps, as those of log lines do, and P84 says nothing about the upper ones: the width is then that of P95, in the
    same units.
    """
    median, *upper = (weighted_quantile(plain, q, weights) for q in (0.5, UPPER_QUANTILE, 1 - MOST_FLAGGED))
    level = median + WIDTHS * doubt * (upper[0] - median)
    n_beyond = float((plain > level).sum() if weights is None else weights[plain > level].sum())
    if upper[1] <= level or n_beyond <= NO_LUMP:
        return level
    return median + WIDTHS * doubt * (upper[1] - median) / UPPER_WIDTHS


MOST_FLAGGED, UPPER_WIDTHS = 0.05, 1.6448536269514722
"""Most of the documents that the automatic threshold flags if it can; and P95 of a normal distribution, in standard
deviations."""

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
    readable, totals = corpus.readable, corpus.totals
    ordinary = ordinary_documents(topics, readable)
    sampled = sample_of(ordinary, rng)
    sample = corpus.take(sampled).Y
    neighbours = None if embeddings is None else Neighbours(embeddings[ordinary])
    measures = measure(ops, corpus, topics, sample, neighbours, embeddings)
    scorer = Scorer(
        rungs,
        sample,
        Scale.of(measures.remoteness[readable]),
        neighbours,
        Scale(0.0, 1.0) if measures.distances is None else Scale.of(measures.distances),
        Alarms.learn(totals, measures.rarity),
        level=0.0,
    )
    alone = scorer.combine(measures, totals)
    company = learn_company(
        alone.plain, _level(alone, weights), readable, sampled, len(ordinary), lambda rows: corpus.take(rows).Y, weights
    )
    if company is not None:
        measures = replace(measures, company=corpus.vouched_for(company, ops))
        usual = float(np.median(measures.company[readable]))
        scorer = replace(scorer, company=replace(company, usual=usual))
    scorer = replace(scorer, level=_level(scorer.combine(measures, totals), weights))
    return scorer, scorer.combine(measures, totals), sampled


def _level(scores: DocumentScores, weights: Array | None) -> float:
    """Return the automatic threshold of documents, by those without an alarm if there are any."""
    quiet = without_alarm(scores.alarms)
    if not quiet.any():
        quiet = np.ones(len(quiet), bool)
    return level_of(scores.plain[quiet], None if weights is None else weights[quiet], doubt(int(quiet.sum())))
