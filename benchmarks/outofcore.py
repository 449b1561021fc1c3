"""``tonmf detect --memory`` on a synthetic corpus, compared with the same command in memory where possible."""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import print_table, save
from tonmf.metrics import area_under_curve

SIZES = (100_000,)
"""Default sizes; five million documents, ``--docs 5000000``, take a quarter of an hour."""

IN_MEMORY_UP_TO = 100_000
MEMORY = "2GB"

N_WORDS, N_TOPICS, N_STRANGE, TOPIC_WORDS = 60_000, 12, 200, 2_000
"""Words of the language, topics, rare subjects with only a few documents each, and words of each subject."""

MEAN_LENGTH, TOPIC_SHARE, OUTLIER_SHARE, SLIP_SHARE, N_SLIPS = 103, 0.45, 0.005, 0.01, 40_000_000
"""Words in a document, the share of them on its subject, the share of outliers, the share of slips, and distinct slips."""

AT_ONCE = 10_000


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--report", action="store_true", help="write a report as well")
    parser.add_argument("--folder", help="folder for the corpus and the cache (default: a temporary one)")
    options = parser.parse_args(arguments)
    results = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for n_docs in options.docs:
            corpus, labels = make(Path(folder), n_docs)
            modes = [["--memory", options.memory], []] if n_docs <= IN_MEMORY_UP_TO else [["--memory", options.memory]]
            for mode in modes:
                results.append(measure(corpus, labels, n_docs, mode, options.report))
                print(json.dumps(results[-1]), flush=True)
            corpus.unlink()
    print_table(
        f"tonmf detect FILE --output scores.csv{' --report' if options.report else ''}; out of core with --memory "
        f"{options.memory}",
        [
            "documents",
            "GB of text",
            "mode",
            "counting (s)",
            "learning (s)",
            "whole (s)",
            "documents/s",
            "peak (MB)",
            "report (MB)",
            "AUC",
        ],
        [
            (
                f"{r['documents']:,}",
                f"{r['text_gb']:.2f}",
                r["mode"],
                "" if r["counted"] is None else f"{r['counted']:.0f}",
                "" if r["learnt"] is None else f"{r['learnt']:.0f}",
                f"{r['seconds']:.0f}",
                f"{r['documents'] / r['seconds']:,.0f}",
                f"{r['peak_mb']:,.0f}",
                "" if r["report_mb"] is None else f"{r['report_mb']:.0f}",
                f"{r['auc']:.4f}",
            )
            for r in results
        ],
    )
    save("outofcore", results)


def measure(
    corpus: Path, labels: np.ndarray, n_docs: int, mode: list[str], with_report: bool = False
) -> dict[str, Any]:
    """Run the command once."""
    output, cache, report = (corpus.with_name(name) for name in ("scores.csv", "cache", "report.html"))
    if mode:
        mode = [*mode, "--cache", str(cache)]
    command = [
        sys.executable,
        "-m",
        "tonmf",
        "detect",
        str(corpus),
        "--output",
        str(output),
        "--reasons",
        "outliers",
        "--quiet",
        *mode,
        *(["--report", str(report)] if with_report else []),
    ]
    began = time.time()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    ended = time.time()
    if status:
        sys.exit(f"the command failed: {' '.join(command)}")
    counted, learnt = None, None
    if mode:
        counted = (cache / "store.json").stat().st_mtime - began
        learnt = max(path.stat().st_mtime for path in cache.glob("fits-*/*")) - began - counted
        size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
        for path in sorted(cache.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        cache.rmdir()
    scores = np.empty(n_docs)
    with output.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            scores[int(row["id"])] = float(row["score"])
    return {
        "documents": n_docs,
        "text_gb": corpus.stat().st_size / 1e9,
        "mode": "out of core" if mode else "in memory",
        "counted": counted,
        "learnt": learnt,
        "seconds": ended - began,
        "peak_mb": usage.ru_maxrss / 1e3,
        "report_mb": report.stat().st_size / 1e6 if with_report else None,
        "cache_gb": size / 1e9 if mode else None,
        "auc": area_under_curve(labels, scores),
    }


def make(folder: Path, n_docs: int) -> tuple[Path, np.ndarray]:
    """Write documents that mix common words with those of a subject; return the path, and labels with 1 for rare subjects.

    All cores make them, lot by lot; each lot has a seed of its own, so the corpus is the same on any machine.
    """
    labels = np.zeros(n_docs, np.int8)
    path = folder / "corpus.jsonl"
    starts = range(0, n_docs, AT_ONCE)
    workers = ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_language)
    with workers, path.open("w", encoding="utf-8") as file:
        lots = workers.map(_lot, starts, [min(AT_ONCE, n_docs - first) for first in starts])
        for first, (lines, strange) in zip(starts, lots, strict=True):
            file.write(lines)
            labels[first : first + len(strange)] = strange
    return path, labels


def kept(folder: Path, n_docs: int) -> tuple[Path, np.ndarray]:
    """Return the corpus that `make` writes, from the folder if it is there already."""
    path, labels = folder / f"corpus-{n_docs}.jsonl", folder / f"labels-{n_docs}.npy"
    if not labels.exists():
        corpus, made = make(folder, n_docs)
        corpus.replace(path)
        np.save(labels, made)
    return path, np.load(labels)


@cache
def _language() -> tuple[np.ndarray, np.ndarray]:
    """Return the words, and the numbers of those of each subject."""
    rng = np.random.default_rng(0)
    words = _words(N_WORDS, rng)
    return words, np.array([rng.permutation(N_WORDS)[:TOPIC_WORDS] for _ in range(N_TOPICS + N_STRANGE)])


def _lot(first: int, size: int) -> tuple[str, np.ndarray]:
    """Return the lines of some documents, and which of them are about rare subjects."""
    rng = np.random.default_rng([1, first])
    words, subjects = _language()
    strange = rng.random(size) < OUTLIER_SHARE
    subject = np.where(strange, N_TOPICS + rng.integers(0, N_STRANGE, size), rng.integers(0, N_TOPICS, size))
    lengths = np.maximum(20, rng.poisson(rng.gamma(4, MEAN_LENGTH / 4, size)))
    numbers = np.searchsorted(_zipf(N_WORDS), rng.random(lengths.sum()))
    on_topic = rng.random(len(numbers)) < TOPIC_SHARE
    places = np.searchsorted(_zipf(TOPIC_WORDS), rng.random(int(on_topic.sum())))
    numbers[on_topic] = subjects[np.repeat(subject, lengths)[on_topic], places]
    written = words[numbers]
    slips = np.flatnonzero(rng.random(len(written)) < SLIP_SHARE)
    written[slips] = [f"q{slip:x}" for slip in rng.integers(0, N_SLIPS, len(slips))]
    texts = np.split(written, np.cumsum(lengths)[:-1])
    return "".join(f'{{"id": {first + row}, "text": "{" ".join(text)}"}}\n' for row, text in enumerate(texts)), strange


def _words(n_words: int, rng: np.random.Generator) -> np.ndarray:
    letters = np.array(list("abcdefghijklmnoprstuvwxyz"))
    words: dict[str, None] = {}
    while len(words) < n_words:
        words["".join(letters[rng.integers(0, len(letters), rng.integers(4, 10))])] = None
    return np.array(list(words), dtype=object)


def _zipf(n_words: int) -> np.ndarray:
    weights = 1 / (np.arange(n_words) + 10.0)
    return np.cumsum(weights / weights.sum())


if __name__ == "__main__":
    main(sys.argv[1:])
