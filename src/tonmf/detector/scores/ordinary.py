"""How near a document is to ordinary ones.

Which documents are ordinary, the topics say: the four fifths that they explain best. A document whose nearest ordinary
documents are far away is strange, even if its words are those of the topics; and documents of a group that is strange together
do not vouch for one another, as they would if all documents counted as neighbours.

Nearness is the cosine of unit rows, and its mean over a few nearest ones is compared in logarithms, −ln(mean cosine), which has
room where cosines are small. The ordinary documents are a random sample, so that the cost grows with the documents and not
with their square.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.blocks import LocalSource
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay

ORDINARY_SHARE = 0.8
"""Share of the documents that count as ordinary."""

SAMPLE = 2000
"""Ordinary documents that others are compared with, at most."""

NEAREST = 30
"""Nearest ones that are averaged over."""

SMALLEST_COSINE = 0.01
"""Added to the mean cosine, so that a document without any neighbour is far away and not infinitely far."""


def ordinary_documents(scores: Array, readable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of the documents with the lowest scores among those that have any term."""
    limit = np.quantile(scores[readable], ORDINARY_SHARE) if readable.any() else 0.0
    return np.flatnonzero(readable & (scores <= limit))


def sample_of(documents: NDArray[np.int64], rng: np.random.RandomState) -> NDArray[np.int64]:
    """At most `SAMPLE` of them, in order."""
    chosen = rng.permutation(documents)[:SAMPLE] if len(documents) > SAMPLE else documents
    return np.sort(chosen)


def remoteness(ops: Ops, source: LocalSource, sample: sp.csr_matrix) -> Array:
    """−ln of the mean cosine of each document with its nearest ones in the sample."""
    prepared = ops.prepare(sample)
    return np.concatenate([remoteness_of(ops, block.X, prepared) for block in source.blocks()])


def remoteness_of(ops: Ops, X: TwoWay, sample: TwoWay) -> Array:
    """The same of one block."""
    far: Array = -np.log(ops.nearest(X, sample, NEAREST) + SMALLEST_COSINE)
    return far
