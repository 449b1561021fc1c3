"""How tonmf compares with PyOD, BERTopic, cleanlab and plain k-NN on the same texts.

``python -m benchmarks compared`` writes docs/evidence/compared.md. Each result goes to benchmarks/results/compared.jsonl, so an
interrupted run resumes. `compared_methods.py` has the methods, `small_tasks.py` the tasks.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.compared_methods import METHODS, Reading
from benchmarks.compared_report import PAGE, report
from benchmarks.embeddings import embeddings_for
from benchmarks.grid import measure_and_report
from benchmarks.small_tasks import SMALL_TASKS, draw, draw_of
from tonmf.experiments.specification import Config, Experiment

DRAWS = 3


@lru_cache(maxsize=1)  # all methods see one draw, one after the other
def reading(task: str, seed: int) -> Reading:
    """Return a draw, with the rows that methods share made beforehand: their time is not counted."""
    seen = Reading(draw_of(task, seed).dataset)
    _ = seen.tfidf, seen.svd, seen.embeddings
    return seen


def measure(config: Config) -> dict[str, Any]:
    """Measure one method on one draw of one task, on one thread; seconds are of the processor."""
    peers.quiet()
    seen = reading(config["task"], config["seed"])
    settings: dict[str, dict[str, float]] = {}
    with threadpool_limits(1):
        start = time.process_time()
        for scores in METHODS[config["method"]](seen):
            seconds = time.process_time() - start
            for setting, values in scores.items():
                finite = np.nan_to_num(np.asarray(values, np.float64))
                settings[setting] = {
                    "auc": float(roc_auc_score(seen.labels, finite)),
                    "ap": float(average_precision_score(seen.labels, finite)),
                    "seconds": seconds,
                }
            start = time.process_time()
    return {"settings": settings}


COMPARED = Experiment(
    "compared",
    "How does tonmf compare with PyOD, BERTopic, cleanlab and plain k-NN on the same texts?",
    axes={"seed": tuple(range(DRAWS)), "task": tuple(SMALL_TASKS), "method": tuple(METHODS)},
    quick={},
    measure=measure,
    report=report,
)


def _encode(tasks: list[str]) -> None:
    """Make the embeddings that are missing, before there are several processes to make them."""
    for name in tasks:
        for seed in range(DRAWS):
            embeddings_for(SMALL_TASKS[name].load(seed))


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    if not {"--report", "--help", "-h"} & set(arguments):
        _encode([name for name in SMALL_TASKS if name in arguments] or list(SMALL_TASKS))
    measure_and_report(COMPARED, arguments, {"task": "--only"}, draw, PAGE)
