"""Which terms belong in a vocabulary: those of enough documents, and with enough occurrences."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.text.analysis import WordRules


def least_documents(min_df: Any, n_docs: float, rules: WordRules) -> float:
    """Return the number of documents, of `n_docs`, that a term must occur in; `min_df` is a number or a share of them."""
    return max(float(min_df) if isinstance(min_df, Integral) else float(min_df) * n_docs, float(rules.min_df))


def frequent(
    documents: NDArray[Any], occurrences: NDArray[Any], n_docs: int, min_df: Any, rules: WordRules | None
) -> NDArray[np.int64]:
    """Return the positions of the terms that occur in enough of the documents, and often enough in all.

    Parameters
    ----------
    documents, occurrences : ndarray of shape (n_terms,)
        In how many documents each term occurs, and how often in all.
    n_docs : int
        All documents.
    min_df : int or float
        Documents that a term must occur in: a number, or a share of all.
    rules : WordRules, optional
        Further limits.
    """
    rules = WordRules() if rules is None else rules
    return np.flatnonzero((documents >= least_documents(min_df, n_docs, rules)) & (occurrences >= rules.min_count))


def by_alphabet(terms: NDArray[Any], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort positions of terms by the terms, as vocabularies of words have them."""
    words = terms[kept].tolist()
    return kept[sorted(range(len(words)), key=words.__getitem__)]
