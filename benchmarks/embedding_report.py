"""The page docs/evidence/quality-with-embeddings.md: its tables, its bars, and its text.

Only text tasks count on which all was measured: tonmf by words, by embeddings and by both, and every peer that sees embeddings.
"""

from __future__ import annotations

from typing import Any

from benchmarks.embedding_peers import EMBEDDING_PEERS
from benchmarks.quality_measurements import EMBEDDED, FUSED, MEANING, OURS, Measurements, Table, compare, three
from benchmarks.tasks import TASKS
from tonmf.experiments.measured import markdown_table

PARTS = {OURS: "words", MEANING: "embeddings alone"}
"""What the parts are called in the text."""

LEAST_AUC, LEAST_AP = 0.91, 0.46
"""Means that both together must reach."""

MOST_LOST = 0.02
"""AUC by which both together may be below the better part, on any task."""

GROUPS = ("embeddings, all", "embeddings, tuned", "embeddings, held out")
BY_TASK = "embeddings, by task"


def embedding_tasks(data: Measurements) -> list[str]:
    """Return the text tasks on which all that the page compares was measured."""
    methods = (OURS, *EMBEDDED)
    return [task.name for task in data.tasks if task.is_text and all(data.has(m, [task.name]) for m in methods)]


def embedding_tables(data: Measurements) -> dict[str, Table]:
    """Return the tables of the page by name; none if there is nothing to compare, and no empty ones."""
    tasks = embedding_tasks(data)
    if not tasks:
        return {}
    methods = [OURS, MEANING, FUSED, *_peers(data, tasks)]
    groups = (tasks, [name for name in tasks if TASKS[name].tuned], [name for name in tasks if not TASKS[name].tuned])
    tables = {name: compare(data, methods, group, MEANING) for name, group in zip(GROUPS, groups, strict=True) if group}
    return {**tables, BY_TASK: _by_task(data, tasks)}


def _peers(data: Measurements, tasks: list[str]) -> list[str]:
    """Return the peers, the best first."""
    return sorted(EMBEDDING_PEERS, key=lambda method: -data.best(method, "auc", tasks).mean())


def _by_task(data: Measurements, tasks: list[str]) -> Table:
    """Tabulate AUC (AP) by task: words, embeddings and both, and how far both are above the better of the two."""
    lines = []
    for task in tasks:
        figures = {
            method: [float(data.best(method, field, [task])[0]) for field in ("auc", "ap")]
            for method in (OURS, MEANING, FUSED)
        }
        gain = figures[FUSED][0] - max(figures[part][0] for part in PARTS)
        cells = [f"{three(auc)} ({three(ap)})" for auc, ap in figures.values()]
        lines.append([task, "yes" if TASKS[task].tuned else "no", *cells, _signed(gain)])
    return ["task", "tuned on", *PARTS.values(), "both", "both − the better one"], lines


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "−") + three(abs(value))


def summarise_embeddings(data: Measurements) -> dict[str, Any] | None:
    """Return the means of the three ways and of the best peers, and the bars; None if there is nothing to compare."""
    tasks = embedding_tasks(data)
    if not tasks:
        return None

    def mean(method: str, field: str) -> float:
        return float(data.best(method, field, tasks).mean())

    auc, ap = ({way: mean(way, field) for way in (OURS, MEANING, FUSED)} for field in ("auc", "ap"))
    lost = {
        task: float(max(data.best(part, "auc", [task])[0] for part in PARTS) - data.best(FUSED, "auc", [task])[0])
        for task in tasks
    }
    worst = max(tasks, key=lost.__getitem__)
    summary = {"tasks": len(tasks), "draws": data.draws, "auc": auc, "ap": ap}
    summary |= {"worst_task": worst, "most_lost": lost[worst]}
    for field in ("auc", "ap"):
        peers = {peer: mean(peer, field) for peer in EMBEDDING_PEERS}
        best = max(peers, key=peers.__getitem__)
        summary |= {f"best_peer_by_{field}": best, f"best_peer_{field}": peers[best]}
    return summary


def bars_of(summary: dict[str, Any]) -> list[tuple[bool, str]]:
    """Return of each bar whether it holds, and what was measured."""
    auc, ap = summary["auc"], summary["ap"]
    bars = [
        (auc[FUSED] >= LEAST_AUC, f"both have a mean AUC of at least {three(LEAST_AUC)}: {three(auc[FUSED])}"),
        (ap[FUSED] >= LEAST_AP, f"both have a mean AP of at least {three(LEAST_AP)}: {three(ap[FUSED])}"),
    ]
    for part, name in PARTS.items():
        means = f"AUC {_pair(auc[FUSED], auc[part])}, AP {_pair(ap[FUSED], ap[part])}"
        higher = auc[FUSED] > auc[part] and ap[FUSED] > ap[part]
        bars.append((higher, f"both are above {name} on average: {means}"))
    worst = f"at worst {_signed(-summary['most_lost'])}, on {summary['worst_task']}"
    below = f"on no task is the AUC of both more than {three(MOST_LOST)} below that of the better one: {worst}"
    bars.append((summary["most_lost"] <= MOST_LOST, below))
    for figure, means in (("AUC", auc), ("AP", ap)):
        peer, best = summary[f"best_peer_by_{figure.lower()}"], summary[f"best_peer_{figure.lower()}"]
        ahead = f"embeddings alone have a higher mean {figure} than every detector of PyOD"
        bars.append((means[MEANING] > best, f"{ahead}: {_pair(means[MEANING], best)} ({peer})"))
    return bars


def _pair(ours: float, other: float) -> str:
    return f"{three(ours)} and {three(other)}"


def headline(summary: dict[str, Any]) -> str:
    """Return the line about embeddings at the head of the page."""
    auc = summary["auc"]
    return (
        f"- With sentence embeddings of MiniLM beside the text, on the text tasks: {three(auc[FUSED])} together,\n"
        f"  {three(auc[OURS])} from the text alone and {three(auc[MEANING])} from the embeddings alone\n"
        "  ([how much embeddings gain](quality-with-embeddings.md))."
    )


def page_of(summary: dict[str, Any], tables: dict[str, Table]) -> str:
    """Return the page."""
    bars = bars_of(summary)
    held = sum(holds for holds, _ in bars)
    verdict = "All bars hold" if held == len(bars) else f"{held} of {len(bars)} bars hold"
    listed = "\n".join(f"- **{'pass' if holds else 'fail'}**: {text}." for holds, text in bars)
    titles = ("All text tasks", "Text tasks used for tuning", "The other text tasks")
    groups = "\n\n".join(
        f"## {title}\n\n{markdown_table(*tables[name])}"
        for title, name in zip(titles, GROUPS, strict=True)
        if name in tables
    )
    return f"""# How much sentence embeddings gain

`python -m benchmarks.quality --embeddings-only` writes this page, and so does `make bench-quality`. There are
{summary["tasks"]} text tasks with {summary["draws"]} draws each, those of [the page on quality](quality.md). Compared are
tonmf by words (*{OURS}*), by MiniLM sentence embeddings alone (*{MEANING}*, which is `EmbeddingOutlierDetector`) and by
both (*{FUSED}*, `TextOutlierDetector` with `embeddings=`), each with its defaults; and detectors of PyOD on the same
embeddings, each at the setting with the highest mean AUC over the tasks of a table, chosen with the labels. The time to
make embeddings is not counted: [what embeddings cost](meaning.md) has it.

{verdict}:

{listed}

{groups}

## Words, embeddings and both by task

AUC, with average precision in brackets. The last column is the AUC of both less that of the better one.

{markdown_table(*tables[BY_TASK])}
"""
