"""A vocabulary of columns, for documents that come as a matrix of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.text.counts import (
    Counts,
    Outside,
    check_counts,
    document_frequencies,
    occurrences,
    outside_terms,
    select_terms,
    word_totals,
)
from tonmf.text.passages import NOTHING
from tonmf.text.vocabulary.selection import frequent


class OwnNumbers(Mapping[str, int]):
    """The numbers of columns that have no names but their numbers; none is listed, as there may be thousands of millions."""

    def __init__(self, n_columns: int) -> None:
        self._columns = range(n_columns)

    def __getitem__(self, name: str) -> int:
        number = int(name) if name.isascii() and name.isdecimal() and len(name) <= len(str(len(self))) else -1
        if number not in self._columns or str(number) != name:
            raise KeyError(name)
        return number

    def __iter__(self) -> Iterator[str]:
        return map(str, self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def column_numbers(names: Sequence[str] | None, n_columns: int) -> Mapping[str, int]:
    """Return the numbers of columns by name; without names, their numbers are their names.

    >>> column_numbers(["ape", "bat"], 2)["bat"], column_numbers(None, 2**31)["17"], "017" in column_numbers(None, 2**31)
    (1, 17, False)
    """
    return OwnNumbers(n_columns) if names is None else {name: number for number, name in enumerate(names)}


class MatrixCounter:
    """Keeps the columns that enough documents have.

    Parameters
    ----------
    min_df : int or float
        Documents that a column must occur in: a number, or a share of all.
    names : list of str, optional
        Names of the columns; their numbers if not given.

    Attributes
    ----------
    terms : list of str
        Names of the columns that are kept.
    kept : ndarray of shape (n_terms,)
        Their numbers.
    n_columns : int
        All columns of the matrix.
    """

    boilerplate = NOTHING
    forms: Mapping[str, str] = MappingProxyType({})

    def __init__(self, min_df: float, names: Sequence[str] | None = None) -> None:
        self._min_df, self.names = min_df, names
        self.terms: list[str] = []

    @classmethod
    def restored(cls, names: Sequence[str] | None, kept: NDArray[np.int64], n_columns: int) -> Self:
        """Make a vocabulary of columns that were chosen before."""
        counter = cls(1, names)
        counter._choose(kept, n_columns)
        return counter

    def with_terms(self, terms: Sequence[str]) -> Self:
        """Return a vocabulary of the columns of these names."""
        numbers = self.numbers
        columns = np.array([numbers[term] for term in terms], dtype=np.int64)
        return self.restored(self.names, np.sort(columns), self.n_columns)

    def _choose(self, kept: NDArray[np.int64], n_columns: int) -> None:
        self.kept, self.n_columns = kept, n_columns
        self.terms = [self.name(column) for column in kept]

    @property
    def numbers(self) -> Mapping[str, int]:
        """Return the numbers of all columns by name."""
        return column_numbers(self.names, self.n_columns)

    def name(self, column: int) -> str:
        """Return the name of a column."""
        return str(column) if self.names is None else self.names[column]

    def learn(self, documents: Any, n_threads: int = 1) -> Counts:
        """Choose the columns that are frequent enough."""
        matrix = check_counts(documents, "the matrix")
        if self.names is not None and len(self.names) != matrix.shape[1]:
            raise InputError(
                f"terms must name each of the {matrix.shape[1]} columns of the matrix; got {len(self.names)} names."
            )
        if self.names is not None and len(set(self.names)) < len(self.names):
            twice = next(name for name, n in Counter(self.names).items() if n > 1)
            raise InputError(f"terms must be different names; {twice!r} occurs more than once.")
        n_docs, n_columns = matrix.shape
        kept = frequent(document_frequencies(matrix), occurrences(matrix), n_docs, self._min_df, None)
        self._choose(kept, n_columns)
        return select_terms(matrix, self.kept, word_totals(matrix))

    def count(self, documents: Any, n_threads: int = 1) -> Counts:
        """Take the same columns of another matrix."""
        matrix = self._checked(documents)
        return select_terms(matrix, self.kept, word_totals(matrix))

    def count_all(self, documents: Any, n_threads: int = 1) -> tuple[Counts, Outside]:
        """Take the same columns of another matrix, and list the others by name."""
        matrix = self._checked(documents)
        return select_terms(matrix, self.kept, word_totals(matrix)), outside_terms(matrix, self.kept, self.name)

    def passes_over(self, term: str) -> bool:
        """Return False: every term counts."""
        return False

    def analyze(self, document: Any) -> list[str]:
        """Return the names of the columns that a row has."""
        return [self.name(column) for column in check_counts(document, "the row").indices]

    def spans(self, text: str, terms: Collection[str], visible: str | None = None) -> Iterable[tuple[int, int, str]]:
        """Return nothing: rows of counts have no text."""
        return []

    def _checked(self, documents: Any) -> sp.csr_matrix:
        matrix = check_counts(documents, "the matrix")
        if matrix.shape[1] != self.n_columns:
            raise InputError(
                f"The matrix has {matrix.shape[1]} terms, but the detector was fitted on {self.n_columns}: count with "
                "the same vocabulary."
            )
        return matrix
