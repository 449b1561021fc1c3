"""Learn a vocabulary from partitions of documents: count each by itself, then add the counts up.

The result is exactly that of `tonmf.text.vocabulary.terms.TermCounter.learn` on all documents together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.text.analysis import WordRules
from tonmf.text.choose import make_counter
from tonmf.text.counts import (
    OUTSIDE,
    PASSED_OVER,
    Counts,
    NumberedCounts,
    Numbering,
    counts_by_column,
    document_frequencies,
    occurrences,
)
from tonmf.text.documents import TEXTS
from tonmf.text.passages import NOTHING, Boilerplate, PassageKeys, PassageTally
from tonmf.text.vocabulary.selection import by_alphabet, frequent
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import idf_of, term_weights


@dataclass(frozen=True)
class CountedPartition:
    """The documents of a partition, counted by all their terms.

    ======== ================ ===================================================
    kind     str              of the documents, as in `tonmf.text.documents`
    terms    n_terms          all of them, in order of their numbers
    passed   places           terms that do not count at all if they are outside the vocabulary
    counts   n_docs           how often each occurs, by its number
    begins   n_docs           how each document begins
    passages n_docs           keys of their passages, until boilerplate is left out
    tally    scalar           in how many documents these passages are
    ======== ================ ===================================================
    """

    kind: str
    terms: list[str]
    passed: list[int]
    counts: NumberedCounts
    begins: tuple[str, ...]
    passages: PassageKeys | None = None
    tally: PassageTally = field(default_factory=PassageTally)

    @classmethod
    def empty(cls) -> CountedPartition:
        """Return a partition without documents."""
        return cls("", [], [], NumberedCounts.joined([]), ())

    @classmethod
    def of(cls, documents: Sequence[Any], kind: str, values: Mapping[str, Any], begins: tuple[str, ...]) -> Self:
        """Count documents by all their terms; `values` are the options of the detector."""
        counter, numbers = _counter(values, kind), Numbering()
        counts, passages = counter.read(documents, numbers, counter.boilerplate_share is not None)
        terms = list(numbers)
        passed = counter.passed_over(terms).tolist()
        if passages is None:
            return cls(kind, terms, passed, counts, begins)
        return cls(kind, terms, passed, counts, begins, passages, counter.tally(documents, passages))

    @property
    def n_docs(self) -> int:
        """Return the number of documents."""
        return len(self.counts.n_words)

    @property
    def matrix(self) -> sp.csr_matrix:
        """Return how often each term occurs in each document."""
        return self.counts.matrix(len(self.terms))

    def without(self, boilerplate: Boilerplate, values: Mapping[str, Any]) -> CountedPartition:
        """Take the words of boilerplate away."""
        counts = self.counts
        if self.passages is not None and len(boilerplate):
            counter, numbers = _counter(values, self.kind), Numbering({term: n for n, term in enumerate(self.terms)})
            counts = counter.without_boilerplate(counts, self.passages, boilerplate, numbers.known)
        return replace(self, counts=counts, passages=None, tally=PassageTally())


def _counter(values: Mapping[str, Any], kind: str) -> TermCounter:
    counter = make_counter(values, kind, None)
    assert isinstance(counter, TermCounter)  # noqa: S101 (others are refused before)
    return counter


def boilerplate_of(tally: PassageTally, values: Mapping[str, Any]) -> Boilerplate:
    """Choose the boilerplate of all partitions."""
    counter = _counter(values, TEXTS)
    if counter.boilerplate_share is None or not tally.n_docs:
        return NOTHING
    return tally.boilerplate(counter.boilerplate_share, counter.analyze)


@dataclass
class TermTally:
    """In how many documents each term occurs, and how often. Tallies of partitions add up."""

    kinds: set[str] = field(default_factory=set)
    n_docs: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    occurrences: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, counted: CountedPartition) -> TermTally:
        """Tally a partition."""
        if not counted.n_docs:
            return cls()
        matrix = counted.matrix
        n_with, n_times = document_frequencies(matrix).tolist(), occurrences(matrix).astype(np.int64).tolist()
        here = [term for term, n in zip(counted.terms, n_with, strict=True) if n]
        return cls(
            {counted.kind},
            counted.n_docs,
            Counter(dict(zip(here, filter(None, n_with), strict=True))),
            Counter(dict(zip(here, filter(None, n_times), strict=True))),
        )

    @classmethod
    def together(cls, *tallies: TermTally) -> TermTally:
        """Add up the tallies of several partitions."""
        total = cls()
        for tally in tallies:
            total.kinds |= tally.kinds
            total.n_docs += tally.n_docs
            total.documents.update(tally.documents)
            total.occurrences.update(tally.occurrences)
        return total


@dataclass(frozen=True)
class PartitionsVocabulary:
    """The vocabulary of all partitions together.

    ========= ======= ==============================================
    kind      str     of the documents
    n_docs    int     all documents
    any_words bool    False if no document has any word
    terms     n_terms by alphabet
    idf       n_terms of each term
    ========= ======= ==============================================
    """

    kind: str
    n_docs: int
    any_words: bool
    terms: list[str]
    idf: Array

    @classmethod
    def of(cls, tally: TermTally, min_df: Any, rules: WordRules | None) -> PartitionsVocabulary:
        """Choose the terms that are frequent enough."""
        if not tally.n_docs:
            raise InputError("Expected at least one document, got none.")
        if len(tally.kinds) > 1:
            kinds = " and some ".join(sorted(tally.kinds))
            raise InputError(f"Documents must all be of one kind; some partitions hold {kinds}.")
        words, n_docs = np.array(list(tally.documents), dtype=object), tally.n_docs
        documents, n_times = (
            np.array([of[word] for word in words], np.int64) for of in (tally.documents, tally.occurrences)
        )
        kept = by_alphabet(words, frequent(documents, n_times, n_docs, min_df, rules))
        return cls(
            next(iter(tally.kinds)), n_docs, len(words) > 0, words[kept].tolist(), idf_of(documents[kept], n_docs)
        )

    @property
    def weights(self) -> Array:
        """Return how much each term weighs in rows."""
        return term_weights(self.idf)

    def counts_of(self, counted: CountedPartition) -> Counts:
        """Count a partition by these terms."""
        numbers = {term: number for number, term in enumerate(self.terms)}
        columns = np.full(len(counted.terms), OUTSIDE, np.int32)
        columns[counted.passed] = PASSED_OVER
        for place, term in enumerate(counted.terms):
            columns[place] = numbers.get(term, columns[place])
        counts = counted.counts
        return counts_by_column(counts.ends, counts.counts, columns[counts.numbers], len(self.terms), counts.n_words)
