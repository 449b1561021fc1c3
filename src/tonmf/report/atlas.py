"""A map of documents: topics on a circle, similar ones side by side, and documents near the topics that explain them.

A document is at Σ_k s_k a_k, where s_k is the share of it that topic k explains, a_k the topic's place on the unit circle, and
k runs over the topics of its explanation. The nearer a document is to the rim, the more it is about the topic there; a
document that no topic explains is in the middle.

Documents that have embeddings are placed by these (`tonmf.report.meaning_map`), and topics on the circle in the direction of
their documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import TopicShare

SPREAD = 0.02
"""Standard deviation of a random shift that tells documents in the same place apart."""


def places_of_topics(topics: Array) -> NDArray[np.float64]:
    """Return places on the unit circle, shape (n_topics, 2), for the columns of `topics`, clockwise from the top.

    Each topic is followed by the most similar one of those left.
    """
    n_topics = topics.shape[1]
    likeness = topics.T @ topics
    order = [0][:n_topics]
    while len(order) < n_topics:
        left = [topic for topic in range(n_topics) if topic not in order]
        order.append(max(left, key=lambda topic: (likeness[order[-1], topic], -topic)))
    angles = np.empty(n_topics)
    angles[order] = np.pi / 2 - 2 * np.pi * np.arange(n_topics) / max(n_topics, 1)
    return np.column_stack([np.cos(angles), np.sin(angles)])


class TopicMap:
    """Places of documents in the unit disc by the topics that explain them; topic number n is at circle[n − 1].

    Where embeddings decide, `places` are given, and the topics are moved towards their documents.
    """

    def __init__(self, circle: NDArray[np.float64], n_docs: int, places: NDArray[np.float64] | None = None) -> None:
        self._circle, self._is_given = circle, places is not None
        if places is None:
            places = SPREAD * np.random.default_rng(0).standard_normal((n_docs, 2))
        # Plain numbers, because numpy takes longer for two of them.
        self._places: list[list[float]] = places.tolist()
        self._towards: list[list[float]] = circle.tolist()
        self._sums = [[0.0, 0.0] for _ in self._towards]

    def put(self, document: int, topics: Iterable[TopicShare]) -> tuple[float, float]:
        """Return the place of a document; `topics` are those that explain it."""
        x, y = self._places[document]
        if self._is_given:
            for topic in topics:
                total = self._sums[topic.number - 1]
                total[0] += topic.share * x
                total[1] += topic.share * y
        else:
            for topic in topics:
                to_x, to_y = self._towards[topic.number - 1]
                x += topic.share * to_x
                y += topic.share * to_y
            length = max(math.hypot(x, y), 1.0)
            x, y = x / length, y / length
        return round(x, 4), round(y, 4)

    @property
    def is_of_topics(self) -> bool:
        """Return whether topics decide on the places of documents, and not embeddings."""
        return not self._is_given

    @property
    def topics(self) -> NDArray[np.float64]:
        """Return the places of the topics, in the direction of their documents where embeddings decide."""
        if not self._is_given:
            return self._circle
        sums = np.array(self._sums).reshape(self._circle.shape)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.where(lengths > 0, sums / np.maximum(lengths, np.finfo(float).tiny), self._circle)
