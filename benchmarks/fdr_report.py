"""Turn the measurements of `benchmarks.fdr` into docs/evidence/fdr.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchmarks.harness import ROOT
from benchmarks.tasks import TASKS
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "fdr.md"

RATES = (0.05, 0.1, 0.2)
"""False-discovery rates that are asked for."""

LEVELS = (0.01, 0.05, 0.1)
"""Levels at which p-values are looked at."""

NEW, IN_SAMPLE = "new documents", "in sample"
FEW = {"100 fitted": 100, "300 fitted": 300, "600 fitted": 600}
"""Fits on few documents, and how many these are."""

BROKEN = 2.0
"""Times the wanted rate, from which on a task is named."""


class ByTask:
    """Figures by method and task."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = results
        measured = {(r["config"]["task"], r["config"]["method"]) for r in results}
        self.tasks = [name for name in TASKS if {(name, NEW), (name, IN_SAMPLE)} <= measured]
        self.draws = len({r["config"]["seed"] for r in results})

    def of(self, method: str, task: str, field: str) -> float:
        """Return the mean over draws."""
        where = {"method": method, "task": task}
        return fmean(float(r["result"][field]) for r in self._results if where.items() <= r["config"].items())

    def has(self, method: str, tasks: Sequence[str]) -> bool:
        """Return whether all of these tasks were measured."""
        return {(task, method) for task in tasks} <= {
            (r["config"]["task"], r["config"]["method"]) for r in self._results
        }

    def mean(self, method: str, field: str, tasks: Sequence[str]) -> float:
        """Return the mean over tasks."""
        return fmean(self.of(method, task, field) for task in tasks)

    def groups(self) -> dict[str, list[str]]:
        """Return the tasks: all, those that were tuned on, and others."""
        tuned = [task for task in self.tasks if TASKS[task].tuned]
        others = [task for task in self.tasks if task not in tuned]
        groups = {"all": self.tasks, "tuned on": tuned, "others": others}
        return {f"{name} ({len(tasks)})": tasks for name, tasks in groups.items() if tasks}


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    data = ByTask(results)
    title = "False-discovery rates, wanted and realised"
    if not data.tasks:
        return Section(title, "Not measured yet.\n")
    parts = [_introduction(data), _rates(data), _broken(data), _levels(data), _by_task(data)]
    return Section(title, "\n".join(parts))


def _introduction(data: ByTask) -> str:
    tasks = f"{len(data.tasks)} labelled tasks, {data.draws} draws each"
    return f"""`python -m benchmarks fdr` writes this page and prints every figure on it: {tasks},
those of [Quality](quality.md). *New documents*: the detector is fitted on a random 3/4 of the ordinary documents, a clean
training set, and flags among the other ordinary documents and all outliers, as `tonmf score --fdr` does. *In sample*: it is
fitted on all documents, and flags among these, as `tonmf detect --fdr` does. How p-values are made was chosen on the tasks that
were tuned on; on the others it was looked at once.

The realised rate is the share of ordinary documents among those flagged, 0 if none is, as the mean over draws and tasks. One
draw may be far off: if three documents are flagged, it is 0, .33, .67 or 1.
"""


def _rates(data: ByTask) -> str:
    columns = ["", "tasks", *(f"{what} at {rate}" for rate in RATES for what in ("realised", "found"))]
    rows = [
        [
            method,
            group,
            *(_share(data.mean(method, f"{what} {rate}", tasks)) for rate in RATES for what in ("realised", "found")),
        ]
        for method in (NEW, IN_SAMPLE)
        for group, tasks in data.groups().items()
    ]
    return f"""## Means

{markdown_table(columns, rows)}

*Found* is the share of the outliers that are flagged. Where outliers are no stranger than the strangest hundredth of ordinary
documents, no rule can flag them at such a rate, and none is flagged.
"""


def _broken(data: ByTask) -> str:
    lines = []
    for method in (NEW, IN_SAMPLE):
        for task in data.tasks:
            realised = data.of(method, task, "realised 0.1")
            if realised > BROKEN * 0.1:
                n_flagged = data.of(method, task, "flagged 0.1")
                lines.append(f"- {method}, {task}: {_share(realised)}, of {n_flagged:g} documents flagged on average")
    listed = "\n".join(lines) if lines else "- none"
    return f"""## Where the promise is broken

Tasks on which the realised rate at 0.1 is more than twice what was wanted:

{listed}

Labels go by subject, scores by words. Some documents that are labelled as ordinary are strange by their words: the chapters on
the wars of Sparta and Thebes in one biography, which [vouch for one another](../method/detector.md#strange-company), or a post
that is a table of measurements. If such documents are among those that the detector is fitted on, new ones do not stand out;
in sample they do, since nothing says that they are ordinary.
"""


def _levels(data: ByTask) -> str:
    columns = ["fitted on", "tasks", *(f"{what}p ≤ {level}" for level in LEVELS for what in ("counted, ", ""))]
    few = {method: f"{number} documents" for method, number in FEW.items()}
    rows = [
        [
            name,
            group,
            *(
                f"{data.mean(method, f'{what} {level}', tasks):.1%}"
                for level in LEVELS
                for what in ("counted", "share")
            ),
        ]
        for group, tasks in data.groups().items()
        for method, name in {**few, NEW: "3/4 of all"}.items()
        if data.has(method, tasks)
    ]
    return f"""## P-values of new ordinary documents

The share of new ordinary documents with a p-value up to a level should be that level, or less. *Counted* is the p-value without
the correction for what the fit has seen, and without classes of length: too many ordinary documents have a small one.

{markdown_table(columns, rows)}
"""


def _by_task(data: ByTask) -> str:
    columns = ["task", *(f"{method}, {rate}" for method in ("new", IN_SAMPLE) for rate in RATES)]
    rows = []
    for task in data.tasks:
        cells = [
            f"{_share(data.of(method, task, f'realised {rate}'))} ({_share(data.of(method, task, f'found {rate}'))})"
            for method in (NEW, IN_SAMPLE)
            for rate in RATES
        ]
        rows.append([task + ("*" if TASKS[task].tuned else ""), *cells])
    return f"""## By task

Realised rate, and in brackets the share of the outliers found. An asterisk marks tasks that were tuned on.

{markdown_table(columns, rows)}
"""


def _share(value: float) -> str:
    return f"{value:.2f}"
