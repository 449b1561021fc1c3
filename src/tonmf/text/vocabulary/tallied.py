"""A vocabulary that is learnt from partitions of documents: each is counted by itself, and what they found is added up.

The result is exactly that of `tonmf.text.counters.TermCounter.learn` on all documents together.
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
from tonmf.text.counters import Counts, TermCounter, counts_by_column, document_frequencies, frequent
from tonmf.text.weighting import idf_of


@dataclass(frozen=True)
class CountedPartition:
    """All terms of some documents, by alphabet, and how often each document has them; `kind` as in `tonmf.text.documents`."""

    kind: str
    terms: list[str]
    matrix: sp.csr_matrix
    n_words: NDArray[np.int64]
    begins: tuple[str, ...]


def count_partition(documents: Sequence[Any], kind: str, values: Mapping[str, Any]) -> tuple[list[str], Counts]:
    """The terms of some documents, all of them, and their counts; `values` are the options of the detector."""
    counter = make_counter(values, kind, None)
    assert isinstance(counter, TermCounter)  # noqa: S101 (others are refused before)
    every = TermCounter(counter.analyze, 1)
    counts = every.learn(documents)
    return every.terms, counts


@dataclass
class Tally:
    """In how many documents each term occurs, and how often; additive."""

    kinds: set[str] = field(default_factory=set)
    n_docs: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    occurrences: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, counted: CountedPartition) -> Tally:
        """That of a partition."""
        if not counted.matrix.shape[0]:
            return cls()
        n_docs_with = document_frequencies(counted.matrix).tolist()
        occurrences = np.asarray(counted.matrix.sum(axis=0)).ravel().astype(np.int64).tolist()
        return cls(
            {counted.kind},
            counted.matrix.shape[0],
            Counter(dict(zip(counted.terms, n_docs_with, strict=True))),
            Counter(dict(zip(counted.terms, occurrences, strict=True))),
        )

    @classmethod
    def together(cls, *tallies: Tally) -> Tally:
        """That of several partitions."""
        total = cls()
        for tally in tallies:
            total.kinds |= tally.kinds
            total.n_docs += tally.n_docs
            total.documents.update(tally.documents)
            total.occurrences.update(tally.occurrences)
        return total


@dataclass(frozen=True)
class Vocabulary:
    """The terms that count, by alphabet, with their idf; whether there is any word at all; and the documents that it is of."""

    kind: str
    n_docs: int
    any_words: bool
    terms: list[str]
    idf: Array

    @classmethod
    def of(cls, tally: Tally, min_df: Any, rules: WordRules | None) -> Vocabulary:
        """The terms with enough documents and enough occurrences."""
        if not tally.n_docs:
            raise InputError("Expected at least one document, got none.")
        if len(tally.kinds) > 1:
            kinds = " and some ".join(sorted(tally.kinds))
            raise InputError(f"Documents must all be of one kind; some partitions hold {kinds}.")
        words, n_docs = np.array(list(tally.documents), dtype=object), tally.n_docs
        documents, occurrences = (
            np.array([of[word] for word in words], np.int64) for of in (tally.documents, tally.occurrences)
        )
        kept = frequent(documents, occurrences, n_docs, min_df, rules)
        kept = kept[np.argsort(words[kept], kind="stable")]
        return cls(
            next(iter(tally.kinds)), n_docs, len(words) > 0, words[kept].tolist(), idf_of(documents[kept], n_docs)
        )

    def counts_of(self, counted: CountedPartition) -> Counts:
        """Counts of a partition by these terms."""
        numbers = {term: number for number, term in enumerate(self.terms)}
        columns = np.array([numbers.get(term, -1) for term in counted.terms], np.int32)
        matrix = counted.matrix
        return counts_by_column(matrix.indptr, matrix.data, columns[matrix.indices], len(self.terms), counted.n_words)
