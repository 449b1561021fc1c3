"""A vocabulary that is learnt in one pass over documents, in bounded memory.

Every word gets a number when it is first seen, and documents are counted by these numbers. While no more than `limit` different
words have been seen, nothing is lost. Then the words that fewest documents use are forgotten, those of one document first, then
of two, and so on, until no more than half of the limit are left. A forgotten word that comes again counts as new: what it was
counted before stays with its documents, as words outside the vocabulary. So only rare words can be missed, or taken for rarer
than they are: each time that words are forgotten costs one at most `forgotten_up_to` documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.text.analysis import Analyzer, WordRules
from tonmf.text.counters import NumberedCounts, Numbering, Vocabulary, count_by_number, frequent


class GrowingVocabulary:
    """Numbers words, and counts in how many documents each occurs, and how often.

    Parameters
    ----------
    limit : int
        Different words that are remembered at most.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._words = Numbering()
        self._old = np.zeros(0, np.int64)  # numbers that were kept when words were last forgotten, in order
        self._old_tallies = np.zeros((2, 0), np.int64)  # their documents, and how often they occur
        self._first_new = 0
        self._new_tallies = np.zeros((2, 1024), np.int64)
        self.n_docs = 0
        self.forgotten_up_to = 0

    def __len__(self) -> int:
        return len(self._words)

    def count(self, documents: Iterable[Any], analyze: Analyzer) -> NumberedCounts:
        """Count documents, and learn their words."""
        counted = count_by_number(documents, analyze, self._words.__getitem__)
        self._tally(counted)
        if len(self._words) > self._limit:
            self._forget()
        return counted

    def _tally(self, counted: NumberedCounts) -> None:
        self.n_docs += len(counted.n_words)
        is_new = counted.numbers >= self._first_new
        places = np.searchsorted(self._old, counted.numbers[~is_new])
        n_new = self._words.next_number - self._first_new
        if n_new > self._new_tallies.shape[1]:
            longer = np.zeros((2, 2 * n_new), np.int64)
            longer[:, : self._new_tallies.shape[1]] = self._new_tallies
            self._new_tallies = longer
        for tallies, chosen, where in (
            (self._old_tallies, ~is_new, places),
            (self._new_tallies, is_new, counted.numbers[is_new] - self._first_new),
        ):
            np.add.at(tallies[0], where, 1)
            np.add.at(tallies[1], where, counted.counts[chosen])

    def _tallies_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Documents and occurrences of words, by rising number."""
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
        self._words.keep(known)
        self._first_new = self._words.next_number
        self._new_tallies = np.zeros((2, 1024), np.int64)

    def finished(self, min_df: Any, rules: WordRules | None, most: int) -> Vocabulary:
        """The words that enough documents use; of more than `most` of them those in most documents, in doubt by alphabet."""
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
        kept = kept[np.argsort(words[kept], kind="stable")]
        return Vocabulary(words[kept].tolist(), numbers[kept], documents[kept], n_left_out)
