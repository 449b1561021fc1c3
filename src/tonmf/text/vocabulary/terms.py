"""A vocabulary of words or items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tonmf.text.analysis import Analysis, Analyzer, WordRules, terms_at
from tonmf.text.counts import (
    Counts,
    Numbering,
    Outside,
    count_by_number,
    document_frequencies,
    occurrences,
    outside_terms,
    select_terms,
)
from tonmf.text.vocabulary.selection import by_alphabet, frequent
from tonmf.text.words import word_spans


class TermCounter:
    """Counts the terms that a function makes of a document.

    Parameters
    ----------
    analyze : callable
        From a document to its terms.
    min_df : int or float
        Documents that a term must occur in: a number, or a share of all.
    rules : WordRules, optional
        Further limits.

    Attributes
    ----------
    terms : list of str
        By alphabet.
    """

    def __init__(self, analyze: Analyzer, min_df: float, rules: WordRules | None = None) -> None:
        self.analyze, self._min_df, self.rules = analyze, min_df, rules
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}

    @classmethod
    def restored(cls, analyze: Analyzer, terms: Sequence[str]) -> Self:
        """Make a vocabulary of terms that were chosen before, in the order given."""
        counter = cls(analyze, min_df=1)
        counter._choose(list(terms))
        return counter

    def with_terms(self, terms: Sequence[str]) -> Self:
        """Return a vocabulary of these terms."""
        return self.restored(self.analyze, sorted(terms))

    def _choose(self, terms: list[str]) -> None:
        self.terms = terms
        self._numbers = {term: number for number, term in enumerate(terms)}

    def learn(self, documents: Sequence[Any]) -> Counts:
        """Choose the terms that are frequent enough, and count."""
        seen = Numbering()
        counted = count_by_number(documents, self.analyze, seen.__getitem__)
        matrix, words = counted.matrix(len(seen)), np.array(list(seen), dtype=object)
        kept = frequent(document_frequencies(matrix), occurrences(matrix), matrix.shape[0], self._min_df, self.rules)
        kept = by_alphabet(words, kept)
        self._choose(words[kept].tolist())
        return select_terms(matrix, kept, counted.n_words)

    def count(self, documents: Sequence[Any]) -> Counts:
        """Count documents by the terms."""
        return self._count(documents, Numbering(self._numbers))[0]

    def count_all(self, documents: Sequence[Any]) -> tuple[Counts, Outside]:
        """Count documents by the terms, and list all other terms too."""
        numbers = Numbering(self._numbers)
        counts, matrix = self._count(documents, numbers)
        names = list(numbers)
        return counts, outside_terms(matrix, np.arange(len(self.terms)), names.__getitem__)

    def _count(self, documents: Sequence[Any], numbers: Numbering) -> tuple[Counts, sp.csr_matrix]:
        counted = count_by_number(documents, self.analyze, numbers.__getitem__)
        matrix = counted.matrix(len(numbers))
        return select_terms(matrix, np.arange(len(self.terms)), counted.n_words), matrix

    def spans(self, text: str) -> Iterable[tuple[int, int, str]] | None:
        """Return (start, end, term) for the words of a text; None if terms are not made of words."""
        if isinstance(self.analyze, Analysis):
            return self.analyze.spans(text)
        return terms_at(text, word_spans(text), self.analyze)
