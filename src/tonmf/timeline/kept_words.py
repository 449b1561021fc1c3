"""Number the words of the documents that a nursery keeps, so that they are counted without a look at each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector

Numbers = NDArray[np.int64]

RECENT, STRANGE = 0, 1
"""The documents that a nursery keeps are of these kinds."""


@dataclass(frozen=True)
class Rarities:
    """idf of the words of a model, and of words outside its vocabulary."""

    known: Mapping[str, float]
    outside: float

    @classmethod
    def of(cls, detector: TextOutlierDetector) -> Rarities:
        """Take them from the detector as it is now."""
        pairs = zip(detector.terms_, detector.idf_.tolist(), strict=True)
        return cls(dict(pairs), detector.idf_outside_)

    def of_terms(self, terms: Iterable[str]) -> Array:
        """Return the idf of each term."""
        return np.fromiter(map(self.known.get, terms, repeat(self.outside)), np.float64)


class KeptWords:
    """Gives a word a number for as long as a document that is kept has it; then another word may get that number.

    Examples
    --------
    >>> kept = KeptWords()
    >>> first, second = kept.add(["ash", "lava"], RECENT), kept.add(["lava", "magma"], RECENT)
    >>> kept.frequencies(RECENT).tolist()
    [1, 2, 1]
    >>> kept.remove(first, RECENT)
    >>> kept.add(["crater"], STRANGE).tolist(), kept.names([0, 1, 2])
    ([0], ['crater', 'lava', 'magma'])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._free: list[int] = []
        self._frequencies = np.zeros((2, 1024), np.int64)
        self._rarities, self._idf = Rarities({}, np.nan), np.full(1024, np.nan)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, words: Collection[str], kind: int) -> Numbers:
        """Count the distinct words of a document, and return their numbers, to remove it by."""
        known = self._numbers
        for word in [word for word in words if word not in known]:
            known[word] = self._free_number(word)
        numbers = self.numbers(words)
        self._frequencies[kind, numbers] += 1
        return numbers

    def _free_number(self, word: str) -> int:
        if self._free:
            number = self._free.pop()
            self._names[number], self._idf[number] = word, np.nan
            return number
        if len(self._names) == len(self._idf):
            self._frequencies = np.concatenate([self._frequencies, np.zeros_like(self._frequencies)], axis=1)
            self._idf = np.append(self._idf, np.full(len(self._idf), np.nan))
        self._names.append(word)
        return len(self._names) - 1

    def remove(self, numbers: Numbers, kind: int) -> None:
        """Take the words of a document away that is not kept any more."""
        self._frequencies[kind, numbers] -= 1
        for number in numbers[~self._frequencies[:, numbers].any(axis=0)].tolist():
            del self._numbers[self._names[number]]
            self._free.append(number)

    def numbers(self, words: Collection[str]) -> Numbers:
        """Return the numbers of words that documents have."""
        return np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))

    def names(self, numbers: Iterable[int]) -> list[str]:
        """Return the words with these numbers."""
        return list(map(self._names.__getitem__, numbers))

    def frequencies(self, kind: int) -> NDArray[np.int64]:
        """Return by number how many documents of a kind have each word; the array changes with the documents."""
        return self._frequencies[kind, : len(self._names)]

    def idf(self, numbers: Numbers, rarities: Rarities) -> Array:
        """Return the idf of the words with these numbers; each word is looked up once."""
        if rarities is not self._rarities:
            self._rarities = rarities
            self._idf.fill(np.nan)
        unknown = numbers[np.isnan(self._idf[numbers])]
        self._idf[unknown] = rarities.of_terms(self.names(unknown.tolist()))
        return self._idf[numbers]

    def places(self, words: Collection[str]) -> NDArray[np.int64]:
        """Return by number the place of each word in a list, -1 if it is not there."""
        places = np.full(len(self._names), -1)
        places[self.numbers(words)] = np.arange(len(words))
        return places
