"""Quality of the detector on many documents, beside one that fits and scores all of them throughout.

Each task has the posts of 19 groups of 20 Newsgroups, and a few of the group that is held back. ``python -m benchmarks
sampling`` prints the area under the ROC curve and the average precision of both, by task, and their mean differences.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks.harness import print_table, save
from benchmarks.tasks import newsgroups
from tonmf import TextOutlierDetector
from tonmf.detector.scores import ladder, scoring
from tonmf.metrics import area_under_curve

OUTLIERS = 180
"""Posts of the group that is held back."""


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=2, help="hold back every so-manieth group")
    parser.add_argument("--seeds", type=int, default=2, help="draws, and seeds of the detector, for each group")
    options = parser.parse_args(arguments)
    posts = newsgroups()
    groups = sorted({post.label for post in posts})[:: options.every]
    rows = []
    for group in groups:
        found = [both(posts, group, seed) for seed in range(options.seeds)]
        rows.append([group, *np.mean(found, axis=0).tolist()])
        print(rows[-1], flush=True)
    figures = np.array([row[1:] for row in rows])
    names = ["group held back", "AUC, all", "AUC, sample", "AP, all", "AP, sample", "CPU (s), all", "CPU (s), sample"]
    print_table(
        f"{len(posts):,} posts, {options.seeds} draws of each task", names, [*rows, ["mean", *figures.mean(axis=0)]]
    )
    for name, place in (("AUC", 0), ("AP", 2)):
        apart = figures[:, place + 1] - figures[:, place]
        print(f"{name}, sample − all: {apart.mean():+.4f} ± {apart.std(ddof=1) / len(apart) ** 0.5:.4f}")
    save("sampling", [dict(zip(names, row, strict=True)) for row in rows])


def both(posts: list, group: str, seed: int) -> list[float]:
    """Return AUC, AP and CPU seconds of both detectors, in pairs."""
    rng = np.random.default_rng(seed)
    inside = [post.text for post in posts if post.label != group]
    held_back = [post.text for post in posts if post.label == group]
    chosen = [held_back[place] for place in rng.permutation(len(held_back))[:OUTLIERS]]
    labels = np.repeat([0, 1], [len(inside), len(chosen)])
    found = []
    for with_all in (True, False):
        began = time.process_time()
        with all_documents() if with_all else nullcontext():
            scores = TextOutlierDetector(random_state=seed).fit([*inside, *chosen]).outlier_scores_
        seconds = time.process_time() - began
        found.append((area_under_curve(labels, scores), average_precision_score(labels, scores), seconds))
    return [figure for pair in zip(*found, strict=True) for figure in pair]


@contextmanager
def all_documents() -> Iterator[None]:
    """Let fits converge on all documents, and score all of them at first."""
    before = ladder.MANY, scoring.MOST_AT_FIRST
    ladder.MANY = scoring.MOST_AT_FIRST = 10**9
    try:
        yield
    finally:
        ladder.MANY, scoring.MOST_AT_FIRST = before
