"""Turn the measurements of `benchmarks.quality` into docs/evidence/quality.md and quality.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedding_report import embedding_tables, headline, page_of, summarise_embeddings
from benchmarks.harness import ROOT, describe_machine, print_table, write_whole
from benchmarks.peers import PEERS
from benchmarks.quality_measurements import OURS, Measurements, Row, Table, compare, rows_of, three
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "quality.md"
EMBEDDINGS_PAGE = PAGE.with_name("quality-with-embeddings.md")


def summarise(data: Measurements) -> dict[str, Any]:
    """Return the headline figures."""
    names = data.names
    peers = {method: data.best(method, "auc", names).mean() for method in PEERS}
    best_peer = max(peers, key=peers.__getitem__)
    ours, theirs = data.best(OURS, "auc", names), data.best(best_peer, "auc", names)
    ours_ap, theirs_ap = data.best(OURS, "ap", names), data.best(best_peer, "ap", names)
    measured = [row for row in data.rows if row["method"] == OURS]
    before_alarms = {of: float(np.mean([row["before_alarms"][of] for row in measured])) for of in ("auc", "ap")}
    alone = {of: float(np.mean([row["alone"][of] for row in measured])) for of in ("auc", "ap")}
    return {
        "tasks": len(names),
        "draws": data.draws,
        "best_peer": best_peer,
        "auc": ours.mean(),
        "best_peer_auc": theirs.mean(),
        "auc_gain": ours.mean() - theirs.mean(),
        "ap": ours_ap.mean(),
        "best_peer_ap": theirs_ap.mean(),
        "ap_ratio": ours_ap.mean() / theirs_ap.mean(),
        "better_on": float((ours > theirs).mean()),
        "embeddings": summarise_embeddings(data),
        "alarm_changes_auc_by": float(np.mean([row["auc"] for row in measured])) - before_alarms["auc"],
        "company_auc": before_alarms["auc"],
        "company_ap": before_alarms["ap"],
        "alone_auc": alone["auc"],
        "alone_ap": alone["ap"],
    }


def means_of(results: Iterable[Result], method: str) -> str:
    """Return the means over tasks of one method, in a line each for all tasks, those used for tuning and the others."""
    data = Measurements(row for row in rows_of(results) if row["method"] == method)
    parts = {
        "all": data.names,
        "tuned on": [task.name for task in data.tasks if task.tuned],
        "others": [task.name for task in data.tasks if not task.tuned],
    }
    lines = []
    for part, tasks in parts.items():
        if not tasks:
            continue
        auc, ap = (three(float(data.best(method, field, tasks).mean())) for field in ("auc", "ap"))
        lines.append(f"{method}, {part} ({len(tasks)} tasks): AUC {auc}, AP {ap}")
    return "\n".join(lines)


def report_embeddings(results: Iterable[Result], page: Path | None) -> None:
    """Print the page about embeddings, as far as it is measured; write it if a path is given."""
    data = Measurements(rows_of(results))
    summary = summarise_embeddings(data)
    if summary is None:
        print("Embeddings are not measured yet.")
        return
    text = page_of(summary, embedding_tables(data))
    print(text)
    if page is not None:
        write_whole(page, text)


def write_report(results: Sequence[Result], page: Path, figures: Path) -> None:
    """Print the tables, and write the page and the JSON file."""
    data = Measurements(rows_of(results))
    summary, tables = summarise(data), tables_of(data)
    for title, (columns, lines) in tables.items():
        print_table(title, columns, lines)
    print(json.dumps(summary, indent=1))
    by_name = {
        title: [dict(zip(columns, line, strict=True)) for line in lines] for title, (columns, lines) in tables.items()
    }
    write_whole(figures, json.dumps({"machine": describe_machine(), "summary": summary, "tables": by_name}, indent=1))
    section = report(results)
    write_whole(page, f"# {section.title}\n\n{section.text}")


def tables_of(data: Measurements) -> dict[str, Table]:
    """Return the tables of the page by name."""
    methods = [OURS, *sorted(PEERS, key=lambda m: -data.best(m, "auc", data.names).mean())]
    tuned = [task.name for task in data.tasks if task.tuned]
    held_out = [task.name for task in data.tasks if not task.tuned]
    return {
        "all": compare(data, methods, data.names),
        "tuned": compare(data, methods, tuned),
        "held out": compare(data, methods, held_out),
        **embedding_tables(data),
        "by task": by_task(data, summarise(data)["best_peer"]),
        "threshold": thresholds(data),
    }


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    data = Measurements(rows_of(results))
    return Section("How well it finds outliers", page_text(summarise(data), tables_of(data)))


def by_task(data: Measurements, best_peer: str) -> Table:
    """Tabulate AUC (AP) by task: ours, and the best bag-of-words peer."""
    methods = [OURS, best_peer]
    settings = {method: data.best_setting(method, data.names) for method in methods}
    lines = []
    for task in data.tasks:
        line = [task.name, "yes" if task.tuned else "no"]
        for method, setting in settings.items():
            auc, ap = (data.by_task(method, setting, field, [task.name])[0] for field in ("auc", "ap"))
            line.append(f"{three(auc)} ({three(ap)})")
        lines.append(line)
    return ["task", "tuned on", *methods], lines


def thresholds(data: Measurements) -> Table:
    """Tabulate what ``contamination="auto"`` flags."""
    columns = ["task", "precision", "recall", "flagged", "flagged with no outlier there"]

    def mean(rows: list[Row], field: str) -> str:
        values = [row[field] for row in rows if row[field] is not None]
        return f"{np.mean(values):.1%}" if values else ""

    ours = [row for row in data.rows if row["method"] == OURS]
    groups = [(name, [row for row in ours if row["task"] == name]) for name in data.names] + [("mean", ours)]
    fields = ("precision", "recall", "flagged", "flagged_when_clean")
    return columns, [[name, *(mean(rows, field) for field in fields)] for name, rows in groups]


def page_text(summary: dict[str, Any], tables: dict[str, Table]) -> str:
    """Return the text of the page, below its title."""

    def table(title: str) -> str:
        return markdown_table(*tables[title])

    s: Callable[[str], str] = lambda key: three(summary[key])  # noqa: E731
    embedded = "" if summary["embeddings"] is None else headline(summary["embeddings"]) + "\n"
    return f"""`make bench-quality` writes this page and prints every figure on it. It keeps each result, so an interrupted run
resumes. There are {summary["tasks"]} tasks with {summary["draws"]} draws each. A task is made of real data with classes:
documents of some classes are ordinary, and a few of another class are the outliers.

- Mean area under the ROC curve {s("auc")}; the best bag-of-words peer ({summary["best_peer"]}) has
  {s("best_peer_auc")}: {s("auc_gain")} less.
- Mean average precision {s("ap")}; that peer has {s("best_peer_ap")}: {summary["ap_ratio"]:.2f} times as much.
- Better than that peer on {summary["better_on"]:.0%} of the tasks.
{embedded}- What a fit takes beside scikit-learn's `TfidfVectorizer` alone is under [speed](speed.md#beside-an-earlier-version).

## All tasks

Every peer has the single setting with the highest mean AUC over the tasks, chosen with the labels. The last column but
one gives it the best setting for each task, also chosen with the labels. tonmf has its defaults throughout. Seconds are
for one setting on one thread. Those of tonmf include reading the text, those of k-NN on tf-idf computing the tf-idf rows
(divided by the number of its settings), and those of PyOD's k-NN the SVD. The interval is a bootstrap over tasks.

{table("all")}

Peers see sublinear tf-idf rows (without scikit-learn's English stop words, words in at least 2 documents); those that
need dense data see the first 100 singular directions. tonmf also drops fragments of contractions, which gains it .003
of AUC.

### Tasks used for tuning

While writing this version we tuned on these tasks, with the labels: the ladder of topic shares, whether and how nearness
to ordinary documents, strange company and words outside the vocabulary count, how few words and copies are treated, the
widths of the automatic threshold, and the alarms.

{table("tuned")}

### The other tasks

{table("held out")}

## By task

AUC, with average precision in brackets; means over {summary["draws"]} draws.

{table("by task")}

## The automatic threshold

What the [automatic threshold](../guide/scores.md#the-automatic-threshold) flags (`contamination="auto"`): how many of
the flagged are outliers (precision), how many of the outliers are flagged (recall), the share of documents flagged, and
that share when the outliers are left out of the data.

{table("threshold")}

## Strange company and alarms

Strange documents that are like each other [vouch for one another](../method/detector.md#strange-company). Without that, and
before alarms, mean AUC is {s("alone_auc")} and mean average precision {s("alone_ap")}; with it, they are
{s("company_auc")} and {s("company_ap")}. The outliers of a task are of one class, so they are like each other. Outliers that
have nothing in common gain nothing.

The [alarms](../method/detector.md#6-alarms) for unknown, rare and repeated words change the mean AUC by
{summary["alarm_changes_auc_by"]:+.4f}: these tasks have no such documents to speak of.
"""
