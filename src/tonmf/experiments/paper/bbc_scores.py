"""Experiment (c): the outlier score of each BBC document, and cut-offs by mean and standard deviation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tonmf import TONMF, TextOutlierDetector
from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import RANK, settled
from tonmf.experiments.paper.sensitivity import plain_residuals
from tonmf.experiments.plotting import legend_beside, panels
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import draw
from tonmf.metrics import area_under_curve, false_positive_rate, true_positive_rate
from tonmf.plots.drawing import COLOURS

MODELS = {
    "paper": f"‖z‖ of the paper's algorithm, scaled start, rank {RANK}",
    "paper-2": "‖z‖ of the paper's algorithm, scaled start, rank 2",
    "median-2": "the same with α = the median residual norm",
    "residual-2": "residual norms of the same",
    "detector": "tonmf detector",
}
DEVIATIONS = (1, 2, 3)
DRAWN_SEED = 0


def measure(config: Config) -> dict[str, Any]:
    """Score the documents, and measure what cut-offs at 1, 2 and 3 standard deviations above the mean flag."""
    drawn, seed = draw(config), config["seed"]
    with settled():
        if config["model"] == "detector":
            model: Any = TextOutlierDetector(random_state=seed).fit(drawn.documents)
        else:
            rank = RANK if config["model"] == "paper" else 2
            score_by = "residual" if config["model"] == "residual-2" else "paper"
            small = config["model"] in ("median-2", "residual-2")
            alpha = float(np.median(plain_residuals(drawn.tfidf, rank, seed))) if small else "auto"
            model = TONMF(rank, solver="paper", score_by=score_by, alpha=alpha, max_iter=20, random_state=seed)
            model.fit(drawn.tfidf)
    scores = model.outlier_scores_
    cuts = {str(n): float(scores.mean() + n * scores.std()) for n in DEVIATIONS} | {
        "automatic": float(model.threshold_)
    }
    found: dict[str, Any] = {
        "auc": round(area_under_curve(drawn.labels, scores), 5),
        "zero": round(float((scores == 0).mean()), 4),
        "cuts": {
            name: {
                "at": round(cut, 5),
                "tpr": round(true_positive_rate(drawn.labels, scores > cut), 2),
                "fpr": round(false_positive_rate(drawn.labels, scores > cut), 2),
            }
            for name, cut in cuts.items()
        },
    }
    if seed == DRAWN_SEED:
        found |= {
            "scores": [round(float(score), 4) for score in scores],
            "outliers": np.flatnonzero(drawn.labels).tolist(),
        }
    return found


def _stems(axes: Any, numbers: Iterable[int], scores: Sequence[float], **style: Any) -> None:
    """Draw a line up to the score of each document, as one path: a thousand paths would make a large file."""
    base = min(scores)
    xs = [x for number in numbers for x in (number, number, np.nan)]
    ys = [y for number in numbers for y in (base, scores[number], np.nan)]
    axes.plot(xs, ys, solid_capstyle="butt", **style)


def draw_scores(measured: Measured, canvas: Any) -> None:
    """Draw scores by document number, as in the paper's Figure 2."""
    models = measured.options("model")
    grid = panels(canvas, [MODELS[model] for model in models], columns=1, size=(8.5, 2.3))
    for axes, model in zip(grid, models, strict=True):
        (scores,) = measured.all("scores", model=model, seed=DRAWN_SEED)
        (outliers,) = measured.all("outliers", model=model, seed=DRAWN_SEED)
        (cuts,) = measured.all("cuts", model=model, seed=DRAWN_SEED)
        _stems(axes, range(len(scores)), scores, color="#BBBBBB", linewidth=0.6, label="business, politics")
        _stems(axes, outliers, scores, color=COLOURS[1], linewidth=1.2, label="tech")
        for number, n in enumerate(DEVIATIONS[:2]):
            label = f"mean + {n} standard deviation{'s' if n > 1 else ''}"
            axes.axhline(cuts[str(n)]["at"], color=COLOURS[0], linestyle=("--", ":")[number], linewidth=1, label=label)
        axes.set_ylabel("score")
        axes.margins(x=0.005)
    grid[-1].set_xlabel("document")
    legend_beside(canvas, grid[0], columns=4)


def table(measured: Measured) -> str:
    """Tabulate true and false positives at each cut-off, means over the draws."""
    rows = []
    for model in measured.options("model"):
        cuts = measured.all("cuts", model=model)
        cells = []
        for name in cuts[0]:
            tpr, fpr = (np.mean([cut[name][rate] for cut in cuts]) for rate in ("tpr", "fpr"))
            cells.append(f"{tpr:.0f}%, {fpr:.1f}%")
        rows.append(
            [MODELS[model], share(measured.mean(model=model)), f"{measured.mean('zero', model=model):.0%}", *cells]
        )
    columns = ["score", "AUC", "zero", *(f"mean + {n} sd" for n in DEVIATIONS), "automatic threshold"]
    return markdown_table(columns, rows)


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    text = f"""\
Business and politics with 50 documents of tech, on tf-idf rows. ‖z‖ is zero for every document with a residual norm below
α, which is the .9-quantile of the residual norms unless stated otherwise. For each cut-off, the table has the share of the
outliers above it and the share of the others; means over {measured.draws}. The model itself flags documents above the
automatic threshold (docs/guide/scores.md of the project).

{table(measured)}

{{bbc}}
"""
    caption = f"Scores of the BBC documents by number, seed {DRAWN_SEED}, as in the paper's Figure 2; tech in colour."
    return Section("Scores by document: BBC", text, [Figure("bbc", caption, lambda c: draw_scores(measured, c))])


BBC_SCORES = Experiment(
    name="bbc",
    question="Do the scores of outliers stand out, and does a cut-off by mean and standard deviation separate them?",
    axes={"task": ("bbc",), "seed": tuple(range(10)), "model": tuple(MODELS)},
    quick={"seed": (0,)},
    measure=measure,
    report=report,
)
