"""How far the meaning of documents is from that of ordinary ones, by sentence embeddings.

====== ==================== =====================================================================
letter shape                what
====== ==================== =====================================================================
E      n_docs × width       embeddings at unit norm; zero for a document that has none
S      n_sample × width     those of the scorer's sample of ordinary documents (`ordinary`)
c      width                mean embedding of the training documents
r      n_docs               how far the meaning of a document is from theirs; NaN if it has no embedding
m      n_docs               z(r), 0 for a document without an embedding
====== ==================== =====================================================================

    r = −ln(mean of the `NEAREST` largest trust · cosine with S + `SMALLEST_COSINE`)

so a document is near to ordinary ones if it is near to those that are trusted. Its score is that by its words plus λ m, with

    λ = 2 `WEIGHT` t(m) / (t(m) + t(words))          t(s) = (P98 − P50) / (P84 − P50)

where t says how far the strangest documents stand out. Where the embedding model sees no difference between them and others,
its word counts for less.

Embeddings have much in common whatever they are of, so how alike two documents are (`likeness`) goes by their cosine around c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.embeddings import to_unit_norm
from tonmf.detector.scores.prepared import Prepares
from tonmf.detector.scores.scale import UNSCALED, UPPER, Scale
from tonmf.nmf.ops import SAME_ROW

NEAREST = 30
"""Nearest ordinary documents that the mean is taken over."""

SMALLEST_COSINE = 0.05
"""Added to the mean cosine, so that a document without any neighbour is far away and not infinitely far."""

WEIGHT = 0.4
"""λ where the strangest documents stand out as far by their meaning as by their words."""

TAIL = 98
"""Percentile that stands for the strangest documents."""

LEAST_SPREAD = 0.02
"""Least spread of r, about a fiftieth of a cosine: where all documents mean nearly the same, small differences say nothing."""

AT_ONCE = 1024
"""Documents whose cosines are computed at once."""


class EmbeddingRows(Protocol):
    """Embeddings of many documents, of which some can be taken: an array, in memory or on disk, or what makes one of them."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the number of documents, and the width of an embedding."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, which: Any, /) -> Any: ...


@dataclass(frozen=True)
class Meaning(Prepares):
    """S, c, the scale of r, and λ."""

    rows: Array
    centre: Array
    scale: Scale = UNSCALED
    weight: float = 0.0

    @cached_property
    def _columns(self) -> Array:
        """Return Sᵀ in float64: then a score does not depend on how many documents are scored together."""
        return np.ascontiguousarray(self.rows.T, dtype=np.float64)

    @classmethod
    def of(cls, embeddings: EmbeddingRows, sampled: NDArray[np.int64]) -> Self:
        """Take the sample of the training documents, and their mean."""
        return cls(as_rows(embeddings, sampled), mean_of(embeddings))

    def weighed(self, remoteness: Array, words: Array) -> Self:
        """Learn the scale of r from training documents, and λ from their scores by words."""
        known = remoteness[~np.isnan(remoteness)]
        if not len(known):
            return self
        scale, tail = Scale.of(known), _tail(known)
        scale = Scale(scale.median, max(scale.spread, LEAST_SPREAD))
        return replace(self, scale=scale, weight=2 * WEIGHT * tail / (tail + _tail(words)))

    def remoteness(self, embeddings: Array, trust: Array | None, n_nearest: int = NEAREST) -> Array:
        """Return r of documents, NaN for one without an embedding; without trust, all of the sample are trusted alike."""
        far = np.empty(len(embeddings))
        n_nearest = min(n_nearest, max(len(self.rows) - 1, 1))
        for start in range(0, len(far), AT_ONCE):
            rows = as_rows(embeddings, slice(start, start + AT_ONCE))
            cosines = self.cosines(rows)
            products = cosines if trust is None else cosines * trust
            mean = largest(products, n_nearest).sum(axis=1) / n_nearest
            away = -np.log(np.maximum(mean, 0) + SMALLEST_COSINE)
            far[start : start + AT_ONCE] = np.where(has_embedding(rows), away, np.nan)
        return far

    def cosines(self, embeddings: Array) -> Array:
        """Return the cosines of documents with the sample; 0 for the first that is the document itself."""
        cosines: Array = embeddings.astype(np.float64) @ self._columns
        if cosines.shape[1]:
            leave_out_itself(cosines)
        return cosines

    def part(self, remoteness: Array) -> Array:
        """Return λ m."""
        return np.where(np.isnan(remoteness), 0.0, self.weight * self.scale.z(remoteness))

    def around_centre(self, embeddings: Array) -> Array:
        """Return embeddings relative to c, at unit norm; zero for documents without one."""
        centred = np.where(has_embedding(embeddings)[:, None], embeddings - self.centre, 0)
        norms = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        return np.asarray(centred / np.maximum(norms, TINY)[:, None], np.float32)


TINY = 1e-6
"""Norm below which an embedding is the mean one."""


def _tail(scores: Array) -> float:
    """Return how far the strangest documents stand out, in upper widths."""
    median, upper, tail = np.percentile(scores, [50, UPPER, TAIL])
    return float((tail - median) / (upper - median)) if upper > median else 1.0


def mean_of(embeddings: EmbeddingRows) -> Array:
    """Return the mean of the embeddings that there are, however many; zero if there is none."""
    total, n_used = np.zeros(embeddings.shape[1]), 0
    for start in range(0, len(embeddings), AT_ONCE):
        rows = as_rows(embeddings, slice(start, start + AT_ONCE))
        total, n_used = total + rows.sum(axis=0, dtype=np.float64), n_used + int(has_embedding(rows).sum())
    return np.asarray(total / max(n_used, 1), np.float32)


def as_rows(embeddings: EmbeddingRows, which: Any) -> Array:
    """Return some embeddings as float32 in memory; those of many documents are kept on disk as float16, nearly at unit norm."""
    some = embeddings[which]
    rows = np.ascontiguousarray(some, dtype=np.float32)
    return rows if some.dtype == np.float32 else to_unit_norm(rows)


def has_embedding(embeddings: Array) -> NDArray[np.bool_]:
    """Return False for the documents whose embedding is zero."""
    return np.asarray(embeddings.any(axis=1))


def largest(values: Array, n_largest: int) -> Array:
    """Return the largest values of each row, in no order; all if there are fewer."""
    if values.shape[1] <= n_largest:
        return values
    return np.asarray(np.partition(values, values.shape[1] - n_largest, axis=1)[:, -n_largest:])


def leave_out_itself(likeness: Array) -> None:
    """Set the largest likeness of each row to 0 if it is 1, in place: that is the document itself."""
    places = np.arange(len(likeness)), likeness.argmax(axis=1)
    likeness[places] = np.where(likeness[places] > SAME_ROW, 0, likeness[places])
