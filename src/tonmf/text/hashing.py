"""Words counted by hash: a fixed number of buckets in place of a vocabulary.

A word goes to the bucket that its hash says, so nothing has to be learnt before documents can be counted, and memory does
not grow with the words. Words that share a bucket cannot be told apart. Each bucket goes by one of its words: the one that
came up most often by majority vote (a word takes one from the votes of another, and the place of one without votes), which is
the most frequent one for certain if it is more frequent than all others in the bucket together. Words vote with all their
occurrences at once; where memory is bounded and they are too many, with those so far each time that there is no more room.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import murmurhash3_32

from tonmf.text.analysis import Analyzer, WordRules
from tonmf.text.counters import (
    Counts,
    NumberedCounts,
    Outside,
    Vocabulary,
    count_by_number,
    counts_by_column,
    frequent,
    spans_of,
)

REMEMBERED = 500_000
"""Words whose hash is remembered, since words come again and again."""


class Buckets(dict[str, int]):
    """The bucket of each word."""

    def __init__(self, n_buckets: int) -> None:
        super().__init__()
        self.n_buckets = n_buckets

    def __missing__(self, word: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        hashed = int(murmurhash3_32(word.encode("utf-8", "surrogatepass"), positive=True))
        bucket = self[word] = hashed % self.n_buckets
        return bucket

    def count(self, documents: Iterable[Any], analyze: Analyzer) -> NumberedCounts:
        """Documents counted by bucket."""
        counted = count_by_number(documents, analyze, self.__getitem__)
        shape = (len(counted.n_words), self.n_buckets)
        matrix = sp.csr_matrix((counted.counts, counted.numbers, counted.ends), shape=shape)
        matrix.sum_duplicates()
        ends, numbers = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
        return NumberedCounts(ends, numbers, matrix.data, counted.n_words)


class HashedVocabulary:
    """Learns what buckets are called, and in how many documents each occurs.

    Parameters
    ----------
    n_buckets : int
    limit : float
        Different words whose votes are gathered before they count.
    """

    forgotten_up_to = 0

    def __init__(self, n_buckets: int, limit: float = math.inf) -> None:
        self._limit = limit
        self._buckets = Buckets(n_buckets)
        self._tallies = np.zeros((2, n_buckets), np.int64)  # documents, and occurrences
        self._votes: dict[str, int] = {}
        self._names: dict[int, tuple[str, int]] = {}
        self.n_docs = 0

    def count(self, documents: Sequence[Any], analyze: Analyzer) -> NumberedCounts:
        """Count documents, and learn."""
        votes = self._votes

        def noting(document: Any) -> list[str]:
            terms = list(analyze(document))
            for term in terms:
                votes[term] = votes.get(term, 0) + 1
            return terms

        counted = self._buckets.count(documents, noting)
        if len(votes) > self._limit:
            self._count_votes()
        self.n_docs += len(counted.n_words)
        for tally, values in zip(self._tallies, (None, counted.counts), strict=True):
            tally += np.bincount(counted.numbers, values, len(tally)).astype(np.int64)
        return counted

    def _count_votes(self) -> None:
        for word, n in self._votes.items():
            bucket = self._buckets[word]
            name, votes = self._names.get(bucket, (word, 0))
            if name == word:
                self._names[bucket] = word, votes + n
            else:
                self._names[bucket] = (name, votes - n) if votes >= n else (word, n - votes)
        self._votes.clear()

    def finished(self, min_df: Any, rules: WordRules | None, most: int) -> Vocabulary:
        """The buckets that enough documents use, those of most documents first if there are too many."""
        documents, occurrences = self._tallies
        kept = frequent(documents, occurrences, self.n_docs, min_df, rules)
        n_left_out = max(len(kept) - most, 0)
        if n_left_out:
            kept = np.sort(kept[np.argsort(-documents[kept], kind="stable")[:most]])
        self._count_votes()
        names = [self._names[bucket][0] for bucket in kept.tolist()]
        return Vocabulary(names, kept, documents[kept], n_left_out)


class HashedCounter:
    """Counts terms of documents by bucket; see `tonmf.text.counters.TermCounter`, which does so by term.

    Parameters
    ----------
    analyze : callable
        From a document to its terms.
    n_buckets : int
        How many there are.
    min_df : int or float
        Documents that a bucket must occur in.
    rules : WordRules, optional
        Further limits.
    """

    def __init__(self, analyze: Analyzer, n_buckets: int, min_df: float, rules: WordRules | None = None) -> None:
        self.analyze, self.n_buckets, self._min_df, self.rules = analyze, n_buckets, min_df, rules
        self._buckets = Buckets(n_buckets)
        self.terms: list[str] = []
        self.kept = np.zeros(0, np.int64)

    @classmethod
    def restored(cls, analyze: Analyzer, n_buckets: int, terms: list[str], kept: NDArray[np.int64]) -> Self:
        """One whose buckets were chosen before."""
        counter = cls(analyze, n_buckets, min_df=1)
        counter._chosen(terms, kept)
        return counter

    def bucket_of(self, word: str) -> int:
        """Where a word goes."""
        return self._buckets[word]

    def with_buckets(self, terms: list[str], kept: NDArray[np.int64]) -> HashedCounter:
        """One of other buckets, given in order, with what they are called; what is known of words is shared."""
        counter = HashedCounter.restored(self.analyze, self.n_buckets, terms, kept)
        counter._buckets = self._buckets
        return counter

    def with_vocabulary(self, vocabulary: Vocabulary) -> HashedCounter:
        """The same with buckets that were chosen elsewhere."""
        return HashedCounter.restored(self.analyze, self.n_buckets, vocabulary.terms, vocabulary.numbers)

    def _chosen(self, terms: list[str], kept: NDArray[np.int64]) -> None:
        self.terms, self.kept = terms, kept
        self._columns = np.full(self.n_buckets, -1, np.int32)
        self._columns[kept] = np.arange(len(kept))

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Choose and name the buckets, and count."""
        learner = HashedVocabulary(self.n_buckets)
        counted = learner.count(documents, self.analyze)
        vocabulary = learner.finished(self._min_df, self.rules, self.n_buckets)
        self._chosen(vocabulary.terms, vocabulary.numbers)
        return self._counts(counted)

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count the terms of the buckets."""
        return self._counts(self._buckets.count(documents, self.analyze))

    def count_all(self, documents: Sequence[Any]) -> tuple[Counts, Outside]:
        """Count the terms of the buckets, and list the others."""
        counted = [Counter(self.analyze(document)) for document in documents]
        outside = [{w: n for w, n in words.items() if self._columns[self._buckets[w]] < 0} for words in counted]
        return self.count(documents), outside

    def spans(self, text: str) -> Iterable[tuple[int, int, str]] | None:
        """Where the words of a text are, and what their buckets are called."""
        found = spans_of(self.analyze, text)
        return None if found is None else ((low, high, self._name(term)) for low, high, term in found)

    def _name(self, term: str) -> str:
        column = self._columns[self._buckets[term]]
        return term if column < 0 else self.terms[column]

    def _counts(self, counted: NumberedCounts) -> Counts:
        columns = self._columns[counted.numbers]
        return counts_by_column(counted.ends, counted.counts, columns, len(self.terms), counted.n_words)
