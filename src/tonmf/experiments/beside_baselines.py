"""tonmf beside every baseline at its best: where it is better, where it is not, and what the measurements say about why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean

from tonmf.experiments.claims import Everything, better
from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import METHODS, OURS, RANK
from tonmf.experiments.paper.roc import Areas
from tonmf.experiments.tasks import TASKS

CONTROLS = ("rcv20-threads", "rcv20-bodies")
"""Variants of RCV20 without what makes neighbours of posts."""


def beside_baselines(results: Everything) -> str:
    """A table, and an item for each data set on which a baseline has a greater area than tonmf."""
    areas = Areas(results.get("roc", ()))
    if not areas.tasks:
        return ""
    rows, told = [], []
    for task in areas.tasks:
        ours = fmean(areas.best(task, OURS))
        baseline = areas.best_baseline(task)
        theirs = fmean(areas.best(task, baseline))
        tuned = list(_tuned(results, areas, task))
        cells = [f"{share(area)} {name} ({share(area_of_ours)})" for name, area, area_of_ours, _ in tuned]
        rows.append([TASKS[task].title, share(ours), f"{share(theirs)} {METHODS[baseline].title}", "; ".join(cells)])
        reasons = [_why(results, areas, task, baseline)] if better(theirs, ours) else []
        reasons += [
            f"With its best setting, seed 0: {name} {share(area)}, tonmf {share(area_of_ours)}; with the others {others}."
            for name, area, area_of_ours, others in tuned
            if better(area, area_of_ours) and not (reasons and name.startswith(METHODS[baseline].title))
        ]
        told += [f"- **{TASKS[task].title}**: {' '.join(reasons)}"] if reasons else []
    columns = ["data set", "tonmf", "best baseline", "with rank or λ by the labels, seed 0 (tonmf on that draw)"]
    better_here = (
        "\n".join(["Where a baseline is better:\n", *told]) if told else "No baseline is better on any data set."
    )
    return f"""\
## tonmf beside the baselines

Mean areas over the draws; a baseline has the rows that suit it, and k-NN the k. In the last column the residuals of NMF and
SVD have the rank, and robust PCA the λ, that suit the draw. All of this is chosen by the labels. Nothing is chosen for
tonmf here, but its defaults were chosen with the labels of draws of these data sets, market baskets excepted
(docs/evidence/quality.md of the project has others, on which nothing was chosen).

{markdown_table(columns, rows)}

{better_here}
"""


def _tuned(results: Everything, areas: Areas, task: str) -> Iterator[tuple[str, float, float, str]]:
    """What baselines reach with their best rank or λ: name, area, the area of tonmf on the same draw, and all other areas."""
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
    told = f"{METHODS[baseline].title} on {rows} {share(theirs)}, tonmf {share(ours)}."
    if baseline == "knn":
        return f"{told} {_of_neighbours(results, areas, task, rows)}"
    by_rank = Measured(results.get("baseline-ranks", ()))
    if task in by_rank.tasks and baseline in by_rank.options("method"):
        by = ", ".join(f"{share(area)} at {rank}" for rank, area in _by_rank(by_rank, task, baseline).items())
        return f"{told} That is at rank {RANK}; it depends on the rank, which only the labels tell: {by} (seed 0)."
    return told


def _of_neighbours(results: Everything, areas: Areas, task: str, rows: str | None) -> str:
    notes = areas.all("notes", task=task, method="knn", rows=rows)
    chosen = sorted(note["k"] for note in notes)
    fixed = ", ".join(f"{share(fmean(note['areas'][k] for note in notes))} at k = {k}" for k in notes[0]["areas"])
    text = f"k, chosen by the labels, is from {chosen[0]} to {chosen[-1]}; the area is {fixed}."
    threads = Measured(results.get("threads", ()))
    if task in threads.tasks:
        text += (
            f" What a small k sees are threads: {threads.mean('ordinary'):.0%} of the ordinary posts have a post of their own "
            f"thread as nearest neighbour, but only {threads.mean('outliers'):.0%} of the outliers, as all posts of the "
            "ordinary groups are there and few of the Windows group."
        )
    for control in CONTROLS if task == "rcv20" else ():
        if control in areas.tasks:
            theirs = areas.mean(task=control, method="knn", rows=rows)
            text += f" {TASKS[control].title}: k-NN {share(theirs)}, tonmf {share(fmean(areas.best(control, OURS)))}."
    return text
