"""Learning from a stream: time per block compared with scikit-learn's MiniBatchNMF, time per document, and quality."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import MiniBatchNMF
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness import print_table, save
from tonmf import TONMF, TextOutlierDetector
from tonmf.datasets import Dataset, load_bbc, load_newsgroups, load_reuters
from tonmf.experiments.processes import memory_now
from tonmf.metrics import area_under_curve
from tonmf.nmf.threads import one_blas_thread

TOPICS, HELD_OUT = 20, 2000
BLOCKS = (100, 1000)
BATCH = 32


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
    detector.partial_fit(texts[2000 : 2000 + BATCH])
    before, explained, learnt = memory_now(), [], []
    for start in range(2000 + BATCH, len(texts) - BATCH, BATCH):
        for text in texts[start : start + 4]:
            began = time.perf_counter()
            detector.explain([text], n_nearest=0, n_missing=0)
            explained.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        detector.partial_fit(texts[start : start + BATCH])
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


def command(texts: list[str]) -> dict[str, float]:
    """Measure the documents per second of ``tonmf watch`` from a file, with and without learning, start-up excluded."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        TextOutlierDetector().fit(texts[:2000]).save(Path(folder) / "model")
        lines = [json.dumps({"text": text}) + "\n" for text in texts[2000:4000] if text.strip()]
        (Path(folder) / "new.jsonl").write_text("".join(lines))
        (Path(folder) / "one.jsonl").write_text(lines[0])
        for name, options in (("learning", []), ("not learning", ["--no-learn"])):
            taken = []
            for file in ("one.jsonl", "new.jsonl"):
                began = time.perf_counter()
                arguments = [sys.executable, "-m", "tonmf", "watch", "model", file, "--until-end", "--quiet", *options]
                subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL)
                taken.append(time.perf_counter() - began)
            results[name] = (len(lines) - 1) / (taken[1] - taken[0])
    return results


def quality() -> list[dict[str, object]]:
    """Measure ROC AUC on the later documents: fitted on the first ones alone, learning on the way, and fitted on all."""
    results = []
    for dataset in (load_newsgroups(), load_bbc(), load_reuters(), newsgroups()):
        order = np.random.default_rng(0).permutation(len(dataset.texts))
        texts, labels = [dataset.texts[row] for row in order], np.asarray(dataset.labels)[order]
        first = min(len(texts) // 4, 1000)
        detector = TextOutlierDetector().fit(texts[:first])
        stays, starts = detector.outlier_score(texts[first:]), range(first, len(texts), BATCH)
        scores = [detector.partial_fit(texts[start : start + BATCH]).outlier_scores_ for start in starts]
        together = TextOutlierDetector().fit(texts).outlier_scores_[first:]
        auc = {
            name: area_under_curve(labels[first:], values)
            for name, values in (("stays", stays), ("learns", np.concatenate(scores)), ("together", together))
        }
        results.append({"task": f"{dataset.name}, {len(texts):,} documents", "first": first, **auc})
    return results


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    texts = newsgroups().texts
    with one_blas_thread():
        of_blocks = blocks(texts)
    print_table(
        f"A block of rows, {TOPICS} topics: median milliseconds in the first and the second half of the stream, and the "
        "relative residual of held-out rows",
        ["method", "rows", "first half", "second half", "residual"],
        [
            [r["method"], r["block"], f"{r['ms_first_half']:.1f}", f"{r['ms_second_half']:.1f}", f"{r['residual']:.4f}"]
            for r in of_blocks
        ],
    )
    of_documents = documents(texts)
    print_table("A detector", ["figure", "value"], [[name, f"{value:.1f}"] for name, value in of_documents.items()])
    of_command = command(texts)
    print_table("tonmf watch, documents per second", ["", "value"], [[n, f"{v:.0f}"] for n, v in of_command.items()])
    of_quality = quality()
    print_table(
        "ROC AUC on the later documents",
        ["task", "first", "fitted on the first", "learning on the way", "fitted on all"],
        [[r["task"], r["first"], *(f"{r[n]:.3f}" for n in ("stays", "learns", "together"))] for r in of_quality],
    )
    save("watching", {"blocks": of_blocks, "documents": of_documents, "command": of_command, "quality": of_quality})


if __name__ == "__main__":
    main(sys.argv[1:])
