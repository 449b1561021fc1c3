"""What a fit on a random sample loses: ``tonmf detect --sample N`` beside a fit on all documents.

``python -m benchmarks sample_fits`` writes docs/evidence/sampling.md. The tasks are the text tasks that were tuned on
(`benchmarks.tasks`), and nineteen groups of 20 Newsgroups with 180 posts of the twentieth. A detector is fitted on N random
documents, and scores all. Each result goes to benchmarks/results/sample_fits.jsonl, so an interrupted run resumes.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.grid import measure_and_report
from benchmarks.sample_report import ALL, PAGE, SIZES, report
from benchmarks.tasks import GROUPS, TASKS, text_task
from tonmf import TextOutlierDetector
from tonmf.cli.sampling import rows_of_sample
from tonmf.experiments.specification import Config, Experiment
from tonmf.experiments.tasks import Draw
from tonmf.metrics import area_under_curve
from tonmf.text.documents import take

DRAWS = 2

LARGE = [
    text_task(
        f"nineteen groups + {strange}",
        "20 Newsgroups",
        [group for group in GROUPS if group != strange],
        (strange,),
        180,
    )
    for strange in ("sci.med", "talk.politics.guns")
]

CHOSEN = {task.name: task for task in [*(task for task in TASKS.values() if task.tuned and task.is_text), *LARGE]}


@lru_cache(maxsize=1)  # measurements on one draw follow one another
def _drawn(task: str, seed: int) -> Draw:
    return CHOSEN[task].draw(seed)


def drawn(config: Config) -> Draw:
    """Return the draw that a configuration names."""
    return _drawn(config["task"], config["seed"])


def evaluate(documents: Any, labels: Any, size: int | None, seed: int) -> dict[str, Any]:
    """Fit on a sample, or on all documents, and return how well all of them are ranked."""
    n_docs = len(labels)
    began = time.process_time()
    detector = TextOutlierDetector(random_state=seed)
    if size is None:
        scores = detector.fit(documents).outlier_scores_
    else:
        scores = detector.fit(take(documents, rows_of_sample(n_docs, size, seed))).outlier_score(documents)
    seconds = time.process_time() - began
    flagged = scores > detector.threshold_
    return {
        "auc": area_under_curve(labels, scores),
        "ap": float(average_precision_score(labels, scores)),
        "recall": float(flagged[labels == 1].mean()),
        "false alarms": float(flagged[labels == 0].mean()),
        "seconds": seconds,
        "documents": n_docs,
    }


def measure(config: Config) -> dict[str, Any]:
    """Measure one draw of a task, on one thread."""
    peers.quiet()
    draw = drawn(config)
    size = None if config["method"] == ALL else int(config["method"])
    with threadpool_limits(1):
        return evaluate(draw.documents, draw.labels, size, config["seed"])


MOST = {**{task.name: 10_000 for task in LARGE}, "BBC business, politics + tech": 500, "Reuters + interest": 2_000}
"""The largest sample of a task, at most about half of its documents; 1,000 if a task is not named here."""


def _applies(config: Config) -> bool:
    return config["method"] == ALL or int(config["method"]) <= MOST.get(config["task"], 1_000)


SAMPLE_FITS = Experiment(
    "sample_fits",
    "What does a fit on a random sample lose?",
    axes={"seed": tuple(range(DRAWS)), "task": tuple(CHOSEN), "method": (ALL, *map(str, SIZES))},
    quick={},
    measure=measure,
    report=report,
    applies=_applies,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    measure_and_report(SAMPLE_FITS, arguments, {"task": "--only"}, drawn, PAGE)
