"""Turn the measurements of `benchmarks.feedback` into docs/evidence/feedback.md and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import ROOT
from benchmarks.readers import LEARNERS, OURS, WITHOUT
from benchmarks.tasks import TASKS
from tonmf.experiments.measured import markdown_table, share
from tonmf.experiments.plotting import MARKERS, legend_beside, panels
from tonmf.experiments.specification import Figure, Result, Section
from tonmf.plots.drawing import COLOURS

PAGE = ROOT / "docs" / "evidence" / "feedback.md"

WRONG = (0.0, 0.05, 0.1)
"""Shares of the marks that are wrong."""

AT = (20, 60, 100)
"""Numbers of documents shown."""

BAR, MOST_WORSE = 1.5, 2.0
"""What marks must multiply the outliers among the first 60 by, on average; and how many fewer any task may have."""

MARKED = tuple(name for name in LEARNERS if name != WITHOUT)


class Found:
    """Numbers of outliers among the first shown, means over draws, by method, task and share of wrong marks."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = {
            (r["config"]["method"], r["config"]["task"], r["config"]["seed"]): r["result"] for r in results
        }
        measured = [{task for name, task, _ in self._results if name == method} for method in LEARNERS]
        self.tasks = [name for name in TASKS if all(name in some for some in measured)]

    @property
    def draws(self) -> str:
        """Say how many draws of each task are measured."""
        numbers = sorted({len(self._of(method, task)) for method in LEARNERS for task in self.tasks})
        return " to ".join(map(str, dict.fromkeys([numbers[0], numbers[-1]]))) + f" draw{'' if numbers == [1] else 's'}"

    def curve(self, method: str, task: str, wrong: float = 0.0) -> NDArray[np.float64]:
        """Return the mean number found after each document shown."""
        key = f"{0.0 if method == WITHOUT else wrong:g}"
        return np.mean([result["found"][key] for result in self._of(method, task)], axis=0)

    def at(self, n_shown: int, method: str, task: str, wrong: float = 0.0) -> float:
        """Return the mean number found among the first shown."""
        return float(self.curve(method, task, wrong)[n_shown - 1])

    def mean(self, n_shown: int, method: str, tasks: Sequence[str], wrong: float = 0.0) -> float:
        """Return the mean over tasks."""
        return fmean(self.at(n_shown, method, task, wrong) for task in tasks)

    def mean_curve(self, method: str, wrong: float) -> NDArray[np.float64]:
        """Return the mean curve over tasks."""
        return np.mean([self.curve(method, task, wrong) for task in self.tasks], axis=0)

    def n_outliers(self, task: str) -> int:
        """Return how many outliers a task has."""
        return int(self._of(WITHOUT, task)[0]["n_outliers"])

    def flags(self, n_marks: int, figure: str) -> float:
        """Return a figure of what is flagged after so many marks, the mean over tasks; 0 for the precision of nothing."""
        values = [r["flags"][str(n_marks)][figure] or 0.0 for task in self.tasks for r in self._of(OURS, task)]
        return fmean(values)

    def _of(self, method: str, task: str) -> list[dict[str, Any]]:
        return [result for (name, of, _), result in self._results.items() if (name, of) == (method, task)]


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    data, title = Found(results), "Marks"
    if not data.tasks:
        return Section(title, "Not measured yet.\n")
    parts = [_introduction(data), _bars(data), PICTURE, _means(data), _wrong(data), _flags(data), _by_task(data)]
    return Section(title, "\n".join(parts) + "\n", [Figure("feedback", "", lambda canvas: draw(canvas, data))])


def _introduction(data: Found) -> str:
    return f"""`python -m benchmarks feedback` writes this page and prints every figure on it. There are {len(data.tasks)} tasks
with {data.draws} each: those of [Quality](quality.md). A simulated reader is shown the strangest document that was not
shown yet, and [marks](../guide/marks.md) it as strange or fine by its label; the ranking follows each mark. Counted are the
outliers among the first documents shown. Most tasks have only 50 outliers, so no method can find 60 among the first 60.

All methods but the last begin with the ranking of tonmf:

- **without marks**: that ranking, from top to bottom.
- **tonmf**: `detector.mark`, with its defaults.
- **logistic regression** on the tf-idf rows of the marked documents (scikit-learn, C = 10), as soon as there are two different
  marks.
- **Rocchio**: the mean cosine with strange documents, less that with fine ones, plus 0.03 times the score.
- **anomaly discovery**: active anomaly discovery as Das and others describe it ("Incorporating Expert Feedback into Active
  Anomaly Discovery", 2016; "Incorporating Feedback into Tree-based Anomaly Detection", 2017): weights of the leaves of an
  isolation forest on 100 singular directions, learnt from the marks by hinge losses. It begins with the forest's ranking.

What marks do was settled on the tasks that are marked as tuned on, and so were the settings of logistic regression and of
Rocchio. How much anomalies weigh in anomaly discovery (3), and the step of its descent, were settled on four of these.
"""


def _bars(data: Found) -> str:
    ours, plain = (data.mean(60, method, data.tasks) for method in (OURS, WITHOUT))
    most = fmean(min(60, data.n_outliers(task)) for task in data.tasks)
    worst = min(data.tasks, key=lambda task: data.at(60, OURS, task) - data.at(60, WITHOUT, task))
    lost = data.at(60, WITHOUT, worst) - data.at(60, OURS, worst)
    peers = {name: data.mean(60, name, data.tasks) for name in MARKED if name != OURS}
    best = max(peers, key=peers.__getitem__)
    change = f"{lost:.1f} fewer" if lost > 0 else f"{-lost:.1f} more"
    return f"""The bars:

- **{_verdict(ours >= BAR * plain)}**: at least {BAR:g} times as many as without marks among the first 60, on average:
  {ours:.1f} and {plain:.1f}, {ours / plain:.2f} times as many. All outliers that fit among the first 60 would be {most:.1f},
  {most / plain:.2f} times as many.
- **{_verdict(lost <= MOST_WORSE)}**: among the first 60, no task has fewer than without marks by more than {MOST_WORSE:g}:
  the least gain is {change}, on {worst}.
- **{_verdict(ours > peers[best])}**: among the first 60, ahead of every peer on average:
  the best of them is {best} with {peers[best]:.1f}.
"""


def _verdict(holds: bool) -> str:
    return "pass" if holds else "fail"


PICTURE = """![Outliers found by documents shown, with no wrong marks, and with a tenth of the marks wrong](feedback.svg)
"""


def _means(data: Found) -> str:
    tuned = [name for name in data.tasks if TASKS[name].tuned]
    groups = {"all": data.tasks, "tuned on": tuned, "others": [name for name in data.tasks if name not in tuned]}
    rows = [
        [method, f"{group} ({len(tasks)})", *(f"{data.mean(n, method, tasks):.1f}" for n in AT)]
        for group, tasks in groups.items()
        for method in LEARNERS
        if tasks
    ]
    columns = ["method", "tasks", *(f"found in the first {n}" for n in AT)]
    return f"## Means\n\n{markdown_table(columns, rows)}\n"


def _wrong(data: Found) -> str:
    columns = ["method", *(f"{wrong:.0%} wrong, first {n}" for wrong in WRONG for n in AT)]
    rows = [
        [method, *(f"{data.mean(n, method, data.tasks, wrong):.1f}" for wrong in WRONG for n in AT)]
        for method in MARKED
    ]
    return f"""## Wrong marks

The reader marks some documents as the opposite of what they are, drawn at random.

{markdown_table(columns, rows)}
"""


def _flags(data: Found) -> str:
    columns = ["marks", "flagged", "precision", "recall"]
    rows = [
        [n, f"{data.flags(n, 'flagged'):.0f}", share(data.flags(n, "precision")), share(data.flags(n, "recall"))]
        for n in (0, 20, 60)
    ]
    return f"""## What is flagged

The threshold follows the marks. Means over tasks; marked documents are among those that are flagged.

{markdown_table(columns, rows)}
"""


def _by_task(data: Found) -> str:
    columns = ["task", "tuned on", "outliers", *LEARNERS]
    rows = [
        [
            task,
            "yes" if TASKS[task].tuned else "no",
            data.n_outliers(task),
            *(f"{data.at(60, method, task):.1f}" for method in LEARNERS),
        ]
        for task in data.tasks
    ]
    return f"## By task\n\nOutliers among the first 60.\n\n{markdown_table(columns, rows)}\n"


def draw(canvas: Any, data: Found) -> None:
    """Draw the outliers found by documents shown, a panel for each share of wrong marks."""
    shown = (0.0, 0.1)
    grid = panels(canvas, [f"{wrong:.0%} of the marks wrong" for wrong in shown], columns=2, size=(3.6, 3.0))
    for axes, wrong in zip(grid, shown, strict=True):
        for place, method in enumerate(LEARNERS):
            curve = data.mean_curve(method, wrong)
            style = {"color": COLOURS[6 if method == WITHOUT else place - 1], "marker": MARKERS[place], "markevery": 20}
            axes.plot(np.arange(1, len(curve) + 1), curve, label=method, markersize=3.5, **style)
        axes.set_xlabel("documents shown")
        axes.set_ylabel("outliers found, mean over tasks")
        axes.set_ylim(0)
    legend_beside(canvas, grid[0])
