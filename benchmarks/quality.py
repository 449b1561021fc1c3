"""``make bench-quality``: the default detector beside every peer, on labelled tasks from real data.

Every result is kept in benchmarks/results/quality.jsonl as it comes, so a run that was cut short goes on where it
stopped; ``--fresh`` starts again, ``--only NAME`` measures one method, ``--forget NAME`` measures it again,
``--report`` only writes the summary. The summary goes to benchmarks/results/quality.json and docs/evidence/quality.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.embeddings import DRAWS, embeddings_of
from benchmarks.harness import RESULTS
from benchmarks.quality_report import FUSED, MINILM, OURS, write_report
from benchmarks.tasks import TASKS, Draw, Task
from tonmf import TextOutlierDetector

LOG = RESULTS / "quality.jsonl"


def measure_ours(task: Task, draw: Draw) -> Iterator[dict[str, Any]]:
    """The default detector: score, score before alarms, and what its automatic threshold flags, with outliers and without."""
    start = time.perf_counter()
    detector = TextOutlierDetector(n_jobs=1).fit(draw.rows)
    seconds = time.perf_counter() - start
    clean = draw.labels == 0
    rows = (
        [row for row, keep in zip(draw.rows, clean, strict=True) if keep]
        if isinstance(draw.rows, list)
        else draw.rows[clean]
    )
    flagged = detector.outlier_scores_ > detector.threshold_
    without_outliers = TextOutlierDetector(n_jobs=1).fit(rows)
    yield {
        **_figures(draw, detector.outlier_scores_),
        "method": OURS,
        "setting": "default",
        "seconds": seconds,
        "before_alarms": _figures(draw, detector.scores_before_alarms_),
        "precision": float(draw.labels[flagged].mean()) if flagged.any() else None,
        "recall": float(flagged[draw.labels == 1].mean()),
        "flagged": float(flagged.mean()),
        "flagged_when_clean": float((without_outliers.outlier_scores_ > without_outliers.threshold_).mean()),
    }


def measure_fused(task: Task, draw: Draw) -> Iterator[dict[str, Any]]:
    """The default detector with MiniLM embeddings; the time to make those is not counted."""
    if not task.is_text:
        return
    embeddings = embeddings_of(task.collection)[draw.numbers]
    start = time.perf_counter()
    detector = TextOutlierDetector(n_jobs=1).fit(draw.rows, embeddings=embeddings)
    seconds = time.perf_counter() - start
    yield {**_figures(draw, detector.outlier_scores_), "method": FUSED, "setting": "default", "seconds": seconds}


def measure_minilm(task: Task, draw: Draw) -> Iterator[dict[str, Any]]:
    """k-NN among MiniLM embeddings."""
    if task.is_text:
        embeddings = embeddings_of(task.collection)[draw.numbers]
        yield from _by_setting(draw, MINILM, lambda: peers.embedding_neighbours(embeddings))


def measure_peers(task: Task, draw: Draw) -> Iterator[dict[str, Any]]:
    """All bag-of-words peers."""
    view = peers.View(draw)
    for name, peer in peers.BAG_OF_WORDS.items():
        yield from _by_setting(draw, name, lambda peer=peer: peer(view))  # type: ignore[misc]


def _by_setting(draw: Draw, method: str, score: Callable[[], peers.Scores]) -> Iterator[dict[str, Any]]:
    start = time.perf_counter()
    scores = score()
    seconds = (time.perf_counter() - start) / len(scores)
    for setting, values in scores.items():
        yield {**_figures(draw, values), "method": method, "setting": setting, "seconds": seconds}


def _figures(draw: Draw, scores: Any) -> dict[str, float]:
    return {
        "auc": float(roc_auc_score(draw.labels, scores)),
        "ap": float(average_precision_score(draw.labels, scores)),
    }


JOBS = {OURS: measure_ours, FUSED: measure_fused, MINILM: measure_minilm, "peers": measure_peers}


def run(job: tuple[str, str, int]) -> list[dict[str, Any]]:
    """One job on one draw of one task, on one thread."""
    name, task_name, seed = job
    peers.quiet()
    task = next(task for task in TASKS if task.name == task_name)
    with threadpool_limits(1):
        rows = list(JOBS[name](task, task.draw(seed)))
    return [{"job": name, "task": task_name, "seed": seed, **row} for row in rows]


def logged() -> list[dict[str, Any]]:
    """What has been measured so far."""
    if not LOG.exists():
        return []
    return [row for line in LOG.read_text().splitlines() for row in json.loads(line)]


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--forget", metavar="NAME", choices=list(JOBS), help="measure this again")
    parser.add_argument("--only", metavar="NAME", choices=list(JOBS), help="measure only this")
    parser.add_argument("--report", action="store_true", help="only write the summary of what is there")
    parser.add_argument("--jobs", type=int, default=2, help="processes, of one thread each")
    options = parser.parse_args(arguments)
    RESULTS.mkdir(exist_ok=True)
    if options.fresh:
        LOG.unlink(missing_ok=True)
    if options.forget:
        _forget(options.forget)
    if not options.report:
        _measure([options.only] if options.only else list(JOBS), options.jobs)
    if options.only:
        return
    write_report(logged(), Path(__file__).parent.parent / "docs" / "evidence" / "quality.md", RESULTS / "quality.json")


def _forget(name: str) -> None:
    if not LOG.exists():
        return
    kept = [line for line in LOG.read_text().splitlines() if json.loads(line)[0]["job"] != name]
    LOG.write_text("".join(f"{line}\n" for line in kept))


def _measure(names: list[str], n_processes: int) -> None:
    done = {(row["job"], row["task"], row["seed"]) for row in logged()}
    todo = [
        (name, task.name, seed)
        for name in names
        for seed in range(DRAWS)
        for task in TASKS
        if (name, task.name, seed) not in done and (task.is_text or name in (OURS, "peers"))
    ]
    if FUSED in names or MINILM in names:  # before processes are made, so that only one makes the embeddings
        for collection in {task.collection for task in TASKS if task.is_text}:
            embeddings_of(collection)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, mp_context=spawn) as pool, LOG.open("a") as log:
        for number, rows in enumerate(pool.map(run, todo), start=1):
            log.write(json.dumps(rows) + "\n")
            log.flush()
            best = max(rows, key=lambda row: row["auc"])
            print(
                f"{number}/{len(todo)} {best['task']}, draw {best['seed']}: {best['method']} {best['auc']:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
