"""Time of the whole default detector, compared with scikit-learn's TfidfVectorizer alone on the same texts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness import print_table, save
from benchmarks.tasks import newsgroups
from tonmf import TextOutlierDetector

RUNS = 5


def main(arguments: list[str]) -> None:
    """Time both in turn on all of 20 Newsgroups."""
    texts = [document.text for document in newsgroups()]
    TextOutlierDetector().fit(texts[:200])  # compile
    jobs: dict[str, Callable[[], Any]] = {
        "tfidf_s": lambda: TfidfVectorizer().fit_transform(texts),
        "detector_s": lambda: TextOutlierDetector().fit(texts),
    }
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(RUNS):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            seconds[name].append(time.perf_counter() - start)
    medians = {name: float(np.median(values)) for name, values in seconds.items()}
    ratios = [d / t for d, t in zip(seconds["detector_s"], seconds["tfidf_s"], strict=True)]
    result = {"documents": len(texts), "runs": RUNS, **medians, "ratio": float(np.median(ratios)), "ratios": ratios}
    print_table(
        "20 Newsgroups, all fits and scores of the default detector, and TfidfVectorizer alone",
        ["documents", "TfidfVectorizer (s)", "tonmf (s)", "tonmf / TfidfVectorizer"],
        [[len(texts), medians["tfidf_s"], medians["detector_s"], result["ratio"]]],
    )
    save("cost", result)
