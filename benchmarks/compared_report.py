"""Turn the measurements of `benchmarks.compared` into docs/evidence/compared.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.harness import ROOT
from benchmarks.quality_measurements import Measurements, Table, rows_of, three
from benchmarks.small_tasks import N_ORDINARY, N_STRANGE, SMALL_TASKS
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "compared.md"

OWN = ("tonmf", "tonmf + MiniLM", "tonmf, MiniLM alone")
"""Our three ways, which come first."""

BY_TASK = """AUC, with average precision in brackets; the highest AUC of a task is bold. Each method is shown at the setting
with its highest mean AUC."""

Way = tuple[str, str]
"""A method and its setting."""


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment: the draws on which everything was measured."""
    title = "Compared with PyOD, BERTopic, cleanlab and k-NN"
    rows = rows_of(_of_whole_draws(results))
    if not rows:
        return Section(title, "Not measured yet.\n")
    data = Measurements(rows)
    ways = _ways(data)
    return Section(
        title, "\n\n".join([_introduction(data), *_tables(data, ways), _winners(data, ways), _not_compared()]) + "\n"
    )


def _of_whole_draws(results: Sequence[Result]) -> list[Result]:
    """Return the results of the seeds with which every method was measured on every task that has results."""
    cells = {(r["config"]["seed"], r["config"]["task"], r["config"]["method"]) for r in results}
    seeds, tasks, methods = (sorted({cell[i] for cell in cells}) for i in range(3))
    whole = {seed for seed in seeds if all((seed, task, method) in cells for task in tasks for method in methods)}
    return [r for r in results if r["config"]["seed"] in whole]


def _ways(data: Measurements) -> list[Way]:
    """Return methods with their settings: ours, then the others by their mean AUC."""
    methods = dict.fromkeys(row["method"] for row in data.rows)
    ways = [(method, setting) for method in methods for setting in data.settings(method)]
    others = [way for way in ways if way[0] not in OWN]
    return [way for way in ways if way[0] in OWN] + sorted(others, key=lambda way: -_mean(data, way, "auc", data.names))


def _mean(data: Measurements, way: Way, field: str, tasks: list[str]) -> float:
    return float(data.by_task(*way, field, tasks).mean())


def _tables(data: Measurements, ways: list[Way]) -> list[str]:
    tuned = [name for name in data.names if SMALL_TASKS[name].tuned]
    others = [name for name in data.names if not SMALL_TASKS[name].tuned]
    return [
        "## All methods\n\n" + markdown_table(*_means(data, ways, tuned, others)),
        f"## By task\n\n{BY_TASK}\n\n" + markdown_table(*_by_task(data, ways)),
    ]


def _means(data: Measurements, ways: list[Way], tuned: list[str], others: list[str]) -> Table:
    columns = ["method", "setting", "AUC", "AP", "AUC, tuned on", "AUC, others", "worst AUC", "CPU s"]
    lines = []
    for way in ways:
        seconds = _seconds(data, way)
        figures = [_mean(data, way, field, data.names) for field in ("auc", "ap")]
        groups = [three(_mean(data, way, "auc", tasks)) if tasks else "" for tasks in (tuned, others)]
        worst = data.by_task(*way, "auc", data.names).min()
        lines.append([*way, *map(three, figures), *groups, three(worst), f"{seconds:.2f}"])
    return columns, lines


def _seconds(data: Measurements, way: Way) -> float:
    return median(row["seconds"] for row in data.rows if (row["method"], row["setting"]) == way)


def _shown(data: Measurements, ways: list[Way]) -> list[Way]:
    """Return the best setting of each method, by the mean AUC over all tasks: a table by task has room for no more."""
    best = {way[0]: way for way in sorted(ways, key=lambda way: _mean(data, way, "auc", data.names))}
    return [way for way in ways if best[way[0]] == way]


def _by_task(data: Measurements, ways: list[Way]) -> Table:
    shown = _shown(data, ways)
    columns = ["task", "tuned on", *(_name(way) for way in shown)]
    lines = []
    for task in data.names:
        cells = [[float(data.by_task(*way, field, [task])[0]) for field in ("auc", "ap")] for way in shown]
        most = max(auc for auc, _ in cells)
        worded = [f"{f'**{three(auc)}**' if auc == most else three(auc)} ({three(ap)})" for auc, ap in cells]
        lines.append([task, "yes" if SMALL_TASKS[task].tuned else "no", *worded])
    return columns, lines


def _name(way: Way) -> str:
    method, setting = way
    return method if setting == "default" else f"{method} ({setting})"


def _winners(data: Measurements, ways: list[Way]) -> str:
    """Say on which tasks another method is ahead of each of our ways, and by how much."""
    others = [way for way in ways if way[0] not in OWN]
    lines = []
    for way in (way for way in ways if way[0] in OWN):
        for field, name in (("auc", "AUC"), ("ap", "average precision")):
            ahead = []
            for task in data.names:
                ours = float(data.by_task(*way, field, [task])[0])
                best = max(others, key=lambda other: data.by_task(*other, field, [task])[0])
                theirs = float(data.by_task(*best, field, [task])[0])
                if theirs > ours:
                    ahead.append(f"{task}: {_name(best)}, {three(theirs)} against {three(ours)}")
            where = "on no task" if not ahead else f"on {len(ahead)} of {len(data.names)} tasks"
            lines.append(
                f"- **{way[0]}**, {name}: another method is ahead {where}." + "".join(f"\n  - {a}" for a in ahead)
            )
    first = others[0]
    times = [f"{_seconds(data, way):.2f} s" for way in (first, ways[0])]
    lines.append(
        f"- **Time**: a fit of {_name(first)}, the best of the others by its mean AUC, takes {' against '.join(times)}."
    )
    head = "For each task, the best other method is picked afterwards, by the labels; that favours the others."
    return f"## Where others win\n\n{head}\n\n" + "\n".join(lines)


def _introduction(data: Measurements) -> str:
    draws = f"{data.draws} draws" if data.draws > 1 else "1 draw"
    return f"""`python -m benchmarks compared` writes this page and prints every figure on it. It needs the extra `bench` and
the archives of the texts.

There are {len(data.names)} tasks with {draws} each: those of [Quality](quality.md), with at most {N_ORDINARY} ordinary
documents and {N_STRANGE} outliers, so that embeddings of all of them can be made on a CPU. Methods that see meaning see the
same MiniLM embeddings. tonmf runs with its defaults. Each other method runs as its documentation recommends for texts, or with
its defaults, and every setting has a line of its own; none was chosen with the labels of these draws.

- **PyOD, MiniLM**: `EmbeddingOD.for_text`. "fast" is k-NN on MiniLM; "balanced" is LUNAR, here on MiniLM in place of mpnet.
- **PyOD, tf-idf**: what its engine recommends for tables, on the first 100 singular directions of tf-idf, at unit norm.
- **BERTopic, MiniLM**: with its defaults. It models topics, and does not claim to rank outliers; its topic −1 is for documents
  without a topic, and a few outliers on one subject can have a topic.
- **cleanlab, MiniLM**: the outlier scores of `OutOfDistribution` and of `Datalab`, from embeddings alone: the mean distance
  to 10 neighbours, as k-NN with k=10. The tasks have no class labels to train a classifier on, with which cleanlab can do more.
- **k-NN**: mean cosine distance to the k nearest documents. k=10 is cleanlab's default; k=50 was the best on the page of
  quality, by the labels, which favours it here.

The seconds are those of the processor, in one thread, for one fit: the median over all draws. Those of tonmf by words include
reading the texts. The tf-idf rows and embeddings that methods share are not counted; [what embeddings cost](meaning.md) is
far more than any fit here.

Some tasks are among those that tonmf was *tuned on*, so the *others* judge it more fairly
([which](quality.md#tasks-used-for-tuning))."""


def _not_compared() -> str:
    return """## What was not compared

These tasks are small. [Quality](quality.md) has all of them in full, with each peer at its best setting. All ask for documents
on another subject. Other questions have other answers: wrong labels and near-copies are what cleanlab is for, topics to read
are what BERTopic is for, and tables of measurements are what PyOD is for."""
