"""Turn the measurements of `benchmarks.new_documents` into docs/evidence/new-documents.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchmarks.contenders import CONTENDERS, OURS
from benchmarks.harness import ROOT
from benchmarks.tasks import TASKS
from tonmf.experiments.measured import markdown_table, share
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "new-documents.md"
PEERS = tuple(name for name in CONTENDERS if name != OURS)

MOST_FALSE_ALARMS = 0.03
"""Largest share of new ordinary documents above the threshold, as a mean over tasks."""


class ByTask:
    """Means over draws, by method and task; only tasks on which tonmf was measured."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = results
        measured = {r["config"]["task"] for r in results if r["config"]["method"] == OURS}
        self.tasks = [name for name in TASKS if name in measured]
        self.draws = len({r["config"]["seed"] for r in results})

    def values(self, method: str, task: str, field: str) -> list[float]:
        """Return a figure of each draw."""
        where = {"method": method, "task": task}
        return [float(r["result"][field]) for r in self._results if where.items() <= r["config"].items()]

    def of(self, method: str, task: str, field: str) -> float | None:
        """Return the mean over draws, None if there are none."""
        values = self.values(method, task, field)
        return fmean(values) if values else None

    def mean(self, method: str, field: str, tasks: Sequence[str]) -> float | None:
        """Return the mean over tasks, None unless all are measured."""
        found = [self.of(method, task, field) for task in tasks]
        known = [value for value in found if value is not None]
        return fmean(known) if known and len(known) == len(found) else None


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    data = ByTask(results)
    title = "New documents"
    if not data.tasks:
        return Section(title, "Not measured yet.\n")
    text = "\n".join([_introduction(data), _bars(data), _means(data), BY_TASK, _by_task(data)])
    return Section(title, text + "\n")


def _introduction(data: ByTask) -> str:
    tasks = f"{len(data.tasks)} tasks with {data.draws} draws each"
    return f"""`python -m benchmarks new_documents` writes this page and prints every figure on it. There are
{tasks}: the text tasks of [Quality](quality.md). The detector is fitted on a random 3/4 of the ordinary
documents, and scores the other ordinary documents and all outliers, as `tonmf score`, `watch` and `serve` do. *In sample* is a
detector fitted on all documents of the draw, judged on the same documents. tonmf has its defaults; the peers are k-NN (mean
cosine distance on tf-idf, k = 50) and the residual of NMF (rank 10).
"""


def _bars(data: ByTask) -> str:
    new, in_sample = data.mean(OURS, "ap", data.tasks), data.mean(OURS, "ap_in_sample", data.tasks)
    alarms, alone = data.mean(OURS, "false_alarms", data.tasks), data.mean(OURS, "ap_in_sample_alone", data.tasks)
    assert new is not None
    assert alone is not None
    assert in_sample is not None
    assert alarms is not None
    changed = sum(sum(data.values(OURS, task, "n_changed")) for task in data.tasks)
    scored = sum(sum(data.values(OURS, task, "n_fit")) for task in data.tasks)
    most = max(max(data.values(OURS, task, "most_changed")) for task in data.tasks)
    worst = max(data.tasks, key=lambda task: data.of(OURS, task, "false_alarms") or 0)
    most_alarms = data.of(OURS, worst, "false_alarms") or 0
    return f"""The bars:

- **{_verdict(new >= in_sample)}**: mean average precision of new documents is at least that in sample:
  {share(new)} and {share(in_sample)}. In sample, the outliers of a draw
  [vouch for one another](../method/detector.md#strange-company); new documents have no such company, as the detector was fitted
  without outliers. In sample without company it is {share(alone)}.
- **{_verdict(alarms <= MOST_FALSE_ALARMS)}**: false alarms are at most {MOST_FALSE_ALARMS:.0%} on average:
  {alarms:.1%}; the most are {most_alarms:.1%}, on {worst}.
- **{_verdict(changed == 0)}**: a training document that is scored again keeps its score to the bit:
  of {scored:,.0f} scores {changed:,.0f} changed, by at most {most:.2g}.
"""


def _verdict(holds: bool) -> str:
    return "pass" if holds else "fail"


def _means(data: ByTask) -> str:
    columns = [
        "method", "tasks", "AUC", "AP", "recall", "false alarms", "AUC in sample", "AP in sample", "recall in sample",
        "false alarms in sample",
    ]  # fmt: skip
    tuned = [name for name in data.tasks if TASKS[name].tuned]
    groups = {"all": data.tasks, "tuned on": tuned, "others": [name for name in data.tasks if name not in tuned]}
    rows = []
    for method in CONTENDERS:
        for group, tasks in groups.items():
            if tasks and data.mean(method, "auc", tasks) is not None:
                rows.append([method, f"{group} ({len(tasks)})", *_figures(data, method, tasks)])
    return f"## Means\n\n{markdown_table(columns, rows)}\n"


def _figures(data: ByTask, method: str, tasks: Sequence[str]) -> list[str]:
    names = ("auc", "ap", "recall", "false_alarms")
    fields = [*names, *(f"{name}_in_sample" for name in names)]
    return [_shown(field, data.mean(method, field, tasks)) for field in fields]


def _shown(field: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1%}" if field.startswith(("recall", "false")) else share(value)


BY_TASK = """## By task

AUC, with average precision in brackets.
"""


def _by_task(data: ByTask) -> str:
    columns = ["task", "tuned on", "tonmf", "in sample", "recall", "false alarms", *PEERS]
    rows = [
        [
            task,
            "yes" if TASKS[task].tuned else "no",
            _both(data, OURS, task, ""),
            _both(data, OURS, task, "_in_sample"),
            *(_shown(field, data.of(OURS, task, field)) for field in ("recall", "false_alarms")),
            *(_both(data, peer, task, "") for peer in PEERS),
        ]
        for task in data.tasks
    ]
    return markdown_table(columns, rows)


def _both(data: ByTask, method: str, task: str, suffix: str) -> str:
    auc, ap = (data.of(method, task, field + suffix) for field in ("auc", "ap"))
    return "" if auc is None or ap is None else f"{share(auc)} ({share(ap)})"
