"""A vocabulary of words or items."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.text.analysis import Analysis, Analyzer, WordRules, terms_at
from tonmf.text.counts import (
    Counts,
    NumberedCounts,
    Numbering,
    NumberingBeyond,
    Outside,
    OwnCounts,
    containing,
    count_each,
    document_frequencies,
    forget_tables,
    occurrences,
    select_first,
    select_terms,
    subtract,
    terms_beyond,
    threads_for,
)
from tonmf.text.finding import spans_in
from tonmf.text.forms import forms_of
from tonmf.text.passages import NOTHING, Boilerplate, PassageKeys, PassageTally
from tonmf.text.pieces import Span
from tonmf.text.side_by_side import in_order, stretches_of
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
    boilerplate_share : float, optional
        Share of the documents from which on a passage that they share is not counted (`tonmf.text.passages`). If not given,
        or if documents are not texts, everything is counted.

    Attributes
    ----------
    terms : list of str
        By alphabet.
    boilerplate : Boilerplate
        What is not counted.
    forms : mapping of str to str
        Words to show for terms that are none (`tonmf.text.forms`).
    """

    def __init__(
        self,
        analyze: Analyzer,
        min_df: float,
        rules: WordRules | None = None,
        boilerplate_share: float | None = None,
    ) -> None:
        self.analyze, self._min_df, self.rules, self.boilerplate_share = analyze, min_df, rules, boilerplate_share
        self.terms: list[str] = []
        self.boilerplate = NOTHING
        self.forms: Mapping[str, str] = {}
        self._numbers: dict[str, int] = {}

    @classmethod
    def restored(
        cls,
        analyze: Analyzer,
        terms: Sequence[str],
        boilerplate: Boilerplate = NOTHING,
        boilerplate_share: float | None = None,
        forms: Mapping[str, str] | None = None,
    ) -> Self:
        """Make a vocabulary of terms, boilerplate and forms that were chosen before, terms in the order given."""
        counter = cls(analyze, min_df=1, boilerplate_share=boilerplate_share)
        counter._choose(list(terms))
        counter.boilerplate = boilerplate
        counter.forms = {} if forms is None else forms
        return counter

    def with_terms(self, terms: Sequence[str]) -> Self:
        """Return a vocabulary of these terms."""
        return self.restored(self.analyze, sorted(terms), self.boilerplate, self.boilerplate_share, self.forms)

    def with_boilerplate(self, boilerplate: Boilerplate) -> Self:
        """Return a vocabulary of the same terms that leaves this boilerplate out."""
        same = copy.copy(self)
        same.boilerplate = boilerplate
        return same

    def with_forms(self, documents: Sequence[Any]) -> Self:
        """Return the same vocabulary with the forms that its terms have in documents, where none is known yet."""
        found = forms_of(documents, self.analyze).items()
        new = {term: form for term, form in found if term in self._numbers and term not in self.forms}
        if not new:
            return self
        same = copy.copy(self)
        same.forms = {**self.forms, **new}
        return same

    def _choose(self, terms: list[str]) -> None:
        self.terms = terms
        self._numbers = dict(zip(terms, range(len(terms)), strict=True))

    def learn(self, documents: Sequence[Any], n_threads: int = 1) -> Counts:
        """Choose the terms that are frequent enough, and count."""
        seen = Numbering()
        share = self.boilerplate_share
        counted, passages = self.read(documents, seen, share is not None, n_threads)
        if share is not None and passages is not None:
            self.boilerplate = self.tally(documents, passages).boilerplate(share, self.analyze)
            counted = self.without_boilerplate(counted, passages, self.boilerplate, seen.known)
        matrix, words = counted.matrix(len(seen)), np.array(list(seen), dtype=object)
        kept = frequent(document_frequencies(matrix), occurrences(matrix), matrix.shape[0], self._min_df, self.rules)
        kept = by_alphabet(words, kept)
        self._choose(words[kept].tolist())
        self.forms = forms_of(documents, self.analyze, self._numbers)
        return select_terms(matrix, kept, counted.n_words, self.passed_over(words))

    def count(self, documents: Sequence[Any], n_threads: int = 1) -> Counts:
        """Count documents by the terms."""
        numbers = NumberingBeyond(self._numbers)
        return self._selected(self._numbered(documents, numbers, n_threads), numbers)

    def count_all(self, documents: Sequence[Any], n_threads: int = 1) -> tuple[Counts, Outside]:
        """Count documents by the terms, and list all other terms too."""
        numbers = NumberingBeyond(self._numbers)
        counted = self._numbered(documents, numbers, n_threads)
        return self._selected(counted, numbers), terms_beyond(counted, len(self.terms), numbers.new)

    def _numbered(self, documents: Sequence[Any], numbers: NumberingBeyond, n_threads: int) -> NumberedCounts:
        counted, passages = self.read(documents, numbers, len(self.boilerplate) > 0, n_threads)
        if passages is None:
            return counted
        return self.without_boilerplate(counted, passages, self.boilerplate, numbers.known)

    def _selected(self, counted: NumberedCounts, numbers: NumberingBeyond) -> Counts:
        passed_over = np.zeros(len(numbers.new), bool)
        passed_over[self.passed_over(numbers.new)] = True
        return select_first(counted, len(self.terms), passed_over)

    def passes_over(self, term: str) -> bool:
        """Return whether a term does not count at all if it is outside the vocabulary."""
        return isinstance(self.analyze, Analysis) and self.analyze.passes_over(term)

    def passed_over(self, terms: Iterable[str]) -> NDArray[np.int64]:
        """Return the places of terms that do not count at all if they are outside the vocabulary."""
        places = self.analyze.passed_over(terms) if isinstance(self.analyze, Analysis) else []
        return np.array(places, np.int64)

    def prepare(self, text: str) -> str:
        """Return the text, of the same length, that the analysis cuts into words; passages are taken from it."""
        return self.analyze.visible(text) if isinstance(self.analyze, Analysis) else text

    def forget_tables(self) -> None:
        """Forget the words that were met while counting, and their memory; documents are counted as before."""
        forget_tables(self.analyze)

    def passages(self, documents: Sequence[str]) -> PassageKeys:
        """Return the passages of documents."""
        return PassageKeys.of(documents, self.prepare)

    def read(
        self, documents: Sequence[Any], numbering: Numbering, with_passages: bool, n_threads: int = 1
    ) -> tuple[NumberedCounts, PassageKeys | None]:
        """Count every term of documents by its number, and take their passages if they are wanted."""
        n_threads = threads_for(self.analyze, n_threads)
        counted, found = list[NumberedCounts](), list[PassageKeys]()
        for own, passages in in_order(lambda some: self.own(some, with_passages), stretches_of(documents), n_threads):
            counted.append(own.by(numbering))
            found += [] if passages is None else [passages]
        return NumberedCounts.joined(counted), PassageKeys.joined(found) if with_passages else None

    def own(self, documents: Sequence[Any], with_passages: bool) -> tuple[OwnCounts, PassageKeys | None]:
        """Do the same with the documents' own terms; what is visible of each is found out once."""
        if not with_passages:
            return OwnCounts.of(documents, self.analyze), None
        visible = list(map(self.prepare, documents))
        return OwnCounts.of(documents, self.analyze, visible), PassageKeys.of(visible)

    def tally(self, documents: Sequence[str], passages: PassageKeys) -> PassageTally:
        """Count in how many of the documents each of their passages is."""
        assert self.boilerplate_share is not None  # noqa: S101 (otherwise there is nothing to look for)
        return PassageTally.of(passages, documents, self.prepare, self.boilerplate_share)

    def without_boilerplate(
        self,
        counted: NumberedCounts,
        passages: PassageKeys,
        boilerplate: Boilerplate,
        number_of: Callable[[str], int],
    ) -> NumberedCounts:
        """Take the words of boilerplate away from documents that were counted by the numbers of their words."""
        if not len(boilerplate):
            return counted
        numbered = count_each(boilerplate.terms, list, number_of)
        words = numbered.matrix(int(numbered.numbers.max(initial=0)) + 1)
        left_out, has_others = boilerplate.left_out(passages)
        counted = subtract(counted, left_out @ words)
        if not isinstance(self.analyze, Analysis) or self.analyze.analyze_word is None:
            return counted  # every document has the few letters of a short line
        return _without_hidden(counted, words[boilerplate.found_anywhere(np.diff(words.indptr))], has_others)

    def spans(self, text: str, terms: Collection[str], visible: str | None = None) -> Iterable[Span] | None:
        """Return (start, end, term) where these terms stand in a text, perhaps with others beside them, in order.

        None if terms are not made of words. `visible` is what is read of the text, if that is known.
        """
        visible = self.prepare(text) if visible is None else visible
        if isinstance(self.analyze, Analysis):
            spans = spans_in(self.analyze, visible, terms)
        else:
            spans = terms_at(text, word_spans(text), self.analyze)
        left_out = self.boilerplate.places(visible) if len(self.boilerplate) else []
        return spans if spans is None or not left_out else _outside(spans, left_out)


def _without_hidden(counted: NumberedCounts, words: sp.csr_matrix, of: NDArray[np.bool_]) -> NumberedCounts:
    """Take words away from documents that have all words of a row, but for documents that would have no other."""
    hidden = containing(counted, words)
    if hidden.nnz == 0:
        return counted
    left = subtract(counted, _only(of, hidden) @ words)
    return subtract(counted, _only(of & (left.n_words > 0), hidden) @ words)


def _only(rows: NDArray[np.bool_], matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Set all other rows to 0."""
    kept = np.repeat(rows, np.diff(matrix.indptr))
    return sp.csr_matrix((matrix.data * kept, matrix.indices, matrix.indptr), shape=matrix.shape)


def _outside(spans: Iterable[Span], stretches: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Yield the words that are in none of some stretches of the text, which are in order."""
    ends = [end for _, end in stretches]
    for span in spans:
        nearest = bisect_right(ends, span[0])
        if nearest == len(stretches) or span[0] < stretches[nearest][0]:
            yield span
