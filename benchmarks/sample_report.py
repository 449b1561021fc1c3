"""Turn the measurements of `benchmarks.sample_fits` into docs/evidence/sampling.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchmarks.harness import ROOT
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "sampling.md"

ALL = "all"
SIZES = (500, 1000, 2000, 5000, 10000)

FIELDS = ("auc", "ap", "recall", "false alarms", "seconds")


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    title = "Fitting on a sample"
    by_task: dict[str, dict[str, dict[str, float]]] = {}
    for task in dict.fromkeys(result["config"]["task"] for result in results):
        of_task = [result for result in results if result["config"]["task"] == task]
        methods = dict.fromkeys(result["config"]["method"] for result in of_task)
        by_task[task] = {
            method: {
                field: fmean(r["result"][field] for r in of_task if r["config"]["method"] == method)
                for field in (*FIELDS, "documents")
            }
            for method in methods
        }
    if not by_task:
        return Section(title, "Not measured yet.\n")
    draws = len({result["config"]["seed"] for result in results})
    return Section(title, "\n".join([_introduction(len(by_task), draws), _differences(by_task), _by_task(by_task)]))


def _introduction(n_tasks: int, draws: int) -> str:
    return f"""`tonmf detect FILES --sample N` fits on N random documents and scores all of them. `python -m benchmarks
sample_fits` writes this page and prints every figure on it: {n_tasks} tasks, {draws} draws each. Two are large, the posts of
19 groups of 20 Newsgroups and 180 of the twentieth; the others are the text tasks of [Quality](quality.md) that tonmf was
tuned on. A fit on all documents is beside them. Seconds are of one processor, for fit and scores together, without reading
files.
"""


ByTask = dict[str, dict[str, dict[str, float]]]


def _differences(by_task: ByTask) -> str:
    rows = []
    for size in map(str, SIZES):
        having = [found for found in by_task.values() if size in found]
        if having:
            apart = {field: fmean(found[size][field] - found[ALL][field] for found in having) for field in FIELDS}
            time = fmean(found[size]["seconds"] / found[ALL]["seconds"] for found in having)
            share = fmean(int(size) / found[ALL]["documents"] for found in having)
            figures = [f"{apart[field]:+.3f}" for field in ("auc", "ap")]
            rates = [f"{100 * apart[field]:+.1f} %" for field in ("recall", "false alarms")]
            rows.append([f"{int(size):,}", len(having), f"{share:.0%}", *figures, *rates, f"{time:.0%}"])
    columns = ["N", "tasks", "share", "AUC", "AP", "recall", "false alarms", "seconds"]
    return f"""## Means

Differences from a fit on all documents, the mean over tasks; *share* is N as a share of the documents, *seconds* those as a
share of the time of a fit on all. Large samples were drawn only from the large tasks, so rows are not of the same tasks.

{markdown_table(columns, rows)}

All documents are cut into words and scored in any case, and a fit on more than 16,000 documents [samples by
itself](../method/detector.md#3-topics-that-earn-their-place) for most of its passes. So a small sample saves about half of the
time, and a large one nothing.

What it loses depends on the outliers. Some are found because they [vouch for one
another](../method/detector.md#strange-company), and in a sample they have little company: BBC loses most. On Reuters a
sample of 2,000 is better than all documents; it holds fewer of the articles on the one strange subject. The threshold is
learnt from the sample, so the number of flagged documents changes, too. For a first look, take some thousand documents; for
results to keep, take all.
"""


def _by_task(by_task: ByTask) -> str:
    rows = []
    for task, found in by_task.items():
        for method in (ALL, *map(str, SIZES)):
            if method in found:
                figures = found[method]
                n_fitted = figures["documents"] if method == ALL else int(method)
                quality = [f"{figures[field]:.3f}" for field in ("auc", "ap")]
                rates = [f"{figures[field]:.1%}" for field in ("recall", "false alarms")]
                rows.append([task, f"{n_fitted:,.0f}", *quality, *rates, f"{figures['seconds']:.1f}"])
    columns = ["task", "fitted on", "AUC", "AP", "recall", "false alarms", "seconds"]
    return f"""## By task

{markdown_table(columns, rows)}
"""
