"""The text tasks of `benchmarks.tasks` as new documents: fit on ordinary documents alone, and score others.

``python -m benchmarks new_documents`` writes docs/evidence/new-documents.md. Of each draw of a task, a random 3/4 of the
ordinary documents are for fitting; the other ordinary documents and all outliers are scored. A fit on all documents of the draw
scores the same ones *in sample*, so that both ways are compared on the same documents.

Each result goes to benchmarks/results/new_documents.jsonl, so an interrupted run resumes. One task alone::

    python -m benchmarks new_documents --only "BBC business, politics + tech" --again tonmf

To try a detector of your own::

    from benchmarks.new_documents import TEXT_TASKS, evaluate, split
    evaluate(make_detector, split("BBC business, politics + tech", seed=0))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.contenders import CONTENDERS, Contender, scores_alone
from benchmarks.grid import measure_and_report
from benchmarks.new_documents_report import PAGE, report
from benchmarks.tasks import TASKS
from tonmf import TextOutlierDetector
from tonmf.experiments.specification import Config, Experiment

__all__ = ["CONTENDERS", "TEXT_TASKS", "evaluate", "split"]

FIT_SHARE = 0.75
"""Share of the ordinary documents to fit on."""
DRAWS = 3

TEXT_TASKS = tuple(task.name for task in TASKS.values() if task.is_text)
"""Names of the tasks."""


class Split(NamedTuple):
    """Ordinary texts to fit on; texts to score, and their labels: 1 for outliers."""

    fit_texts: list[str]
    scored_texts: list[str]
    labels: NDArray[np.int64]


@lru_cache(maxsize=1)  # all methods see one split, one after the other
def split(task: str, seed: int) -> Split:
    """Draw a task, and split its documents."""
    drawn = TASKS[task].draw(seed)
    ordinary = np.random.default_rng(seed).permutation(np.flatnonzero(drawn.labels == 0))
    fitted = np.zeros(len(drawn.labels), bool)
    fitted[ordinary[: round(FIT_SHARE * len(ordinary))]] = True
    texts = drawn.documents
    return Split(
        [texts[i] for i in np.flatnonzero(fitted)], [texts[i] for i in np.flatnonzero(~fitted)], drawn.labels[~fitted]
    )


def evaluate(make: Callable[[], Contender], parts: Split) -> dict[str, Any]:
    """Fit new detectors, and return the figures."""
    detector = make().fit(parts.fit_texts)
    new = detector.outlier_score(parts.scored_texts)
    again = detector.outlier_score(parts.fit_texts)
    above = new > detector.threshold_
    together = make().fit(parts.fit_texts + parts.scored_texts)
    in_sample = together.outlier_scores_[len(parts.fit_texts) :]
    above_in_sample = in_sample > together.threshold_
    strange = parts.labels == 1
    alone = {}
    if isinstance(together, TextOutlierDetector):
        by_itself = scores_alone(together, parts.scored_texts)
        alone = {"ap_in_sample_alone": float(average_precision_score(parts.labels, by_itself))}
    return {
        **alone,
        "auc": float(roc_auc_score(parts.labels, new)),
        "ap": float(average_precision_score(parts.labels, new)),
        "recall": float(above[strange].mean()),
        "false_alarms": float(above[~strange].mean()),
        "auc_in_sample": float(roc_auc_score(parts.labels, in_sample)),
        "ap_in_sample": float(average_precision_score(parts.labels, in_sample)),
        "recall_in_sample": float(above_in_sample[strange].mean()),
        "false_alarms_in_sample": float(above_in_sample[~strange].mean()),
        "n_fit": len(parts.fit_texts),
        "n_changed": int((again != detector.outlier_scores_).sum()),
        "most_changed": float(np.abs(again - detector.outlier_scores_).max()),
    }


def load(config: Config) -> Split:
    """Return the documents of a configuration."""
    return split(config["task"], config["seed"])


def measure(config: Config) -> dict[str, Any]:
    """Measure one method on one split of a task, on one thread."""
    peers.quiet()
    with threadpool_limits(1):
        return evaluate(CONTENDERS[config["method"]], load(config))


NEW_DOCUMENTS = Experiment(
    "new_documents",
    "How well does tonmf find outliers among documents that it was not fitted on?",
    axes={"seed": tuple(range(DRAWS)), "task": TEXT_TASKS, "method": tuple(CONTENDERS)},
    quick={},
    measure=measure,
    report=report,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    measure_and_report(NEW_DOCUMENTS, arguments, {"task": "--only"}, load, PAGE)
