"""``make bench-quality``: compare the default detector with every peer, on labelled tasks from real data.

This is an experiment like those of the paper (`tonmf.experiments`). Each result is written to benchmarks/results/quality.jsonl
at once, so an interrupted run resumes. ``--fresh`` measures everything again, ``--again NAME`` one method again.
``--no-embeddings`` leaves out MiniLM, whose embeddings take hours to compute. ``--report`` only writes
benchmarks/results/quality.json and the page.

The other options measure part of the grid, and leave the page alone. ``--only NAME`` measures no other method, and prints its
means. ``--embeddings-only`` measures what the page about embeddings compares, and writes that page. ``--tuned`` leaves out
the tasks that we did not tune on, and ``--draws N`` takes only the first draws; then no page is written.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.contenders import scores_alone
from benchmarks.embedding_peers import EMBEDDING_PEERS
from benchmarks.embeddings import DRAWS, embeddings_for, embeddings_of
from benchmarks.grid import measure_all
from benchmarks.harness import RESULTS
from benchmarks.quality_measurements import EMBEDDED, FUSED, MEANING, OURS
from benchmarks.quality_report import EMBEDDINGS_PAGE, PAGE, means_of, report, report_embeddings, write_report
from benchmarks.tasks import TASKS, draw, draw_of
from tonmf import TextOutlierDetector
from tonmf.experiments.log import ResultLog
from tonmf.experiments.running import todo
from tonmf.experiments.specification import Config, Experiment, Result
from tonmf.experiments.tasks import Draw


def measure_ours(drawn: Draw) -> dict[str, Any]:
    """Measure the default detector: its score, the score before alarms, and what its automatic threshold flags."""
    start = time.perf_counter()
    detector = TextOutlierDetector(n_jobs=1).fit(drawn.documents)
    seconds = time.perf_counter() - start
    flagged = detector.outlier_scores_ > detector.threshold_
    clean = drawn.without_outliers()
    without_outliers = TextOutlierDetector(n_jobs=1).fit(clean.documents)
    return {
        "settings": {"default": {**_figures(drawn, detector.outlier_scores_), "seconds": seconds}},
        "before_alarms": _figures(drawn, detector.scores_before_alarms_),
        "alone": _figures(drawn, scores_alone(detector, drawn.documents)),
        "precision": float(drawn.labels[flagged].mean()) if flagged.any() else None,
        "recall": float(flagged[drawn.labels == 1].mean()),
        "flagged": float(flagged.mean()),
        "flagged_when_clean": float((without_outliers.outlier_scores_ > without_outliers.threshold_).mean()),
    }


def measure_fused(drawn: Draw) -> dict[str, Any]:
    """Measure the default detector with MiniLM embeddings; the time to make those is not counted."""
    embeddings = embeddings_for(drawn.dataset)
    detector = TextOutlierDetector(n_jobs=1)
    return _by_setting(drawn, lambda: {"default": detector.fit(drawn.documents, embeddings=embeddings).outlier_scores_})


def measure_meaning(drawn: Draw) -> dict[str, Any]:
    """Measure the detector that sees MiniLM embeddings alone; the time to make those is not counted."""
    from tonmf import EmbeddingOutlierDetector

    embeddings = embeddings_for(drawn.dataset)
    return _by_setting(drawn, lambda: {"default": EmbeddingOutlierDetector().fit(embeddings).outlier_scores_})


def _by_setting(drawn: Draw, score: Callable[[], peers.Scores]) -> dict[str, Any]:
    start = time.perf_counter()
    scores = score()
    seconds = (time.perf_counter() - start) / len(scores)
    # Among copies a peer may score infinity: the strangest of all.
    finite = {name: np.nan_to_num(values) for name, values in scores.items()}
    return {"settings": {name: {**_figures(drawn, values), "seconds": seconds} for name, values in finite.items()}}


def _figures(drawn: Draw, scores: Any) -> dict[str, float]:
    return {
        "auc": float(roc_auc_score(drawn.labels, scores)),
        "ap": float(average_precision_score(drawn.labels, scores)),
    }


@lru_cache(maxsize=1)  # all peers see one draw, one after the other
def _view(task: str, seed: int) -> peers.View:
    return peers.View(draw_of(task, seed).dataset)


OWN: dict[str, Callable[[Draw], dict[str, Any]]] = {OURS: measure_ours, MEANING: measure_meaning, FUSED: measure_fused}
METHODS = (*OWN, *EMBEDDING_PEERS, *peers.PEERS)


def measure(config: Config) -> dict[str, Any]:
    """Measure one method on one draw of one task, on one thread."""
    peers.quiet()
    drawn, method = draw(config), config["method"]
    with threadpool_limits(1):
        if method in OWN:
            return OWN[method](drawn)
        if method in EMBEDDING_PEERS:
            embeddings = embeddings_for(drawn.dataset)
            return _by_setting(drawn, lambda: EMBEDDING_PEERS[method].score(embeddings, drawn.labels, peers.SEED))
        peer, view = peers.PEERS[method], _view(config["task"], config["seed"])
        return _by_setting(drawn, lambda: peers.scores_of(peer, view))


def applies(config: Config) -> bool:
    """Tell whether a method can read a task's documents: embeddings are made of texts."""
    return TASKS[config["task"]].is_text or config["method"] not in EMBEDDED


QUALITY = Experiment(
    "quality",
    "How well does tonmf find outliers, compared with every peer?",
    axes={"seed": tuple(range(DRAWS)), "task": tuple(TASKS), "method": METHODS},
    quick={},
    measure=measure,
    report=report,
    applies=applies,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--again", metavar="NAME", choices=METHODS, help="measure this method again")
    parser.add_argument("--only", metavar="NAME", choices=METHODS, help="measure only this method")
    embeddings = parser.add_mutually_exclusive_group()
    embeddings.add_argument("--no-embeddings", action="store_true", help="do not measure with embeddings of MiniLM")
    embeddings.add_argument(
        "--embeddings-only", action="store_true", help="measure only what is compared on embeddings"
    )
    parser.add_argument("--tuned", action="store_true", help="measure only tasks that we tuned on")
    parser.add_argument("--draws", type=int, default=DRAWS, help="measure only the first draws")
    parser.add_argument("--report", action="store_true", help="only write the page and the summary")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes, with one thread each")
    options = parser.parse_args(arguments)
    RESULTS.mkdir(exist_ok=True)
    log = ResultLog(RESULTS / "quality.jsonl")
    chosen = [config for config in QUALITY.configs() if _is_chosen(config, options)]
    if not options.report:
        missing = todo(QUALITY, log, fresh=options.fresh)
        _measure([c for c in chosen if c in missing or c["method"] == options.again], log, options.jobs)
    if options.only is not None:
        print(means_of(_found(log, chosen), options.only))
        return
    whole = not options.tuned and options.draws == DRAWS
    if options.embeddings_only or whole:
        report_embeddings(_found(log, chosen), EMBEDDINGS_PAGE if whole else None)
    if whole and not options.embeddings_only:
        write_report(_found(log, QUALITY.configs()), PAGE, RESULTS / "quality.json")


def _is_chosen(config: Config, options: argparse.Namespace) -> bool:
    method, task = config["method"], TASKS[config["task"]]
    return (
        options.only in (None, method)
        and not (options.no_embeddings and method in EMBEDDED)
        and not (options.embeddings_only and (method not in (OURS, *EMBEDDED) or not task.is_text))
        and not (options.tuned and not task.tuned)
        and config["seed"] < options.draws
    )


def _found(log: ResultLog, configs: Iterable[Config]) -> list[Result]:
    return [result for config in configs if (result := log.result(QUALITY.name, config)) is not None]


def _measure(configs: list[Config], log: ResultLog, n_processes: int) -> None:
    for collection in {TASKS[c["task"]].collection for c in configs if c["method"] in EMBEDDED}:
        embeddings_of(collection)  # before the processes start, so that only one computes the embeddings
    measure_all(QUALITY, log, configs, draw, n_processes)


if __name__ == "__main__":
    import sys

    from benchmarks.quality import main as main_of_module  # processes find `measure` under the module's name

    main_of_module(sys.argv[1:])
