"""The same work by this version and by another checkout of tonmf, in turn, beside a peer where there is one.

``python -m benchmarks versus --base ../tonmf-before`` runs each job in new processes that import one or the other. Give it a
worktree of the commit to compare with: ``git worktree add ../tonmf-before COMMIT``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import ROOT, print_table, save
from benchmarks.outofcore import make
from benchmarks.tasks import newsgroups

SCORED, FITTED = 100_000, 20_000
"""Documents to score by the command, and to fit the model on that scores them."""

EXPLAINED = 10_000
"""Documents to explain in one call."""

RUNS = 3

TIMER = """
import json, resource, sys, time

def timed(job):
    began, cpu = time.perf_counter(), time.process_time()
    job()
    print(json.dumps({"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}))
"""

FIT = """
from tonmf import TextOutlierDetector
texts = json.load(open(sys.argv[1]))
TextOutlierDetector().fit(texts[:300])  # compile, and load what is loaded once
timed(lambda: TextOutlierDetector().fit(texts))
"""

EXPLAIN = """
from tonmf import TextOutlierDetector
texts = json.load(open(sys.argv[1]))
detector = TextOutlierDetector().fit(texts)
detector.explain(texts[:50])
timed(lambda: detector.explain(texts[:int(sys.argv[2])]))
"""

VECTORIZE = """
from sklearn.feature_extraction.text import TfidfVectorizer
texts = json.load(open(sys.argv[1]))
timed(lambda: TfidfVectorizer().fit_transform(texts))
"""


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", required=True, help="another checkout of tonmf")
    parser.add_argument(
        "--docs", type=int, nargs="*", default=[], help="sizes of corpora for tonmf detect --memory 2GB"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each job but the last")
    parser.add_argument("--only", nargs="+", choices=["fit", "explain", "score", "detect"], help="some jobs alone")
    parser.add_argument("--folder", help="folder for corpora and caches (default: a temporary one)")
    options = parser.parse_args(arguments)
    wanted = options.only or ["fit", "explain", "score", "detect"]
    versions = {"this": ROOT, "base": Path(options.base)}
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        for name, runs in jobs(folder, versions, wanted, options):
            row = {"job": name, **in_turn(runs, 1 if "detect" in name else options.runs)}
            row["base / this"], row["base / this, CPU"] = (
                row["base"]["seconds"] / row["this"]["seconds"],
                row["base"]["cpu"] / row["this"]["cpu"],
            )
            rows.append(row)
            print(json.dumps(row), flush=True)
    show(rows)
    save("versus", rows)


def jobs(
    folder: Path, versions: dict[str, Path], wanted: list[str], options: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each job, and how to run it by each version, and by a peer if there is one."""
    posts = folder / "posts.json"
    if "fit" in wanted or "explain" in wanted:
        posts.write_text(json.dumps([document.text for document in newsgroups()]))
    if "fit" in wanted:
        runs = {name: python(TIMER + FIT, root, posts) for name, root in versions.items()}
        yield "fit of 20 Newsgroups", {**runs, "TfidfVectorizer": python(TIMER + VECTORIZE, ROOT, posts)}
    if "explain" in wanted:
        yield (
            f"explain of {EXPLAINED:,} posts",
            {name: python(TIMER + EXPLAIN, root, posts, EXPLAINED) for name, root in versions.items()},
        )
    if "score" in wanted:
        corpus, _ = make(folder, SCORED)
        few = corpus.with_name("few.jsonl")
        with corpus.open() as whole, few.open("w") as part:
            part.writelines(line for line, _ in zip(whole, range(FITTED), strict=False))
        for name, root in versions.items():
            model = folder / f"model-{name}"
            subprocess.run(**command(root, "detect", few, "--save", model, "--quiet"), check=True, capture_output=True)
        table = folder / "scores.csv"
        yield (
            f"tonmf score of {SCORED:,} documents",
            {
                name: command(root, "score", folder / f"model-{name}", corpus, "--output", table, "--quiet")
                for name, root in versions.items()
            },
        )
        corpus.unlink()
    if "detect" in wanted:
        for n_docs in options.docs:
            corpus, _ = make(folder, n_docs)
            table = folder / "scores.csv"
            rest = ("--output", table, "--memory", "2GB", "--quiet")
            yield (
                f"tonmf detect --memory 2GB of {n_docs:,} documents",
                {name: command(root, "detect", corpus, *rest) for name, root in versions.items()},
            )
            corpus.unlink()


def python(program: str, root: Path, *arguments: Any) -> dict[str, Any]:
    """Return how to run a program by a checkout."""
    return {"args": [sys.executable, "-c", program, *map(str, arguments)], "env": environment(root)}


def command(root: Path, *arguments: Any) -> dict[str, Any]:
    """Return how to run the command of a checkout."""
    return {"args": [sys.executable, "-m", "tonmf", *map(str, arguments)], "env": environment(root)}


def environment(root: Path) -> dict[str, str]:
    """Return the environment in which Python imports the tonmf of a checkout."""
    return {**os.environ, "PYTHONPATH": str(root.resolve() / "src")}


def in_turn(runs: dict[str, dict[str, Any]], n_runs: int) -> dict[str, Any]:
    """Run each some times, in turn; return the median of each figure, and the load of the machine before."""
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in runs}
    load = os.getloadavg()[0]
    for _ in range(n_runs):
        for name, run in runs.items():
            measured[name].append(measure(run))
    medians = {
        name: {figure: float(np.median([one[figure] for one in several])) for figure in several[0]}
        for name, several in measured.items()
    }
    return {"load before": load, "runs": n_runs, **medians}


def measure(run: dict[str, Any]) -> dict[str, float]:
    """Run once; return seconds, CPU seconds and the peak in MB, of the process or of what it says that it timed."""
    with tempfile.TemporaryFile() as out:
        began = os.times().elapsed
        process = subprocess.Popen(**run, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = os.times().elapsed - began
        if status:
            sys.exit(f"the job failed: {' '.join(run['args'])}")
        out.seek(0)
        said = out.read()
    found = {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1e3}
    return {**found, **json.loads(said)} if said.startswith(b'{"seconds"') else found


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    print_table(
        "This version and another, in turn: seconds, CPU seconds, peak of memory; load of the machine before",
        [
            "job",
            "base (s)",
            "this (s)",
            "base / this",
            "base / this, CPU",
            "peak (MB)",
            "load",
            "peer (s)",
            "this / peer",
        ],
        [
            [
                row["job"],
                row["base"]["seconds"],
                row["this"]["seconds"],
                row["base / this"],
                row["base / this, CPU"],
                f"{row['this']['peak_mb']:,.0f}",
                f"{row['load before']:.1f}",
                *_beside_peer(row),
            ]
            for row in rows
        ],
    )


def _beside_peer(row: dict[str, Any]) -> list[str]:
    peer = row.get("TfidfVectorizer")
    return ["", ""] if peer is None else [f"{peer['seconds']:.2f}", f"{row['this']['seconds'] / peer['seconds']:.2f}"]
