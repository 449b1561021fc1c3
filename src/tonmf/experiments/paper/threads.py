"""Posts whose nearest neighbour is in the same thread: why k-NN does well on RCV20."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from tonmf.experiments.measured import Measured
from tonmf.experiments.specification import Config, Experiment, Result, Section
from tonmf.experiments.tasks import draw, subject_of


def measure(config: Config) -> dict[str, Any]:
    """Measure the shares of ordinary posts and of outliers whose nearest neighbour on tf-idf rows has the same subject line."""
    drawn = draw(config)
    nearest = NearestNeighbors(n_neighbors=1).fit(drawn.tfidf).kneighbors(return_distance=False)[:, 0]
    subjects = np.array([subject_of(text) for text in drawn.dataset.texts or []])
    together = subjects == subjects[nearest]
    outlier = drawn.labels == 1
    return {
        "ordinary": round(float(together[~outlier].mean()), 4),
        "outliers": round(float(together[outlier].mean()), 4),
    }


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    text = f"""\
Of the ordinary posts, {measured.mean("ordinary"):.0%} have a post of the same thread, by subject line, as nearest neighbour
on tf-idf rows; of the outliers, {measured.mean("outliers"):.0%} do (means over {measured.draws}). The data has all posts of
the ordinary groups, but only 50 of nearly a thousand of the Windows group.
"""
    return Section("Threads in RCV20", text)


THREADS = Experiment(
    name="threads",
    question="Why does k-NN with a small k do well on RCV20?",
    axes={"task": ("rcv20",), "seed": tuple(range(10))},
    quick={"seed": (0,)},
    measure=measure,
    report=report,
)
