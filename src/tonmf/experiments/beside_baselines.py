"""The section of the page that compares tonmf with every baseline at its best, and says why where a baseline is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean

from tonmf.experiments.claims import Everything, better
from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import METHODS, OURS, RANK
from tonmf.experiments.paper.roc import Areas
from tonmf.experiments.tasks import TASKS

CONTROLS = ("rcv20-threads", "rcv20-bodies")
"""Variants of RCV20 that remove what makes posts of one thread similar."""


def beside_baselines(results: Everything) -> str:
    """Return a table, and an item for each data set on which a baseline has a greater area than tonmf."""
    areas = Areas(results.get("roc", ()))
    if not areas.tasks:
        return ""
    rows, items = [], []
    for task in areas.tasks:
        ours = fmean(areas.best(task, OURS))
        baseline = areas.best_baseline(task)
        theirs = fmean(areas.best(task, baseline))
        tuned = list(_tuned(results, areas, task))
        cells = [f"{share(area)} {name} ({share(area_of_ours)})" for name, area, area_of_ours, _ in tuned]
        rows.append([TASKS[task].title, share(ours), f"{share(theirs)} {METHODS[baseline].title}", "; ".join(cells)])
        reasons = [_why(results, areas, task, baseline)] if better(theirs, ours) else []
        reasons += [
            f"At its best setting, seed 0: {name} {share(area)}, tonmf {share(area_of_ours)}; at the others {others}."
            for name, area, area_of_ours, others in tuned
            if better(area, area_of_ours) and not (reasons and name.startswith(METHODS[baseline].title))
        ]
        items += [f"- **{TASKS[task].title}**: {' '.join(reasons)}"] if reasons else []
    columns = ["data set", "tonmf", "best baseline", "best rank or λ by the labels, seed 0 (tonmf on that draw)"]
    better_here = (
        "\n".join(["Where a baseline is better:\n", *items]) if items else "No baseline is better on any data set."
    )
    return f"""\
## tonmf beside the baselines

Mean areas over the draws. Each baseline uses its best rows, and k-NN its best k. In the last column, the residuals of NMF
and SVD use the best rank for the draw, and robust PCA the best λ. All of this is chosen with the labels. tonmf uses its
defaults, but they were chosen with the labels of draws of these data sets, except market baskets (docs/evidence/quality.md
of the project has data sets on which nothing was chosen).

{markdown_table(columns, rows)}

{better_here}
"""


def _tuned(results: Everything, areas: Areas, task: str) -> Iterator[tuple[str, float, float, str]]:
    """Yield each baseline at its best rank or λ: name, area, the area of tonmf on the same draw, and all other areas."""
    ours = areas.best(task, OURS)[0]
    by_rank, by_lambda = (Measured(results.get(name, ())) for name in ("baseline-ranks", "rpca-lambda"))
    if task in by_rank.tasks:
        for method in by_rank.options("method"):
            found = _by_rank(by_rank, task, method)
            best = max(found, key=lambda rank: found[rank])
            yield f"{METHODS[method].title}, rank {best}", found[best], ours, _others(found, best, "rank {}")
    if task in by_lambda.tasks:
        found = {factor: by_lambda.mean(task=task, factor=factor) for factor in by_lambda.options("factor")}
        best = max(found, key=lambda factor: found[factor])
        yield f"RPCA, {best} × λ", found[best], ours, _others(found, best, "{} × λ")


def _by_rank(measured: Measured, task: str, method: str) -> dict[int, float]:
    return {rank: measured.mean(task=task, method=method, rank=rank) for rank in measured.options("rank")}


def _others(found: Mapping[int, float], best: int, called: str) -> str:
    return ", ".join(f"{share(area)} ({called.format(value)})" for value, area in found.items() if value != best)


def _why(results: Everything, areas: Areas, task: str, baseline: str) -> str:
    rows = areas.best_rows(task, baseline)
    theirs, ours = fmean(areas.best(task, baseline)), fmean(areas.best(task, OURS))
    text = f"{METHODS[baseline].title} on {rows} {share(theirs)}, tonmf {share(ours)}."
    if baseline == "knn":
        return f"{text} {_of_neighbours(results, areas, task, rows)}"
    by_rank = Measured(results.get("baseline-ranks", ()))
    if task in by_rank.tasks and baseline in by_rank.options("method"):
        by = ", ".join(f"{share(area)} at {rank}" for rank, area in _by_rank(by_rank, task, baseline).items())
        return (
            f"{text} This is at rank {RANK}. The area depends on the rank, which only labels can choose: {by} (seed 0)."
        )
    return text


def _of_neighbours(results: Everything, areas: Areas, task: str, rows: str | None) -> str:
    notes = areas.all("notes", task=task, method="knn", rows=rows)
    chosen = sorted(note["k"] for note in notes)
    fixed = ", ".join(f"{share(fmean(note['areas'][k] for note in notes))} at k = {k}" for k in notes[0]["areas"])
    text = f"The best k, chosen by the labels, ranges from {chosen[0]} to {chosen[-1]}; the area is {fixed}."
    threads = Measured(results.get("threads", ()))
    if task in threads.tasks:
        text += (
            f" A small k sees threads: {threads.mean('ordinary'):.0%} of the ordinary posts have a post of the same thread as "
            f"nearest neighbour, but only {threads.mean('outliers'):.0%} of the outliers, since the data has all posts of the "
            "ordinary groups and few of the Windows group."
        )
    for control in CONTROLS if task == "rcv20" else ():
        if control in areas.tasks:
            theirs = areas.mean(task=control, method="knn", rows=rows)
            text += f" {TASKS[control].title}: k-NN {share(theirs)}, tonmf {share(fmean(areas.best(control, OURS)))}."
    return text
