"""Let the numbers of new documents join the quantiles that a detector follows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.scores.alarms import without_alarm
from tonmf.detector.scores.scoring import Scorer
from tonmf.detector.state import OF_ALARMS, RECENT, DetectorStream
from tonmf.stream.half_life import Ageing

FEWEST = 1e-9
"""Least number of documents, however much has faded."""


def with_measures(stream: DetectorStream, scorer: Scorer, new: ReadDocuments, ageing: Ageing) -> DetectorStream:
    """Fade the numbers that are followed, and add those of new documents."""
    factor, weights = ageing.factor, ageing.weights
    digests = {name: digest.faded(factor) for name, digest in stream.digests.items()}

    def add(name: str, values: Array, of: NDArray[np.bool_]) -> None:
        digests[name] = digests[name].add(values[of], weights[of])

    counts, scores = new.counts, new.unmarked
    measures = scores.measures
    add("topics", new.topic_scores, new.readable)
    add("remoteness", measures.remoteness, new.readable)
    if measures.meaning is not None:
        add("meaning", measures.meaning, ~np.isnan(measures.meaning))
    add("plain", scores.plain, without_alarm(scores.alarms))
    add("total", scores.total, new.has_words)
    add("lengths", counts.n_words.astype(np.float64), new.has_words)
    add("unknown", counts.n_outside / np.maximum(counts.n_distinct, 1), new.has_words)
    add("unexplained", new.leftovers.unexplained, new.has_words)
    for name, values in scorer.alarms.measure(counts.totals, new.corpus.rarity()).items():
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
        recent=np.concatenate([stream.recent, new.scores.total[scores.judged]])[-RECENT:],
    )
