"""Documents that a detector has scored and is to learn from, and what their numbers do to its quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.unexpected import Leftovers
from tonmf.detector.scores.scale import Scale
from tonmf.detector.scores.scoring import REMOTENESS_WEIGHT, DocumentScores, Scorer
from tonmf.detector.state import OF_ALARMS, RECENT, DetectorStream
from tonmf.nmf.mixture import Reading
from tonmf.stream.half_life import Ageing
from tonmf.text.counts import Counts, Outside

FEWEST = 1e-9
"""What the documents do not fade below, all together."""


@dataclass(frozen=True)
class NewDocuments:
    """Documents that have been scored: counted, read by the rungs, and with what they and the terms are called."""

    documents: Any
    ids: Sequence[str]
    terms: Sequence[str]
    counts: Counts
    outside: Outside
    readings: Sequence[Reading]
    scores: DocumentScores
    embeddings: Array | None

    @property
    def has_words(self) -> NDArray[np.bool_]:
        """Which have any word."""
        return self.counts.n_words > 0

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Which have any word of the vocabulary."""
        readable: NDArray[np.bool_] = np.diff(self.counts.matrix.indptr) > 0
        return readable

    @property
    def quiet(self) -> NDArray[np.bool_]:
        """Which of these raise no alarm."""
        quiet: NDArray[np.bool_] = self.readable & (np.maximum.reduce(list(self.scores.alarms.values())) == 0)
        return quiet

    @property
    def topic_scores(self) -> Array:
        """z(b) + z(g)."""
        return self.scores.parts["topics"] * (2 + REMOTENESS_WEIGHT)


def with_measures(stream: DetectorStream, scorer: Scorer, new: NewDocuments, ageing: Ageing) -> DetectorStream:
    """Let documents come: what was there fades, and their numbers join those whose quantiles are followed."""
    factor, weights = ageing.factor, ageing.weights
    digests = {name: digest.faded(factor) for name, digest in stream.digests.items()}

    def add(name: str, values: Array, of: NDArray[np.bool_]) -> None:
        digests[name] = digests[name].add(values[of], weights[of])

    counts, parts = new.counts, new.scores.parts
    add("topics", new.topic_scores, new.readable)
    remote = parts["neighbours"] * (2 + REMOTENESS_WEIGHT) / REMOTENESS_WEIGHT
    add("remoteness", _undone(scorer.remoteness_scale, remote), new.readable)
    if "embeddings" in parts:
        add("distance", _undone(scorer.distance_scale, parts["embeddings"]), np.ones(len(weights), bool))
    add("plain", new.scores.plain, new.quiet)
    add("total", new.scores.total, new.has_words)
    left = Leftovers.of(counts, new.outside, scorer.rungs, new.readings)
    add("lengths", counts.n_words.astype(np.float64), new.has_words)
    add("unknown", counts.n_outside / np.maximum(counts.n_distinct, 1), new.has_words)
    add("unexplained", left.unexplained, new.has_words)
    for name, values in scorer.alarms.measures_of(counts).items():
        add(OF_ALARMS[name], values, new.has_words)
    rungs = [
        replace(
            rung,
            helps=rung.helps.faded(factor).add(reading.strangeness[new.readable], weights[new.readable]),
            shares=rung.shares.faded(factor).add(reading.unexplained[new.readable], weights[new.readable]),
        )
        for rung, reading in zip(stream.rungs, new.readings, strict=True)
    ]
    return replace(
        stream,
        n_seen=stream.n_seen + len(weights),
        n_docs=max(factor * stream.n_docs + float(weights.sum()), FEWEST),
        clock=ageing.clock,
        rungs=rungs,
        digests=digests,
        recent=np.concatenate([stream.recent, new.scores.total])[-RECENT:],
    )


def _undone(scale: Scale, z: Array) -> Array:
    """Values from spreads."""
    values: Array = scale.median + scale.spread * z
    return values
