"""Experiment (f): what happens when the outliers get their own topic, and how the topic prior prevents it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tonmf import TONMF
from tonmf.experiments.measured import Measured, markdown_table, share
from tonmf.experiments.methods import settled
from tonmf.experiments.plotting import MARKERS, STYLES, Line, draw_areas
from tonmf.experiments.specification import Config, Experiment, Figure, Result, Section
from tonmf.experiments.tasks import TASKS, draw
from tonmf.metrics import area_under_curve
from tonmf.parameters import defaults_of
from tonmf.plots.drawing import COLOURS

RANKS = (2, 4, 6, 10, 15, 25, 50)
SHARES = (0.005, 0.01, 0.02, 0.03, 0.04, 0.06)
USUAL_SHARE = defaults_of(TONMF)["topic_share"]
MANY = 10
"""Fewest starting topics at which topic shares other than the default are measured."""
MEASURES = {"residual": "residual norm", "unexplained": "unexplained share"}


def measure(config: Config) -> dict[str, Any]:
    """Measure the areas of two scores of one fit, and the largest part of a topic that belongs to the outliers."""
    drawn, rank, price = draw(config), config["rank"], config["topic_share"]
    if price is None:
        model = TONMF(rank, score_by="unexplained", random_state=config["seed"])
    else:
        model = TONMF("auto", max_topics=rank, topic_share=price, score_by="unexplained", random_state=config["seed"])
    with settled():
        model.fit(drawn.tfidf)
    H = model.transform(drawn.tfidf)
    weights = H.sum(axis=0)
    of_outliers = H[drawn.labels == 1].sum(axis=0) / np.where(weights > 0, weights, 1)
    return {
        "residual": round(area_under_curve(drawn.labels, model.residual_norms_), 5),
        "unexplained": round(area_under_curve(drawn.labels, model.outlier_scores_), 5),
        "topics": model.n_topics_,
        "outliers_in_topic": round(float(of_outliers.max()), 4),
    }


def draw_ranks(measured: Measured, canvas: Any) -> None:
    """Draw the area by rank with and without the prior, a panel for each data set."""
    ranks = measured.options("rank")

    def areas_of(what: str, price: float | None) -> Callable[[str], list[float]]:
        return lambda task: [measured.mean(what, task=task, rank=rank, topic_share=price) for rank in ranks]

    lines = [
        Line(f"{label}, {name}", areas_of(what, price), colour, marker, style)
        for price, label, colour, marker in (
            (None, "fixed number of topics", COLOURS[1], MARKERS[0]),
            (USUAL_SHARE, "topic prior", COLOURS[0], MARKERS[1]),
        )
        for style, (what, name) in zip(STYLES, MEASURES.items(), strict=False)
    ]
    draw_areas(
        canvas, measured.titles, [str(rank) for rank in ranks], "topics, or topics at the start", lines, columns=2
    )


def draw_shares(measured: Measured, canvas: Any) -> None:
    """Draw the area by topic share, a line for each number of starting topics."""
    prices = sorted(price for price in measured.options("topic_share") if price is not None)

    def areas_of(rank: int) -> Callable[[str], list[float]]:
        return lambda task: [measured.mean("unexplained", task=task, rank=rank, topic_share=price) for price in prices]

    ranks = [rank for rank in measured.options("rank") if rank >= MANY]
    looks = zip(ranks, COLOURS, MARKERS, strict=False)
    lines = [Line(f"{rank} topics at the start", areas_of(rank), colour, marker) for rank, colour, marker in looks]
    draw_areas(canvas, measured.titles, [f"{price:g}" for price in prices], "topic share", lines, columns=4)


def table(measured: Measured) -> str:
    """Tabulate, by data set, the range of areas over all ranks for both scores, and the outliers' part of a topic."""
    ranks = measured.options("rank")
    rows = []
    for task in measured.tasks:
        cells = []
        for what in MEASURES:
            for price in (None, USUAL_SHARE):
                areas = [measured.mean(what, task=task, rank=rank, topic_share=price) for rank in ranks]
                cells.append(f"{share(min(areas))} to {share(max(areas))}")
        last = {"task": task, "rank": ranks[-1]}
        cells += [share(measured.mean("outliers_in_topic", **last, topic_share=price)) for price in (None, USUAL_SHARE)]
        topics = measured.mean("topics", **last, topic_share=USUAL_SHARE)
        rows.append([TASKS[task].title, *cells, f"{topics:.1f}"])
    columns = ["data set"]
    columns += [f"{name}, {kind}" for name in MEASURES.values() for kind in ("fixed", "prior")]
    columns += [f"outliers' part, {kind}" for kind in ("fixed", "prior")]
    return markdown_table([*columns, "topics kept"], rows)


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    low, high = measured.options("rank")[0], measured.options("rank")[-1]
    text = f"""\
With many topics, the outliers get one of their own and look well explained. The topic prior (`n_topics="auto"`) makes
topics earn their place, so that it prices out a topic of few documents. On tf-idf rows, means over {measured.draws}.

The table has the range of areas from {low} to {high} topics, with the residual norm and with the unexplained share of a
document as scores. "Fixed" uses exactly that many topics; "prior" starts with that many and keeps some of them. The
outliers' part is the largest share of a topic's weight that comes from outliers. It is given for {high} topics, as is the
number of topics kept.

{table(measured)}

{{own-topic}}

The prior has a parameter of its own, the share that a topic must carry:

{{topic-share}}
"""
    return Section(
        "When outliers get their own topic",
        text,
        [
            Figure("own-topic", "Area by rank, with and without the topic prior.", lambda c: draw_ranks(measured, c)),
            Figure(
                "topic-share",
                "Area by the prior's topic share, with the unexplained share as score.",
                lambda c: draw_shares(measured, c),
            ),
        ],
    )


def _applies(config: Config) -> bool:
    return config["topic_share"] in (None, USUAL_SHARE) or config["rank"] >= MANY


OWN_TOPIC = Experiment(
    name="own-topic",
    question="What happens when the outliers get their own topic, and does the topic prior prevent it?",
    axes={"task": tuple(TASKS), "seed": (0, 1, 2), "rank": RANKS, "topic_share": (None, *SHARES)},
    quick={"task": ("reuters", "baskets"), "seed": (0,), "rank": (2, 10, 25), "topic_share": (None, 0.01, 0.02, 0.04)},
    measure=measure,
    report=report,
    applies=_applies,
)
