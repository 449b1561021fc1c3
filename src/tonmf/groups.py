"""Small groups: documents that hang together, but are too rare to be ordinary.

A fit that asks little of a topic keeps topics that a fit which asks much drops. Such a topic is a group: its documents have much in common,
and little with the rest. A tight group of outliers explains itself that way, so its documents may have ordinary scores; here it
shows all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tonmf.ladder import Rung
from tonmf.mixture import Reading
from tonmf.ops import Array

SAME_TOPIC = 0.5
"""Cosine from which two topics count as the same."""

MEMBER_SHARE = 0.25
"""Share of a document that the group's topic must explain, as well as being its largest topic."""

SMALLEST_GROUP = 3
"""Documents that a group must have."""

N_WORDS = 10
"""Words that describe a group."""


@dataclass(frozen=True)
class Group:
    """Documents that share a rare topic.

    Attributes
    ----------
    size : int
        Number of documents.
    share : float
        The same as a share of all documents.
    words : list of str
        The topic's first words.
    documents : ndarray of int
        Numbers of the documents, those that fit best first.
    strangeness : float
        Mean score of the documents where only common topics count; groups are listed by it, strangest first.
    """

    size: int
    share: float
    words: list[str]
    documents: NDArray[np.int64]
    strangeness: float


def find_groups(fine: tuple[Rung, Reading], coarse: Sequence[tuple[Rung, Reading]], terms: Sequence[str]) -> list[Group]:
    """Topics of the fine rung that none of the coarse ones has, with their documents, strangest first."""
    rung, reading = fine
    strangeness = np.mean([other.score(seen) for other, seen in coarse], axis=0)
    likeness = np.max([(rung.topics.T @ other.topics).max(axis=1) for other, _ in coarse], axis=0)
    belonging = reading.theta[:, 1:]
    groups = [
        _group(rung.topics[:, topic], belonging[:, topic], members, strangeness, terms)
        for topic in np.flatnonzero(likeness < SAME_TOPIC)
        if len(members := _members(belonging, topic)) >= SMALLEST_GROUP
    ]
    return sorted(groups, key=lambda group: -group.strangeness)


def _members(belonging: Array, topic: int) -> NDArray[np.int64]:
    largest = belonging.max(axis=1)
    return np.flatnonzero((belonging[:, topic] >= largest) & (largest >= MEMBER_SHARE))


def _group(topic: Array, belonging: Array, members: NDArray[np.int64], strangeness: Array, terms: Sequence[str]) -> Group:
    best = np.argsort(-belonging[members], kind="stable")
    words = [terms[i] for i in np.argsort(-topic, kind="stable")[:N_WORDS] if topic[i] > 0]
    share = len(members) / len(belonging)
    return Group(len(members), share, words, members[best], float(strangeness[members].mean()))
