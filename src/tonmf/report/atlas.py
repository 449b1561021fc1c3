"""A map of documents: a disc for each topic, related topics side by side, and each document on the disc of its main topic.

The area of a disc is in proportion to the documents that are mainly about its topic. The more of a document its topic explains,
the nearer it is to the middle of the disc: the rank of the share decides, so that documents fill a disc evenly and none hides
another. The other topics of a document draw it towards their discs. A document of which far more than usual is left over is
beyond the rim of its disc, and one that no topic explains is at the edge of the map.

Documents that have embeddings are placed by these (`tonmf.report.meaning_map`), and the names of topics amid their documents.

=========== ====================================================================
M           shares of topics, shape (n_docs, n_topics); 0 for topics not listed
radii       of the discs, shape (n_topics,)
centres     of the discs, shape (n_topics, 2)
places      of the documents, shape (n_docs, 2)
=========== ====================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import TopicShare

WIDTH = 2.0
"""How much farther a disc may be from the middle sideways than up or down: windows are wider than high."""

GAP = 0.16
"""Room between discs, in terms of the root mean square of their radii."""

LEAST = 0.0015
"""The area of a disc counts for at least this share of all documents."""

ANGLES = 36
"""Directions from a placed disc in which there may be room for another."""

MANY_TOPICS = 100
"""With more topics there are fewer directions, as more discs offer them."""

RELATED = 2.0
"""How much the distance from related discs counts beside that from the middle."""

TURN = np.pi * (3 - np.sqrt(5))
"""The golden angle: points at its multiples, each a little farther out, fill a disc evenly."""

DRAWN = 0.85
"""Other topics turn a document towards them at most so far; the rest of its direction is that of its turn."""

BEYOND = 0.12
"""Each width of the left-over share beyond `USUAL` widths puts a document this share of the radius farther out."""

USUAL, FARTHEST = 2.0, 6.0
"""Left-over shares from which on and up to which documents are farther out, in widths (P84 − median) above the median."""

EDGE = 1.12
"""Distance of documents without a topic from the middle, where 1 is that of the outermost disc."""


class TopicMap:
    """Takes the topics of documents one by one, in any order, and then has the places of all.

    Attributes
    ----------
    places : array of shape (n_docs, 2)
    topics : array of shape (n_topics, 2)
        The places of the topics' names.
    is_of_topics : bool
        Whether topics decide on the places of documents. Otherwise these are given, as embeddings have them.
    """

    def __init__(self, n_docs: int, n_topics: int, places: NDArray[np.float64] | None = None) -> None:
        self._M, self._given = np.zeros((n_docs, n_topics)), places
        self.is_of_topics = places is None

    def put(self, document: int, topics: Iterable[TopicShare]) -> None:
        """Take the topics that explain a document, before any places are asked for."""
        for topic in topics:
            self._M[document, topic.number - 1] = topic.share

    @property
    def places(self) -> NDArray[np.float64]:
        """Return the places of the documents."""
        return self._places_of_both[0]

    @property
    def rounded(self) -> NDArray[np.float64]:
        """Return the places of the documents to four digits, as a report has them."""
        return self.places.round(4)

    @property
    def topics(self) -> NDArray[np.float64]:
        """Return the places of the topics."""
        return self._places_of_both[1]

    @cached_property
    def _places_of_both(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        places, topics = places_by_topics(self._M)
        return (places, topics) if self._given is None else (self._given, amid_documents(self._M, self._given, topics))


def places_by_topics(M: Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the places of the documents and of the topics; the farthest coordinate of all is 1."""
    n_docs, n_topics = M.shape
    main = M.argmax(axis=1) if n_topics else np.zeros(n_docs, np.int64)
    has_topic = np.asarray(M.any(axis=1))
    counts = np.bincount(main[has_topic], minlength=n_topics)
    radii = np.sqrt(np.maximum(counts, LEAST * max(n_docs, 1)))
    centres = packed(radii, relatedness(M))
    farther = _farther_out(1 - M.sum(axis=1), has_topic)
    places = np.zeros((n_docs, 2))
    for topic in range(n_topics):
        rows = np.flatnonzero(has_topic & (main == topic))
        places[rows] = _on_disc(M[rows], topic, radii[topic], centres, farther[rows])
    known = np.concatenate([places[has_topic], centres])
    if len(known):
        middle = (known.min(axis=0) + known.max(axis=0)) / 2
        places, centres, known = places - middle, centres - middle, known - middle
    places[~has_topic] = _at_the_edge(known, int((~has_topic).sum()), n_docs)
    farthest = max((float(np.abs(points).max(initial=0)) for points in (places, centres)), default=0) or 1
    return places / farthest, centres / farthest


def relatedness(M: Array) -> NDArray[np.float64]:
    """Return the cosine between the columns of M, which is 0 for topics that share no documents; with itself, too."""
    products = M.T @ M
    norms = np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
    related = products / norms[:, None] / norms
    np.fill_diagonal(related, 0)
    return np.asarray(related)


def packed(radii: Array, related: Array) -> NDArray[np.float64]:
    """Return the centres of discs that do not overlap.

    The largest come first. Each disc touches one that is placed already, where it is nearest to the middle and to those that it
    is related to.
    """
    centres = np.zeros((len(radii), 2))
    n_angles = ANGLES if len(radii) <= MANY_TOPICS else ANGLES // 3
    angles = 2 * np.pi * np.arange(n_angles) / n_angles
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    gap = GAP * np.sqrt((radii**2).mean()) if len(radii) else 0.0
    order = np.argsort(-radii, kind="stable")
    for number, disc in enumerate(order[1:], start=1):
        placed = order[:number]
        reach = radii[placed] + radii[disc] + gap
        options = (centres[placed][:, None] + reach[:, None, None] * directions).reshape(-1, 2)
        distances = _distances(options, centres[placed])
        weights = related[disc, placed]
        cost = np.hypot(options[:, 0] / WIDTH, options[:, 1])
        if weights.any():
            cost += RELATED * weights.max() * (distances @ weights) / weights.sum()
        cost[(distances < reach * (1 - 1e-6)).any(axis=1)] = np.inf
        # Rounded, so that which of several equally good places is taken does not depend on the last digit.
        centres[disc] = options[np.argmin(np.round(cost / radii[order[0]], 6))]
    return centres


def _distances(some: Array, others: Array) -> NDArray[np.float64]:
    squares = (some**2).sum(axis=1)[:, None] - 2 * some @ others.T + (others**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def _farther_out(left_over: Array, has_topic: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return by what share of the radius each document is farther out, because more of it than usual is left over."""
    if not has_topic.any():
        return np.zeros(len(left_over))
    median, high = np.quantile(left_over[has_topic], [0.5, 0.84])
    widths = (left_over - median) / max(high - median, 1e-9)
    return np.asarray(BEYOND * (np.clip(widths, USUAL, FARTHEST) - USUAL))


def _on_disc(M: Array, topic: int, radius: float, centres: Array, farther: Array) -> NDArray[np.float64]:
    """Return the places of documents, given by rows of M, on the disc of their main topic."""
    rank = np.empty(len(M), np.int64)
    rank[np.argsort(-M[:, topic], kind="stable")] = np.arange(len(M))
    turned = np.column_stack([np.cos(TURN * rank), np.sin(TURN * rank)])
    towards = centres - centres[topic]
    lengths = np.linalg.norm(towards, axis=1, keepdims=True)
    pull = M @ np.divide(towards, lengths, out=np.zeros_like(towards), where=lengths > 0)
    strength = np.linalg.norm(pull, axis=1, keepdims=True)
    weight = np.minimum(strength / np.maximum(M[:, [topic]], 1e-9), DRAWN)
    direction = (1 - weight) * turned + weight * pull / np.maximum(strength, 1e-12)
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-9)
    distance = radius * np.sqrt((rank + 0.5) / max(len(M), 1)) * (1 + farther)
    return np.asarray(centres[topic] + distance[:, None] * direction)


def _at_the_edge(known: Array, n_edge: int, n_docs: int) -> NDArray[np.float64]:
    """Return places on an ellipse around known ones, in a band that is as wide as there are many."""
    x, y = np.abs(known).max(axis=0, initial=0) if len(known) else (1.0, 1.0)
    x, y = max(x, y / WIDTH, 1e-9), max(y, x / WIDTH, 1e-9)
    reach = np.hypot(known[:, 0] / x, known[:, 1] / y).max(initial=0) if len(known) else 0.0
    number = np.arange(n_edge)
    distance = np.sqrt((EDGE * reach) ** 2 + (number + 0.5) / max(n_docs, 1))
    return np.column_stack([x * distance * np.cos(TURN * number), y * distance * np.sin(TURN * number)])


def amid_documents(M: Array, places: Array, otherwise: Array) -> NDArray[np.float64]:
    """Return for each topic the median place of the documents that are mainly about it; `otherwise` without any."""
    found = np.array(otherwise, np.float64)
    main = M.argmax(axis=1) if M.shape[1] else np.zeros(len(M), np.int64)
    for topic in range(M.shape[1]):
        rows = (main == topic) & (M[:, topic] > 0)
        if rows.any():
            found[topic] = np.median(places[rows], axis=0)
    return found
