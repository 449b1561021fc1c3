"""Robust PCA by its λ, which is not in the paper: at the textbook's λ sparse rows have no low-rank part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import METHODS
from tonmf.experiments.specification import Config, Experiment, Result, Section
from tonmf.experiments.tasks import TASKS, draw
from tonmf.metrics import area_under_curve

FACTORS = (1, 2, 3, 5)
"""λ as a multiple of the textbook's 1/√(longer side)."""
MAX_RANK = 50
"""Largest rank of L, to bound the time."""


def measure(config: Config) -> dict[str, Any]:
    """Measure the area of robust PCA on tf-idf rows, and the rank of its low-rank part."""
    drawn = draw(config)
    lam = config["factor"] / np.sqrt(max(drawn.tfidf.shape))
    scores, notes = METHODS["rpca"].run(drawn, "tf-idf", config["seed"], lam=lam, max_rank=MAX_RANK)
    return {"auc": round(area_under_curve(drawn.labels, scores), 5), **notes}


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    factors = measured.options("factor")
    rows = []
    for task in measured.tasks:
        cells = []
        for factor in factors:
            (area,) = measured.all(task=task, factor=factor)
            (rank,) = measured.all("rank", task=task, factor=factor)
            cells.append(f"{share(area)} (rank {rank})")
        rows.append([TASKS[task].title, *cells])
    text = f"""\
The textbook's λ = 1/√(longer side) is meant for dense matrices with few wrong entries. Rows of text are themselves sparse.
Where the rank is 0, the cheapest split calls everything an error: S is all of X, and the score of a document is its norm,
which is the same for all tf-idf rows. The paper does not say which λ it uses. A larger λ makes errors more expensive, and L
takes up what documents have in common. Area under the ROC curve on tf-idf rows, {measured.draws}, and the rank of L, which
is limited to {MAX_RANK}:

{markdown_table(["data set", *(f"{factor} × λ" for factor in factors)], rows)}
"""
    return Section("Robust PCA by λ", text)


RPCA_LAMBDA = Experiment(
    name="rpca-lambda",
    question="How good can robust PCA be with another λ than the textbook's?",
    axes={"task": tuple(TASKS), "seed": (0,), "factor": FACTORS},
    quick={"task": ("reuters",), "factor": (1, 2)},
    measure=measure,
    report=report,
)
