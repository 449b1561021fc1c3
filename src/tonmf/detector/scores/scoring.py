"""From what topics, neighbours and alarms say about a document to its one score.

    text   = (z(b) + z(g) + 3 z(r)) / 5        b, g: `tonmf.nmf.mixture`, means over the ladder;  r: `ordinary`
    plain  = text, or text + z(d)              d: `embeddings`, if there are any
    score  = plain, or max(plain, level) + a   a: the largest alarm (`alarms`), if it is above 0
    empty  = highest score + 1                 a document without words, for which nothing speaks

where z is the distance from the training documents' median in units of their spread (`tonmf.detector.scores.scale`), and
`level` is the automatic threshold, so that a document with an alarm is always above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.alarms import Alarms
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.embeddings import Neighbours
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.ordinary import ordinary_documents, remoteness, sample_of
from tonmf.detector.scores.scale import Scale
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import Ops
from tonmf.nmf.threshold import automatic_threshold
from tonmf.text.counts import Counts

REMOTENESS_WEIGHT = 3.0
"""What the distance to ordinary documents counts beside z(b) and z(g)."""

WIDTHS = 2.25
"""How many upper widths beyond the median a score must lie: fewer than a residual, as a mean of z has less of a tail."""


@dataclass(frozen=True)
class DocumentScores:
    """Scores of some documents: the parts that add up to the score before alarms, that score, the alarms, and after.

    The parts are "topics" for (z(b) + z(g))/5, "neighbours" for 3 z(r)/5, and "embeddings" for z(d) if there are any.
    """

    parts: dict[str, Array]
    plain: Array
    alarms: dict[str, Array]
    total: Array


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
    highest: float

    def score(
        self, ops: Ops, counts: Counts, rows: MatrixSource, readings: Sequence[Reading], embeddings: Array | None
    ) -> DocumentScores:
        """Scores of documents, given as counts, as unit rows, as the rungs read them, and by their embeddings."""
        distances = None if embeddings is None or self.neighbours is None else self.neighbours.distances(embeddings)
        parts = self.parts(topic_score(self.rungs, readings), remoteness(ops, rows, self.sample), distances)
        return self.raise_alarms(parts, self.alarms.raised_by(counts))

    def parts(self, topics: Array, remote: Array, distances: Array | None) -> dict[str, Array]:
        """What makes up the score before alarms; `topics` is z(b) + z(g)."""
        weight = REMOTENESS_WEIGHT
        parts = {
            "topics": topics / (2 + weight),
            "neighbours": weight * self.remoteness_scale.z(remote) / (2 + weight),
        }
        return parts if distances is None else {**parts, "embeddings": self.distance_scale.z(distances)}

    def raise_alarms(self, parts: dict[str, Array], alarms: dict[str, Array]) -> DocumentScores:
        """Add up the parts, and lift the documents that raise an alarm."""
        plain = np.add.reduce(list(parts.values()))
        largest = np.maximum.reduce([value for name, value in alarms.items() if name != "empty"])
        total = np.where(largest > 0, np.maximum(plain, self.level) + largest, plain)
        return DocumentScores(parts, plain, alarms, np.where(alarms["empty"] > 0, self.highest + 1, total))


def topic_score(rungs: Sequence[Rung], readings: Sequence[Reading]) -> Array:
    """z(b) + z(g), the mean over the ladder."""
    scores: Array = np.mean([rung.score(reading) for rung, reading in zip(rungs, readings, strict=True)], axis=0)
    return scores


def learn_scorer(
    ops: Ops,
    corpus: Corpus,
    rungs: Sequence[Rung],
    topics: Array,
    embeddings: Array | None,
    rng: np.random.RandomState,
) -> tuple[Scorer, DocumentScores, NDArray[np.int64]]:
    """The scorer of the training documents, their scores, and which of them are its sample; `topics` is their z(b) + z(g)."""
    readable, totals = corpus.readable, corpus.totals
    ordinary = ordinary_documents(topics, readable)
    sampled = sample_of(ordinary, rng)
    sample = corpus.take(sampled).Y
    remote = corpus.remoteness(sample, ops)
    neighbours, distances = None, None
    if embeddings is not None:
        neighbours = Neighbours(embeddings[ordinary])
        distances = neighbours.distances(embeddings)
    rarity = corpus.rarity(corpus.idf - 1)
    scorer = Scorer(
        rungs,
        sample,
        Scale.of(remote[readable]),
        neighbours,
        Scale.of(distances) if distances is not None else Scale(0.0, 1.0),
        Alarms.learn(totals, corpus.idf, rarity),
        level=0.0,
        highest=0.0,
    )
    parts, raised = scorer.parts(topics, remote, distances), scorer.alarms.raised(totals, rarity)
    plain = scorer.raise_alarms(parts, raised).plain
    quiet = readable & (np.maximum.reduce(list(raised.values())) == 0)
    scorer = replace(scorer, level=automatic_threshold(plain[quiet] if quiet.any() else plain, widths=WIDTHS))
    highest = scorer.raise_alarms(parts, raised).total.max(where=totals.n_words > 0, initial=scorer.level)
    scorer = replace(scorer, highest=float(highest))
    return scorer, scorer.raise_alarms(parts, raised), sampled
