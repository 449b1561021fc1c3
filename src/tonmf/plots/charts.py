"""The charts: what each draws on axes, given plain values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.metrics import RocCurve
from tonmf.plots.canvas import colours_for, label
from tonmf.report.binning import binned

BINS = 60
"""Bars of a histogram of scores, about."""

MARKERS, COLOURS = "os^DP", 5
"""Shapes and colours of topics, as the report has them: 25 marks (`report/web/shared/topic_marks.js`)."""

COLUMNS = 3
"""Topics side by side."""

NAMED = 10
"""Flagged documents of a map that are named, at most."""


class DrawnTopic(NamedTuple):
    """A topic to draw: its number, its share, and its first words with their weights."""

    number: int
    share: float
    words: Sequence[str]
    weights: Sequence[float]


def draw_scores(ax: Any, scores: Array, threshold: float, noun: str = "documents") -> None:
    """Draw a histogram of scores, with the threshold; the heights are on a logarithmic scale, so that one document shows."""
    colours, (edges, counts) = colours_for(ax), binned(scores, threshold, BINS)
    width = edges[1] - edges[0]
    beyond = edges[:-1] > threshold - width / 2
    for chosen, colour, name in ((~beyond, "dot", "not flagged"), (beyond, "accent", "flagged")):
        n_docs = int(counts[chosen].sum())
        ax.bar(
            edges[:-1][chosen],
            counts[chosen],
            0.9 * width,
            align="edge",
            color=colours[colour],
            label=f"{n_docs:,} {name}",
        )
    ax.axvline(threshold, color=colours["ink"], linewidth=1, linestyle="--", label=f"threshold {threshold:.2f}")
    ax.set_yscale("log")
    ax.set_ylim(0.6, 1.6 * max(int(counts.max(initial=0)), 1))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel="score (higher is stranger)", ylabel=noun)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def draw_topics(ax: Any, topics: Sequence[DrawnTopic]) -> None:
    """Draw the first words of topics, side by side: a bar for each, as long as its weight beside that of the first."""
    colours = colours_for(ax)
    n_words, n_rows = max((len(topic.words) for topic in topics), default=0), -(-len(topics) // COLUMNS)
    ax.set_axis_off()
    ax.set_xlim(0, COLUMNS)
    ax.set_ylim(max(n_rows, 1) * (n_words + 2) - 1, -0.9)
    for topic, (row, column) in zip(topics, product(range(n_rows), range(COLUMNS)), strict=False):
        top, largest = row * (n_words + 2), max(topic.weights, default=0.0) or 1.0
        lengths = [0.92 * weight / largest for weight in topic.weights]
        places = [top + 1 + place for place in range(len(topic.words))]
        colour = colours[f"topic-{(topic.number - 1) % COLOURS + 1}"]
        ax.barh(places, lengths, 0.86, left=column, color=colour, alpha=0.35)
        title = f"{topic.number}  {100 * topic.share:.3g} %"
        ax.text(column, top, title, ha="left", va="center", fontweight="bold", color=colours["ink"])
        for place, word in zip(places, topic.words, strict=True):
            ax.text(column + 0.02, place, label(word), ha="left", va="center", color=colours["ink"], parse_math=False)


def draw_words(ax: Any, words: Sequence[UnexpectedWord], title: str, kind: str) -> None:
    """Draw the unexpected words of a document, the largest share at the top; hatched ones are outside the vocabulary."""
    colours = colours_for(ax)
    places = np.arange(len(words))
    for known, name in ((True, "in the vocabulary"), (False, "outside the vocabulary")):
        chosen = [place for place, word in enumerate(words) if word.known == known]
        if chosen:
            shares = [100 * words[place].share for place in chosen]
            look = {"color": colours["accent"], "edgecolor": colours["paper"], "linewidth": 0}
            ax.barh(chosen, shares, 0.75, label=name, hatch=None if known else "///", **look)
    ax.set_yticks(places, [label(word.word) for word in words], parse_math=False)
    ax.set_ylim(max(len(words), 1) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of the document (%)")
    ax.set_title(title, loc="left", parse_math=False)
    if words:
        ax.legend(loc="lower right", title=f"unexpected {kind}s")


def draw_map(
    ax: Any, places: Array, topics: NDArray[np.int64], flagged: NDArray[np.bool_], names: Sequence[str]
) -> None:
    """Draw documents at their places, marked by their main topics (0 for none); rings are around the flagged ones.

    `names` are those of the flagged documents, the strangest first, or none.
    """
    colours = colours_for(ax)
    size = float(np.clip(3000 / max(len(places), 1), 2, 22))
    for topic in np.unique(topics).tolist():
        chosen = topics == topic
        colour = "topic-none" if topic == 0 else f"topic-{(topic - 1) % COLOURS + 1}"
        marker = "o" if topic == 0 else MARKERS[(topic - 1) // COLOURS % len(MARKERS)]
        name = ("no topic" if topics.any() else "not flagged") if topic == 0 else str(topic)
        ax.scatter(
            *places[chosen].T, s=size, c=colours[colour], marker=marker, linewidths=0, label=name, rasterized=True
        )
    ring = {"facecolors": "none", "edgecolors": colours["accent"], "linewidths": 1.2}
    ax.scatter(*places[flagged].T, s=4 * size + 14, label="flagged", **ring)
    for (x, y), name in zip(places[flagged][:NAMED], names[:NAMED], strict=False):
        place = {"xytext": (5, 4), "textcoords": "offset points", "fontsize": 7}
        ax.annotate(label(name, 20), (x, y), color=colours["ink"], parse_math=False, **place)
    ax.set_aspect("equal")
    ax.margins(0.06)
    ax.set_axis_off()
    if len(np.unique(topics)) <= len(MARKERS) * COLOURS:
        ax.legend(
            loc="center left",
            bbox_to_anchor=(1, 0.5),
            title="topic" if topics.any() else None,
            markerscale=1.3,
            fontsize=7,
        )


def draw_objective(ax: Any, history: Array) -> None:
    """Draw the objective over the iterations."""
    ax.plot(np.arange(1, len(history) + 1), history, color=colours_for(ax)["line"], marker="o", markersize=2.5)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="iteration, once α and the price of topics are fixed", ylabel="objective")


def draw_roc(ax: Any, curve: RocCurve, flagged: tuple[float, float] | None) -> None:
    """Draw a ROC curve, and the point of the threshold if there is one."""
    colours = colours_for(ax)
    ax.plot([0, 100], [0, 100], color=colours["ink-3"], linewidth=1, linestyle=":", label="guessing")
    name = f"area {curve.area:.3f}"
    ax.plot(curve.false_positive_rates, curve.true_positive_rates, color=colours["line"], label=name, clip_on=False)
    if flagged is not None:
        ax.plot(*flagged, "o", color=colours["accent"], label="flagged", clip_on=False)
    ax.set(xlim=(0, 100), ylim=(0, 100), xlabel="ordinary documents flagged (%)", ylabel="outliers flagged (%)")
    ax.set_aspect("equal")
    ax.legend(loc="lower right")
