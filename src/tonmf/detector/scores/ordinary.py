"""The distance of a document from ordinary ones.

A document whose nearest ordinary documents are far away is strange, even if its words are those of the topics. Which documents
are ordinary is found in two steps. At first, they are the four fifths that the topics explain best (`ordinary_documents`). The
scores that follow say it better: in the end, all training documents below the threshold t are compared with, and each is
*trusted* the less the higher its score s is (`trust_in`):

    trust = exp(−max(0, s)/t)                  0 above t

So the documents of a strange group do not make one another ordinary, as they would if all documents counted alike; and an
ordinary document that is a little unusual still has its like among the training documents.

Nearness is the cosine of unit rows. Its mean over the nearest ones, each times its trust, is compared on a logarithmic scale,
−ln(mean cosine), which tells small cosines apart. The documents are a random sample, so that the cost is linear in the number
of documents.

A stream cannot score its documents twice. Of new documents, only those join the sample that are below the threshold and that
the topics explain well, whatever their neighbours are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay

ORDINARY_SHARE = 0.8
"""Share of the documents that count as ordinary at first."""

WELL_EXPLAINED_SHARE = 0.6
"""Share of the documents of a stream, those that the topics explain best, that may join the sample."""

SAMPLE = 2000
"""Documents in the sample, at most."""

NEAREST_AT_FIRST = 30
"""Nearest documents that the mean is taken over as long as all ordinary documents are trusted alike."""

NEAREST = 10
"""Nearest trusted documents that the mean is taken over."""

SMALLEST_COSINE = 0.01
"""Added to the mean cosine, so that a document without any neighbour is far away and not infinitely far."""


def ordinary_documents(scores: Array, readable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of the documents with the lowest scores, among those that have a known term."""
    limit = np.quantile(scores[readable], ORDINARY_SHARE) if readable.any() else 0.0
    return np.flatnonzero(readable & (scores <= limit))


def trust_in(scores: Array, threshold: float) -> Array:
    """Return how far documents are trusted to be ordinary, given their scores.

    >>> trust_in(np.array([-1.0, 1.0, 2.0, 2.1]), 2.0).round(3).tolist()
    [1.0, 0.607, 0.368, 0.0]
    """
    if threshold <= 0:  # the scores say nothing
        return np.ones(len(scores))
    return np.where(scores > threshold, 0.0, np.exp(-np.maximum(scores, 0) / threshold))


def sample_of(documents: NDArray[np.int64], keys: NDArray[Any], rng: np.random.RandomState) -> NDArray[np.int64]:
    """Draw at most `SAMPLE` of the documents, and return them in order; `keys` say of all documents how to list them.

    Each place in the list of all documents gets a random priority, and of those to draw from, the first are drawn. So with keys
    that go by content, the same documents in another order give the same sample; and if rounding makes one document more or
    less eligible, the others in the sample stay.
    """
    if len(documents) <= SAMPLE:
        return np.sort(documents)
    priorities = np.empty(len(keys), np.int64)
    priorities[np.argsort(keys, kind="stable")] = rng.permutation(len(keys))
    return np.sort(documents[np.argsort(priorities[documents])[:SAMPLE]])


def remoteness_of(ops: Ops, X: TwoWay, sample: TwoWay, trust: Array | None) -> Array:
    """Return −ln of the mean cosine of each row of X with its nearest rows in the sample; without trust, all count alike."""
    if trust is None:
        mean = ops.nearest(X, sample, NEAREST_AT_FIRST)
    else:
        mean = ops.strongest(X, sample, trust, NEAREST) / min(NEAREST, max(len(trust) - 1, 1))
    far: Array = -np.log(mean + SMALLEST_COSINE)
    return far
