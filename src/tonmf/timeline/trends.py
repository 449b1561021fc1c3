"""Which topics emerge and which fade: their shares in windows of time.

========= ====================== =============================================================
letter    shape                  what
========= ====================== =============================================================
s_v       n_topics               mean share of the documents of window v that each topic explains
b_v       n_topics               the same over all documents of the windows before
z_v       n_topics               (s_v − b_v)/√(variance of s_v + variance of b_v)
========= ====================== =============================================================

A topic is *up* in a window if z > 4 and s is more than 1.5 times b, *down* if z < −4 and b is more than 1.5 times s. It
emerges in a window in which it is up if it was not up in the window before, and fades likewise. In windows of few documents
topics stay what they were before. A topic that is added on the way emerges when it is added, and windows before that do not
count for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tonmf.arrays import Array

SURE, CLEAR = 4.0, 1.5
"""z, and ratio of the shares, above which a topic is up."""

ENOUGH = 20
"""Documents that a window must have, and all windows before it together."""


@dataclass
class WindowTotals:
    """Totals of the documents of a window: how many, how many outliers, the sums of topic shares and of their squares."""

    n_docs: int
    n_outliers: int
    sums: Array
    squares: Array

    @classmethod
    def of(cls, shares: Array, outliers: Array) -> WindowTotals:
        """Add up documents, given the topic shares of each (n_docs × n_topics)."""
        return cls(len(shares), int(outliers.sum()), shares.sum(axis=0), (shares**2).sum(axis=0))

    def __add__(self, other: WindowTotals) -> WindowTotals:
        """Add two totals; the one with fewer topics has shares of 0 for the others."""
        n_topics = max(len(self.sums), len(other.sums))
        return WindowTotals(
            self.n_docs + other.n_docs,
            self.n_outliers + other.n_outliers,
            padded(self.sums, n_topics) + padded(other.sums, n_topics),
            padded(self.squares, n_topics) + padded(other.squares, n_topics),
        )

    @property
    def shares(self) -> Array:
        """Return the mean share of each topic."""
        return _means(self.n_docs, self.sums, self.squares)[0]


def padded(values: Array, n_topics: int) -> Array:
    """Append zeros for topics that were not there yet."""
    return np.concatenate([values, np.zeros(n_topics - len(values))])


def states_of(windows: Sequence[WindowTotals], born: Sequence[int | None]) -> list[list[int]]:
    """Return for each window whether each topic is up (1), down (−1) or neither (0).

    `born` holds the window in which each topic was added; None if it was there from the beginning.
    """
    births = np.array([-1 if birth is None else birth for birth in born])
    n_docs, sums, squares = np.zeros((3, len(born)))  # of what was before, for each topic since it was added
    states, state = [], np.zeros(len(born), int)
    for number, window in enumerate(windows):
        now, now_varies = _means(window.n_docs, padded(window.sums, len(born)), padded(window.squares, len(born)))
        then, then_varies = _means(n_docs, sums, squares)
        enough = (window.n_docs >= ENOUGH) & (n_docs >= ENOUGH)
        spread = np.sqrt(now_varies + then_varies)
        z = np.divide(now - then, spread, out=np.zeros(len(born)), where=spread > 0)
        up, down = (z > SURE) & (now > CLEAR * then), (z < -SURE) & (then > CLEAR * now)
        state = np.where(number > births, np.where(enough, up.astype(int) - down, state), number == births)
        states.append(state.tolist())
        there = number >= births
        n_docs += there * window.n_docs
        sums += there * padded(window.sums, len(born))
        squares += there * padded(window.squares, len(born))
    return states


def _means(n_docs: int | Array, sums: Array, squares: Array) -> tuple[Array, Array]:
    """Return mean shares, and the variances of these means."""
    n_docs = np.maximum(n_docs, 1)
    means = sums / n_docs
    return means, np.maximum(squares / n_docs - means**2, 0) / n_docs


def changes(states: Sequence[Sequence[int]], state: int) -> list[list[int]]:
    """Return for each window the topics that enter a state.

    >>> changes([[0, 1], [1, 1], [0, 0], [1, 0]], 1)
    [[1], [0], [], [0]]
    """
    before: Sequence[int] = [0] * (len(states[0]) if states else 0)
    found = []
    for row in states:
        found.append([topic for topic, now in enumerate(row) if now == state and before[topic] != state])
        before = row
    return found
