"""Draw the pictures of the explanations in docs/method, and print what they show.

One is of the loss alone. The other two are measured on a tenth of the paper's baskets: four groups of 250, and 25 baskets of a
fifth group, 300 of 50,000 items on average, as rows of unit norm.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from benchmarks.harness import ROOT, print_table
from tonmf import TONMF
from tonmf.baselines import NMFResidual
from tonmf.datasets import PAPER_BASKETS, make_baskets
from tonmf.experiments.plotting import panels, save_figure
from tonmf.experiments.specification import Figure
from tonmf.experiments.tracing import Trace, trace_fit
from tonmf.metrics import area_under_curve
from tonmf.nmf.objective import document_weights, huber, outlier_norms

FOLDER = ROOT / "docs" / "method"
N_GROUPS, ALPHA, INNER_ITERATIONS = 4, 0.5, 9
ITERATIONS = (1, 2, 3, 5, 9)
"""Iterations of Algorithm 1 at which its ranking is looked at, of 9 sweeps each; the other solver sweeps as often."""
SOLVERS = {"paper": "Algorithm 1", "reweighted": "reweighted"}
STARTS = {"uniform": "authors' start", "random": "scaled start"}
N_TOPICS = (1, 2, 3, 4, 5, 6, 8, 10, 15)


def main(arguments: list[str]) -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=list(PICTURES))
    for name in parser.parse_args(arguments).only:
        save_figure(Figure(name, "", PICTURES[name]()), FOLDER)


def baskets(seed: int) -> tuple[sp.csr_matrix, NDArray[Any]]:
    """Return rows of unit norm, and which are outliers."""
    drawn = make_baskets(1025, 25, options=PAPER_BASKETS, random_state=seed)
    return normalize(drawn.X.astype(np.float32)), drawn.labels


def loss() -> Callable[[Any], None]:
    """Draw the loss of a document, its weight, and the norm of its row of Z."""
    rho, alpha = np.linspace(0, 3, 301), 1.0

    def draw(canvas: Any) -> None:
        left, right = panels(
            canvas, ["what a document costs", "its weight, and its row of Z"], columns=2, size=(3.8, 3.0)
        )
        left.plot(rho, 0.5 * rho**2, "--", color="C1", label="½ρ², as in plain NMF")
        left.plot(rho, huber(rho, alpha), color="C0", label="φ(ρ)")
        left.set_ylabel("loss")
        right.plot(rho, document_weights(rho, alpha), color="C0", label="weight ω = min(1, α/ρ)")
        right.plot(rho, outlier_norms(rho, alpha), "--", color="C1", label="‖z‖ = max(0, ρ − α)")
        for axes in (left, right):
            axes.axvline(alpha, color="0.6", linewidth=0.8)
            axes.set_xlabel("residual norm ρ, in units of α")
            axes.legend()

    return draw


def stall() -> Callable[[Any], None]:
    """Trace both solvers from both starts."""
    X, labels = baskets(0)

    def trace(solver: str, start: str, n_iterations: int) -> Trace:
        paper = solver == "paper"
        n = n_iterations if paper else 1 + (n_iterations - 1) * INNER_ITERATIONS
        n_inner = INNER_ITERATIONS if paper else 1
        return trace_fit(X, N_GROUPS, alpha=ALPHA, solver=solver, start=start, max_iter=n, inner_iter=n_inner)

    curves, rows = {}, []
    for solver in SOLVERS:
        for start in STARTS:
            traces = [trace(solver, start, n) for n in ITERATIONS]
            whole = traces[-1]
            areas = [area_under_curve(labels, each.last) for each in traces]
            curves[solver, start] = whole.passes, whole.objectives, [each.passes[-1] for each in traces], areas
            first, last = (float(np.median(norms)) for norms in (whole.first, whole.last))
            row = [SOLVERS[solver], STARTS[start], whole.objectives[0], whole.objectives[-1], first, last]
            rows.append([*row, whole.start_correlation, areas[-1]])
    columns = ["solver", "start", "first F", "last F", "first median ρ", "last median ρ", "rank correlation", "AUC"]
    print_table(f"{N_GROUPS} topics, α = {ALPHA}", columns, rows)

    def draw(canvas: Any) -> None:
        left, right = panels(canvas, ["objective", "how well outliers are ranked"], columns=2, size=(3.8, 3.2))
        for (solver, start), (passes, objectives, at, areas) in curves.items():
            look = {"color": "C1" if start == "uniform" else "C0", "linestyle": "-" if solver == "paper" else "--"}
            left.plot(passes, objectives, label=f"{SOLVERS[solver]}, {STARTS[start]}", **look)
            right.plot(at, areas, marker="o", markersize=3, **look)
        left.set_yscale("log")
        left.set_ylabel("F")
        right.set_ylim(-0.03, 1.03)
        right.set_ylabel("AUC")
        for axes in (left, right):
            axes.set_xlabel("passes over the documents")
        canvas.legend(loc="outside upper center", ncols=2)

    return draw


def topics() -> Callable[[Any], None]:
    """Measure NMF with so many topics, and `TONMF` that begins with as many and prices them."""
    priced = {"n_topics": "auto", "init": "rows", "inner_iter": 2, "max_iter": 30, "tol": 0}
    found: dict[str, list[list[float]]] = {"NMF": [], "TONMF": [], "kept": []}
    for seed in range(3):
        X, labels = baskets(seed)
        models = [TONMF(**priced, max_topics=n, random_state=seed).fit(X) for n in N_TOPICS]
        plain = [NMFResidual(n_components=n, random_state=seed).fit(X) for n in N_TOPICS]
        found["NMF"].append([area_under_curve(labels, model.outlier_scores_) for model in plain])
        found["TONMF"].append([area_under_curve(labels, model.outlier_scores_) for model in models])
        found["kept"].append([model.n_topics_ for model in models])
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    columns = ["topics", "AUC, NMF", "AUC, topics that are priced", "topics kept"]
    print_table(
        "Means over three draws",
        columns,
        [[n, *(float(means[name][place]) for name in means)] for place, n in enumerate(N_TOPICS)],
    )

    def draw(canvas: Any) -> None:
        (axes,) = panels(canvas, ["outliers of a fifth group among four groups of baskets"], columns=1, size=(5.6, 3.2))
        axes.plot(N_TOPICS, means["NMF"], "o--", color="C1", markersize=4, label="NMF with so many topics")
        axes.plot(
            N_TOPICS,
            means["TONMF"],
            "o-",
            color="C0",
            markersize=4,
            label="at most so many, which must earn their place",
        )
        axes.axvline(N_GROUPS, color="0.6", linewidth=0.8)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("number of topics")
        axes.set_ylabel("AUC")
        axes.legend()

    return draw


PICTURES = {"loss": loss, "stall": stall, "topics": topics}
