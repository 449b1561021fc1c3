"""What a user sees of a topic: its number, how common it is, its first words, and documents that are typical of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.ladder import Rung

N_TYPICAL = 3
"""Documents that stand for a topic."""


@dataclass(frozen=True)
class KnownDocument:
    """An ordinary training document: what it is called, and how it begins."""

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
        The words that it gives most weight.
    typical : list of KnownDocument
        Ordinary documents that lean on it most.
    """

    number: int
    share: float
    words: list[str]
    typical: list[KnownDocument]


def by_share(rung: Rung) -> NDArray[np.int64]:
    """Columns of the rung's topics, the most common first: topic number n is the (n − 1)-th of them."""
    return np.argsort(-rung.shares, kind="stable")


def typical_documents(belonging: Array) -> NDArray[np.int64]:
    """For each topic (column) the rows that lean on it most, at most `N_TYPICAL`."""
    return np.argsort(-belonging, axis=0, kind="stable")[:N_TYPICAL].T
