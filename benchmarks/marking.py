"""The time that one more mark takes: ``detector.mark`` among 100,000 made-up documents, with more and more marks.

Scores of all documents, threshold and flags have followed when it returns. Its peer is to fit scikit-learn's logistic
regression on the rows of the marked documents, and to score all rows by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.harness import print_table, save
from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus

N_DOCS, N_OUTLIERS = 100_000, 1_000
MARKS = (1, 10, 100, 1_000)
REPEATS = 5


def main(arguments: list[str]) -> None:
    """Fit once, then mark and time."""
    corpus = make_corpus(N_DOCS, N_OUTLIERS)
    # One scale is enough: what marks cost depends on the documents and the marks alone.
    detector = TextOutlierDetector(n_restarts=1, topic_shares=(0.015,)).fit(corpus.texts)
    rows = detector.read(corpus.texts).corpus.source.matrix()
    order = np.argsort(-detector.outlier_scores_)
    results, n_marked = [], 0
    for n_marks in MARKS:
        some = order[n_marked : n_marks - 1]
        _mark(detector, some, corpus.labels)
        ours = _milliseconds(
            lambda row: _mark(detector, row, corpus.labels), order[n_marks - 1 : n_marks - 1 + REPEATS]
        )
        marked = order[: n_marks + REPEATS]
        theirs = _milliseconds(lambda _, of=marked: _logistic(rows, of, corpus.labels), order[:REPEATS])
        n_marked = n_marks - 1 + REPEATS
        results.append({"marks": n_marks, "tonmf_ms": ours, "logistic_ms": theirs})
    shown = [
        [r["marks"], f"{r['tonmf_ms']:.0f}", "" if r["logistic_ms"] is None else f"{r['logistic_ms']:.0f}"]
        for r in results
    ]
    columns = ["marks", "tonmf, ms", "logistic regression, ms"]
    print_table(f"One more mark among {N_DOCS:,} documents of {rows.nnz / N_DOCS:.0f} different words", columns, shown)
    save("marking", results)


def _mark(detector: TextOutlierDetector, documents: Any, labels: Any) -> None:
    strange = labels[documents] == 1
    detector.mark(strange=documents[strange].tolist(), fine=documents[~strange].tolist())


def _logistic(rows: Any, marked: Any, labels: Any) -> None:
    LogisticRegression(C=10.0, max_iter=200).fit(rows[marked], labels[marked]).decision_function(rows)


def _milliseconds(job: Callable[[Any], None], documents: Any) -> float | None:
    """Return the median time of a job for each of some documents; None if there are only marks of one kind."""
    times = []
    for document in documents:
        start = time.perf_counter()
        try:
            job(np.array([document]))
        except ValueError:  # logistic regression needs two kinds of marks
            return None
        times.append(1000 * (time.perf_counter() - start))
    return median(times)
