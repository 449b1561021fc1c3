"""A simulated reader on the tasks of `benchmarks.tasks`: how many outliers are among the first shown, with and without marks.

``python -m benchmarks feedback`` writes docs/evidence/feedback.md and its picture. The reader is shown the strangest document
that was not shown yet, and marks it as strange or fine by its label; the ranking follows each mark. Some readers mark a share
of the documents wrongly. `benchmarks.readers` has the ways to re-rank.

Each result goes to benchmarks/results/feedback.jsonl, so an interrupted run resumes. One task alone::

    python -m benchmarks feedback --only "BBC others + politics" --again tonmf
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.feedback_report import PAGE, WRONG, report
from benchmarks.grid import measure_and_report
from benchmarks.readers import LEARNERS, OURS, WITHOUT, Marked, Ranked, read_on
from benchmarks.tasks import TASKS
from tonmf.experiments.specification import Config, Experiment

DRAWS = 1
SHOWN = 100


@lru_cache(maxsize=1)  # all methods see one draw, one after the other
def ranked(task: str, seed: int) -> Ranked:
    """Draw a task, and rank its documents."""
    return Ranked(TASKS[task].draw(seed))


def load(config: Config) -> Ranked:
    """Return the documents of a configuration."""
    return ranked(config["task"], config["seed"])


def measure(config: Config) -> dict[str, Any]:
    """Measure one method on one draw: the number of outliers among the first shown, by the share of wrong marks."""
    peers.quiet()
    method, found = config["method"], {}
    with threadpool_limits(1):
        at_hand = load(config)
        for wrong in WRONG[:1] if method == WITHOUT else WRONG:
            learner = LEARNERS[method](at_hand)
            shown = read_on(learner, at_hand, SHOWN, wrong, config["seed"])
            found[f"{wrong:g}"] = np.cumsum(at_hand.labels[shown]).tolist()
        flags = _flags_after(at_hand, (0, 20, 60)) if method == OURS else {}
    return {"found": found, "n_outliers": int(at_hand.labels.sum()), "flags": flags}


def _flags_after(at_hand: Ranked, marks: tuple[int, ...]) -> dict[str, dict[str, float | None]]:
    """Return precision and recall of what the threshold flags, after so many marks."""
    learner = Marked(at_hand)
    shown = read_on(learner, at_hand, max(marks), 0.0, 0)
    figures = {}
    for n_marks in marks:
        detector = Marked(at_hand).detector
        some = shown[:n_marks]
        strange = at_hand.labels[some] == 1
        detector.mark(strange=some[strange].tolist(), fine=some[~strange].tolist())
        figures[str(n_marks)] = _quality(detector.labels_ == -1, at_hand.labels == 1)
    return figures


def _quality(flagged: NDArray[np.bool_], strange: NDArray[np.bool_]) -> dict[str, float | None]:
    both = float((flagged & strange).sum())
    return {
        "flagged": float(flagged.sum()),
        "precision": both / float(flagged.sum()) if flagged.any() else None,
        "recall": both / float(strange.sum()),
    }


FEEDBACK = Experiment(
    "feedback",
    "How many more outliers does a reader find who marks what was shown?",
    axes={"seed": tuple(range(DRAWS)), "task": tuple(TASKS), "method": tuple(LEARNERS)},
    quick={},
    measure=measure,
    report=report,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    measure_and_report(FEEDBACK, arguments, {"task": "--only"}, load, PAGE)
