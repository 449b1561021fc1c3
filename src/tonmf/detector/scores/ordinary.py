"""The distance of a document from ordinary ones.

The topics decide which documents are ordinary: the four fifths that they explain best. A document whose nearest ordinary
documents are far away is strange, even if its words are those of the topics. The documents of a strange group do not vouch for
one another, as they would if all documents counted as neighbours.

Nearness is the cosine of unit rows. Its mean over the nearest ones is compared on a logarithmic scale, −ln(mean cosine), which
tells small cosines apart. The ordinary documents are a random sample, so that the cost is linear in the number of documents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay

ORDINARY_SHARE = 0.8
"""Share of the documents that count as ordinary."""

SAMPLE = 2000
"""Ordinary documents in the sample, at most."""

NEAREST = 30
"""Nearest ordinary documents that the mean is taken over."""

SMALLEST_COSINE = 0.01
"""Added to the mean cosine, so that a document without any neighbour is far away and not infinitely far."""


def ordinary_documents(scores: Array, readable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of the documents with the lowest scores, among those that have a known term."""
    limit = np.quantile(scores[readable], ORDINARY_SHARE) if readable.any() else 0.0
    return np.flatnonzero(readable & (scores <= limit))


def sample_of(documents: NDArray[np.int64], rng: np.random.RandomState) -> NDArray[np.int64]:
    """Draw at most `SAMPLE` of them, in order."""
    chosen = rng.permutation(documents)[:SAMPLE] if len(documents) > SAMPLE else documents
    return np.sort(chosen)


def remoteness_of(ops: Ops, X: TwoWay, sample: TwoWay) -> Array:
    """Return −ln of the mean cosine of each row of X with its nearest rows in the sample."""
    far: Array = -np.log(ops.nearest(X, sample, NEAREST) + SMALLEST_COSINE)
    return far
