"""Time of a fitted detector to score and explain documents, compared with TfidfVectorizer.transform of the same texts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness import print_table, save
from benchmarks.tasks import newsgroups
from tonmf import TextOutlierDetector

AT_ONCE = 10_000
"""Documents in one call."""

ALONE = 300
"""Calls with one document."""

FITTED_ON = (2_000, 18_846)
"""Documents to fit on, for a small vocabulary and a large one."""

RUNS = 5


def main(arguments: list[str]) -> None:
    """Print and save both tables."""
    texts = [document.text for document in newsgroups()]
    together, alone = [], []
    for n_docs in FITTED_ON:
        detector, vectorizer = TextOutlierDetector().fit(texts[:n_docs]), TfidfVectorizer().fit(texts[:n_docs])
        jobs: dict[str, Callable[[list[str]], Any]] = {
            "TfidfVectorizer.transform": vectorizer.transform,
            "outlier_score": detector.outlier_score,
            "explain": detector.explain,
        }
        for job in jobs.values():
            job(texts[:50])  # compile, and prepare what is prepared once
        together.append([n_docs, detector.n_terms_, *_at_once(jobs, texts[:AT_ONCE])])
        alone.append([n_docs, detector.n_terms_, *_one_by_one(jobs, texts[:ALONE])])
    columns = ["fitted on", "terms", *jobs, "outlier_score / transform", "explain / transform"]
    print_table(f"{AT_ONCE:,} documents in one call: µs per document, median of {RUNS}", columns, together)
    print_table(f"One document a call: µs, median of {ALONE} documents", columns, alone)
    results = {"together": together, "alone": alone}
    save("answering", {name: [dict(zip(columns, row, strict=True)) for row in rows] for name, rows in results.items()})


def _at_once(jobs: dict[str, Callable[[list[str]], Any]], texts: list[str]) -> list[float]:
    """Return the µs per document of each job, in turn with the others, and the ratios to the first."""
    seconds = np.array([[_seconds(job, texts) for job in jobs.values()] for _ in range(RUNS)])
    return _with_ratios(1e6 * seconds / len(texts))


def _one_by_one(jobs: dict[str, Callable[[list[str]], Any]], texts: list[str]) -> list[float]:
    """Return the µs of each job for one document, in turn with the others, and the ratios to the first."""
    return _with_ratios(1e6 * np.array([[_seconds(job, [text]) for job in jobs.values()] for text in texts]))


def _with_ratios(measured: np.ndarray) -> list[float]:
    return [*np.median(measured, axis=0).tolist(), *np.median(measured[:, 1:] / measured[:, :1], axis=0).tolist()]


def _seconds(job: Callable[[list[str]], Any], texts: list[str]) -> float:
    began = time.perf_counter()
    job(texts)
    return time.perf_counter() - began
