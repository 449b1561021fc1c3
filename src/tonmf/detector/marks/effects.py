"""What marks add to the scores of all documents.

The score without marks is the prior mean of a Gaussian process over documents, with the likeness k of documents as its
covariance (`tonmf.detector.marks.likeness`). A mark is an observation with some noise; what it adds to the score of a document
is the posterior mean:

    effect(x) = unit (1 + λ) Σ_j a_j k(x, m_j)        (K + λ I) a = gaps        K: likenesses of the marked documents m_j

The factor 1 + λ makes up for what the noise λ takes away, so that a document that is like no other marked one gets just the
score that its mark stands for. Since k is an inner product, the sum is one product with a vector: its cost does not grow with
the number of marks. The equations are solved by conjugate gradients, which need no matrix of all pairs.

Effects spread the scores of ordinary documents as well. So the threshold moves with them: by the automatic threshold of the
effects on the sample of ordinary documents, median + 2.2 (P84 − median). It does not rise to the score that a mark as strange
stands for, so that a document that is marked so is flagged, even if half of the documents are like it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.marks.likeness import Likeness
from tonmf.detector.marks.marks import STRANGE_SCORE, Marks, unit_of
from tonmf.detector.scores.scoring import level_of

NOISE = 0.2
"""λ, the variance of a mark beside that of a score, 1: a reader may be wrong, and like documents may differ."""

HIGHEST = 0.9 * STRANGE_SCORE
"""The highest that the threshold rises, in units of the automatic threshold without marks."""

MOST_LEFT_OUT = 1000
"""Latest marks of which each is left out once: this needs a matrix of all pairs."""

TOLERANCE = 1e-10
"""Relative residual at which the equations count as solved."""


@dataclass(frozen=True)
class Effects:
    """What marks add to scores: the marks, how documents are compared, and the automatic threshold of scores without marks."""

    marks: Marks
    likeness: Likeness
    level: float

    @cached_property
    def pulls(self) -> Array:
        """Return unit (1 + λ) a_j of each mark."""
        times = self.likeness.gram(self.marks.known)
        solution = solve(lambda vector: times(vector) + NOISE * vector, self.marks.gaps)
        return unit_of(self.level) * (1 + NOISE) * solution

    @cached_property
    def _weights(self) -> list[Array]:
        return self.likeness.combined(self.marks.known, self.pulls)

    def parts(self, documents: Sequence[Any]) -> list[Array]:
        """Return what marks add to the score of each document by each thing that is known of it."""
        return [by.times(*both) for by, *both in zip(self.likeness.by, documents, self._weights, strict=True)]

    def on(self, documents: Sequence[Any]) -> Array:
        """Return what marks add to the score of each document."""
        total: Array = np.add.reduce(self.parts(documents))
        return total

    def left_out(self, most: int = MOST_LEFT_OUT) -> Array:
        """Return for each of the latest marks what the others add to the score of its document.

        That is what the document would have without its own mark, so that it can be compared with documents that have none:
        unit (1 + λ) (gap_j − a_j / B_jj), with B the inverse of K + λ I.
        """
        known = [rows[-most:] for rows in self.marks.known]
        gaps = self.marks.gaps[-most:]
        inverse = np.linalg.inv(self.likeness.between(known, known) + NOISE * np.eye(len(gaps)))
        added: Array = unit_of(self.level) * (1 + NOISE) * (gaps - inverse @ gaps / np.diag(inverse))
        return added

    def threshold(self, unmarked: float, ordinary: Sequence[Any]) -> float:
        """Return the threshold with marks, given that without, and the ordinary documents of the sample."""
        moved = unmarked + sum(level_of(part) for part in self.parts(ordinary) if len(part))
        return min(moved, max(unmarked, HIGHEST * unit_of(self.level)))


def solve(times: Any, right: Array) -> Array:
    """Solve A x = right by conjugate gradients, given the product with A, which is symmetric and positive definite."""
    x, residual = np.zeros_like(right), right.copy()
    direction, square = residual, residual @ residual
    enough = TOLERANCE**2 * square
    for _ in range(10 * len(right)):
        if square <= enough:
            break
        product = times(direction)
        step = square / (direction @ product)
        x, residual = x + step * direction, residual - step * product
        before, square = square, residual @ residual
        direction = residual + square / before * direction
    return x


@dataclass(frozen=True)
class Marking:
    """What marks do to a fitted detector.

    ================== ======= ==============================================================================
    field              shape   what
    ================== ======= ==============================================================================
    effects                    the marks, and what they add to the scores of documents
    threshold                  the threshold of scores with marks
    training           n_docs  what marks add to the scores of the training documents, as far as these follow
    training_threshold         the threshold that these go with
    ================== ======= ==============================================================================

    Training documents whose rows are not known, as in a saved model, do not follow: their scores stay as they were.
    """

    effects: Effects
    threshold: float
    training: Array
    training_threshold: float
