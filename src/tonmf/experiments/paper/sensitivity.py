"""Experiment (b): how the area under the curve depends on α and the rank, and on β."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf import TONMF
from tonmf.arrays import Array
from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import RANK, settled
from tonmf.experiments.plotting import MARKERS, STYLES, Line, draw_areas, legend_beside, panels
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import TASKS, draw
from tonmf.metrics import area_under_curve
from tonmf.plots.drawing import COLOURS

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.99, None)
"""α as a quantile of the residual norms of plain NMF, so that this share of the documents counts in full; None is α = ∞."""
RANKS = (2, 4, 8, 12, 16, 25, 50)
BETAS = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def measure_alpha(config: Config) -> dict[str, Any]:
    """Fit the paper's model on tf-idf rows, and measure the area of its residual norms."""
    alpha = np.inf
    if config["quantile"] is not None:
        plain = _plain_residuals(config["task"], config["seed"], config["quick"], config["rank"])
        alpha = float(np.quantile(plain, config["quantile"]))
    return _measure(config, TONMF(config["rank"], alpha=alpha, random_state=config["seed"]))


@lru_cache(maxsize=1)  # all α of a rank are quantiles of the same norms
def _plain_residuals(task: str, seed: int, quick: bool, rank: int) -> Array:
    return plain_residuals(draw({"task": task, "seed": seed, "quick": quick}).tfidf, rank, seed)


def plain_residuals(X: sp.csr_matrix, rank: int, seed: int) -> Array:
    """Return the residual norms of plain NMF, the model with α = ∞."""
    with settled():
        return TONMF(rank, alpha=np.inf, random_state=seed).fit(X).residual_norms_


def measure_beta(config: Config) -> dict[str, Any]:
    """Measure the same at the default rank with an automatic α."""
    return _measure(config, TONMF(RANK, beta=config["beta"], random_state=config["seed"]))


def _measure(config: Config, model: TONMF) -> dict[str, Any]:
    drawn = draw(config)
    with settled():
        model.fit(drawn.tfidf)
    return {"auc": round(area_under_curve(drawn.labels, model.outlier_scores_), 5), "topics": model.n_topics_}


def draw_alpha(means: Measured, canvas: Any) -> None:
    """Draw a panel for each data set, a line for each rank, as in the paper's figures."""
    quantiles = means.options("quantile")

    def areas_of(rank: int) -> Callable[[str], list[float]]:
        return lambda task: [means.mean(task=task, rank=rank, quantile=quantile) for quantile in quantiles]

    ranks = zip(means.options("rank"), COLOURS, MARKERS, strict=False)
    lines = [Line(f"rank {rank}", areas_of(rank), colour, marker) for rank, colour, marker in ranks]
    ticks = ["∞" if quantile is None else f"{quantile:g}" for quantile in quantiles]
    draw_areas(canvas, means.titles, ticks, "α, as a quantile of residual norms", lines, columns=7)


def draw_beta(means: Measured, canvas: Any) -> None:
    """Draw a line for each data set."""
    betas = means.options("beta")
    (axes,) = panels(canvas, [f"rank {RANK}"], columns=1, size=(6.5, 3.4))
    for number, task in enumerate(means.tasks):
        areas = [means.mean(task=task, beta=beta) for beta in betas]
        colour, style = COLOURS[number % len(COLOURS)], STYLES[number // len(COLOURS)]
        axes.plot(
            range(len(betas)),
            areas,
            marker=MARKERS[number % len(MARKERS)],
            linestyle=style,
            color=colour,
            label=TASKS[task].title,
        )
    axes.set_xticks(range(len(betas)), [f"{beta:g}" for beta in betas])
    axes.set_xlabel("β")
    axes.set_ylabel("AUC")
    legend_beside(canvas, axes, columns=3)


def best_by_rank(means: Measured) -> str:
    """Tabulate the worst and the best area over α, by data set and rank."""
    rows = []
    for task in means.tasks:
        cells = []
        for rank in means.options("rank"):
            areas = [means.mean(task=task, rank=rank, quantile=quantile) for quantile in means.options("quantile")]
            cells.append(f"{share(min(areas))} to {share(max(areas))}")
        rows.append([TASKS[task].title, *cells])
    return markdown_table(["data set", *(f"rank {rank}" for rank in means.options("rank"))], rows)


def report_alpha(results: Sequence[Result]) -> Section:
    """Write the section on α and the rank."""
    means = Measured(results)
    text = f"""\
The paper's model on tf-idf rows, fitted by the reweighted solver, with residual norms as scores; means over {means.draws}.
α is a quantile of the residual norms that plain NMF of the same rank leaves: at .25, a quarter of the documents is below α
and counts in full, and the rest is down-weighted. At ∞ there is no outlier matrix, and the model is plain NMF. The range of
areas from the worst to the best α:

{best_by_rank(means)}

{{sensitivity}}
"""
    caption = "Area under the ROC curve by α, as a quantile of the residual norms of plain NMF, and rank."
    figure = Figure("sensitivity", caption, lambda canvas: draw_alpha(means, canvas))
    return Section("Parameter sensitivity: α and the rank", text, [figure])


def _with_topics(means: Measured, task: str, beta: float) -> str:
    return f"{share(means.mean(task=task, beta=beta))} ({means.mean('topics', task=task, beta=beta):.0f})"


def report_beta(results: Sequence[Result]) -> Section:
    """Write the section on β."""
    means = Measured(results)
    betas = means.options("beta")
    rows = [[TASKS[task].title, *(_with_topics(means, task, beta) for beta in betas)] for task in means.tasks]
    text = f"""\
The same at rank {RANK} with α = the .9-quantile of the residual norms; means over {means.draws}. In brackets, the number
of topics that documents still use. A large β prices topics out, and a single flat topic is hardly a model.

{markdown_table(["data set", *(f"β = {beta:g}" for beta in betas)], rows)}

{{beta}}
"""
    figure = Figure("beta", "Area under the ROC curve by β.", lambda canvas: draw_beta(means, canvas))
    return Section("Parameter sensitivity: β", text, [figure])


SENSITIVITY = Experiment(
    name="sensitivity",
    question="How much does the result depend on α and on the rank?",
    axes={"task": tuple(TASKS), "seed": (0, 1, 2), "rank": RANKS, "quantile": QUANTILES},
    quick={"task": ("reuters", "baskets"), "seed": (0,), "rank": (2, 8, 25), "quantile": (0.25, 0.9, None)},
    measure=measure_alpha,
    report=report_alpha,
)

BETA = Experiment(
    name="beta",
    question="How much does the result depend on β?",
    axes={"task": tuple(TASKS), "seed": (0, 1, 2), "beta": BETAS},
    quick={"task": ("reuters", "baskets"), "seed": (0,), "beta": (0.0, 0.1, 1.0)},
    measure=measure_beta,
    report=report_beta,
)
