"""A map of documents: topics on a circle, similar ones side by side, and documents near the topics that explain them.

A document is at Σ_k s_k a_k, where s_k is the share of it that topic k explains, a_k the topic's place on the unit circle, and
k runs over the topics of its explanation. The nearer a document is to the rim, the more it is about the topic there; a
document that no topic explains is in the middle.

Documents that have embeddings are placed by these (`tonmf.report.meaning_map`), and topics on the circle in the direction of
their documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def places_of_documents(shares: Sequence[Iterable[TopicShare]], circle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places in the unit disc, shape (n_docs, 2), from the shares of topics; topic number n is at circle[n − 1]."""
    places = np.zeros((len(shares), 2))
    for row, of_document in enumerate(shares):
        for topic in of_document:
            places[row] += topic.share * circle[topic.number - 1]
    places += SPREAD * np.random.default_rng(0).standard_normal(places.shape)
    places /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1)
    return places


def towards_documents(
    circle: NDArray[np.float64], shares: Sequence[Iterable[TopicShare]], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return places on the circle in the direction of the documents of each topic; a topic without any stays in its place."""
    sums = np.zeros_like(circle)
    for of_document, place in zip(shares, places, strict=True):
        for topic in of_document:
            sums[topic.number - 1] += topic.share * place
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0, sums / np.maximum(lengths, np.finfo(float).tiny), circle)
