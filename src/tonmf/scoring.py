"""From what topics, neighbours and alarms say about a document to its one score.

    text   = (z(b) + z(g) + 3 z(r)) / 5        b, g: `tonmf.mixture`, means over the ladder;  r: `tonmf.ordinary`
    plain  = text, or text + z(d)              d: `tonmf.neighbours`, if there are embeddings
    score  = plain, or max(plain, level) + a   a: the largest alarm (`tonmf.alarms`), if it is above 0
    empty  = highest score + 1                 a document without words, for which nothing speaks

where z is the distance from the training documents' median in units of their spread (`tonmf.calibrate`), and `level` is the
automatic threshold, so that a document with an alarm is always above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from tonmf.alarms import Alarms
from tonmf.calibrate import Scale
from tonmf.ladder import Rung
from tonmf.mixture import Reading
from tonmf.neighbours import Neighbours
from tonmf.ops import Array, Ops
from tonmf.ordinary import ordinary_documents, remoteness, sample_of
from tonmf.sources.memory import MatrixSource
from tonmf.text import Counts, document_frequencies
from tonmf.threshold import automatic_threshold

REMOTENESS_WEIGHT = 3.0
"""What the distance to ordinary documents counts beside z(b) and z(g)."""

WIDTHS = 2.5
"""How many upper widths beyond the median a score must lie: fewer than a residual, as a mean of z has less of a tail."""


@dataclass(frozen=True)
class DocumentScores:
    """Scores of some documents: before alarms, the alarms, and after."""

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
        topics = topic_score(self.rungs, readings)
        text = text_score(topics, self.remoteness_scale.z(remoteness(ops, rows, self.sample)))
        plain = text
        if self.neighbours is not None and embeddings is not None:
            plain = text + self.distance_scale.z(self.neighbours.distances(embeddings))
        return self.raise_alarms(plain, self.alarms.raised(counts))

    def raise_alarms(self, plain: Array, alarms: dict[str, Array]) -> DocumentScores:
        """Lift the documents that raise an alarm."""
        largest = np.maximum.reduce([value for name, value in alarms.items() if name != "empty"])
        total = np.where(largest > 0, np.maximum(plain, self.level) + largest, plain)
        return DocumentScores(plain, alarms, np.where(alarms["empty"] > 0, self.highest + 1, total))


def topic_score(rungs: Sequence[Rung], readings: Sequence[Reading]) -> Array:
    """z(b) + z(g), the mean over the ladder."""
    scores: Array = np.mean([rung.score(reading) for rung, reading in zip(rungs, readings, strict=True)], axis=0)
    return scores


def text_score(topics: Array, remote: Array) -> Array:
    """(z(b) + z(g) + w z(r)) / (2 + w)."""
    return (topics + REMOTENESS_WEIGHT * remote) / (2 + REMOTENESS_WEIGHT)


def learn_scorer(
    ops: Ops,
    counts: Counts,
    Y: sp.csr_matrix,
    rows: MatrixSource,
    fitted: Sequence[tuple[Rung, Reading]],
    embeddings: Array | None,
    rng: np.random.RandomState,
) -> tuple[Scorer, DocumentScores]:
    """The scorer of the training documents, and their scores."""
    rungs, readings = [rung for rung, _ in fitted], [reading for _, reading in fitted]
    readable = np.diff(Y.indptr) > 0
    topics = topic_score(rungs, readings)
    ordinary = ordinary_documents(topics, readable)
    sample = Y[sample_of(ordinary, rng)]
    remote = remoteness(ops, rows, sample)
    remoteness_scale = Scale.of(remote[readable])
    plain = text_score(topics, remoteness_scale.z(remote))
    neighbours, distance_scale = None, Scale(0.0, 1.0)
    if embeddings is not None:
        neighbours = Neighbours(embeddings[ordinary])
        distances = neighbours.distances(embeddings)
        distance_scale = Scale.of(distances)
        plain = plain + distance_scale.z(distances)
    alarms = Alarms.learn(counts, document_frequencies(counts.matrix))
    raised = alarms.raised(counts)
    quiet = readable & (np.maximum.reduce(list(raised.values())) == 0)
    level = automatic_threshold(plain[quiet] if quiet.any() else plain, widths=WIDTHS)
    scorer = Scorer(rungs, sample, remoteness_scale, neighbours, distance_scale, alarms, level, highest=0.0)
    highest = float(scorer.raise_alarms(plain, raised).total.max(where=counts.n_words > 0, initial=level))
    scorer = replace(scorer, highest=highest)
    return scorer, scorer.raise_alarms(plain, raised)
