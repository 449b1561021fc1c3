"""Word totals of documents, in the vocabulary and outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

STEPS = 2**16
"""Steps of a weight: in whole steps, sums are exact and do not depend on the order of words."""


def weight_of(counts: NDArray[Any]) -> Array:
    """Return 1 + ln(count) to the nearest step.

    >>> weight_of(np.array([1, 2])).tolist()
    [1.0, 1.693145751953125]
    """
    weights: Array = np.rint((1 + np.log(counts)) * STEPS) / STEPS
    return weights


Whole = NDArray[np.integer[Any]]


@dataclass
class WordTotals:
    """Word totals of each document.

    ============== ======= ====================================================================
    field          shape   what
    ============== ======= ====================================================================
    n_words        n_docs  all words of a document, in the vocabulary or not
    n_distinct     n_docs  its distinct words
    n_outside      n_docs  those of its distinct words that are not in the vocabulary
    outside_weight n_docs  Σ (1 + ln count) over them
    ============== ======= ====================================================================
    """

    n_words: Whole
    n_distinct: Whole
    n_outside: Whole
    outside_weight: Array

    def take(self, rows: slice | NDArray[np.int64]) -> WordTotals:
        """Return the totals of some documents."""
        return WordTotals(*(getattr(self, name)[rows] for name in WordTotals.__dataclass_fields__))

    @classmethod
    def joined(cls, parts: Sequence[WordTotals]) -> WordTotals:
        """Join the totals of several sets of documents, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))
