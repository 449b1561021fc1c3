"""How alike documents are: by their words and their meaning, or by their meaning alone.

Words are compared by the cosine of unit rows, meaning by that of embeddings relative to the mean of the training documents
(`Meaning.around_centre`) where it is positive: embeddings have much in common whatever they are of.

    by both     (cosine of words + cosine of meaning) / 2
    by meaning  (cosine of meaning)^`POWER`

Words alone, which are sparse, are compared by `Ops`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array

POWER = 1.5
"""Power of the cosine by meaning alone: a little likeness, which most documents have, counts for less."""


class Comparable(Protocol):
    """Documents that can be compared with others of their kind."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: Any, /) -> Self: ...

    def alike(self, others: Self) -> Array:
        """Return how alike each is to each of the others, from 0 to 1."""
        ...


@dataclass(frozen=True)
class ByBoth:
    """Documents by their words, as unit rows, and by their meaning relative to the mean."""

    words: sp.csr_matrix
    meaning: Array

    def __len__(self) -> int:
        return len(self.meaning)

    def __getitem__(self, which: Any) -> Self:
        return type(self)(self.words[which], self.meaning[which])

    def alike(self, others: Self) -> Array:
        """Return the mean of the cosine of their words and, if it is positive, that of their meaning."""
        by_words: Array = (self.words @ others.words.T).toarray()
        return np.asarray((by_words + _positive_cosines(self.meaning, others.meaning)) / 2)


@dataclass(frozen=True)
class ByMeaning:
    """Documents by their meaning relative to the mean."""

    meaning: Array

    def __len__(self) -> int:
        return len(self.meaning)

    def __getitem__(self, which: Any) -> Self:
        return type(self)(self.meaning[which])

    def alike(self, others: Self) -> Array:
        """Return the cosine of their meaning, if it is positive, to the power `POWER`."""
        return np.asarray(_positive_cosines(self.meaning, others.meaning) ** POWER)


def _positive_cosines(meaning: Array, of_others: Array) -> Array:
    return np.asarray(np.maximum(meaning.astype(np.float64) @ of_others.T.astype(np.float64), 0))
