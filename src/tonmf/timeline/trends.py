"""Which topics emerge and which fade: their shares in windows of time.

========= ====================== =============================================================
letter    shape                  what
========= ====================== =============================================================
s_v       n_topics               mean share of the documents of window v that each topic explains
b_v       n_topics               the same over all documents of the windows before
z_v       n_topics               (s_v − b_v)/√(variance of s_v + variance of b_v)
========= ====================== =============================================================

A topic is *up* in a window if z > 4 and s is more than 1.5 times b, *down* if z < −4 and b is more than 1.5 times s. It
emerges in a window in which it is up, having not been so in the window before, and fades likewise. Windows of few documents
say nothing: topics are what they were before. A topic that is added on the way emerges when it is added, and what was before
does not count for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tonmf.arrays import Array

SURE, CLEAR = 4.0, 1.5
"""z, and ratio of the shares, from which on a topic is up."""

ENOUGH = 20
"""Documents that a window must have, and all before it together."""


@dataclass
class Tally:
    """Of some documents how many there are, how many outliers, and the sums of topics' shares and of their squares."""

    n_docs: int
    n_outliers: int
    sums: Array
    squares: Array

    @classmethod
    def of(cls, shares: Array, outliers: Array) -> Tally:
        """Of documents whose shares are rows."""
        return cls(len(shares), int(outliers.sum()), shares.sum(axis=0), (shares**2).sum(axis=0))

    def __add__(self, other: Tally) -> Tally:
        """Both together; the one that knows of fewer topics has shares of 0 of the others."""
        n_topics = max(len(self.sums), len(other.sums))
        return Tally(
            self.n_docs + other.n_docs,
            self.n_outliers + other.n_outliers,
            padded(self.sums, n_topics) + padded(other.sums, n_topics),
            padded(self.squares, n_topics) + padded(other.squares, n_topics),
        )

    @property
    def shares(self) -> Array:
        """The mean of each topic."""
        return _means(self.n_docs, self.sums, self.squares)[0]


def padded(values: Array, n_topics: int) -> Array:
    """With zeros for topics that were not there yet."""
    return np.concatenate([values, np.zeros(n_topics - len(values))])


def states_of(windows: Sequence[Tally], born: Sequence[int | None]) -> list[list[int]]:
    """For each window whether each topic is up (1), down (−1) or neither (0).

    `born` has the window in which a topic was added; None if it was there from the beginning.
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
    """Mean shares, and the variances of these means."""
    n_docs = np.maximum(n_docs, 1)
    means = sums / n_docs
    return means, np.maximum(squares / n_docs - means**2, 0) / n_docs


def changes(states: Sequence[Sequence[int]], state: int) -> list[list[int]]:
    """For each window the topics that have come into a state.

    >>> changes([[0, 1], [1, 1], [0, 0], [1, 0]], 1)
    [[1], [0], [], [0]]
    """
    before: Sequence[int] = [0] * (len(states[0]) if states else 0)
    found = []
    for row in states:
        found.append([topic for topic, now in enumerate(row) if now == state and before[topic] != state])
        before = row
    return found
