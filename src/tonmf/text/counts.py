"""Counts of terms: what they are, and the arithmetic that every vocabulary shares.

Of terms outside the vocabulary only the number and the weight are kept, since they are evidence too (`tonmf.nmf.mixture`,
`tonmf.detector.scores.alarms`). Which terms they are (`Outside`) is worth the memory only for a few documents, such as those to
explain.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse, pairwise, repeat
from typing import Any, Protocol, Self, TypeGuard

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.text.analysis import Analysis, Analyzer
from tonmf.text.compiled import FEWEST_CHARACTERS
from tonmf.text.side_by_side import in_order, stretches_of
from tonmf.text.totals import WordTotals, weight_of

LARGEST_COUNT = 1e15
"""Whole numbers up to here are exact."""

AT_ONCE = 4096
"""Documents to compare with others' words at a time, to save memory."""

Outside = list[dict[str, int]]
"""For each document the terms outside the vocabulary, and how often they occur."""


@dataclass(frozen=True)
class Counts:
    """Term counts of documents.

    ============ ================== =======================================================
    field        shape              what
    ============ ================== =======================================================
    matrix       n_docs × n_terms   how often each term of the vocabulary occurs, CSR
    n_words      n_docs             all words of a document, in the vocabulary or not
    n_distinct   n_docs             its distinct words
    n_outside    n_docs             those of its distinct words that are not in the vocabulary
    outside      n_docs             Σ (1 + ln count) over them
    ============ ================== =======================================================
    """

    matrix: sp.csr_matrix
    n_words: NDArray[np.int64]
    n_distinct: NDArray[np.int64]
    n_outside: NDArray[np.int64]
    outside: Array

    @classmethod
    def joined(cls, parts: Sequence[Counts]) -> Counts:
        """Join the counts of several lists of documents, in order."""
        matrix = sp.csr_matrix(sp.vstack([part.matrix for part in parts], format="csr"))
        names = ("n_words", "n_distinct", "n_outside", "outside")
        return cls(matrix, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @property
    def totals(self) -> WordTotals:
        """Return everything but the matrix."""
        return WordTotals(self.n_words, self.n_distinct, self.n_outside, self.outside)


class Numbering(dict[str, int]):
    """Numbers of terms. A term that is not there gets the next number when it is looked up."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        super().__init__(known or {})
        self.next_number = len(self)
        self.edition: object = object()  # another one when numbers that were given do not hold any more
        self.n_lasting: float = math.inf  # numbers from here on hold for this numbering only, and not for the edition

    def __missing__(self, term: str) -> int:
        number = self[term] = self.next_number
        self.next_number += 1
        return number

    def numbers_of(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of terms; those that are not there get the next ones."""
        new = dict.fromkeys(filterfalse(self.__contains__, terms))
        first, self.next_number = self.next_number, self.next_number + len(new)
        self.update(zip(new, range(first, self.next_number), strict=True))
        return np.fromiter(map(self.__getitem__, terms), np.int64, len(terms))

    def known(self, term: str) -> int:
        """Return the number of a term; of one that is not there, a number that none has."""
        return self.get(term, self.next_number)

    def keep(self, numbers: Container[int]) -> None:
        """Forget all other terms. Their numbers are never reused."""
        kept = {term: number for term, number in self.items() if number in numbers}
        self.clear()
        self.update(kept)
        self.edition = object()


class NumberingBeyond(Numbering):
    """Numbers of terms beyond those of a vocabulary, whose terms keep their numbers; it is not copied.

    `new` are the terms that are not in the vocabulary, in the order of their numbers.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        super().__init__()
        self._vocabulary, self.next_number = vocabulary, len(vocabulary)
        self.edition, self.n_lasting = vocabulary, len(vocabulary)
        self.new: list[str] = []

    def __missing__(self, term: str) -> int:
        number = self._vocabulary.get(term)
        if number is None:
            number = self.next_number
            self.next_number += 1
            self.new.append(term)
        self[term] = number
        return number

    def numbers_of(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of terms; those that are not there get the next ones."""
        numbers = np.fromiter(map(self._vocabulary.get, terms, repeat(-1)), np.int64, len(terms))
        beyond = np.flatnonzero(numbers < 0)
        names = [terms[place] for place in beyond.tolist()]
        new = list(dict.fromkeys(filterfalse(self.__contains__, names)))
        first, self.next_number = self.next_number, self.next_number + len(new)
        self.new += new
        self.update(zip(new, range(first, self.next_number), strict=True))
        numbers[beyond] = np.fromiter(map(self.__getitem__, names), np.int64, len(names))
        return numbers

    def known(self, term: str) -> int:
        """Return the number of a term; of one that is not there, a number that none has."""
        number = self._vocabulary.get(term)
        return super().known(term) if number is None else number


@dataclass(frozen=True)
class NumberedCounts:
    """Documents counted by the numbers of their terms; document i owns the entries from ends[i] to ends[i + 1]."""

    ends: NDArray[np.int64]
    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_words: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join those of several lists of documents, in order."""
        if len(parts) == 1:
            return parts[0]
        none = np.zeros(0, np.int64)
        lengths = np.concatenate([none, *(np.diff(part.ends) for part in parts)])
        names = ("numbers", "counts", "n_words")
        rest = (np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in names)
        return cls(np.append(0, np.cumsum(lengths, dtype=np.int64)), *rest)

    def matrix(self, n_terms: int) -> sp.csr_matrix:
        """Return the counts with one column for each number."""
        return sp.csr_matrix((self.counts, self.numbers, self.ends), shape=(len(self.n_words), n_terms))


class OwnTerms(Protocol):
    """The terms of some documents, in order of first occurrence."""

    def numbers_by(self, numbering: Numbering) -> NDArray[np.int64]:
        """Return their numbers; those that have none get the next ones."""


class ListedTerms(list[str]):
    """`OwnTerms` in a list."""

    def numbers_by(self, numbering: Numbering) -> NDArray[np.int64]:
        """Look each of them up."""
        return numbering.numbers_of(self)


@dataclass(frozen=True)
class OwnCounts:
    """Documents counted by the places of their terms among `terms`, which are in order of first occurrence."""

    counts: NumberedCounts
    terms: OwnTerms

    @classmethod
    def of(cls, documents: Sequence[Any], analyze: Analyzer, visible: Sequence[Any] | None = None) -> Self:
        """Count every term of each document, in order of first occurrence; `visible` is what is read of each, if known."""
        if is_compiled(analyze) and _are_long(documents):
            from tonmf.text.compiled.table import count_words  # heavy, and not needed for a few documents

            shown = map(analyze.visible, documents) if visible is None else visible
            counted, terms = count_words(map(analyze.prepared, documents, shown), analyze)
            return cls(NumberedCounts(*counted), terms)
        seen = Numbering()
        return cls(count_each(documents, analyze, seen.__getitem__), ListedTerms(seen))

    def by(self, numbering: Numbering) -> NumberedCounts:
        """Return the counts by the numbers of terms."""
        return replace(self.counts, numbers=self.terms.numbers_by(numbering)[self.counts.numbers])


def count_by_number(
    documents: Sequence[Any], analyze: Analyzer, numbering: Numbering, n_threads: int = 1
) -> NumberedCounts:
    """Count every term of each document by its number, in order of first occurrence."""
    counted = in_order(
        lambda some: OwnCounts.of(some, analyze), stretches_of(documents), threads_for(analyze, n_threads)
    )
    return NumberedCounts.joined([own.by(numbering) for own in counted])


def count_each(documents: Iterable[Any], analyze: Analyzer, number_of: Callable[[str], int]) -> NumberedCounts:
    """Do the same one document at a time, by any function of a term."""
    numbers, counts, ends, n_words = array("q"), array("q"), array("q", [0]), array("q")
    for document in documents:
        counted = Counter(analyze(document))
        numbers.extend(map(number_of, counted))
        counts.extend(counted.values())
        ends.append(len(numbers))
        n_words.append(counted.total())
    return NumberedCounts(*(np.array(part, dtype=np.int64) for part in (ends, numbers, counts, n_words)))


def is_compiled(analyze: Analyzer) -> TypeGuard[Analysis]:
    """Return whether compiled code can do the same as an analysis."""
    return isinstance(analyze, Analysis) and analyze.by_word is not None


def threads_for(analyze: Analyzer, n_threads: int) -> int:
    """Return how many threads to count with: a single one if no compiled code lets the others go on."""
    return n_threads if is_compiled(analyze) else 1


def forget_tables(analyze: Analyzer) -> None:
    """Forget the words that compiled code has met so far; it begins anew where it counts again."""
    if isinstance(analyze, Analysis) and analyze.by_word is not None:
        analyze.by_word.tables.clear()


def _are_long(documents: Sequence[Any]) -> bool:
    """Return whether documents are texts, and long enough in all for compiled code."""
    return all(isinstance(document, str) for document in documents) and sum(map(len, documents)) >= FEWEST_CHARACTERS


def subtract(counted: NumberedCounts, away: sp.csr_matrix) -> NumberedCounts:
    """Take counts away from documents, never below 0; `away` has a row for each document and a column for each number.

    What is left stays in order, so that sums over it come out the same on every road.
    """
    if away.nnz == 0:
        return counted
    n_docs, width = len(counted.n_words), max(away.shape[1], int(counted.numbers.max(initial=0)) + 1)
    away = away.copy()
    away.sum_duplicates()
    away.sort_indices()
    rows = np.repeat(np.arange(n_docs), np.diff(counted.ends))
    concerned = np.flatnonzero(np.diff(away.indptr)[rows])
    places = rows[concerned] * width + counted.numbers[concerned]
    taken = np.repeat(np.arange(n_docs), np.diff(away.indptr)) * width + away.indices
    nearest = np.minimum(np.searchsorted(taken, places), len(taken) - 1)
    left = np.array(counted.counts)
    left[concerned] -= np.where(taken[nearest] == places, away.data[nearest], 0)
    kept = left > 0
    ends = np.append(0, np.cumsum(kept, dtype=np.int64))[counted.ends]
    n_words = np.bincount(rows[kept], left[kept], n_docs).astype(np.int64)
    return NumberedCounts(ends, counted.numbers[kept], left[kept].astype(np.int64), n_words)


def containing(counted: NumberedCounts, words: sp.csr_matrix) -> sp.csr_matrix:
    """Return 1 where a document has all words of a row of `words`, n_docs × n_rows; the columns of `words` are numbers."""
    columns = np.unique(words.indices)
    n_docs, n_rows = len(counted.n_words), words.shape[0]
    if not len(columns):
        return sp.csr_matrix((n_docs, n_rows), dtype=np.int64)
    nearest = np.minimum(np.searchsorted(columns, counted.numbers), len(columns) - 1)
    there = columns[nearest] == counted.numbers
    ends = np.append(0, np.cumsum(there))[counted.ends]
    has = sp.csr_matrix((np.ones(int(there.sum()), np.int32), nearest[there], ends), shape=(n_docs, len(columns)))
    wanted = sp.csr_matrix(words[:, columns] > 0, dtype=np.int32)
    n_wanted, found = np.diff(wanted.indptr), []
    for low in range(0, n_docs, AT_ONCE):
        shared = sp.coo_matrix(has[low : low + AT_ONCE] @ wanted.T)
        all_of_them = shared.data == n_wanted[shared.col]
        found.append(np.stack([shared.row[all_of_them] + low, shared.col[all_of_them]]))
    rows, cols = np.concatenate(found, axis=1) if found else np.zeros((2, 0), np.int64)
    return sp.csr_matrix((np.ones(len(rows), np.int64), (rows, cols)), shape=(n_docs, n_rows))


def document_frequencies(matrix: sp.csr_matrix) -> NDArray[np.int64]:
    """Return the number of documents that each term occurs in."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1])


def occurrences(matrix: sp.csr_matrix) -> NDArray[Any]:
    """Return how often each term occurs in all documents together."""
    return np.bincount(matrix.indices, weights=matrix.data, minlength=matrix.shape[1])


OUTSIDE, PASSED_OVER = -1, -2
"""Columns of terms outside the vocabulary, and of those outside it that do not count at all."""


def select_terms(
    matrix: sp.csr_matrix,
    kept: NDArray[np.int64],
    n_words: NDArray[np.int64],
    passed_over: NDArray[np.int64] | None = None,
) -> Counts:
    """Take the terms in columns `kept`, in that order, as the vocabulary; all others are outside it.

    Terms outside it that are in columns `passed_over` do not count at all.
    """
    if passed_over is None and matrix.shape[1] > max(MOST_IN_TABLE, matrix.nnz):
        columns = _places_among(kept, matrix.indices)
    else:
        new_number = np.full(matrix.shape[1], OUTSIDE, np.int32)
        new_number[[] if passed_over is None else passed_over] = PASSED_OVER
        new_number[kept] = np.arange(len(kept))
        columns = new_number[matrix.indices]
    return counts_by_column(matrix.indptr, matrix.data, columns, len(kept), n_words)


MOST_IN_TABLE = 2**20
"""Columns up to which a table of all of them is made even for a few values. A model may claim thousands of millions."""


def _places_among(kept: NDArray[np.int64], columns: NDArray[Any]) -> NDArray[np.int32]:
    """Return the place of each column in `kept`, `OUTSIDE` if it is not there, in memory for the columns that occur."""
    if len(kept) == 0:
        return np.full(len(columns), OUTSIDE, np.int32)
    order = np.argsort(kept)
    nearest = np.minimum(np.searchsorted(kept, columns, sorter=order), len(kept) - 1)
    places = order[nearest]
    return np.where(kept[places] == columns, places, OUTSIDE).astype(np.int32)


def counts_by_column(
    ends: NDArray[Any], values: NDArray[Any], columns: NDArray[np.int32], n_terms: int, n_words: NDArray[np.int64]
) -> Counts:
    """Make `Counts` of documents that are stored one after the other; columns may be `OUTSIDE` or `PASSED_OVER`."""
    n_docs, inside, outside = len(ends) - 1, columns >= 0, columns == OUTSIDE
    indptr = np.append(0, np.cumsum(inside, dtype=np.int64))[ends]
    indptr = indptr.astype(np.int32 if indptr[-1] < 2**31 else np.int64)
    matrix = sp.csr_matrix((values[inside].astype(np.float32), columns[inside], indptr), shape=(n_docs, n_terms))
    matrix.sort_indices()
    rows = np.repeat(np.arange(n_docs), np.diff(ends))
    n_outside = np.bincount(rows[outside], minlength=n_docs)
    weight = np.bincount(rows[outside], weight_of(values[outside]), n_docs).astype(np.float64)
    passed_over = columns == PASSED_OVER
    if passed_over.any():
        n_words = n_words - np.bincount(rows[passed_over], values[passed_over], n_docs).astype(np.int64)
    return Counts(matrix, n_words, np.diff(indptr) + n_outside, n_outside, weight)


def select_first(counted: NumberedCounts, n_terms: int, passed_over: NDArray[np.bool_]) -> Counts:
    """Take the terms with the first numbers as the vocabulary, without a look at each of its terms.

    `passed_over` tells for each of the other numbers whether the term does not count at all.
    """
    columns, new = counted.numbers.astype(np.int32), counted.numbers >= n_terms
    columns[new] = np.where(passed_over, PASSED_OVER, OUTSIDE)[counted.numbers[new] - n_terms]
    return counts_by_column(counted.ends, counted.counts, columns, n_terms, counted.n_words)


def terms_beyond(counted: NumberedCounts, n_terms: int, names: Sequence[str]) -> Outside:
    """List the counts of all terms but the first ones, by name; `names` are those of the others."""
    new = counted.numbers >= n_terms
    ends = np.append(0, np.cumsum(new))[counted.ends].tolist()
    terms = [names[number] for number in (counted.numbers[new] - n_terms).tolist()]
    counts = counted.counts[new].tolist()
    return [dict(zip(terms[start:end], counts[start:end], strict=True)) for start, end in pairwise(ends)]


def outside_terms(matrix: sp.csr_matrix, inside: NDArray[np.int64], name: Callable[[int], str]) -> Outside:
    """List the counts of all columns but those `inside` the vocabulary, by name."""
    there = ~np.isin(matrix.indices, inside)
    rows: Outside = []
    for start, end in pairwise(matrix.indptr):
        columns, counts = matrix.indices[start:end][there[start:end]], matrix.data[start:end][there[start:end]]
        rows.append({name(column): int(n) for column, n in zip(columns, counts, strict=True)})
    return rows


def word_totals(matrix: sp.csr_matrix) -> NDArray[np.int64]:
    """Return the number of words of each row."""
    totals: NDArray[np.int64] = np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64)
    return totals


def totals_of(matrix: sp.csr_matrix) -> WordTotals:
    """Return the totals of rows all of whose terms are in the vocabulary."""
    n_distinct, nothing = np.diff(matrix.indptr).astype(np.int64), np.zeros(matrix.shape[0])
    return WordTotals(word_totals(matrix), n_distinct, nothing.astype(np.int64), nothing)


def check_counts(matrix: Any, what: str) -> sp.csr_matrix:
    """Return `matrix` as CSR without stored zeros; raise `InputError` unless it holds counts."""
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] == 0 or matrix.dtype.kind not in "biuf":
        raise InputError(f"Expected rows of counts, got {what} of shape {matrix.shape} and type {matrix.dtype}.")
    counts = sp.csr_matrix(matrix, dtype=np.float64, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    wrong = counts.data[~((counts.data >= 1) & (counts.data <= LARGEST_COUNT))]
    if len(wrong):
        raise InputError(
            f"Expected counts from 1 to {LARGEST_COUNT:.0g} where not 0, but {what} holds {wrong[0]:.6g}. The detector weighs "
            "terms itself: give it counts (CountVectorizer), or use TONMF for a matrix of weights."
        )
    return counts
