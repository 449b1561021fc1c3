"""From documents to counts of terms.

There is a counter for each way to get at counts, with ``learn`` for the training documents, ``count`` for others, and the
vocabulary in ``terms``. Of terms outside the vocabulary only how many there are is kept, since that is evidence too
(`tonmf.detector.scores.alarms`); ``count_all`` lists them as well, for a few documents that are to be explained.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from tonmf.arrays import Array
from tonmf.errors import InputError, Param, ParameterError
from tonmf.text.analysis import Analysis, Analyzer, WordRules, terms_at
from tonmf.text.totals import WordTotals
from tonmf.text.words import word_spans


@dataclass(frozen=True)
class Counts:
    """Term counts of documents.

    ============ ================== =======================================================
    field        shape              what
    ============ ================== =======================================================
    matrix       n_docs × n_terms   how often each term of the vocabulary occurs, CSR
    n_words      n_docs             all words of a document, in the vocabulary or not
    n_distinct   n_docs             its different words
    n_outside    n_docs             those of its different words that are not in the vocabulary
    outside      n_docs             Σ (1 + ln count) over them
    ============ ================== =======================================================
    """

    matrix: sp.csr_matrix
    n_words: NDArray[np.int64]
    n_distinct: NDArray[np.int64]
    n_outside: NDArray[np.int64]
    outside: Array

    @property
    def totals(self) -> WordTotals:
        """All but the matrix."""
        return WordTotals(self.n_words, self.n_distinct, self.n_outside, self.outside)


Outside = list[dict[str, int]]
"""Of each document the terms outside the vocabulary, and how often they occur."""


class TermCounter:
    """Counts terms of documents, against a vocabulary that it learns from the first ones.

    Parameters
    ----------
    analyze : callable
        From a document to its terms.
    min_df : int or float
        Documents that a term must occur in: a number, or a share of all.
    rules : WordRules, optional
        Further limits.
    """

    def __init__(self, analyze: Analyzer, min_df: float, rules: WordRules | None = None) -> None:
        self.analyze, self._min_df, self.rules = analyze, min_df, rules
        self.terms: list[str] = []
        self._vocabulary: dict[str, int] = {}

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Learn the vocabulary, and count."""
        seen = Numbering()
        matrix, n_words = _count(documents, self.analyze, seen)
        kept = kept_terms(matrix, self._min_df, self.rules)
        words = np.array(list(seen), dtype=object)[kept]
        order = np.argsort(words, kind="stable")
        self._learnt(words[order].tolist())
        return select_terms(matrix, kept[order], n_words)

    @classmethod
    def restored(cls, analyze: Analyzer, terms: list[str]) -> Self:
        """One with a vocabulary that was learnt before."""
        counter = cls(analyze, min_df=1)
        counter._learnt(terms)
        return counter

    def with_vocabulary(self, vocabulary: Vocabulary) -> TermCounter:
        """The same with a vocabulary that was learnt elsewhere."""
        return TermCounter.restored(self.analyze, vocabulary.terms)

    def _learnt(self, terms: list[str]) -> None:
        self.terms = terms
        self._vocabulary = {term: number for number, term in enumerate(terms)}

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count the terms of the vocabulary."""
        return self._count_by(documents, Numbering(self._vocabulary))[0]

    def count_all(self, documents: Sequence[Any]) -> tuple[Counts, Outside]:
        """Count the terms of the vocabulary, and the others."""
        numbers = Numbering(self._vocabulary)
        counts, matrix = self._count_by(documents, numbers)
        names = list(numbers)
        return counts, _outside(matrix, np.arange(len(self.terms)), names.__getitem__)

    def spans(self, text: str) -> Iterable[tuple[int, int, str]] | None:
        """Where the words of a text are, and what terms; None if terms are not made of words."""
        return spans_of(self.analyze, text)

    def _count_by(self, documents: Sequence[Any], numbers: Numbering) -> tuple[Counts, sp.csr_matrix]:
        matrix, n_words = _count(documents, self.analyze, numbers)
        return select_terms(matrix, np.arange(len(self.terms)), n_words), matrix


class Numbering(dict[str, int]):
    """Numbers of terms; a new one gets the next."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        super().__init__(known or {})
        self.next_number = len(self)

    def __missing__(self, term: str) -> int:
        number = self[term] = self.next_number
        self.next_number += 1
        return number

    def keep(self, numbers: Container[int]) -> None:
        """Forget the other terms; their numbers are not given again."""
        kept = {term: number for term, number in self.items() if number in numbers}
        self.clear()
        self.update(kept)


def spans_of(analyze: Analyzer, text: str) -> Iterable[tuple[int, int, str]] | None:
    """Where the words of a text are, and what terms; None if terms are not made of words."""
    return analyze.spans(text) if isinstance(analyze, Analysis) else terms_at(text, word_spans(text), analyze)


@dataclass(frozen=True)
class NumberedCounts:
    """Some documents, counted by the numbers of terms: those of document i lie in ends[i] to ends[i + 1]."""

    ends: NDArray[np.int64]
    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_words: NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """Terms, the numbers that documents were counted by, and in how many documents each occurs; how many did not fit."""

    terms: list[str]
    numbers: NDArray[np.int64]
    document_frequencies: NDArray[np.int64]
    n_left_out: int = 0


def count_by_number(documents: Iterable[Any], analyze: Analyzer, number_of: Callable[[str], int]) -> NumberedCounts:
    """Counts of every term by its number, and all words of each document."""
    numbers, counts, ends, n_words = array("q"), array("q"), array("q", [0]), array("q")
    for document in documents:
        counted = Counter(analyze(document))
        numbers.extend(map(number_of, counted))
        counts.extend(counted.values())
        ends.append(len(numbers))
        n_words.append(counted.total())
    return NumberedCounts(*(np.array(part, dtype=np.int64) for part in (ends, numbers, counts, n_words)))


def _count(documents: Sequence[Any], analyze: Analyzer, numbers: Numbering) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Counts of every term in the column of its number, and all words of each document."""
    counted = count_by_number(documents, analyze, numbers.__getitem__)
    shape = (len(counted.n_words), len(numbers))
    return sp.csr_matrix((counted.counts, counted.numbers, counted.ends), shape=shape), counted.n_words


def kept_terms(matrix: sp.csr_matrix, min_df: Any, rules: WordRules | None = None) -> NDArray[np.int64]:
    """Columns with enough documents and enough occurrences."""
    n_docs, n_terms = matrix.shape
    occurrences = np.bincount(matrix.indices, weights=matrix.data, minlength=n_terms)
    return frequent(document_frequencies(matrix), occurrences, n_docs, min_df, rules)


def frequent(
    documents: NDArray[Any], occurrences: NDArray[Any], n_docs: int, min_df: Any, rules: WordRules | None
) -> NDArray[np.int64]:
    """Numbers of the terms that enough of the documents use, and that occur often enough in all."""
    rules = WordRules() if rules is None else rules
    return np.flatnonzero((documents >= least_documents(min_df, n_docs, rules)) & (occurrences >= rules.min_count))


def least_documents(min_df: Any, n_docs: float, rules: WordRules) -> float:
    """Documents that a term must occur in, of so many."""
    return max(float(min_df) if isinstance(min_df, Integral) else float(min_df) * n_docs, float(rules.min_df))


def _outside(matrix: sp.csr_matrix, inside: NDArray[np.int64], name: Callable[[int], str]) -> Outside:
    """The counts of all columns but those inside the vocabulary, by name."""
    there = ~np.isin(matrix.indices, inside)
    rows: Outside = []
    for start, end in pairwise(matrix.indptr):
        columns, counts = matrix.indices[start:end][there[start:end]], matrix.data[start:end][there[start:end]]
        rows.append({name(column): int(n) for column, n in zip(columns, counts, strict=True)})
    return rows


def document_frequencies(matrix: sp.csr_matrix) -> NDArray[np.int64]:
    """In how many documents each term occurs."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1])


def select_terms(matrix: sp.csr_matrix, kept: NDArray[np.int64], n_words: NDArray[np.int64]) -> Counts:
    """Counts of the terms in columns `kept`, in that order; the rest lies outside the vocabulary."""
    new_number = np.full(matrix.shape[1], -1, np.int32)
    new_number[kept] = np.arange(len(kept))
    return counts_by_column(matrix.indptr, matrix.data, new_number[matrix.indices], len(kept), n_words)


def counts_by_column(
    ends: NDArray[Any], values: NDArray[Any], columns: NDArray[np.int32], n_terms: int, n_words: NDArray[np.int64]
) -> Counts:
    """Counts of documents that are stored one after the other; column -1 is for terms outside the vocabulary."""
    n_docs, inside = len(ends) - 1, columns >= 0
    indptr = np.append(0, np.cumsum(inside, dtype=np.int64))[ends]
    indptr = indptr.astype(np.int32 if indptr[-1] < 2**31 else np.int64)
    matrix = sp.csr_matrix((values[inside].astype(np.float32), columns[inside], indptr), shape=(n_docs, n_terms))
    matrix.sort_indices()
    n_distinct = np.diff(ends).astype(np.int64)
    rows = np.repeat(np.arange(n_docs), n_distinct)[~inside]
    outside = np.bincount(rows, 1 + np.log(values[~inside]), n_docs).astype(np.float64)
    return Counts(matrix, n_words, n_distinct, n_distinct - np.diff(indptr), outside)


class VectorizerCounter:
    """Counts by the user's own vectorizer: anything with ``fit_transform`` and ``transform`` that yields counts.

    If it has ``build_analyzer`` and ``vocabulary_``, as scikit-learn's have, words that are new to it are counted too. Words
    that it knows but leaves out of its vocabulary, for being too common or for want of room, are as good as stop words.
    """

    def __init__(self, vectorizer: Any) -> None:
        if not (hasattr(vectorizer, "fit_transform") and hasattr(vectorizer, "transform")):
            raise ParameterError(
                Param("vectorizer"),
                f" must be an object with fit_transform and transform, such as CountVectorizer(); got {vectorizer!r}.",
            )
        self._vectorizer = clone(vectorizer, safe=False)
        self._left_out: frozenset[str] = frozenset()
        self.terms: list[str] = []

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Fit the vectorizer, and count."""
        matrix = self._checked(self._vectorizer.fit_transform(documents))
        self._used = np.flatnonzero(document_frequencies(matrix))
        names = getattr(self._vectorizer, "get_feature_names_out", lambda: range(matrix.shape[1]))()
        self.terms = [str(names[column]) for column in self._used]
        words = self._words_of(documents)
        if words is not None:
            seen = Counter(word for counted in words for word in counted)
            known = self._vectorizer.vocabulary_
            self._left_out = frozenset(word for word, df in seen.items() if df > 1 and word not in known)
        return self._complete(matrix, words)

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count by the fitted vectorizer."""
        return self._complete(self._checked(self._vectorizer.transform(documents)), self._words_of(documents))

    def count_all(self, documents: Sequence[Any]) -> tuple[Counts, Outside]:
        """Count by the fitted vectorizer, and list the words that are new to it, if it can tell."""
        words = self._words_of(documents)
        counts = self._complete(self._checked(self._vectorizer.transform(documents)), words)
        if words is None:
            return counts, [{} for _ in documents]
        known = set(self.terms)
        return counts, [{w: n for w, n in counted.items() if w not in known} for counted in self._kept_of(words)]

    def analyze(self, document: Any) -> list[str]:
        """The terms of a document, if the vectorizer can tell."""
        words = self._words_of([document])
        return [] if words is None else list(words[0])

    def spans(self, text: str) -> Iterable[tuple[int, int, str]]:
        """Where the words of a text are, and what terms, as far as the vectorizer makes one term of a word."""
        return terms_at(text, word_spans(text), self.analyze)

    def _checked(self, counted: Any) -> sp.csr_matrix:
        return check_counts(counted, f"what {type(self._vectorizer).__name__} returned")

    def _words_of(self, documents: Sequence[Any]) -> list[Counter[str]] | None:
        """All words of each document, if the vectorizer can tell."""
        if not (hasattr(self._vectorizer, "build_analyzer") and hasattr(self._vectorizer, "vocabulary_")):
            return None
        analyze = self._vectorizer.build_analyzer()
        return [Counter(analyze(document)) for document in documents]

    def _kept_of(self, words: list[Counter[str]]) -> Outside:
        """Words but for those that are as good as stop words."""
        return [{word: n for word, n in counted.items() if word not in self._left_out} for counted in words]

    def _complete(self, matrix: sp.csr_matrix, words: list[Counter[str]] | None) -> Counts:
        counts = select_terms(matrix, self._used, word_totals(matrix))
        if words is None:
            return counts
        kept = self._kept_of(words)
        n_distinct = np.array([len(counted) for counted in kept])
        n_words = np.array([sum(counted.values()) for counted in kept])
        known = set(self.terms)
        outside = np.array([sum(1 + np.log(n) for w, n in counted.items() if w not in known) for counted in kept])
        return Counts(counts.matrix, n_words, n_distinct, n_distinct - np.diff(counts.matrix.indptr), outside)


class MatrixCounter:
    """Counts that come as a matrix: keeps the columns with enough documents.

    Parameters
    ----------
    min_df : int or float
        Documents that a column must occur in.
    names : list of str, optional
        What the columns are called; their numbers if not given.
    """

    def __init__(self, min_df: float, names: Sequence[str] | None = None) -> None:
        self._min_df, self.names = min_df, names
        self.terms: list[str] = []

    @classmethod
    def restored(cls, names: Sequence[str] | None, kept: NDArray[np.int64], n_columns: int) -> Self:
        """One whose columns were chosen before."""
        counter = cls(1, names)
        counter._chosen(kept, n_columns)
        return counter

    def learn(self, documents: Any) -> Counts:
        """Choose the columns."""
        matrix = check_counts(documents, "the matrix")
        if self.names is not None and len(self.names) != matrix.shape[1]:
            raise InputError(
                f"terms must name each of the {matrix.shape[1]} columns of the matrix; got {len(self.names)} names."
            )
        if self.names is not None and len(set(self.names)) < len(self.names):
            twice = next(name for name, n in Counter(self.names).items() if n > 1)
            raise InputError(f"terms must be different names; {twice!r} occurs more than once.")
        self._chosen(kept_terms(matrix, self._min_df), matrix.shape[1])
        return select_terms(matrix, self.kept, word_totals(matrix))

    def _chosen(self, kept: NDArray[np.int64], n_columns: int) -> None:
        self.kept, self.n_columns = kept, n_columns
        self.terms = [self.name(column) for column in kept]

    def name(self, column: int) -> str:
        """What a column is called."""
        return str(column) if self.names is None else self.names[column]

    def count(self, documents: Any) -> Counts:
        """The same columns of another matrix."""
        matrix = self._checked(documents)
        return select_terms(matrix, self.kept, word_totals(matrix))

    def count_all(self, documents: Any) -> tuple[Counts, Outside]:
        """The same columns of another matrix, and the others by name."""
        matrix = self._checked(documents)
        return select_terms(matrix, self.kept, word_totals(matrix)), _outside(matrix, self.kept, self.name)

    def analyze(self, document: Any) -> list[str]:
        """The terms of a row, by name."""
        return [self.name(column) for column in check_counts(document, "the row").indices]

    def spans(self, text: str) -> Iterable[tuple[int, int, str]]:
        """Rows of counts have no text."""
        return []

    def _checked(self, documents: Any) -> sp.csr_matrix:
        matrix = check_counts(documents, "the matrix")
        if matrix.shape[1] != self.n_columns:
            raise InputError(
                f"The matrix has {matrix.shape[1]} terms, but the detector was fitted on {self.n_columns}: count with "
                "the same vocabulary."
            )
        return matrix


def totals_of(matrix: sp.csr_matrix) -> WordTotals:
    """What is known of rows all of whose terms are in the vocabulary."""
    n_distinct, nothing = np.diff(matrix.indptr).astype(np.int64), np.zeros(matrix.shape[0])
    return WordTotals(word_totals(matrix), n_distinct, nothing.astype(np.int64), nothing)


def word_totals(matrix: sp.csr_matrix) -> NDArray[np.int64]:
    """All words of each row."""
    totals: NDArray[np.int64] = np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64)
    return totals


def check_counts(matrix: Any, what: str) -> sp.csr_matrix:
    """`matrix` as CSR without stored zeros, if it holds counts."""
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


LARGEST_COUNT = 1e15
"""Whole numbers up to here are exact."""
