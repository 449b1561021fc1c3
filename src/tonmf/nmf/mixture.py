"""Documents read as words: how much of each the topics explain better than the background.

====== ======================== =================================================================
letter shape                    what
====== ======================== =================================================================
C      n_docs × n_terms         counts, damped or not, of the terms in each document
bg     n_terms                  background: bg_t ∝ Σ_i c_it, the words of all documents together
phi    n_terms × n_topics       topics as probabilities of terms
M      n_topics                 how much each topic is used
theta  n_docs × (n_topics + 1)  mixture of each document over the background (first) and the topics
====== ======================== =================================================================

A document is modelled as words drawn from Σ_k θ_k φ_k with φ_0 = bg. EM finds θ, with pseudo-counts 1 for the background and
K·M_k/ΣM for topic k. It gives two numbers, both higher for stranger documents:

    g = θ_0                                       the share of the document that no topic explains
    b = −Σ_t c_t ln(Σ_k θ_k φ_kt / bg_t) / Σ c     how little the topics help over the background

Words that are not among the terms are explained by no topic. They have no say in which topics a document is made of: names and
typos would drive out topics that explain the rest. They count afterwards, as words of the background, with o the sum of their
counts times `OUTSIDE_WEIGHT`, c the sum of the others and p that of the pseudo-counts:

    g ← (g (c + p) + o) / (c + p + o)             b ← (b c − o ln g) / (c + o)

Both depend only on the ratios φ_kt / bg_t. The background's share of a word t in the document, θ_0 / Σ_k θ_k (φ_kt / bg_t),
is how unexpected the word is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay

STEPS = 20
"""EM steps per document."""

OUTSIDE_WEIGHT = 0.4
"""Weight of a word that is not among the terms, beside 1 for a term: most are names and typos, which every document has."""


@dataclass(frozen=True)
class Reading:
    """The mixtures of some documents: θ, and the mean log of Σ_k θ_k φ_kt / bg_t over their words."""

    theta: Array
    lift: Array

    @classmethod
    def joined(cls, parts: Sequence[Reading]) -> Reading:
        """Join the readings of several blocks, in order."""
        return cls(np.concatenate([part.theta for part in parts]), np.concatenate([part.lift for part in parts]))

    def with_unexplained(self, known: Array, outside: Array, pseudo: float) -> Reading:
        """Return the mixtures with words that no topic explains; the topics give way in proportion.

        `known`, `outside` and `pseudo` are the sums of the counts of known words, of the others, and of pseudo-counts.
        """
        kept = (known + pseudo) / (known + pseudo + outside)
        theta = self.theta * kept[:, None]
        theta[:, 0] += 1 - kept
        total = known + outside
        lift = (known * self.lift + outside * np.log(theta[:, 0])) / np.where(total > 0, total, 1)
        # Rounding must not change other documents: they have the same numbers whichever are read together.
        return Reading(theta, np.where(outside > 0, lift, self.lift))

    @property
    def unexplained(self) -> Array:
        """Return g, the share of the background."""
        return self.theta[:, 0]

    @property
    def strangeness(self) -> Array:
        """Return b, minus the mean log ratio of mixture to background."""
        return -self.lift


@dataclass(frozen=True)
class Mixture:
    """Topics and background, ready to read documents: ratios φ_kt / bg_t and pseudo-counts.

    `outside` is the weight of words that are not among the terms; detectors saved by earlier versions did not count them.
    """

    ratios: Array
    prior: Array
    outside: float = OUTSIDE_WEIGHT

    @classmethod
    def of(cls, topics: Array, background: Array, masses: Array) -> Self:
        """Make a mixture from topics (n_terms × n_topics, any scale), Σ_i c_it of each term, and each topic's use.

        A term with no count in the background is ignored: its ratios are zero.
        """
        n_topics = topics.shape[1]
        sums = topics.sum(axis=0, dtype=np.float64)
        shares = background / max(background.sum(), np.finfo(np.float64).tiny)
        each = np.where(shares > 0, shares, np.inf)
        scaled = topics / np.where(sums > 0, sums, 1)
        scaled /= each[:, None]
        ratios = scaled.astype(np.float32)
        used = masses / masses.sum() if masses.sum() > 0 else np.full(n_topics, 1 / n_topics)
        return cls(ratios, np.append(1.0, n_topics * used))

    def placed(self, ops: Ops) -> Mixture:
        """Return the mixture with its ratios where operations are fastest, so that what it reads stays there, too."""
        return replace(self, ratios=ops.place(self.ratios))

    def unexplained(self, ops: Ops, X: TwoWay, reading: Reading) -> Array:
        """Return the background's share of every stored count: how unexpected each word is in its document."""
        background = np.repeat(reading.unexplained, np.diff(X.by_row.indptr))
        shares: Array = background / ops.mixed(X, self.ratios, reading.theta)
        return shares

    def explained(self, ops: Ops, X: TwoWay, reading: Reading) -> Array:
        """Return how much of each document's counts each topic explains; shape (n_docs, n_topics).

        Topic k explains θ_k φ_kt / Σ_j θ_j φ_jt of the count of term t. The rest is the background's.
        """
        C = X.by_row
        values = C.data / ops.mixed(X, self.ratios, reading.theta)
        weighted = sp.csr_matrix((values, C.indices, C.indptr), shape=C.shape)
        parts: Array = reading.theta[:, 1:] * ops.project(ops.prepare(weighted), self.ratios)
        return parts

    def read(self, ops: Ops, X: Any, outside: Array | None = None) -> Reading:
        """Return the mixtures of documents, given as `Ops.prepare` returned them, and the counts of their other words."""
        reading = Reading(*ops.mixtures(X, self.ratios, self.prior, STEPS))
        if outside is None or not (self.outside and outside.any()):
            return reading
        known = ops.project(X, np.ones_like(self.ratios[:, :1], order="C"))[:, 0]
        return reading.with_unexplained(known, self.outside * outside, float(self.prior.sum()))
