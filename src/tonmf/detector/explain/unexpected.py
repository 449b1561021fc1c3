"""The words of a document that no topic explains: the reasons to show.

A document's weight is the sum of its damped counts c (`tonmf.text.weighting`), over words in the vocabulary and outside it.
Part of the count of a known word goes to the background (`tonmf.nmf.mixture`): that part, averaged over the ladder, is
unexplained. A word outside the vocabulary is unexplained altogether. Divided by the document's weight, these parts are the
*shares* of its words, and

    unexplained share of a document = Σ shares of its words.

The rest of the document belongs to topics. The topics that users see are those of the finest rung, so the rest is divided
among them as that rung divides it. If the finest rung explains less than the ladder does on average, some of the rest belongs
to none of its topics.

A document has more words than anyone wants to read, and a word that is everywhere is no reason. The words to list are those
with the largest share × weight, and they are listed by share. Every document has a few words of its own, names and typos, that
say nothing: for words outside the vocabulary the product is multiplied by 1 − typical/own, where `own` is the document's share
of unknown words and `typical` that of a typical document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.ladder import Rung
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay
from tonmf.text.counts import Counts, Outside
from tonmf.text.weighting import damped


@dataclass(frozen=True)
class UnexpectedWord:
    """A word of a document, and how much of the document it leaves unexplained.

    Attributes
    ----------
    word : str
    share : float
        The share of the document that is this word and that no topic explains, from 0 to 1.
    count : int
        How often it occurs in the document.
    known : bool
        Whether it is in the vocabulary.
    telling : float
        How much it says about the document: the share times the word's weight in rows, less for a word outside the vocabulary.
    """

    word: str
    share: float
    count: int
    known: bool
    telling: float = 0.0


def most_telling(words: Sequence[UnexpectedWord], n_words: int) -> list[UnexpectedWord]:
    """Return the words that say most, in the order in which they came.

    The first words of a list by share would not do: the longer the list, the more common words it begins with.
    """
    chosen = set(sorted(range(len(words)), key=lambda place: -words[place].telling)[:n_words])
    return [word for place, word in enumerate(words) if place in chosen]


def joined(words: Sequence[UnexpectedWord], forms: Mapping[str, str], n_words: int) -> list[UnexpectedWord]:
    """Replace terms by the words that they came from, add up those of one word, and return the words that say most.

    The largest share comes first.
    """
    found: dict[str, UnexpectedWord] = {}
    for one in words:
        word = forms.get(one.word, one.word)
        if (known := found.get(word)) is None:
            found[word] = replace(one, word=word)
        else:
            found[word] = UnexpectedWord(
                word,
                known.share + one.share,
                max(known.count, one.count),
                known.known or one.known,
                known.telling + one.telling,
            )
    return sorted(most_telling(list(found.values()), n_words), key=lambda word: -word.share)


@dataclass(frozen=True)
class Leftovers:
    """The parts of documents that no topic explains, and what is needed to name them.

    ============ =================== ================================================================
    field        shape               what
    ============ =================== ================================================================
    counts       n_docs × n_terms    counts of the documents
    C            n_docs × n_terms    damped counts
    outside      n_docs              words outside the vocabulary, with their counts
    parts        n_stored            unexplained part of each damped count, the mean over the ladder
    weights      n_docs              sum of a document's damped counts, words outside included
    unexplained  n_docs              unexplained share of each document, the mean over the ladder
    explained    n_docs × n_topics   share of each document that each topic of the finest rung explains, by that rung
    ============ =================== ================================================================
    """

    counts: Counts
    C: sp.csr_matrix
    outside: Outside
    parts: Array
    weights: Array
    unexplained: Array
    explained: Array

    @classmethod
    def of(
        cls, ops: Ops, counts: Counts, outside: Outside, rungs: Sequence[Rung], readings: Sequence[Reading]
    ) -> Leftovers:
        """Compute them from counts and from how each rung reads them."""
        C = damped(counts.matrix)
        X = ops.prepare(C)
        parts, explained = _parts(ops, X, rungs, readings), rungs[0].mixture.explained(ops, X, readings[0])
        weights, left = _weights_and_rest(C, parts, counts.outside)
        whole = np.where(weights > 0, weights, 1)
        return cls(counts, C, outside, parts, weights, left / whole, explained / whole[:, None])

    @classmethod
    def joined(cls, several: Sequence[Leftovers]) -> Leftovers:
        """Join those of several lists of documents, in order."""
        parts, weights, unexplained, explained = (
            np.concatenate([getattr(one, name) for one in several])
            for name in ("parts", "weights", "unexplained", "explained")
        )
        return cls(
            Counts.joined([one.counts for one in several]),
            sp.csr_matrix(sp.vstack([one.C for one in several], format="csr")),
            [words for one in several for words in one.outside],
            parts,
            weights,
            unexplained,
            explained,
        )

    @cached_property
    def topic_shares(self) -> Array:
        """Return the share of each document that each topic of the finest rung explains; with `unexplained`, at most 1.

        This is `explained`, scaled down where it is more than the ladder explains on average: a topic never gets more than
        its own rung gives it.
        """
        all_topics = self.explained.sum(axis=1)
        scale = np.clip((1 - self.unexplained) / np.where(all_topics > 0, all_topics, 1), 0, 1)
        shares: Array = self.explained * scale[:, None]
        return shares

    def n_terms(self, row: int) -> int:
        """Return the number of different terms of a document."""
        return int(self.C.indptr[row + 1] - self.C.indptr[row]) + len(self.outside[row])

    def words(
        self,
        ops: Ops,
        rows: Sequence[int],
        n_words: int,
        terms: Sequence[str],
        of_terms: Array,
        of_outside: float,
        typical: float,
    ) -> list[list[UnexpectedWord]]:
        """Return the words of each of some documents that say most, the largest share first.

        `of_terms` and `of_outside` are the weights of terms and of words outside the vocabulary; `typical` is the share of
        unknown words in a typical document.
        """
        C, chosen = self.C, np.asarray(rows, np.int64)
        strangers = [stranger for row in rows for stranger in self.outside[row].items()]
        n_known = np.diff(C.indptr)[chosen].astype(np.int64)
        n_strangers = np.array([len(self.outside[row]) for row in rows], np.int64)
        # The entries of a document are its known words, then the others.
        ends = np.append(0, np.cumsum(n_known + n_strangers))
        known, strange = _places(ends[:-1], n_known), _places(ends[:-1] + n_known, n_strangers)
        stored = _places(C.indptr[chosen], n_known)
        own = n_strangers / np.maximum(n_strangers + n_known, 1)
        factors = np.where(own > 0, np.maximum(1 - typical / np.where(own > 0, own, 1), 0), 0)
        whole = np.where(self.weights[chosen] > 0, self.weights[chosen], 1)

        def entries(of_known: NDArray[Any], of_strangers: NDArray[Any]) -> NDArray[Any]:
            values = np.empty(ends[-1], np.result_type(of_known, of_strangers))
            values[known], values[strange] = of_known, of_strangers
            return values

        counts = np.array([count for _, count in strangers], np.int64)
        outside = np.array([1 + math.log(count) for _, count in strangers], np.float64)
        shares = entries(self.parts[stored], outside) / np.repeat(whole, n_known + n_strangers)
        telling = shares * entries(of_terms[C.indices[stored]], of_outside * np.repeat(factors, n_strangers))
        most = ops.largest(ends, telling, n_words)
        listed_ends = np.append(0, np.cumsum(np.minimum(n_known + n_strangers, n_words)))
        listed = most[ops.largest(listed_ends, shares[most], n_words)]
        numbers = entries(C.indices[stored], -1 - np.arange(len(strangers)))[listed]
        words = list(
            map(
                UnexpectedWord,
                [terms[number] if number >= 0 else strangers[-1 - number][0] for number in numbers.tolist()],
                shares[listed].tolist(),
                entries(self.counts.matrix.data[stored].astype(np.int64), counts)[listed].tolist(),
                (numbers >= 0).tolist(),
                telling[listed].tolist(),
            )
        )
        return [words[start:end] for start, end in pairwise(listed_ends.tolist())]


def _places(starts: NDArray[np.integer[Any]], lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the places of runs, given by where they start and how long they are, one after the other.

    >>> _places(np.array([10, 3]), np.array([2, 3])).tolist()
    [10, 11, 3, 4, 5]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    places: NDArray[np.int64] = np.arange(int(ends[-1]) if len(ends) else 0)
    return places + np.repeat(starts - ends + lengths, lengths).astype(np.int64)


def unexplained_shares(
    ops: Ops, C: sp.csr_matrix, outside: Array, rungs: Sequence[Rung], readings: Sequence[Reading]
) -> Array:
    """Return the unexplained share of each document, from damped counts and the weight of its words outside the vocabulary."""
    weights, left = _weights_and_rest(C, _parts(ops, ops.prepare(C), rungs, readings), outside)
    shares: Array = left / np.where(weights > 0, weights, 1)
    return shares


def _weights_and_rest(C: sp.csr_matrix, parts: Array, outside: Array) -> tuple[Array, Array]:
    """Return the weight of each document, and how much of it is unexplained."""
    rows = np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    inside, left = (np.bincount(rows, weights=values, minlength=C.shape[0]) for values in (C.data, parts))
    return inside + outside, left + outside


def _parts(ops: Ops, X: TwoWay, rungs: Sequence[Rung], readings: Sequence[Reading]) -> Array:
    """Return the unexplained part of each damped count, the mean over the ladder."""
    shares = [rung.mixture.unexplained(ops, X, reading) for rung, reading in zip(rungs, readings, strict=True)]
    parts: Array = X.by_row.data * np.mean(shares, axis=0)
    return parts
