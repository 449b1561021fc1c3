"""Speed of counting words with compiled code, in Python and by scikit-learn's CountVectorizer; then the cost of a whole fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import cost
from benchmarks.harness import print_table, save
from benchmarks.tasks import TEXTS
from tonmf import TextOutlierDetector
from tonmf.text.analysis import Analysis
from tonmf.text.choose import make_analysis
from tonmf.text.counts import Numbering, count_by_number

RUNS = 3


def main(arguments: list[str]) -> None:
    """Measure all in turn on each corpus, in CPU seconds, since one thread does it."""
    count_by_number(["to compile 1 é " * 20_000], analysis(), Numbering())
    results = {name: measured([document.text for document in read()]) for name, read in TEXTS.items()}
    print_table(
        f"Counting words, megabytes of UTF-8 per second of CPU, best of {RUNS}",
        ["texts", "MB", "tonmf", "the same in Python", "CountVectorizer", "tonmf / Python", "tonmf / CountVectorizer"],
        [
            [
                name,
                of["megabytes"],
                ours := of["tonmf"],
                of["python"],
                of["sklearn"],
                ours / of["python"],
                ours / of["sklearn"],
            ]
            for name, of in results.items()
        ],
    )
    save("counting", results)
    cost.main(arguments)


def analysis() -> Analysis:
    """Return the default analysis, without anything remembered."""
    return make_analysis(TextOutlierDetector().get_params())


def measured(texts: list[str]) -> dict[str, float]:
    """Return the size of texts, and megabytes per second on each road."""
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    jobs: dict[str, Callable[[], Any]] = {
        "tonmf": lambda: count_by_number(texts, analysis(), Numbering()),
        "python": lambda: count_by_number(texts, analysis().__call__, Numbering()),
        "sklearn": lambda: CountVectorizer().fit_transform(texts),
    }
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(RUNS):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            seconds[name].append(time.process_time() - start)
    return {"megabytes": megabytes, **{name: megabytes / float(np.min(values)) for name, values in seconds.items()}}
