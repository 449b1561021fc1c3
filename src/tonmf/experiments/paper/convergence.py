"""Experiment (e): how fast the objective falls, for both solvers, three inner methods and two starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import AUTHORS_ALPHA, AUTHORS_BETA, AUTHORS_ITERATIONS, RANK
from tonmf.experiments.plotting import STYLES, legend_beside, panels
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import draw
from tonmf.experiments.tracing import trace_fit
from tonmf.metrics import area_under_curve
from tonmf.plots.drawing import COLOURS

PASSES = AUTHORS_ITERATIONS**2
"""Passes over the documents in each fit: as many as the published code has iterations."""

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "authors": {"rows": "counts", "n_topics": RANK, "alpha": AUTHORS_ALPHA, "beta": AUTHORS_BETA},
    "tf-idf": {"rows": "tf-idf", "n_topics": 12, "alpha": 0.05, "beta": 0.0},
}
TITLES = {
    "authors": f"counts, rank {RANK}, α = {AUTHORS_ALPHA:g}, β = {AUTHORS_BETA:g}",
    "tf-idf": "tf-idf, rank 12, α = 0.05",
}
SOLVERS = ("reweighted", "paper")
INNER = ("hals", "anls", "scalar")
NEGLIGIBLE = 1e-4
"""Lowest height that is drawn: the excess over the lowest objective, as a share of it."""
STARTS = {"random": "scaled start", "uniform": "authors' start"}


def measure(config: Config) -> dict[str, Any]:
    """Measure the objective after each iteration, and compare the residuals at the start and at the end."""
    drawn = draw(config)
    setting = dict(SETTINGS[config["setting"]])
    X = drawn.rows(setting.pop("rows"))
    paper = config["solver"] == "paper"
    trace_fit(
        X[:50], 2, alpha=1.0, solver=config["solver"], inner=config["inner"], max_iter=2
    )  # compiles what it needs
    trace = trace_fit(
        X,
        **setting,
        solver=config["solver"],
        inner=config["inner"],
        start=config["start"],
        max_iter=AUTHORS_ITERATIONS if paper else PASSES,
        inner_iter=AUTHORS_ITERATIONS if paper else 1,
        random_state=config["seed"],
    )
    return {
        "passes": trace.passes,
        "seconds": [round(seconds, 4) for seconds in trace.seconds],
        "objectives": [float(f"{objective:.6g}") for objective in trace.objectives],
        "start_correlation": round(trace.start_correlation, 4),
        "topics_used": trace.topics_used,
        "auc_first": round(area_under_curve(drawn.labels, trace.first), 5),
        "auc_last": round(area_under_curve(drawn.labels, trace.last), 5),
    }


def draw_objectives(measured: Measured, canvas: Any) -> None:
    """Draw the objective by passes on the left and by seconds on the right, with a row of panels for each setting."""
    settings = measured.options("setting")
    titles = [TITLES[setting] for setting in settings for _ in range(2)]
    grid = panels(canvas, titles, columns=2, size=(4.6, 3.2))
    for number, axes in enumerate(grid):
        setting, against = settings[number // 2], ("passes", "seconds")[number % 2]
        lowest = min(objectives[-1] for objectives in measured.all("objectives", setting=setting))
        for colour, (solver, start) in zip(COLOURS, _pairs(measured), strict=False):
            for style, inner in zip(STYLES, measured.options("inner"), strict=False):
                config = {"setting": setting, "solver": solver, "start": start, "inner": inner}
                (x,), (y,) = measured.all(against, **config), measured.all("objectives", **config)
                y = [max(objective / lowest - 1, NEGLIGIBLE) for objective in y]
                label = f"{solver}, {inner}, {STARTS[start]}"
                axes.plot(x, y, linestyle=style, color=colour, label=label)
        axes.set_yscale("log")
        axes.set_xscale("log")
        axes.set_xlabel("passes over the documents" if against == "passes" else "seconds")
        axes.set_ylabel("F / lowest F − 1")
    legend_beside(canvas, grid[0], columns=3)


def _pairs(measured: Measured) -> list[tuple[str, str]]:
    return [(solver, start) for solver in measured.options("solver") for start in measured.options("start")]


def table(measured: Measured) -> str:
    """Tabulate one line for each fit."""
    rows = []
    for setting in measured.options("setting"):
        for solver, start in _pairs(measured):
            for inner in measured.options("inner"):
                config = {"setting": setting, "solver": solver, "start": start, "inner": inner}
                (objectives,) = measured.all("objectives", **config)
                (passes,), (seconds,) = measured.all("passes", **config), measured.all("seconds", **config)
                rows.append(
                    [
                        "counts" if setting == "authors" else setting,
                        solver,
                        inner,
                        STARTS[start],
                        f"{objectives[0]:.4g}",
                        f"{objectives[-1]:.4g}",
                        passes[-1],
                        f"{seconds[-1]:.2f}",
                        f"{measured.mean('topics_used', **config):.0f}",
                        f"{measured.mean('start_correlation', **config):.3f}",
                        share(measured.mean("auc_last", **config)),
                    ]
                )
    columns = [
        "rows",
        "solver",
        "inner",
        "start",
        "F first",
        "F last",
        "passes",
        "seconds",
        "topics",
        "correlation",
        "AUC",
    ]
    return markdown_table(columns, rows)


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    text = f"""\
On Reuters, {measured.draws}: counts with the published code's settings ({TITLES["authors"]}), and tf-idf rows with a small
α ({TITLES["tf-idf"]}). The inner methods are the paper's partitions: `hals` updates topic by topic, `anls` solves for a
whole factor exactly, `scalar` updates one number at a time. The table has the objective F after the first and the last
iteration, within at most {PASSES} passes over the documents; the number of topics in use at the end; the rank correlation
of the documents' residual norms at the start and in the last iteration; and the area under the ROC curve of the last
residual norms. A correlation of 1 means that the final ranking is that of the random start, whatever happened to the
objective. It is near 0 where all residual norms at the start are equal, as for rows of unit norm without any topic.

{table(measured)}

{{convergence}}
"""
    caption = (
        "Excess of the objective F over the lowest of all fits, as a share of it, by passes and by seconds; values below "
        f"{NEGLIGIBLE:g} are drawn there. Lines of one colour differ in the inner method."
    )
    return Section("Convergence", text, [Figure("convergence", caption, lambda c: draw_objectives(measured, c))])


CONVERGENCE = Experiment(
    name="convergence",
    question="How fast do the solvers lower the objective, and from which start do they move at all?",
    axes={
        "task": ("reuters",),
        "seed": (0,),
        "setting": tuple(SETTINGS),
        "solver": SOLVERS,
        "start": tuple(STARTS),
        "inner": INNER,
    },
    quick={"setting": ("authors",), "inner": ("hals",)},
    measure=measure,
    report=report,
)
