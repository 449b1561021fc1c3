"""Residuals of NMF and SVD by rank, which a user without labels cannot choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import METHODS
from tonmf.experiments.plotting import MARKERS, Line, draw_areas
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import TASKS, draw
from tonmf.metrics import area_under_curve
from tonmf.plots.drawing import COLOURS

RANKS = (2, 4, 6, 10, 15, 25, 50)


def measure(config: Config) -> dict[str, Any]:
    """Measure the area under the ROC curve of residual norms on tf-idf rows."""
    drawn = draw(config)
    scores, _ = METHODS[config["method"]].run(drawn, "tf-idf", config["seed"], rank=config["rank"])
    return {"auc": round(area_under_curve(drawn.labels, scores), 5)}


def draw_ranks(measured: Measured, canvas: Any) -> None:
    """Draw a panel for each data set."""
    ranks = measured.options("rank")

    def areas_of(method: str) -> Callable[[str], list[float]]:
        return lambda task: [measured.mean(task=task, method=method, rank=rank) for rank in ranks]

    methods = zip(measured.options("method"), COLOURS, MARKERS, strict=False)
    lines = [Line(METHODS[method].title, areas_of(method), colour, marker) for method, colour, marker in methods]
    draw_areas(canvas, measured.titles, [str(rank) for rank in ranks], "rank", lines, columns=2)


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    ranks = measured.options("rank")
    rows = []
    for task in measured.tasks:
        for method in measured.options("method"):
            cells = [share(measured.mean(task=task, method=method, rank=rank)) for rank in ranks]
            rows.append([TASKS[task].title, METHODS[method].title, *cells])
    text = f"""\
All methods above have the same rank. Without labels, nobody knows which rank suits a data set. On tf-idf rows,
{measured.draws}:

{markdown_table(["data set", "baseline", *(f"rank {rank}" for rank in ranks)], rows)}

{{baseline-ranks}}
"""
    figure = Figure(
        "baseline-ranks", "Area under the ROC curve of residuals, by rank.", lambda c: draw_ranks(measured, c)
    )
    return Section("Residuals of NMF and SVD by rank", text, [figure])


BASELINE_RANKS = Experiment(
    name="baseline-ranks",
    question="How much do the residuals of NMF and SVD depend on the rank?",
    axes={"task": tuple(TASKS), "seed": (0,), "method": ("nmf", "svd-residual"), "rank": RANKS},
    quick={"task": ("reuters",), "rank": (2, 10)},
    measure=measure,
    report=report,
)
