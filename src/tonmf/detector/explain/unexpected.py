"""The words of a document that its topics do not explain: the reasons to show.

A document's weight is the sum of its damped counts c (`tonmf.text.weighting`), of words in the vocabulary and outside it.
Of the count of a known word the part that the background takes is unexplained (`tonmf.nmf.mixture`), the mean over the
ladder; of a word outside the vocabulary all of it is. Divided by the document's weight these are the *shares* of its
words, and

    unexplained share of a document = Σ shares of its words.

Shares say how much; what is worth reading first is another question, since a word that is everywhere is no reason. Words are
listed by share × idf. Every document has a few words of its own, names and slips, that say nothing: for words outside the
vocabulary the product is taken times the part of the document's unknown words that is beyond the typical, 1 − typical/its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.detector.scores.ladder import Rung
from tonmf.nmf.mixture import Reading
from tonmf.text.counts import Counts, Outside
from tonmf.text.weighting import damped

AT_ONCE = 200_000
"""Stored counts whose mixtures are looked at together: they take as many rows of topics."""


@dataclass(frozen=True)
class UnexpectedWord:
    """A word of a document, as far as no topic explains it.

    Attributes
    ----------
    word : str
    share : float
        Its part of the document's weight that is unexplained, from 0 to 1.
    count : int
        How often it occurs in the document.
    known : bool
        Whether it is in the vocabulary.
    """

    word: str
    share: float
    count: int
    known: bool


@dataclass(frozen=True)
class Leftovers:
    """What the topics leave of documents, and all that is needed to name it.

    ============ ========== ================================================================
    field        shape      what
    ============ ========== ================================================================
    counts                  counts of the documents
    C                       the same, damped
    outside                 words outside the vocabulary
    parts        n_stored   unexplained part of each damped count
    weights      n_docs     damped counts of a document together, words outside included
    unexplained  n_docs     unexplained share of each document
    explained    n_docs     share of each document that each topic of the finest rung explains; a column a topic
    ============ ========== ================================================================
    """

    counts: Counts
    C: sp.csr_matrix
    outside: Outside
    parts: Array
    weights: Array
    unexplained: Array
    explained: Array

    @classmethod
    def of(cls, counts: Counts, outside: Outside, rungs: Sequence[Rung], readings: Sequence[Reading]) -> Leftovers:
        """From counts and what each rung makes of them."""
        C = damped(counts.matrix)
        parts, explained = _parts(C, rungs, readings)
        weights, left = _weights_and_rest(C, parts, counts.outside)
        whole = np.where(weights > 0, weights, 1)
        return cls(counts, C, outside, parts, weights, left / whole, explained / whole[:, None])

    def words(
        self, row: int, n_words: int, terms: Sequence[str], idf: Array, idf_outside: float, typical: float
    ) -> list[UnexpectedWord]:
        """The words of one document that say most, in order; `typical` is the usual share of unknown words."""
        start, end = self.C.indptr[row], self.C.indptr[row + 1]
        columns, weight = self.C.indices[start:end], self.weights[row]
        strangers = list(self.outside[row].items())
        outside = np.array([1 + math.log(count) for _, count in strangers])
        shares = np.concatenate([self.parts[start:end], outside]) / (weight if weight > 0 else 1)
        own = len(strangers) / max(len(strangers) + len(columns), 1)
        factor = max(1 - typical / own, 0.0) if own > 0 else 0.0
        weights = np.concatenate([idf[columns], np.full(len(strangers), idf_outside * factor)])
        listed = np.argsort(-shares * weights, kind="stable")[:n_words]
        words = []
        for place in listed.tolist():
            known = place < len(columns)
            if known:
                word, count = terms[columns[place]], int(self.counts.matrix.data[start + place])
            else:
                word, count = strangers[place - len(columns)]
            words.append(UnexpectedWord(word, float(shares[place]), count, known))
        return words


def unexplained_shares(C: sp.csr_matrix, outside: Array, rungs: Sequence[Rung], readings: Sequence[Reading]) -> Array:
    """Unexplained share of each document, given by damped counts and the weight of its words outside the vocabulary."""
    weights, left = _weights_and_rest(C, _parts(C, rungs, readings)[0], outside)
    shares: Array = left / np.where(weights > 0, weights, 1)
    return shares


def _weights_and_rest(C: sp.csr_matrix, parts: Array, outside: Array) -> tuple[Array, Array]:
    """Of each document all damped counts together, and what is unexplained of them."""
    rows = np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    inside, left = (np.bincount(rows, weights=values, minlength=C.shape[0]) for values in (C.data, parts))
    return inside + outside, left + outside


def _parts(C: sp.csr_matrix, rungs: Sequence[Rung], readings: Sequence[Reading]) -> tuple[Array, Array]:
    """Unexplained part of each damped count, the mean over the ladder; and what the topics of the finest rung explain.

    Some documents at a time.
    """
    unexplained, explained = [C.data[:0]], [readings[0].theta[:0, 1:]]
    for start, end in _stretches(C):
        some = C[start:end]
        of_rungs = [replace(reading, theta=reading.theta[start:end]) for reading in readings]
        shares = [rung.mixture.unexplained(some, of_some) for rung, of_some in zip(rungs, of_rungs, strict=True)]
        unexplained.append(some.data * np.mean(shares, axis=0))
        explained.append(rungs[0].mixture.explained(some, of_rungs[0]))
    return np.concatenate(unexplained).astype(np.float64), np.concatenate(explained).astype(np.float64)


def _stretches(C: sp.csr_matrix) -> Iterator[tuple[int, int]]:
    """Runs of rows with about `AT_ONCE` stored values, at least one row each."""
    start = 0
    while start < C.shape[0]:
        full = int(np.searchsorted(C.indptr, C.indptr[start] + AT_ONCE, side="right")) - 1
        end = max(full, start + 1)
        yield start, end
        start = end
