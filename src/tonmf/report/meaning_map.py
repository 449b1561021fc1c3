"""A map of documents by their meaning: those with similar embeddings are side by side.

Embeddings are reduced to `WIDTH` principal components, and these to the plane by t-SNE. Of more documents than `MOST`, evenly
chosen ones are laid out, and each of the others is placed amid its `NEAREST` neighbours among these. The same embeddings give
the same map: the start is the plane of the first two components, and one thread adds up in one order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

WIDTH = 50
"""Principal components that neighbours are found by."""

MOST = 5_000
"""Documents that are laid out together."""

NEAREST = 5
"""Neighbours that decide on the place of any other document."""

PERPLEXITY = 30
"""About how many neighbours count for t-SNE."""

FEW = 5
"""With fewer different documents their first two components are the map."""

AT_ONCE = 2_000
"""Other documents that are placed at a time."""


def places_by_meaning(embeddings: Array) -> NDArray[np.float64]:
    """Return places in the unit disc, shape (n_docs, 2); documents without an embedding are in the middle."""
    places = np.zeros((len(embeddings), 2))
    known = np.flatnonzero(np.asarray(embeddings).any(axis=1))
    if not len(known):
        return places
    chosen = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST)).astype(int))]
    others = np.setdiff1d(known, chosen)
    components, project = _components(np.asarray(embeddings[chosen], np.float64))
    places[chosen] = _laid_out(components)
    for some in _parts(others):
        places[some] = _amid(project(np.asarray(embeddings[some], np.float64)), components, places[chosen])
    centre = (places[chosen].min(axis=0) + places[chosen].max(axis=0)) / 2
    places[known] -= centre
    places /= max(float(np.linalg.norm(places, axis=1).max()), np.finfo(float).tiny)
    return places


def _parts(rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(rows), AT_ONCE):
        yield rows[start : start + AT_ONCE]


def _components(embeddings: NDArray[np.float64]) -> tuple[NDArray[np.float64], Callable[[Array], NDArray[np.float64]]]:
    """Return the principal components of documents, each with the sign that makes its largest weight positive."""
    mean = embeddings.mean(axis=0)
    centred = embeddings - mean
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :WIDTH]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    axes = axes * np.where(largest < 0, -1.0, 1.0)
    return centred @ axes, lambda rows: np.asarray((rows - mean) @ axes)


def _laid_out(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the places that t-SNE gives."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    start = np.zeros((len(components), 2))
    start[:, : components.shape[1]] = components[:, :2]
    if len(np.unique(components.round(6), axis=0)) < FEW or not start.std(axis=0).max():
        return start
    perplexity = min(PERPLEXITY, (len(components) - 1) / 3)
    # As small as t-SNE wants its start; copies must not begin in the very same place.
    start = 1e-4 * start / start[:, 0].std() + 1e-8 * np.random.default_rng(0).standard_normal(start.shape)
    with threadpool_limits(1):
        layout = TSNE(2, perplexity=perplexity, init=start.astype(np.float32), learning_rate="auto", random_state=0)
        return np.asarray(layout.fit_transform(components.astype(np.float32)), np.float64)


def _amid(
    components: NDArray[np.float64], known: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean place of each document's nearest neighbours, the nearer the more they count."""
    squares = (components**2).sum(axis=1)[:, None] - 2 * components @ known.T + (known**2).sum(axis=1)
    n_nearest = min(NEAREST, len(known))
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :n_nearest]
    weights = 1 / (np.sqrt(np.maximum(np.take_along_axis(squares, nearest, axis=1), 0)) + 1e-6)
    return np.asarray((weights[:, :, None] * places[nearest]).sum(axis=1) / weights.sum(axis=1, keepdims=True))
