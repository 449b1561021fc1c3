"""Learn a vocabulary from partitions of documents: count each by itself, then add the counts up.

The result is exactly that of `tonmf.text.vocabulary.terms.TermCounter.learn` on all documents together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.text.analysis import WordRules
from tonmf.text.choose import make_counter
from tonmf.text.counts import Counts, counts_by_column, document_frequencies, occurrences
from tonmf.text.vocabulary.selection import by_alphabet, frequent
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import idf_of


@dataclass(frozen=True)
class CountedPartition:
    """The documents of a partition, counted by all their terms.

    ======= ================ ===================================================
    kind    str              of the documents, as in `tonmf.text.documents`
    terms   n_terms          all of them, by alphabet
    matrix  n_docs × n_terms how often each occurs, CSR
    n_words n_docs           words of each document
    begins  n_docs           how each document begins
    ======= ================ ===================================================
    """

    kind: str
    terms: list[str]
    matrix: sp.csr_matrix
    n_words: NDArray[np.int64]
    begins: tuple[str, ...]


def count_partition(documents: Sequence[Any], kind: str, values: Mapping[str, Any]) -> tuple[list[str], Counts]:
    """Return all terms of some documents, and their counts; `values` are the options of the detector."""
    counter = make_counter(values, kind, None)
    assert isinstance(counter, TermCounter)  # noqa: S101 (others are refused before)
    every = TermCounter(counter.analyze, 1)
    counts = every.learn(documents)
    return every.terms, counts


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
        if not counted.matrix.shape[0]:
            return cls()
        n_docs_with = document_frequencies(counted.matrix).tolist()
        n_times = occurrences(counted.matrix).astype(np.int64).tolist()
        return cls(
            {counted.kind},
            counted.matrix.shape[0],
            Counter(dict(zip(counted.terms, n_docs_with, strict=True))),
            Counter(dict(zip(counted.terms, n_times, strict=True))),
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

    def counts_of(self, counted: CountedPartition) -> Counts:
        """Count a partition by these terms."""
        numbers = {term: number for number, term in enumerate(self.terms)}
        columns = np.array([numbers.get(term, -1) for term in counted.terms], np.int32)
        matrix = counted.matrix
        return counts_by_column(matrix.indptr, matrix.data, columns[matrix.indices], len(self.terms), counted.n_words)
