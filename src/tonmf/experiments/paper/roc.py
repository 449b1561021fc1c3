"""Experiment (a): ROC curves of all methods on all data sets."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from tonmf.experiments.facts import AUTHORS_CODE_AUC, PAPER_AUC
from tonmf.experiments.measured import Measured, markdown_table, mean_and_spread, share
from tonmf.experiments.methods import METHODS, OURS, PAPER_BASELINES, RANK, applies
from tonmf.experiments.plotting import STYLES, legend_beside, panels
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import QUICK_DOCUMENTS, ROWS, TASKS, draw
from tonmf.metrics import precision_at, roc_curve
from tonmf.plots.drawing import COLOURS

POINTS = (0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)
"""False positive rates, in percent, at which a curve is kept."""

BASELINES = ("knn", "svd", "svd-residual", "rpca", "nmf")
PAPER_TASKS = ("reuters", "rcv20", "christian", "wiki-people", "baskets")
"""The data sets of the paper's section 4."""
DRAWN = (OURS, "tonmf-paper", "knn", "svd", "rpca", "nmf")
"""Methods in the figure: ours, those that the paper draws, and NMF."""


def measure(config: Config) -> dict[str, Any]:
    """Measure area, curve and precision of one method on one draw."""
    drawn = draw(config)
    scores, notes = METHODS[config["method"]].run(drawn, config["rows"], config["seed"])
    curve = roc_curve(drawn.labels, scores)
    return {
        "auc": round(curve.area, 5),
        "greatest_lift": round(float(curve.lift.max()), 2),
        "precision": round(precision_at(drawn.labels, scores, int(drawn.labels.sum())), 4),
        "curve": [round(float(rate), 2) for rate in curve.at(POINTS)],
        "notes": notes,
    }


class Areas(Measured):
    """The results, with each method at its best."""

    def best_rows(self, task: str, method: str) -> str | None:
        """Return the rows on which a method has the highest mean area: an advantage it would not have without labels."""
        measured = [rows for rows in (*ROWS, None) if self.all(task=task, method=method, rows=rows)]
        return max(measured, key=lambda rows: self.mean(task=task, method=method, rows=rows))

    def best(self, task: str, method: str, what: str = "auc") -> list[Any]:
        """Return the values of all draws, with the best rows."""
        return self.all(what, task=task, method=method, rows=self.best_rows(task, method))

    def best_baseline(self, task: str) -> str:
        """Return the name of the best baseline, with its best rows."""
        return max(BASELINES, key=lambda method: fmean(self.best(task, method)))


def summary(areas: Areas) -> dict[str, dict[str, float | str | None]]:
    """Return, by data set, the area of the paper, ours, and that of the best baseline."""
    return {
        TASKS[task].title: {
            "paper": PAPER_AUC.get(task, {}).get("TONMF"),
            "tonmf": round(fmean(areas.best(task, OURS)), 4),
            "best_baseline": round(fmean(areas.best(task, areas.best_baseline(task))), 4),
            "which": METHODS[areas.best_baseline(task)].title,
        }
        for task in areas.tasks
    }


def side_by_side(areas: Areas) -> str:
    """Tabulate paper, published code and ours."""
    rows = []
    for task in areas.tasks:
        paper = PAPER_AUC.get(task, {}).get("TONMF")
        code = AUTHORS_CODE_AUC.get(task)
        baseline = areas.best_baseline(task)
        rows.append(
            [
                TASKS[task].title,
                share(paper) if paper else "",
                share(code) if code else "",
                mean_and_spread(areas.all(task=task, method="tonmf-authors", rows="counts")),
                mean_and_spread(areas.best(task, "tonmf-paper")),
                mean_and_spread(areas.best(task, OURS)),
                f"{mean_and_spread(areas.best(task, baseline))} {METHODS[baseline].title}",
            ]
        )
    columns = [
        "data set",
        "paper",
        "published code",
        "authors' start, here",
        "scaled start, here",
        METHODS[OURS].title,
        "best baseline, here",
    ]
    return markdown_table(columns, rows)


def baselines_beside_paper(areas: Areas) -> str:
    """Tabulate the paper's baselines: its figure, and ours on counts and on tf-idf rows."""
    rows = []
    for task in areas.tasks:
        for method in PAPER_BASELINES:
            paper = PAPER_AUC.get(task, {}).get(method)
            measured = [mean_and_spread(areas.all(task=task, method=method, rows=kind)) for kind in ROWS]
            rows.append([TASKS[task].title, METHODS[method].title, share(paper) if paper else "", *measured])
    return markdown_table(["data set", "baseline", "paper", "counts, here", "tf-idf, here"], rows)


def everything(areas: Areas) -> str:
    """Tabulate mean area and spread of every method on every data set, and the mean over the paper's data sets."""
    paper = [task for task in PAPER_TASKS if task in areas.tasks]
    rows = []
    for name, method in METHODS.items():
        for kind in method.rows:
            cells = [mean_and_spread(areas.all(task=task, method=name, rows=kind)) for task in areas.tasks]
            mean = fmean(areas.mean(task=task, method=name, rows=kind) for task in paper) if paper else float("nan")
            rows.append([method.title, kind or "its own", *cells, share(mean)])
    return markdown_table(["method", "rows", *(TASKS[task].title for task in areas.tasks), "mean"], rows)


def neighbours_by_k(areas: Areas) -> str:
    """Tabulate k-NN on tf-idf rows for several k, and ours."""
    rows = []
    for task in areas.tasks:
        notes = areas.all("notes", task=task, method="knn", rows="tf-idf")
        cells = [share(fmean(note["areas"][k] for note in notes)) for k in notes[0]["areas"]]
        chosen = sorted(note["k"] for note in notes)
        best = f"{share(areas.mean(task=task, method='knn', rows='tf-idf'))} (k from {chosen[0]} to {chosen[-1]})"
        rows.append([TASKS[task].title, *cells, best, share(fmean(areas.best(task, OURS)))])
    columns = ["data set", *(f"k = {k}" for k in notes[0]["areas"]), "best k, by the labels", "tonmf"]
    return markdown_table(columns, rows)


def precisions(areas: Areas) -> str:
    """Tabulate the precision among as many documents as there are outliers, and the greatest lift."""
    rows = []
    for task in areas.tasks:
        methods = (OURS, "tonmf-paper", areas.best_baseline(task))
        cells = []
        for method in methods:
            cells.append(share(fmean(areas.best(task, method, "precision"))))
            cells.append(f"{fmean(areas.best(task, method, 'greatest_lift')):.0f}")
        rows.append([TASKS[task].title, *cells, METHODS[methods[-1]].title])
    names = (METHODS[OURS].title, METHODS["tonmf-paper"].title, "best baseline")
    columns = ["data set", *(f"{name}, {what}" for name in names for what in ("precision", "lift")), "which is"]
    return markdown_table(columns, rows)


def draw_curves(areas: Areas, canvas: Any) -> None:
    """Draw a panel for each data set."""
    grid = panels(canvas, [TASKS[task].title for task in areas.tasks], columns=3)
    for axes, task in zip(grid, areas.tasks, strict=True):
        for number, method in enumerate(DRAWN):
            curves = np.array(areas.best(task, method, "curve"))
            colour = COLOURS[number]
            axes.plot(POINTS, curves.mean(axis=0), STYLES[number % 4], color=colour, label=METHODS[method].title)
            if len(curves) > 1:
                low, high = curves.min(axis=0), curves.max(axis=0)
                axes.fill_between(POINTS, low, high, color=colour, alpha=0.12, linewidth=0)
        axes.plot([0, 100], [0, 100], color="#999999", linewidth=0.8)
        axes.set_xlabel("false positives, %")
        axes.set_ylabel("true positives, %")
    legend_beside(canvas, grid[0], columns=6)


def _cut(results: Sequence[Result]) -> str:
    quick = any(line["config"]["quick"] for line in results)
    return f"; a quick run uses the first {QUICK_DOCUMENTS:,} (baskets: as many in all)" if quick else ""


def _of_rpca(areas: Areas) -> str:
    """Say where robust PCA finds nothing."""
    ranks = [note["rank"] for note in areas.all("notes", method="rpca")]
    empty = sum(rank == 0 for rank in ranks)
    return (
        f"In {empty:,} of its {len(ranks):,} fits, robust PCA finds no low-rank part at the textbook's λ. The scores are then "
        "the norms of the rows, which are all equal for tf-idf"
    )


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    areas = Areas(results)
    n_draws = len(areas.options("seed"))
    spread = "mean ± standard deviation" if n_draws > 1 else "a single draw"
    abouts = "\n".join(f"- **{TASKS[task].title}**: {TASKS[task].about}." for task in areas.tasks)
    methods = "\n".join(f"- **{method.title}**: {method.about}." for method in METHODS.values())
    text = f"""\
Data sets. The seed of a draw chooses the outliers and the order of the documents{_cut(results)}:

{abouts}

Methods. Those with a rank use {RANK}. All but tonmf run on counts, as in the paper, and on tf-idf rows:

{methods}

Area under the ROC curve, {spread}, {areas.draws}. Where no rows are named, a method uses the better of the two, chosen by
the labels. The defaults of tonmf were chosen with the labels of draws of these data sets, except market baskets. This
command does not measure the published code: its figure was reported before this project began, from a run with the settings
of "{METHODS["tonmf-authors"].title}":

{side_by_side(areas)}

{{roc}}

The paper's baselines: the figures that it reports, and ours. {_of_rpca(areas)}:

{baselines_beside_paper(areas)}

k-NN on tf-idf rows by k, which the labels choose above:

{neighbours_by_k(areas)}

Every method on both kinds of rows. The mean is over the data sets of the paper's section 4:

{everything(areas)}

Precision among as many documents as there are outliers, and the greatest lift of the curve over the diagonal in percentage
points; means over the draws. The baseline is the one with the greatest area:

{precisions(areas)}
"""
    figure = Figure(
        "roc",
        "ROC curves: means over the draws, each method on its best rows. The shading spans the lowest to the highest draw.",
        lambda c: draw_curves(areas, c),
    )
    return Section("ROC curves", text, [figure])


ROC = Experiment(
    name="roc",
    question="How well does each method tell outliers from the rest, and does that match the paper?",
    axes={"task": tuple(TASKS), "seed": tuple(range(10)), "method": tuple(METHODS), "rows": (*ROWS, None)},
    quick={"task": ("reuters", "christian", "baskets"), "seed": (0,)},
    measure=measure,
    report=report,
    applies=applies,
)
