"""The plot of a timeline."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from tonmf.plots.drawing import COLOURS, SETTINGS, check_plot, require_matplotlib, save_canvas
from tonmf.stream.times import duration_text

if TYPE_CHECKING:
    from tonmf.timeline.follow import Timeline

MOST_TOPICS = 16
"""Topics in a plot, at most."""

LABEL_WORDS, LONGEST_LABEL = 3, 36
"""Words in the label of a topic, after its number, and characters that they may take."""

LEGEND = (
    "Each row has a scale of its own. Blue: topics of the model, dark where they emerge. Orange: new ones, once found."
)
PALE_LEGEND = "Pale: windows of fewer than {enough} documents, which say little; cut off if higher than all others."

PALE = 0.35
"""Opacity of the bar of a window of few documents."""

USUAL, RISING, NEW, STRANGE = "#9DB7CC", COLOURS[0], COLOURS[1], "#555555"


def plot_timeline(timeline: Timeline, path: str | os.PathLike[str], *, title: str | None = None) -> None:
    """Draw a timeline: outliers above, then a row for each topic with its share in every window, and documents below.

    Topics of the first model come first: those that change most, the largest at the top. New topics follow in the order of
    their alerts, each from its alert on. Topics have the numbers of `Timeline.columns`, from 1 up. Windows of few documents are
    pale.

    Parameters
    ----------
    timeline : Timeline
    path : str or path
        A .png or .svg file (needs ``pip install 'tonmf[plot]'``).
    title : str, optional
        Title above the plot.
    """
    mpl = require_matplotlib()
    check_plot(path)
    from matplotlib.figure import Figure

    topics = topics_to_show(timeline)
    with mpl.rc_context({**SETTINGS, "axes.grid": False}):
        heights = [1.6] + [1.0] * len(topics) + [0.8]
        canvas: Any = Figure(figsize=(9.5, 1.2 + 0.45 * sum(heights)), layout="constrained")
        canvas.get_layout_engine().set(h_pad=0.03, hspace=0.0)
        grid = canvas.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights).ravel()
        _draw_outliers(grid[0], timeline)
        for axes, topic in zip(grid[1:-1], topics, strict=True):
            _draw_topic(axes, timeline, topic)
        _draw_documents(grid[-1], timeline)
        _draw_dates(grid[-1], timeline)
        length = duration_text(timeline.windows[0].end - timeline.windows[0].start)
        grid[0].set_title(title or f"Share of each topic in windows of {length}", loc="left", fontsize=11)
        canvas.supxlabel(_legend(timeline, len(topics)), fontsize=7.5, color="#666666")
        save_canvas(canvas, path)


def topics_to_show(timeline: Timeline) -> list[int]:
    """Return the topics to draw: new ones last, the latest if there are too many; before them as many others as fit."""
    new = [alert.topic for alert in timeline.alerts][-(MOST_TOPICS - 4) :]
    others = [topic for topic in range(len(timeline.words)) if topic not in {alert.topic for alert in timeline.alerts}]
    n_docs = np.array([window.n_docs for window in timeline.windows], dtype=np.float64)
    shares = np.array([window.shares for window in timeline.windows])
    means = n_docs @ shares / max(n_docs.sum(), 1)
    n_changes = {
        topic: sum(topic in window.emerging or topic in window.fading for window in timeline.windows)
        for topic in others
    }
    chosen = sorted(others, key=lambda topic: (-n_changes[topic], -means[topic]))[: MOST_TOPICS - len(new)]
    return [*sorted(chosen, key=lambda topic: -means[topic]), *new]


def _legend(timeline: Timeline, n_shown: int) -> str:
    lines = [LEGEND]
    if any(window.has_few for window in timeline.windows):
        from tonmf.timeline.trends import ENOUGH  # the room loads the detector, which a wrong name of a plot need not

        lines.append(PALE_LEGEND.format(enough=ENOUGH))
    if n_shown < len(timeline.words):
        lines.append(f"{n_shown} of {len(timeline.words)} topics are shown.")
    return "\n".join(lines)


def _draw_outliers(axes: Any, timeline: Timeline) -> None:
    shares = [100 * window.outlier_share for window in timeline.windows]
    _bars(axes, timeline, shares, [STRANGE] * len(shares))
    highest = _highest(timeline, shares)
    _frame(axes, "outliers", STRANGE, highest, f"up to {highest:.2g} %")


def _draw_documents(axes: Any, timeline: Timeline) -> None:
    n_docs = [window.n_docs for window in timeline.windows]
    _bars(axes, timeline, n_docs, [STRANGE] * len(n_docs))
    _frame(axes, "documents", STRANGE, max(n_docs), f"up to {max(n_docs):,}")


def _draw_topic(axes: Any, timeline: Timeline, topic: int) -> None:
    alert = next((alert for alert in timeline.alerts if alert.topic == topic), None)
    shares = [100 * float(window.shares[topic]) for window in timeline.windows]
    rising, colours = False, []
    for number, window in enumerate(timeline.windows):
        fell = number > 0 and shares[number] < shares[number - 1] / 2
        rising = topic in window.emerging or (rising and not fell and topic not in window.fading)
        colours.append(NEW if alert else RISING if rising and not window.has_few else USUAL)
    _bars(axes, timeline, shares, colours)
    highest = _highest(timeline, shares)
    _frame(axes, _label(timeline, topic), NEW if alert else "black", highest, f"up to {highest:.2g} %")
    if alert is not None:
        raised = _date(alert.new.raised)
        axes.axvline(raised, color=NEW, linewidth=0.8, linestyle=":")
        found = f"new on {raised:%-d %b}, {alert.new.size} documents"
        axes.text(-0.008, 0.12, found, transform=axes.transAxes, ha="right", va="center", fontsize=7, color="#666666")


def _label(timeline: Timeline, topic: int) -> str:
    words = ", ".join(timeline.words[topic][:LABEL_WORDS])
    return f"{topic + 1}: {words if len(words) <= LONGEST_LABEL else words[: LONGEST_LABEL - 1].rstrip() + '…'}"


def _highest(timeline: Timeline, shares: Sequence[float]) -> float:
    """Return the highest share of the windows with enough documents; of all windows, if none has enough."""
    sure = [
        share for window, share in zip(timeline.windows, shares, strict=True) if window.n_docs and not window.has_few
    ]
    return max(sure or shares)


def _bars(axes: Any, timeline: Timeline, values: Sequence[float], colours: Sequence[str]) -> None:
    from matplotlib.colors import to_rgba

    shades = [
        to_rgba(colour, PALE if window.has_few else 1.0)
        for window, colour in zip(timeline.windows, colours, strict=True)
    ]
    starts = [_date(window.start) for window in timeline.windows]
    widths = [timedelta(seconds=0.92 * (window.end - window.start)) for window in timeline.windows]
    axes.bar(starts, values, width=widths, align="edge", color=shades)


def _frame(axes: Any, label: str, colour: str, highest: float, scale: str) -> None:
    """Draw a label on the left, and on the right what the height of the row stands for."""
    top = highest if highest > 0 else 1.0
    axes.set_ylim(0, 1.12 * top)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color("#BBBBBB")
    axes.tick_params(axis="x", length=0)
    place = {"transform": axes.transAxes, "va": "center", "parse_math": False}
    axes.text(-0.008, 0.5, label, ha="right", color=colour, **place)
    axes.text(1.005, 0.5, scale, fontsize=7.5, color="#666666", **place)


def _draw_dates(axes: Any, timeline: Timeline) -> None:
    from matplotlib import dates

    axes.set_xlim(_date(timeline.windows[0].start), _date(timeline.windows[-1].end))
    locator = dates.AutoDateLocator(minticks=4, maxticks=10)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.tick_params(axis="x", length=3)


def _date(seconds: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(seconds=seconds)
