"""From documents to counts of terms.

Documents are texts, rows of items such as market baskets, or rows of counts; `kind_of` tells which. Texts are analysed
by scikit-learn's conventions. Terms outside the vocabulary are not counted one by one, but how many there are is kept,
since that is evidence too (`tonmf.alarms`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from tonmf.errors import InputError, MissingExtraError, ParameterError
from tonmf.words import words_of

Analyzer = Callable[[Any], Iterable[str]]

TEXTS, ITEMS, COUNTS = "texts", "rows of items", "a matrix of counts"


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
    ============ ================== =======================================================
    """

    matrix: sp.csr_matrix
    n_words: NDArray[np.int64]
    n_distinct: NDArray[np.int64]
    n_outside: NDArray[np.int64]


# ---------------------------------------------------------------------- what the user hands in


def kind_of(documents: Any) -> str:
    """What the documents are, or an error that says what they should be."""
    if sp.issparse(documents) or (isinstance(documents, np.ndarray) and documents.dtype.kind in "biuf"):
        return COUNTS
    if isinstance(documents, str | bytes):
        raise InputError(
            f"Expected a list of documents, got one {type(documents).__name__} of length {len(documents)}. Put it in a list."
        )
    if hasattr(documents, "columns"):
        raise InputError(
            f"Expected a list of documents, got a table with columns {', '.join(map(str, documents.columns))}. Give one column."
        )
    return ""


def as_list(documents: Any) -> tuple[list[Any], str]:
    """Texts or rows of items as a list, and which of the two they are."""
    try:
        listed = list(documents)
    except TypeError as error:
        raise InputError(
            f"Expected a list of strings, of rows of items, or a matrix of counts; got {type(documents).__name__}."
        ) from error
    if not listed:
        raise InputError("Expected at least one document, got none.")
    kinds = [_kind_of_document(number, document) for number, document in enumerate(listed)]
    if len(set(kinds)) > 1:
        other = kinds.index(next(kind for kind in kinds if kind != kinds[0]))
        raise InputError(
            f"Documents must all be of one kind: document 0 is of {kinds[0]}, document {other} of {kinds[other]}."
        )
    return listed, kinds[0]


def _kind_of_document(number: int, document: Any) -> str:
    if isinstance(document, str):
        return TEXTS
    if isinstance(document, list | tuple | set | frozenset | np.ndarray):
        return ITEMS
    what = "missing" if document is None or document != document else f"a {type(document).__name__}"
    advice = "Decode it" if isinstance(document, bytes) else "Drop it, or put an empty string in its place"
    raise InputError(f"Document {number} is {what}; expected a string or a list of items. {advice}.")


# ---------------------------------------------------------------------- analysis


@dataclass(frozen=True)
class WordRules:
    """Limits on terms: their length in characters, occurrences in all, and documents they occur in."""

    min_length: int = 1
    max_length: float = np.inf
    min_count: int = 1
    min_df: int = 1

    def allow(self, word: str) -> bool:
        """Whether a word's length is within the limits."""
        return self.min_length <= len(word) <= self.max_length


WORD_RULES = {"paper": WordRules(min_length=3, max_length=15, min_count=4, min_df=2)}
"""``paper``: the rules by which the paper prepared its text."""


def make_analyzer(
    analyzer: Any,
    lowercase: bool,
    stop_words: Any,
    ngram_range: Any,
    token_pattern: str | None,
    stemmer: str | None,
    rules: WordRules,
) -> Analyzer:
    """A function from a text to its terms."""
    cut = {"tokenizer": words_of, "token_pattern": None} if token_pattern is None else {"token_pattern": token_pattern}
    if analyzer != "word":
        cut = {}
    try:
        analyze = CountVectorizer(
            analyzer=analyzer, lowercase=lowercase, stop_words=stop_words, ngram_range=ngram_range, **cut
        ).build_analyzer()
    except (ValueError, TypeError) as error:
        raise ParameterError(f"The analysis options do not fit together: {error}") from error
    if stemmer is not None:
        analyze = _stemmed(analyze, stemmer)
    if rules == WordRules():
        return cast(Analyzer, analyze)
    return lambda text: [term for term in analyze(text) if all(map(rules.allow, term.split(" ")))]


def _stemmed(analyze: Analyzer, language: str) -> Analyzer:
    try:
        import Stemmer
    except ImportError as error:
        raise MissingExtraError("Stemming needs PyStemmer: pip install 'tonmf[stem]'.") from error
    try:
        stem = Stemmer.Stemmer(language).stemWord
    except KeyError as error:
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise ParameterError(f"stemmer must be one of {known}; got {language!r}.") from error
    return lambda text: [" ".join(map(stem, term.split(" "))) for term in analyze(text)]


def items_of(row: Iterable[Any]) -> list[str]:
    """The items of a basket, by name: 17 and "17" are the same item."""
    return list(map(str, row))


# ---------------------------------------------------------------------- counting


class TermCounter:
    """Counts terms of documents, against a vocabulary that it learns from the first ones.

    Parameters
    ----------
    analyze : callable
        From a document to its terms.
    min_df : int or float
        Documents that a term must occur in: a number, or a share of all.
    rules : WordRules
    """

    def __init__(self, analyze: Analyzer, min_df: float, rules: WordRules) -> None:
        self._analyze, self._min_df, self._rules = analyze, min_df, rules
        self.terms: list[str] = []
        self._vocabulary: dict[str, int] = {}

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Learn the vocabulary, and count."""
        seen = _Numbering()
        matrix, n_words = _count(documents, self._analyze, seen)
        kept = kept_terms(matrix, self._min_df, self._rules)
        words = np.array(list(seen), dtype=object)[kept]
        order = np.argsort(words, kind="stable")
        self.terms = words[order].tolist()
        self._vocabulary = {term: number for number, term in enumerate(self.terms)}
        return select_terms(matrix, kept[order], n_words)

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count the terms of the vocabulary."""
        inside = len(self.terms)
        numbers = _Numbering(self._vocabulary)
        matrix, n_words = _count(documents, self._analyze, numbers)
        return select_terms(matrix, np.arange(inside), n_words)


class _Numbering(dict[str, int]):
    """Numbers of terms; a new one gets the next."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


def _count(documents: Sequence[Any], analyze: Analyzer, numbers: _Numbering) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Counts of every term in the column of its number, and all words of each document."""
    terms, counts, ends = array("q"), array("q"), array("q", [0])
    n_words = np.zeros(len(documents), np.int64)
    for row, document in enumerate(documents):
        counted = Counter(analyze(document))
        terms.extend(map(numbers.__getitem__, counted))
        counts.extend(counted.values())
        ends.append(len(terms))
        n_words[row] = counted.total()
    parts = tuple(np.array(part, dtype=np.int64) for part in (counts, terms, ends))
    return sp.csr_matrix(parts, shape=(len(documents), len(numbers))), n_words


def kept_terms(matrix: sp.csr_matrix, min_df: float, rules: WordRules) -> NDArray[np.int64]:
    """Columns with enough documents and enough occurrences."""
    n_docs, n_terms = matrix.shape
    least = min_df if isinstance(min_df, int) else min_df * n_docs
    occurrences = np.bincount(matrix.indices, weights=matrix.data, minlength=n_terms)
    documents = document_frequencies(matrix)
    return np.flatnonzero((documents >= max(least, rules.min_df)) & (occurrences >= rules.min_count))


def document_frequencies(matrix: sp.csr_matrix) -> NDArray[np.int64]:
    """In how many documents each term occurs."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1])


def select_terms(matrix: sp.csr_matrix, kept: NDArray[np.int64], n_words: NDArray[np.int64]) -> Counts:
    """Counts of the terms in columns `kept`, in that order; the rest lies outside the vocabulary."""
    new_number = np.full(matrix.shape[1], -1, np.int32)
    new_number[kept] = np.arange(len(kept))
    columns = new_number[matrix.indices]
    inside = columns >= 0
    n_inside = np.add.reduceat(np.append(inside, False), matrix.indptr[:-1], dtype=np.int64) * (
        np.diff(matrix.indptr) > 0
    )
    indptr = np.append(0, np.cumsum(n_inside))
    selected = sp.csr_matrix(
        (
            matrix.data[inside].astype(np.float32),
            columns[inside],
            indptr.astype(np.int32 if indptr[-1] < 2**31 else np.int64),
        ),
        shape=(matrix.shape[0], len(kept)),
    )
    selected.sort_indices()
    n_distinct = np.diff(matrix.indptr).astype(np.int64)
    return Counts(selected, n_words, n_distinct, n_distinct - n_inside)


class VectorizerCounter:
    """Counts by the user's own vectorizer: anything with ``fit_transform`` and ``transform`` that yields counts.

    If it has ``build_analyzer``, as scikit-learn's have, words outside its vocabulary are counted too.
    """

    def __init__(self, vectorizer: Any) -> None:
        try:
            self._vectorizer = clone(vectorizer)
        except TypeError as error:
            raise ParameterError(
                f"vectorizer must be an object with fit_transform and transform, such as CountVectorizer(); got {vectorizer!r}."
            ) from error
        self.terms: list[str] = []

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Fit the vectorizer, and count."""
        counts = self._complete(documents, self._vectorizer.fit_transform(documents))
        if hasattr(self._vectorizer, "get_feature_names_out"):
            self.terms = [str(name) for name in self._vectorizer.get_feature_names_out()]
        else:
            self.terms = [str(number) for number in range(counts.matrix.shape[1])]
        return counts

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count by the fitted vectorizer."""
        return self._complete(documents, self._vectorizer.transform(documents))

    def _complete(self, documents: Sequence[Any], counted: Any) -> Counts:
        matrix = check_counts(counted, f"what {type(self._vectorizer).__name__} returned")
        counts = select_terms(matrix, np.arange(matrix.shape[1]), word_totals(matrix))
        if not hasattr(self._vectorizer, "build_analyzer"):
            return counts
        analyze = self._vectorizer.build_analyzer()
        counted_words = [Counter(analyze(document)) for document in documents]
        n_distinct = np.array([len(words) for words in counted_words])
        n_words = np.array([words.total() for words in counted_words])
        return Counts(counts.matrix, n_words, n_distinct, n_distinct - counts.n_distinct)


class MatrixCounter:
    """Counts that come as a matrix: keeps the columns with enough documents."""

    def __init__(self, min_df: float, rules: WordRules) -> None:
        self._min_df, self._rules = min_df, rules
        self.terms: list[str] = []

    def learn(self, documents: Any) -> Counts:
        """Choose the columns."""
        matrix = check_counts(documents, "the matrix")
        self._kept = kept_terms(matrix, self._min_df, self._rules)
        self._n_columns = matrix.shape[1]
        self.terms = [str(column) for column in self._kept]
        return select_terms(matrix, self._kept, word_totals(matrix))

    def count(self, documents: Any) -> Counts:
        """The same columns of another matrix."""
        matrix = check_counts(documents, "the matrix")
        if matrix.shape[1] != self._n_columns:
            raise InputError(
                f"The matrix has {matrix.shape[1]} terms, but the detector was fitted on {self._n_columns}: count with "
                "the same vocabulary."
            )
        return select_terms(matrix, self._kept, word_totals(matrix))


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
    counts = sp.csr_matrix(matrix, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if counts.nnz and not (np.isfinite(counts.data).all() and counts.data.min() >= 1):
        wrong = counts.data[~(counts.data >= 1)]
        raise InputError(
            f"Expected counts of at least 1 where not 0, but {what} holds {wrong[0]:.6g}. The detector weighs terms "
            "itself: give it counts (CountVectorizer), or use TONMF for a matrix of weights."
        )
    return counts
