"""What several cards have in common: shaded words, bars, topics and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.report.binning import binned
from tonmf.report.notebook.markup import Markup, element, own
from tonmf.text.pieces import Piece

TOPICS, COLOURS, WORDS = 10, 5, 8
"""Topics that are listed, colours that they take turns with, and words of each."""

BINS = 48
"""Bars of a histogram."""


def share_of(value: float) -> str:
    """Return a share to read, with a digit where it is small.

    >>> share_of(0.256), share_of(0.032)
    ('26 %', '3.2 %')
    """
    return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"


def table(head: Sequence[str], rows: Sequence[Sequence[Markup]]) -> Markup:
    """Return a table; rows are of cells. A column without a name shares that of the column before it."""
    columns = [
        element("th", name, scope="col", colspan=2 if not after and after is not None else None)
        for name, after in zip(head, [*head[1:], None], strict=True)
        if name
    ]
    listed = [element("tr", cells) for cells in rows]
    return element("table", element("thead", element("tr", columns)), element("tbody", listed))


def number(text: Any) -> Markup:
    """Return a cell with a number."""
    return element("td", text, of="number")


def cell(*content: Any, of: str = "") -> Markup:
    """Return a cell."""
    return element("td", content, of=of)


def bar(part: float) -> Markup:
    """Return a cell with a bar, as long as a part of the longest."""
    return element("td", element("span", of="bar", style=f"--part:{part:.3f}"), of="bar-cell")


def score_bar(score: float, threshold: float, largest: float) -> Markup:
    """Return a bar for a score; what is beyond the threshold has the accent."""
    whole = max(largest, threshold, 1e-9)
    part, cut = max(score, 0.0) / whole, max(threshold, 0.0) / whole
    return element("span", of="score-bar", style=f"--part:{part:.3f};--cut:{cut:.3f}")


def shaded(pieces: Sequence[Piece]) -> Markup:
    """Return the pieces of a text, the unexpected words shaded by their shares."""
    largest = max((piece.share for piece in pieces), default=0.0)
    return element(
        "bdi",
        [mark(piece.text, piece.share, largest, "glimpse") if piece.share > 0 else piece.text for piece in pieces],
    )


def mark(text: Any, share: float, largest: float, of: str = "") -> Markup:
    """Return an unexpected word, shaded by its share of the document (``mark`` in document.css)."""
    title = f"{share_of(share)} of the document"
    return element("mark", text, of=of, title=title, style=f"--part:{share / (largest or 1.0):.3f}")


def topic_mark(topic: int | None) -> Markup:
    """Return a topic's number on its colour; of no topic, a dash."""
    if topic is None:
        return element("span", "–", of="caption", title="no topic explains a tenth of it")
    colour = (topic - 1) % COLOURS + 1
    return element(
        "span", topic, of="topic-number", style=f"--topic:var(--topic-{colour});--topic-ink:var(--topic-{colour}-ink)"
    )


def topics_table(topics: Sequence[tuple[int, float, Sequence[str]]], n_topics: int) -> Markup:
    """Return topics, each with its number, share and words; `n_topics` are there in all."""
    largest = max((share for _, share, _ in topics), default=0.0) or 1.0
    rows = [
        [cell(topic_mark(topic)), cell(words_line(words)), number(share_of(share)), bar(share / largest)]
        for topic, share, words in topics[:TOPICS]
    ]
    return element("div", table(["topic", "words", "share", ""], rows), more(n_topics - len(rows), "topic"))


def words_line(words: Sequence[str]) -> Markup:
    """Return words with commas between them."""
    line: list[Any] = []
    for word in words:
        line += [", "] * bool(line) + [own(word, 40)]
    return element("span", line)


def more(count: int, noun: str) -> Markup | None:
    """Say how many are not shown; nothing if none."""
    if count <= 0:
        return None
    return element("p", f"… and {count:,} more {noun}{'' if count == 1 else 's'}.", of="caption")


def facts(values: Mapping[str, Any]) -> Markup:
    """Return facts by name."""
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in values.items()]
    return element("dl", rows, of="facts")


def histogram(scores: Array, threshold: float) -> Markup | None:
    """Draw how many documents have which score, those above the threshold in the accent; nothing without scores."""
    scores = np.asarray(scores, np.float64)
    if len(scores) < 2 or not np.isfinite(scores).all() or scores.min() == scores.max():
        return None
    low, high, (edges, counts) = float(scores.min()), float(scores.max()), binned(scores, threshold, BINS)
    width = edges[1] - edges[0]
    heights = np.where(counts, np.maximum(44 * np.sqrt(counts / counts.max()), 1.5), 0)
    step = 480 / len(counts)
    bars = [
        Markup(
            f'<rect class="{"beyond" if edges[place] >= threshold - width / 2 else "below"}" x="{place * step:.1f}" '
            f'y="{48 - heights[place]:.1f}" width="{max(step - 1, 0.5):.1f}" height="{heights[place]:.1f}"/>'
        )
        for place in np.flatnonzero(counts)
    ]
    cut = (threshold - edges[0]) / (edges[-1] - edges[0]) * 480
    line = Markup(f'<line x1="{cut:.1f}" x2="{cut:.1f}" y1="0" y2="50"/>')
    name = f"Histogram of {len(scores):,} scores, from {low:.2f} to {high:.2f}; the threshold is {threshold:.2f}."
    picture = element(
        "svg",
        bars,
        line,
        of="histogram",
        viewBox="0 0 480 50",
        preserveAspectRatio="xMinYMid",
        role="img",
        **{"aria-label": name},
    )
    legend = ["scores from ", f"{low:.2f}", " to ", f"{high:.2f}", "; the line is the threshold, ", f"{threshold:.2f}"]
    return element("div", picture, element("p", legend, of="caption"))
