"""Turn the measurements of `benchmarks.quality` into docs/evidence/quality.md and quality.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import RESULTS, ROOT, describe_machine, print_table, write_whole
from benchmarks.peers import EMBEDDING_NEIGHBOURS, PEERS
from benchmarks.tasks import TASKS
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.specification import Result, Section

OURS, FUSED, MINILM = "tonmf", "tonmf + MiniLM", EMBEDDING_NEIGHBOURS.name

EMBEDDED = (MINILM, FUSED)
"""Methods that see embeddings, and so texts only; they may be left out."""

PAGE = ROOT / "docs" / "evidence" / "quality.md"

Row = dict[str, Any]


def rows_of(results: Iterable[Result]) -> list[Row]:
    """Return one row for each method, setting, task and draw."""
    return [
        {**result["result"], **figures, "setting": setting, **result["config"]}
        for result in results
        for setting, figures in result["result"]["settings"].items()
    ]


class Measurements:
    """Means over draws, by method, setting and task."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.tasks = [task for task in TASKS.values() if any(row["task"] == task.name for row in self.rows)]
        self.texts = [task.name for task in self.tasks if task.is_text]
        self.names = [task.name for task in self.tasks]
        measured = {row["method"] for row in self.rows}
        self.embedded = [method for method in EMBEDDED if method in measured]

    def settings(self, method: str) -> list[str]:
        """Return the settings of a method."""
        return sorted({row["setting"] for row in self.rows if row["method"] == method})

    def by_task(self, method: str, setting: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return the mean over draws for each task."""
        values: dict[str, list[float]] = {name: [] for name in tasks}
        for row in self.rows:
            if row["method"] == method and row["setting"] == setting and row["task"] in values:
                values[row["task"]].append(row[field])
        return np.array([np.mean(values[name]) for name in tasks])

    def best_setting(self, method: str, tasks: list[str]) -> str:
        """Return the setting with the highest mean AUC over tasks, chosen with the labels."""
        return max(self.settings(method), key=lambda setting: self.by_task(method, setting, "auc", tasks).mean())

    def best(self, method: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return values by task, at the one setting that is best over all tasks."""
        return self.by_task(method, self.best_setting(method, tasks), field, tasks)

    def oracle(self, method: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return values by task, each at the best setting for that task."""
        return np.max([self.by_task(method, setting, field, tasks) for setting in self.settings(method)], axis=0)


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over tasks."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(10_000, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def compare(data: Measurements, methods: list[str], tasks: list[str]) -> tuple[list[str], list[list[Any]]]:
    """Return the columns and one line for each method."""
    columns = [
        "method", "setting", "AUC", "AP", "worst AUC", "tonmf − it (95 %)", "tonmf better on", "AUC, best setting by task", "s",
    ]  # fmt: skip
    ours = data.best(OURS, "auc", tasks)
    lines = []
    for method in methods:
        auc, ap = data.best(method, "auc", tasks), data.best(method, "ap", tasks)
        low, high = interval(ours - auc)
        lines.append(
            [
                method,
                data.best_setting(method, tasks),
                _three(auc.mean()),
                _three(ap.mean()),
                _three(auc.min()),
                "" if method == OURS else f"{_three(low)} to {_three(high)}",
                "" if method == OURS else f"{(ours > auc).mean():.0%}",
                _three(data.oracle(method, "auc", tasks).mean()),
                f"{data.best(method, 'seconds', tasks).mean():.1f}",
            ]
        )
    return columns, lines


def _three(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def summarise(data: Measurements) -> dict[str, Any]:
    """Return the headline figures."""
    names = data.names
    peers = {method: data.best(method, "auc", names).mean() for method in PEERS}
    best_peer = max(peers, key=peers.__getitem__)
    ours, theirs = data.best(OURS, "auc", names), data.best(best_peer, "auc", names)
    ours_ap, theirs_ap = data.best(OURS, "ap", names), data.best(best_peer, "ap", names)
    texts = {method: data.best(method, "auc", data.texts).mean() for method in (OURS, *data.embedded)}
    measured = [row for row in data.rows if row["method"] == OURS]
    before_alarms = {of: float(np.mean([row["before_alarms"][of] for row in measured])) for of in ("auc", "ap")}
    alone = {of: float(np.mean([row["alone"][of] for row in measured])) for of in ("auc", "ap")}
    return {
        "tasks": len(names),
        "draws": len({row["seed"] for row in data.rows}),
        "best_peer": best_peer,
        "auc": ours.mean(),
        "best_peer_auc": theirs.mean(),
        "auc_gain": ours.mean() - theirs.mean(),
        "ap": ours_ap.mean(),
        "best_peer_ap": theirs_ap.mean(),
        "ap_ratio": ours_ap.mean() / theirs_ap.mean(),
        "better_on": float((ours > theirs).mean()),
        "texts_auc": texts,
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
        auc, ap = (_three(float(data.best(method, field, tasks).mean())) for field in ("auc", "ap"))
        lines.append(f"{method}, {part} ({len(tasks)} tasks): AUC {auc}, AP {ap}")
    return "\n".join(lines)


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


def tables_of(data: Measurements) -> dict[str, tuple[list[str], list[list[Any]]]]:
    """Return the tables of the page: columns and lines, by name."""
    methods = [OURS, *sorted(PEERS, key=lambda m: -data.best(m, "auc", data.names).mean())]
    tuned = [task.name for task in data.tasks if task.tuned]
    held_out = [task.name for task in data.tasks if not task.tuned]
    return {
        "all": compare(data, methods, data.names),
        "tuned": compare(data, methods, tuned),
        "held out": compare(data, methods, held_out),
        "texts": compare(data, [OURS, *data.embedded], data.texts),
        "by task": by_task(data, summarise(data)["best_peer"]),
        "threshold": thresholds(data),
    }


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    data = Measurements(rows_of(results))
    cost = RESULTS / "cost.json"
    costs = json.loads(cost.read_text())["results"] if cost.exists() else None
    return Section("How well it finds outliers", page_text(summarise(data), tables_of(data), costs))


def by_task(data: Measurements, best_peer: str) -> tuple[list[str], list[list[Any]]]:
    """Tabulate AUC (AP) by task: ours, the best bag-of-words peer, and what sees embeddings, if that was measured."""
    methods = [OURS, best_peer, *data.embedded]
    lines = []
    for task in data.tasks:
        line = [task.name, "yes" if task.tuned else "no"]
        for method in methods:
            if method in EMBEDDED and not task.is_text:
                line.append("")
                continue
            tasks = data.texts if method in EMBEDDED else data.names
            setting = data.best_setting(method, tasks)
            auc, ap = (data.by_task(method, setting, field, [task.name])[0] for field in ("auc", "ap"))
            line.append(f"{_three(auc)} ({_three(ap)})")
        lines.append(line)
    return ["task", "tuned on", *methods], lines


def thresholds(data: Measurements) -> tuple[list[str], list[list[Any]]]:
    """Tabulate what ``contamination="auto"`` flags."""
    columns = ["task", "precision", "recall", "flagged", "flagged with no outlier there"]

    def mean(rows: list[Row], field: str) -> str:
        values = [row[field] for row in rows if row[field] is not None]
        return f"{np.mean(values):.1%}" if values else ""

    ours = [row for row in data.rows if row["method"] == OURS]
    groups = [(name, [row for row in ours if row["task"] == name]) for name in data.names] + [("mean", ours)]
    fields = ("precision", "recall", "flagged", "flagged_when_clean")
    return columns, [[name, *(mean(rows, field) for field in fields)] for name, rows in groups]


WITH_EMBEDDINGS = """## With sentence embeddings

Text tasks only. The time MiniLM needs to embed the texts, many times that of everything here, is not counted.

"""


def page_text(summary: dict[str, Any], tables: dict[str, Any], cost: dict[str, Any] | None) -> str:
    """Return the text of the page, below its title."""

    def table(title: str) -> str:
        return markdown_table(*tables[title])

    s: Callable[[str], str] = lambda key: _three(summary[key])  # noqa: E731
    speed = (
        "Not measured yet: `python -m benchmarks cost`."
        if cost is None
        else f"On 20 Newsgroups ({cost['documents']:,} messages) the whole default detector takes "
        f"{cost['detector_s']:.1f} s and\n  scikit-learn's `TfidfVectorizer` alone {cost['tfidf_s']:.1f} s in the same "
        f"run: {cost['ratio']:.2f} times as long\n  (medians of {cost['runs']}, `make bench BENCH_ARGS=cost`)."
    )
    embedded = with_embeddings = ""
    if FUSED in (texts := summary["texts_auc"]):
        embedded = (
            f"- With sentence embeddings of MiniLM beside the text, on the text tasks: {_three(texts[FUSED])} together,\n"
            f"  {_three(texts[OURS])} from the text alone and {_three(texts[MINILM])} from the embeddings alone.\n"
        )
        with_embeddings = WITH_EMBEDDINGS + table("texts") + "\n\n"
    return f"""`make bench-quality` writes this page and prints every figure on it. It keeps each result, so an interrupted run
resumes. There are {summary["tasks"]} tasks with {summary["draws"]} draws each. A task is made of real data with classes:
documents of some classes are ordinary, and a few of another class are the outliers.

- Mean area under the ROC curve {s("auc")}; the best bag-of-words peer ({summary["best_peer"]}) has
  {s("best_peer_auc")}: {s("auc_gain")} less.
- Mean average precision {s("ap")}; that peer has {s("best_peer_ap")}: {summary["ap_ratio"]:.2f} times as much.
- Better than that peer on {summary["better_on"]:.0%} of the tasks.
{embedded}- {speed}

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

{with_embeddings}## By task

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
