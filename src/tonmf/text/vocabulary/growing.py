"""Learn a vocabulary in one pass over documents, in bounded memory.

Every word gets a number when it is first seen, and documents are counted by these numbers. Nothing is lost as long as there
are no more than `limit` distinct words. Beyond that the rarest words are forgotten, those of one document first, then those of
two, and so on, until no more than half of the limit are left. A forgotten word that comes again counts as new; its earlier
counts stay with their documents, as words outside the vocabulary; those of a number that does not count outside the vocabulary
do not count there either. So only rare words can be missed, or taken for rarer than they are: each time that words are
forgotten costs a word at most `forgotten_up_to` documents.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.text.analysis import WordRules
from tonmf.text.counts import NumberedCounts, Numbering, OwnCounts
from tonmf.text.vocabulary.selection import by_alphabet, frequent


@dataclass(frozen=True)
class LearntTerms:
    """The terms of a vocabulary, and the numbers that documents were counted by.

    ==================== ======= ==================================================
    terms                n_terms by alphabet
    numbers              n_terms the number of each in `NumberedCounts`
    document_frequencies n_terms in how many documents each occurs
    n_left_out           scalar  frequent terms that were left out for want of room
    passed_over                  numbers of other terms, rising, that do not count at all
    ==================== ======= ==================================================
    """

    terms: list[str]
    numbers: NDArray[np.int64]
    document_frequencies: NDArray[np.int64]
    n_left_out: int = 0
    passed_over: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


class GrowingVocabulary:
    """Numbers words, and counts in how many documents each occurs, and how often.

    Parameters
    ----------
    limit : int
        The most distinct words to remember.
    passes_over : callable, optional
        Returns whether a word does not count at all if it is outside the vocabulary.

    Attributes
    ----------
    n_docs : int
        Documents counted so far.
    forgotten_up_to : int
        The largest number of documents that a forgotten word had; 0 if none was forgotten.
    """

    def __init__(self, limit: int, passes_over: Callable[[str], bool] | None = None) -> None:
        self._limit, self._passes_over = limit, passes_over
        self._passed_over: list[NDArray[np.int64]] = []  # numbers of such words that were forgotten
        self._words = Numbering()
        self._old = np.zeros(0, np.int64)  # numbers that were kept when words were last forgotten, in order
        self._old_tallies = np.zeros((2, 0), np.int64)  # their documents, and how often they occur
        self._first_new = 0
        self._new_tallies = np.zeros((2, 1024), np.int64)
        self.n_docs = 0
        self.forgotten_up_to = 0

    def __len__(self) -> int:
        return len(self._words)

    def add(self, own: OwnCounts) -> NumberedCounts:
        """Learn the words of counted documents, and return the counts by their numbers."""
        counted = own.by(self._words)
        self.n_docs += len(counted.n_words)
        self._tally(counted)
        if len(self._words) > self._limit:
            self._forget()
        return counted

    def number_of(self, word: str) -> int:
        """Return the number of a word; of one that is not remembered, a number that none has."""
        return self._words.known(word)

    def replace(self, counted: NumberedCounts, other: NumberedCounts) -> None:
        """Tally documents that were counted before by other counts, for they are to be counted without some words."""
        self._tally(counted, -1)
        self._tally(other)

    def _tally(self, counted: NumberedCounts, times: int = 1) -> None:
        is_new = counted.numbers >= self._first_new
        places = np.searchsorted(self._old, counted.numbers)
        is_old = ~is_new & (np.append(self._old, -1)[places] == counted.numbers)  # others have been forgotten
        n_new = self._words.next_number - self._first_new
        if n_new > self._new_tallies.shape[1]:
            longer = np.zeros((2, 2 * n_new), np.int64)
            longer[:, : self._new_tallies.shape[1]] = self._new_tallies
            self._new_tallies = longer
        for tallies, chosen, where in (
            (self._old_tallies, is_old, places[is_old]),
            (self._new_tallies, is_new, counted.numbers[is_new] - self._first_new),
        ):
            np.add.at(tallies[0], where, times)
            np.add.at(tallies[1], where, times * counted.counts[chosen])

    def _tallies_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the documents and occurrences of words, given by rising number."""
        split = int(np.searchsorted(numbers, self._first_new))
        old = self._old_tallies[:, np.searchsorted(self._old, numbers[:split])]
        return np.concatenate([old, self._new_tallies[:, numbers[split:] - self._first_new]], axis=1)

    def _forget(self) -> None:
        numbers = np.sort(np.fromiter(self._words.values(), np.int64, len(self._words)))
        tallies = self._tallies_of(numbers)
        by_documents = np.bincount(np.minimum(tallies[0], self._limit))
        n_left = len(numbers) - np.cumsum(by_documents)
        up_to = int(np.argmax(n_left <= self._limit // 2))
        self.forgotten_up_to = max(self.forgotten_up_to, up_to)
        kept = tallies[0] > up_to
        self._old, self._old_tallies = numbers[kept], tallies[:, kept]
        known = set(self._old.tolist())
        self._passed_over.append(self._that_do_not_count(known))
        self._words.keep(known)
        self._first_new = self._words.next_number
        self._new_tallies = np.zeros((2, 1024), np.int64)

    def _that_do_not_count(self, kept: Container[int]) -> NDArray[np.int64]:
        """Return the numbers of remembered words, but for those kept, that do not count outside the vocabulary."""
        passes_over = self._passes_over
        if passes_over is None:
            return np.zeros(0, np.int64)
        found = (number for word, number in self._words.items() if number not in kept and passes_over(word))
        return np.fromiter(found, np.int64)

    def finished(self, min_df: Any, rules: WordRules | None, most: int) -> LearntTerms:
        """Return the words that are frequent enough; of more than `most`, those in most documents, ties by alphabet."""
        words = np.array(list(self._words), dtype=object)
        numbers = np.fromiter(self._words.values(), np.int64, len(words))
        by_number = np.argsort(numbers)
        words, numbers = words[by_number], numbers[by_number]
        documents, occurrences = self._tallies_of(numbers)
        kept = frequent(documents, occurrences, self.n_docs, min_df, rules)
        n_left_out = max(len(kept) - most, 0)
        if n_left_out:
            alphabet = np.argsort(np.argsort(words[kept], kind="stable"))
            kept = kept[np.lexsort((alphabet, -documents[kept]))[:most]]
        kept = by_alphabet(words, kept)
        of_others = self._that_do_not_count(set(numbers[kept].tolist()))
        passed_over = np.sort(np.concatenate([*self._passed_over, of_others]))
        return LearntTerms(words[kept].tolist(), numbers[kept], documents[kept], n_left_out, passed_over)
