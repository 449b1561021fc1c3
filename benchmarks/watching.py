"""Learning from a stream: time per block compared with scikit-learn's MiniBatchNMF, time per document, and quality."""

from __future__ import annotations

import argparse
import copy
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import MiniBatchNMF
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness import print_table, save
from tonmf import TONMF, TextOutlierDetector
from tonmf.arrays import Array
from tonmf.cli.commands.watch import LEARN_EVERY
from tonmf.datasets import Dataset, load_bbc, load_newsgroups, load_reuters
from tonmf.detector.reading import ReadDocuments
from tonmf.experiments.processes import memory_now
from tonmf.metrics import area_under_curve
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.nmf.threads import one_blas_thread

TOPICS, HELD_OUT = 20, 2000
BLOCKS = (100, 1000)


def newsgroups() -> Dataset:
    """Load all messages of seven groups and 100 of an eighth, without headers, in random order."""
    groups = (
        "rec.autos",
        "rec.sport.hockey",
        "sci.space",
        "sci.med",
        "sci.crypt",
        "soc.religion.christian",
        "misc.forsale",
    )
    chosen = load_newsgroups(inliers=groups, outliers=("talk.politics.mideast",), n_outliers=100, headers=False)
    order = np.random.default_rng(0).permutation(len(chosen.texts))
    return Dataset(chosen.name, np.asarray(chosen.labels)[order], [], texts=[chosen.texts[row] for row in order])


def blocks(texts: list[str]) -> list[dict[str, object]]:
    """Time `TONMF.partial_fit` and `MiniBatchNMF.partial_fit` on the same blocks of tf-idf rows."""
    X = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english", dtype=np.float32).fit_transform(texts)
    held_out, rows = X[:HELD_OUT], X[HELD_OUT:]
    results = []
    for size in BLOCKS:
        models = {
            "TONMF": TONMF(TOPICS, random_state=0),
            "TONMF, plain NMF (alpha=inf)": TONMF(TOPICS, alpha=np.inf, random_state=0),
            "MiniBatchNMF": MiniBatchNMF(TOPICS, random_state=0, forget_factor=1.0),
        }
        for name, model in models.items():
            TONMF(2).fit(rows[:50])  # compile
            taken = []
            for start in range(0, rows.shape[0] - size + 1, size):
                began = time.perf_counter()
                model.partial_fit(rows[start : start + size])
                taken.append(time.perf_counter() - began)
            H = model.transform(held_out)
            left = held_out.toarray() - H @ model.components_
            half = len(taken) // 2
            results.append(
                {
                    "method": name,
                    "block": size,
                    "ms_first_half": 1000 * float(np.median(taken[1:half])),
                    "ms_second_half": 1000 * float(np.median(taken[half:])),
                    "residual": float(np.linalg.norm(left) / np.linalg.norm(held_out.toarray())),
                }
            )
    return results


def documents(texts: list[str]) -> dict[str, float]:
    """Time a document and a batch of a detector fitted on 2,000 documents, in milliseconds; measure the growth of memory."""
    detector = TextOutlierDetector(half_life=5000).fit(texts[:2000])
    detector.partial_fit(texts[2000 : 2000 + LEARN_EVERY])
    before, explained, learnt = memory_now(), [], []
    for start in range(2000 + LEARN_EVERY, len(texts) - LEARN_EVERY, LEARN_EVERY):
        for text in texts[start : start + 4]:
            began = time.perf_counter()
            detector.explain([text], n_nearest=0, n_missing=0)
            explained.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        detector.partial_fit(texts[start : start + LEARN_EVERY])
        learnt.append(1000 * (time.perf_counter() - began))
    tenth = len(learnt) // 10
    return {
        "explain_median_ms": float(np.median(explained)),
        "explain_p99_ms": float(np.percentile(explained, 99)),
        "learn_first_tenth_ms": float(np.median(learnt[:tenth])),
        "learn_last_tenth_ms": float(np.median(learnt[-tenth:])),
        "batches": len(learnt),
        "memory_growth_mb": memory_now() - before,
        "terms": detector.n_terms_,
    }


def command(texts: list[str], base: Path | None) -> list[dict[str, object]]:
    """Measure the documents per second of ``tonmf watch`` from a file, with and without learning, start-up excluded.

    Start-up is what a file of the first `LOADED` documents takes, since not all code is loaded for one document. With `base`,
    another checkout runs the same command on the same files, in turn.
    """
    sources = {"this": None, **({} if base is None else {"base": base.resolve() / "src"})}
    results = []
    with tempfile.TemporaryDirectory() as folder:
        TextOutlierDetector().fit(texts[:2000]).save(Path(folder) / "model")
        lines = [json.dumps({"text": text}) + "\n" for text in texts[2000:4000] if text.strip()]
        (Path(folder) / "new.jsonl").write_text("".join(lines))
        (Path(folder) / "few.jsonl").write_text("".join(lines[:LOADED]))
        for name, options in WATCHES.items():
            taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
            for _ in range(RUNS):
                for source, path in sources.items():
                    for file in ("few.jsonl", "new.jsonl"):
                        taken.setdefault((source, file), []).append(_run(folder, file, options, path))
            for source in sources:
                few, new = (np.min(taken[source, file], axis=0) for file in ("few.jsonl", "new.jsonl"))
                by_wall, by_cpu = (len(lines) - LOADED) / (new - few)
                results.append({"watch": name, "checkout": source, "by_wall": by_wall, "by_cpu": by_cpu})
    return results


WATCHES = {"learning": [], "learning from 32 at a time": ["--learn-every", "32"], "not learning": ["--no-learn"]}
"""Options of the command."""

RUNS, LOADED = 5, 256
"""Runs of the command, of which the fastest counts; and documents after which all code is loaded."""


def _run(folder: str, file: str, options: list[str], source: Path | None) -> tuple[float, float]:
    """Run ``tonmf watch`` once; return the seconds that it took, and its CPU seconds."""
    environment = dict(os.environ) if source is None else {**os.environ, "PYTHONPATH": str(source)}
    arguments = [sys.executable, "-m", "tonmf", "watch", "model", file, "--until-end", "--quiet", *options]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_order(dataset: Dataset, seed: int) -> tuple[list[str], NDArray[np.int64]]:
    """Return the texts and labels of a data set in a random order."""
    order = np.random.default_rng(seed).permutation(len(dataset.texts))
    return [dataset.texts[row] for row in order], np.asarray(dataset.labels)[order]


def parts_of(read: ReadDocuments) -> Array:
    """Return the scores of documents, and their parts of topics and neighbours."""
    scores = read.unmarked
    return np.column_stack([scores.total, scores.parts["topics"], scores.parts["neighbours"]])


def quality(batches: Sequence[int]) -> list[dict[str, object]]:
    """Measure ROC AUC on the later documents: fitted on the first ones alone, learning on the way, and fitted on all.

    That is the mean over some orders of the documents, of the score and of two of its parts.
    """
    results = []
    for dataset in (load_newsgroups(), load_bbc(), load_reuters(), newsgroups()):
        found: dict[str, list[Array]] = {}
        first = min(len(dataset.texts) // 4, 1000)
        for seed in range(ORDERS):
            texts, labels = in_order(dataset, seed)
            later, strange = texts[first:], labels[first:]
            measured: dict[str, Array] = {}
            fitted = TextOutlierDetector().fit(texts[:first])
            measured["stays"] = parts_of(fitted.read(later))
            for size in batches:
                detector, scores = copy.deepcopy(fitted), []
                for start in range(0, len(later), size):
                    read = detector.read(later[start : start + size])
                    scores.append(parts_of(read))
                    detector.learn_from(read)
                measured[f"learns from {size}"] = np.concatenate(scores)
            measured["all at once"] = TextOutlierDetector().fit(texts).outlier_scores_[first:, None]
            for name, columns in measured.items():
                aucs = [area_under_curve(strange, column) for column in columns.T]
                found.setdefault(name, []).append(np.array(aucs))
        results.append(
            {
                "task": f"{dataset.name}, {len(dataset.texts):,} documents",
                "first": first,
                "auc": {name: np.mean(values, axis=0).tolist() for name, values in found.items()},
            }
        )
    return results


ORDERS = 3
"""Orders of the documents that quality is measured in."""

SIZES = (125, 250, 500, 1000, 1900)
"""Sizes of the sample of ordinary documents."""


def samples() -> list[dict[str, object]]:
    """Measure ROC AUC of the distance from ordinary documents alone, by the size of their sample and by who is in it.

    A detector is fitted on the first half of the documents, and tells how far it trusts each; the others are measured against
    samples of these documents, drawn at random.
    """
    results = []
    for dataset in (load_newsgroups(), load_bbc(), load_reuters(), newsgroups()):
        found: dict[tuple[str, int], list[float]] = {}
        half = len(dataset.texts) // 2
        for seed in range(ORDERS):
            texts, labels = in_order(dataset, seed)
            detector = TextOutlierDetector().fit(texts[:half], names=range(half))
            read = detector.read(texts[half:])
            state, ops, rng = read.reader.state, read.reader.ops, np.random.default_rng(seed)
            trusted, trust = state.scorer.sample, state.scorer.trust
            is_ordinary = labels[np.array(state.profile.ids, np.int64)] == 0
            everyone = read.reader.rows(texts[:half])
            for who, rows, weights in (
                ("ordinary ones alone", trusted[is_ordinary], trust[is_ordinary]),
                ("as the detector trusts them", trusted, trust),
                ("all documents alike", everyone, np.ones(half)),
            ):
                for size in SIZES:
                    for _ in range(DRAWS if size <= len(weights) else 0):
                        drawn = np.sort(rng.permutation(len(weights))[:size])
                        far = read.corpus.remoteness(TwoWayMatrix(rows[drawn]), weights[drawn], ops)
                        found.setdefault((who, size), []).append(area_under_curve(labels[half:], far))
        results += [
            {
                "task": f"{dataset.name}, {len(dataset.texts):,} documents",
                "sample": who,
                "size": size,
                "auc": float(np.mean(values)),
            }
            for (who, size), values in found.items()
        ]
    return results


DRAWS = 5
"""Samples of one size."""


def show_blocks(texts: list[str]) -> list[dict[str, object]]:
    """Measure blocks, and print a table."""
    with one_blas_thread():
        measured = blocks(texts)
    print_table(
        f"A block of rows, {TOPICS} topics: median milliseconds in the first and the second half of the stream, and the "
        "relative residual of held-out rows",
        ["method", "rows", "first half", "second half", "residual"],
        [
            [r["method"], r["block"], f"{r['ms_first_half']:.1f}", f"{r['ms_second_half']:.1f}", f"{r['residual']:.4f}"]
            for r in measured
        ],
    )
    return measured


def show_documents(texts: list[str]) -> dict[str, float]:
    """Measure documents and batches, and print a table."""
    measured = documents(texts)
    print_table("A detector", ["figure", "value"], [[name, f"{value:.1f}"] for name, value in measured.items()])
    return measured


def show_command(texts: list[str], base: Path | None) -> list[dict[str, object]]:
    """Measure the command, and print a table and the ratios to the base."""
    measured = command(texts, base)
    print_table(
        "tonmf watch, documents per second and per CPU second",
        ["", "checkout", "per second", "per CPU second"],
        [[r["watch"], r["checkout"], f"{r['by_wall']:.0f}", f"{r['by_cpu']:.0f}"] for r in measured],
    )
    for this, other in pairwise(measured):
        if this["checkout"] == "this" and other["checkout"] == "base":
            ratios = [this[by] / other[by] for by in ("by_wall", "by_cpu")]
            print(f"{this['watch']}: {ratios[0]:.2f} times the base, {ratios[1]:.2f} times by CPU time")
    return measured


def show_quality(batches: Sequence[int]) -> list[dict[str, object]]:
    """Measure quality, and print a table for the score and for each of the parts."""
    measured = quality(batches)
    for place, part in enumerate(("score", "topics alone", "neighbours alone")):
        names = [name for name, values in measured[0]["auc"].items() if place < len(values)]
        print_table(
            f"ROC AUC on the later documents, mean over {ORDERS} orders: {part}",
            ["task", "first", *names],
            [[r["task"], r["first"], *(f"{r['auc'][name][place]:.3f}" for name in names)] for r in measured],
        )
    return measured


def show_samples() -> list[dict[str, object]]:
    """Measure samples of several sizes, and print a table."""
    measured = samples()
    table: dict[tuple[object, object], dict[object, str]] = {}
    for r in measured:
        table.setdefault((r["task"], r["sample"]), {})[r["size"]] = f"{r['auc']:.3f}"
    print_table(
        "ROC AUC of the distance from ordinary documents, by the size of their sample",
        ["task", "sample", *map(str, SIZES)],
        [[*row, *(values.get(size, "") for size in SIZES)] for row, values in table.items()],
    )
    return measured


PARTS = ("blocks", "documents", "command", "quality", "samples")


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks watching", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part; may be repeated")
    parser.add_argument("--base", type=Path, help="another checkout, to run `tonmf watch` of it in turn")
    parser.add_argument(
        "--batch", type=int, action="append", help=f"batch size that quality is measured with ({LEARN_EVERY})"
    )
    options = parser.parse_args(arguments)
    texts = newsgroups().texts
    show = {
        "blocks": lambda: show_blocks(texts),
        "documents": lambda: show_documents(texts),
        "command": lambda: show_command(texts, options.base),
        "quality": lambda: show_quality(options.batch or [LEARN_EVERY]),
        "samples": show_samples,
    }
    measured = {part: show[part]() for part in PARTS if options.part is None or part in options.part}
    if options.part is None:
        save("watching", measured)


if __name__ == "__main__":
    main(sys.argv[1:])
