"""How the vocabulary of a stream grows and shrinks.

A word outside the vocabulary is a *candidate*. It joins when it has occurred in as many documents as ``min_df`` asks of a word
in a fit; if the stream forgets, recent documents count more. A word of the vocabulary leaves when its documents have faded
to less than `LEAVES_BELOW` of that. A vocabulary has at most `MOST_TERMS` words, or as many as the fit had if that was more:
those of the most documents. There are at most `MOST_CANDIDATES` candidates. When there are more, only half as many are kept:
those of the most documents, and among equals those seen last. A word of more than `LONGEST_CANDIDATE` characters never joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.text.counts import Outside
from tonmf.text.vocabulary import Vocabulary

LEAVES_BELOW = 0.25
"""Share of the documents needed to join below which a word leaves: two half-lives without being seen, if it just joined."""

MOST_TERMS = 200_000
"""The most words of a vocabulary that grows."""

MOST_CANDIDATES = 50_000
"""The most words outside it that are remembered."""

LONGEST_CANDIDATE = 200
"""The most characters of a word that may join."""

ALMOST = 1 - 1e-9
"""Tolerance for sums of fading weights, which are rounded."""

SMALLEST_UNIT = 1e-100
"""Smallest unit of the candidates' counts; below it they are written anew."""


@dataclass(frozen=True)
class Candidates:
    """Words outside the vocabulary, those seen last at the end.

    ====== ===========================================================================================
    counts for each word its documents and the sum of its damped counts, both to be multiplied by `unit`
    unit   fades all of them at once
    ====== ===========================================================================================
    """

    counts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    unit: float = 1.0

    def faded(self, factor: float) -> Self:
        """Return the candidates with all counts multiplied by a factor."""
        unit = self.unit * factor
        if unit >= SMALLEST_UNIT:
            return replace(self, unit=unit)
        anew = {word: (df * unit, total * unit) for word, (df, total) in self.counts.items()}
        return replace(self, counts={word: both for word, both in anew.items() if both[0] > 0}, unit=1.0)

    def seen(self, outside: Outside, weights: Array) -> Self:
        """Return the candidates after more documents, given by their words outside the vocabulary and their weights."""
        counts, unseen = dict(self.counts), (0.0, 0.0)
        for words, weight in zip(outside, (weights / self.unit).tolist(), strict=True):
            if weight > 0:
                for word, n in words.items():
                    if len(word) > LONGEST_CANDIDATE:
                        continue
                    df, total = counts.pop(word, unseen)
                    counts[word] = (df + weight, total + (weight if n == 1 else weight * (1 + float(np.log(n)))))
        return replace(self, counts=_most_seen(counts))

    def ready(self, words: Iterable[str], least: float, least_total: float) -> dict[str, tuple[float, float]]:
        """Return those of `words` that have enough documents and occurrences, with both numbers."""
        found, known, unit, unseen = {}, self.counts, self.unit, (0.0, 0.0)
        least, least_total = least * ALMOST, least_total * ALMOST
        for word in words:
            df, total = known.get(word, unseen)
            if df * unit >= least and total * unit >= least_total:
                found[word] = (df * unit, total * unit)
        return found

    def without(self, words: Mapping[str, object]) -> Self:
        """Return the candidates without the words that joined."""
        if self.counts.keys().isdisjoint(words):
            return self
        counts = dict(self.counts)
        for word in words:
            counts.pop(word, None)
        return replace(self, counts=counts)


def _most_seen(counts: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    if len(counts) <= MOST_CANDIDATES:
        return counts
    listed = list(counts)
    df = np.fromiter((counts[word][0] for word in listed), np.float64, len(listed))
    order = np.lexsort((-np.arange(len(listed)), -df))  # most documents first; among equals the last seen
    return {listed[place]: counts[listed[place]] for place in np.sort(order[: MOST_CANDIDATES // 2])}


@dataclass(frozen=True)
class Change:
    """The step from one vocabulary to the next.

    ======== ======= ========================================================================
    counter          the new vocabulary
    origin   n_terms the number that each of its words had before; -1 for a word that joined
    n_before int     words of the old vocabulary
    joined   dict    documents, and sum of damped counts, of each word that joined
    ======== ======= ========================================================================
    """

    counter: Vocabulary
    origin: NDArray[np.int64]
    n_before: int
    joined: Mapping[str, tuple[float, float]]

    def of_rows(self, array: Array, joined: Any = 0.0) -> Array:
        """Move the rows of an array to the new numbers of their words; fill those of words that joined with `joined`."""
        if not len(array):
            return np.full((len(self.origin), *array.shape[1:]), joined, array.dtype)
        rows = np.take(array, np.maximum(self.origin, 0), axis=0)
        rows[self.origin < 0] = joined
        return rows

    def counts_of_joined(self) -> tuple[Array, Array]:
        """Return the documents, and the sums of damped counts, of the words that joined, in the order of their numbers."""
        both = [self.joined[self.counter.terms[place]] for place in np.flatnonzero(self.origin < 0)]
        table = np.array(both, dtype=np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def of_columns(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        """Move the columns of a matrix to the new numbers of their words."""
        places = np.full(self.n_before, -1, np.int64)
        stayed = np.flatnonzero(self.origin >= 0)
        places[self.origin[stayed]] = stayed
        columns = places[matrix.indices]
        inside = columns >= 0
        ends = np.append(0, np.cumsum(inside))[matrix.indptr]
        moved = sp.csr_matrix(
            (matrix.data[inside], columns[inside].astype(np.int32), ends.astype(np.int32)),
            shape=(matrix.shape[0], len(self.origin)),
        )
        moved.sort_indices()
        return moved

    def of_counts(self, matrix: sp.csr_matrix, outside: Outside) -> sp.csr_matrix:
        """Return the counts of documents by the new vocabulary, given those by the old one and the words outside it."""
        moved = self.of_columns(matrix)
        places = {self.counter.terms[place]: place for place in np.flatnonzero(self.origin < 0).tolist()}
        found = [
            (n, row, places[word]) for row, words in enumerate(outside) for word, n in words.items() if word in places
        ]
        if not found:
            return moved
        counts, rows, columns = (np.array(values) for values in zip(*found, strict=True))
        return moved + sp.csr_matrix((counts.astype(np.float32), (rows, columns)), shape=moved.shape)


def changed_vocabulary(
    counter: Vocabulary, df: Array, joining: Mapping[str, tuple[float, float]], least: float
) -> Change | None:
    """Return the change to the next vocabulary; None if it stays as it is.

    Parameters
    ----------
    counter : Vocabulary
        The present one. That of a user's own vectorizer never changes.
    df : ndarray of shape (n_terms,)
        Documents of each of its words.
    joining : mapping
        Candidates that are to join, with their documents and their sums of damped counts.
    least : float
        Documents that a word must have to join.
    """
    names = [*counter.terms, *joining]
    documents = np.concatenate([df, [both[0] for both in joining.values()]])
    kept = np.flatnonzero((documents >= LEAVES_BELOW * least) | (np.arange(len(names)) >= len(df)))
    most = max(MOST_TERMS, len(df))
    if len(kept) > most:
        kept = kept[np.sort(np.argsort(-documents[kept], kind="stable")[:most])]
    if len(kept) == 0 or (len(kept) == len(df) and kept[-1] == len(df) - 1):
        return None
    following = counter.with_terms(names if len(kept) == len(names) else [names[place] for place in kept.tolist()])
    if following is None:
        return None
    place_of = dict(zip(names, range(len(names)), strict=True))
    kept = np.fromiter(map(place_of.__getitem__, following.terms), np.int64, len(following.terms))
    joined = {names[place]: joining[names[place]] for place in kept[kept >= len(df)].tolist()}
    return Change(following, np.where(kept < len(df), kept, -1), len(df), joined)
