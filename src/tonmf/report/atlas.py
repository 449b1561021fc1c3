"""A map of documents: topics on a circle, those that are alike side by side, and documents drawn to the topics they lean on.

A document is at Σ_k s_k a_k, with s_k the share of it that topic k explains, and a_k the topic's place on the unit circle; k
runs over the topics that it leans on. So the nearer to the rim, the more it is about the topic there, and a document that no
topic explains is in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import TopicShare

SPREAD = 0.02
"""How far documents are moved at random, so that those in one place can be told apart."""


def places_of_topics(topics: Array) -> NDArray[np.float64]:
    """Places on the unit circle, shape (n_topics, 2), of the columns of `topics`, from the top clockwise.

    From one topic on, each is followed by the one most like it that is left.
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


def places_of_documents(leans: Sequence[Iterable[TopicShare]], topics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in the unit disc, shape (n_docs, 2), of documents that lean on topics; numbers of topics are from 1 up."""
    places = np.zeros((len(leans), 2))
    for row, of_document in enumerate(leans):
        for lean in of_document:
            places[row] += lean.share * topics[lean.number - 1]
    places += SPREAD * np.random.default_rng(0).standard_normal(places.shape)
    places /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1)
    return places
