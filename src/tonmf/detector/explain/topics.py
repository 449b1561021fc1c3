"""Topics as users see them: a number, how common the topic is, its first words, and documents that are typical of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.ladder import Rung

N_TYPICAL = 3
"""Typical documents to keep of each topic."""


@dataclass(frozen=True)
class KnownDocument:
    """An ordinary training document: its id, and how it begins."""

    id: str
    excerpt: str


@dataclass(frozen=True)
class Topic:
    """A topic of a fitted detector.

    Attributes
    ----------
    number : int
        From 1 up, the largest share first.
    share : float
        Its share of the documents' weight on topics.
    words : list of str
        The words with the most weight in it.
    typical : list of KnownDocument
        The ordinary documents that it explains most of.
    """

    number: int
    share: float
    words: list[str]
    typical: list[KnownDocument]


def by_share(rung: Rung) -> NDArray[np.int64]:
    """Return the columns of the rung's topics, the most common first: topic number n is entry n − 1."""
    return np.argsort(-rung.shares, kind="stable")


def typical_documents(belonging: Array) -> NDArray[np.int64]:
    """Return for each topic (column) the rows that belong to it most, at most `N_TYPICAL`."""
    return np.argsort(-belonging, axis=0, kind="stable")[:N_TYPICAL].T
