"""A vocabulary that a user's own vectorizer learns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.errors import Param, ParameterError
from tonmf.text.analysis import terms_at
from tonmf.text.counts import Counts, Outside, check_counts, document_frequencies, select_terms, word_totals
from tonmf.text.passages import NOTHING
from tonmf.text.totals import weight_of
from tonmf.text.words import word_spans


class VectorizerCounter:
    """Counts by any object with ``fit_transform`` and ``transform`` that yields counts.

    If the vectorizer has ``build_analyzer`` and ``vocabulary_``, as scikit-learn's have, words that are new to it are counted
    too. Words that it knows but leaves out of its vocabulary, because they are too common or too many, are treated as stop
    words.
    """

    boilerplate = NOTHING
    forms: Mapping[str, str] = MappingProxyType({})

    def __init__(self, vectorizer: Any) -> None:
        if not (hasattr(vectorizer, "fit_transform") and hasattr(vectorizer, "transform")):
            raise ParameterError(
                Param("vectorizer"),
                f" must be an object with fit_transform and transform, such as CountVectorizer(); got {vectorizer!r}.",
            )
        from sklearn.base import clone  # heavy, and only vectorizers need it

        self._vectorizer = clone(vectorizer, safe=False)
        self._left_out: frozenset[str] = frozenset()
        self.terms: list[str] = []

    def with_terms(self, terms: Sequence[str]) -> None:
        """Return None: the terms are the vectorizer's."""

    def learn(self, documents: Sequence[Any], n_threads: int = 1) -> Counts:
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

    def count(self, documents: Sequence[Any], n_threads: int = 1) -> Counts:
        """Count by the fitted vectorizer."""
        return self._complete(self._checked(self._vectorizer.transform(documents)), self._words_of(documents))

    def count_all(self, documents: Sequence[Any], n_threads: int = 1) -> tuple[Counts, Outside]:
        """Count by the fitted vectorizer, and list the words that are new to it, if it can tell."""
        words = self._words_of(documents)
        counts = self._complete(self._checked(self._vectorizer.transform(documents)), words)
        if words is None:
            return counts, [{} for _ in documents]
        known = set(self.terms)
        return counts, [{w: n for w, n in counted.items() if w not in known} for counted in self._kept_of(words)]

    def passes_over(self, term: str) -> bool:
        """Return False: every term counts."""
        return False

    def analyze(self, document: Any) -> list[str]:
        """Return the terms of a document; none if the vectorizer cannot tell."""
        words = self._words_of([document])
        return [] if words is None else list(words[0])

    def spans(self, text: str, terms: Collection[str], visible: str | None = None) -> Iterable[tuple[int, int, str]]:
        """Return (start, end, term) for the words of a text of which the vectorizer makes one term."""
        return terms_at(text, word_spans(text), self.analyze)

    def _checked(self, counted: Any) -> sp.csr_matrix:
        return check_counts(counted, f"what {type(self._vectorizer).__name__} returned")

    def _words_of(self, documents: Sequence[Any]) -> list[Counter[str]] | None:
        """Count all words of each document; None if the vectorizer cannot tell."""
        if not (hasattr(self._vectorizer, "build_analyzer") and hasattr(self._vectorizer, "vocabulary_")):
            return None
        analyze = self._vectorizer.build_analyzer()
        return [Counter(analyze(document)) for document in documents]

    def _kept_of(self, words: list[Counter[str]]) -> Outside:
        """Leave out the words that are treated as stop words."""
        return [{word: n for word, n in counted.items() if word not in self._left_out} for counted in words]

    def _complete(self, matrix: sp.csr_matrix, words: list[Counter[str]] | None) -> Counts:
        counts = select_terms(matrix, self._used, word_totals(matrix))
        if words is None:
            return counts
        kept = self._kept_of(words)
        n_distinct = np.array([len(counted) for counted in kept])
        n_words = np.array([sum(counted.values()) for counted in kept])
        known = set(self.terms)
        outside = np.array(
            [sum(float(weight_of(np.array(n))) for w, n in counted.items() if w not in known) for counted in kept]
        )
        return Counts(counts.matrix, n_words, n_distinct, n_distinct - np.diff(counts.matrix.indptr), outside)
