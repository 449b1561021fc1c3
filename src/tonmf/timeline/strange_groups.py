"""Find groups of strange documents that have a subject in common, by words that burst (`tonmf.timeline.nursery`)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.groups import members_of
from tonmf.detector.scores.ladder import Ladder, first_words
from tonmf.nmf.threads import make_ops
from tonmf.text.counts import totals_of
from tonmf.text.weighting import damped, term_weights, unit_rows
from tonmf.timeline.bursts import latest_burst, smallest_chance

TOPIC_SHARE, MAX_TOPICS = 0.01, 25
"""How common a topic must be among the strange documents, and how many a fit starts from."""

FIRST_WORDS, SHARED_WORDS = 20, 3
"""First words of a topic, and how many of them a member must have."""

COPY = 0.9
"""Cosine at which a document counts as a copy of another."""

N_WORDS = 10
"""Words that describe a new topic."""


@dataclass
class StrangeDocument:
    """A strange document: its number in the sequence, name, time if it has one, content, and term counts."""

    number: int
    id: str
    time: float | None
    document: Any
    terms: Counter[str]


class StrangeDocuments:
    """The strange documents of a nursery, oldest first, and in how many of them each word is.

    Beyond its capacity, the oldest leave.
    """

    def __init__(self, capacity: int) -> None:
        self.documents: deque[StrangeDocument] = deque()
        self.frequencies: Counter[str] = Counter()
        self._capacity = capacity

    def __len__(self) -> int:
        return len(self.documents)

    def add(self, document: StrangeDocument) -> None:
        """Add the newest document."""
        self.documents.append(document)
        self.frequencies.update(document.terms.keys())
        if len(self) > self._capacity:
            self._forget(self.documents.popleft())

    def remove(self, numbers: Container[int]) -> None:
        """Remove the documents with these numbers in the sequence."""
        for document in self.documents:
            if document.number in numbers:
                self._forget(document)
        self.documents = deque(document for document in self.documents if document.number not in numbers)

    def _forget(self, document: StrangeDocument) -> None:
        for word in document.terms:
            self.frequencies[word] -= 1
            if self.frequencies[word] == 0:
                del self.frequencies[word]


@dataclass(frozen=True)
class Rarities:
    """idf of the words of a model, and of words outside its vocabulary."""

    known: Mapping[str, float]
    outside: float

    @classmethod
    def of(cls, detector: TextOutlierDetector) -> Rarities:
        """Take them from the detector as it is now."""
        pairs = zip(detector.terms_, detector.idf_.tolist(), strict=True)
        return cls(dict(pairs), detector.idf_outside_)

    def of_terms(self, terms: Iterable[str]) -> Array:
        """Return the idf of each term."""
        return np.fromiter(map(self.known.get, terms, repeat(self.outside)), np.float64)


@dataclass(frozen=True)
class StrangeGroup:
    """Strange documents that lean on one topic.

    `members` are rows of the nursery, `size` counts them without copies, and `weights` is the topic.
    """

    members: list[int]
    size: int
    words: list[str]
    weights: dict[str, float]
    chance: float


@dataclass(frozen=True)
class NurseryView:
    """The nursery at one moment, and the words that burst."""

    strange: StrangeDocuments
    rarities: Rarities
    bursts: Mapping[str, float]
    least: int

    @cached_property
    def _counts(self) -> sp.csr_matrix:
        """Return the counts of bursting words."""
        return counted(self.strange.documents, list(self.bursts))

    def may_have_group(self, chance: float) -> bool:
        """Return False if no group can be so unlikely to come by chance, whatever its topic; a fit is not needed then."""
        candidates = np.flatnonzero(np.diff(self._counts.indptr) >= SHARED_WORDS)
        return smallest_chance(candidates, len(self.strange), self.least) < chance

    def groups(self) -> list[StrangeGroup]:
        """Return the groups with enough members, the most certain first."""
        terms, M = list(self.bursts), self._counts
        weights = self.rarities.of_terms(terms) * np.array(list(self.bursts.values()))
        if not M.nnz:
            return []
        corpus = Corpus.in_memory(M, totals_of(M), terms, weights, weights, MAX_TOPICS, make_ops("numba", 1))
        ladder = Ladder(corpus, MAX_TOPICS, lambda n: make_ops("numba", n), 1, 1, lambda n: None)
        rung, glance = ladder.fit_among(np.arange(M.shape[0]), TOPIC_SHARE, seed=0)
        groups, n_shared = [], _n_shared(M, rung.topics)
        for column in range(rung.topics.shape[1]):
            topic, members = rung.topics[:, column], members_of(glance, column)
            members = members[n_shared[members, column] >= SHARED_WORDS]
            if len(members) >= self.least and (group := self._group(members, topic, terms)) is not None:
                groups.append(group)
        return sorted(groups, key=lambda group: group.chance)

    def _group(self, members: NDArray[np.int64], topic: Array, terms: list[str]) -> StrangeGroup | None:
        """Make a group of the members that came densely, copies aside; None if they are too few."""
        alone = members[self._is_first(members)]
        chance, first = latest_burst(alone, len(self.strange), self.least)
        if len(alone) < self.least:
            return None
        late = members[members >= alone[first]]
        weights = {terms[place]: float(topic[place]) for place in np.flatnonzero(topic)}
        words = first_words(topic, terms, N_WORDS)
        return StrangeGroup(late.tolist(), len(alone) - first, words, weights, chance)

    def _is_first(self, members: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check for each member that it is no copy of an earlier one."""
        Y = self._rows(members)[0]
        near = np.tril((Y @ Y.T).toarray(), -1) >= COPY
        first: NDArray[np.bool_] = ~near.any(axis=1)
        return first

    def mean_row(self, members: Sequence[int]) -> dict[str, float]:
        """Return the mean row of members at unit norm, over all words that two strange documents share."""
        Y, terms = self._rows(members)
        row = np.asarray(Y.mean(axis=0)).ravel()
        row /= max(float(np.linalg.norm(row)), np.finfo(np.float64).tiny)
        return {terms[place]: float(row[place]) for place in np.flatnonzero(row)}

    def _rows(self, members: Iterable[int]) -> tuple[sp.csr_matrix, list[str]]:
        """Return strange documents as the detector weighs documents, c∘w at unit norm, and the words of the columns.

        These are the words that the documents share with other strange ones, in an order that does not depend on who counted
        them.
        """
        documents = [self.strange.documents[row] for row in members]
        words = {word for document in documents for word in document.terms}
        terms = sorted(word for word in words if self.strange.frequencies[word] > 1)
        return unit_rows(damped(counted(documents, terms)), term_weights(self.rarities.of_terms(terms))), terms


def counted(strange: Sequence[StrangeDocument], terms: Sequence[str]) -> sp.csr_matrix:
    """Count the terms in each document."""
    column_of = {term: column for column, term in enumerate(terms)}
    columns, counts, ends = [], [], [0]
    for one in strange:
        there = column_of.keys() & one.terms.keys()
        columns += [column_of[term] for term in there]
        counts += [one.terms[term] for term in there]
        ends.append(len(columns))
    parts = (np.array(counts, np.float32), np.array(columns, np.int32), np.array(ends, np.int32))
    matrix = sp.csr_matrix(parts, shape=(len(strange), len(terms)))
    matrix.sort_indices()
    return matrix


def _n_shared(M: sp.csr_matrix, topics: Array) -> NDArray[np.int64]:
    """Count the first words of each topic that each document has; shape (n_docs, n_topics)."""
    order = np.argsort(-topics, axis=0, kind="stable")[:FIRST_WORDS]
    is_first = np.zeros(topics.shape, np.int64)
    np.put_along_axis(is_first, order, 1, axis=0)
    has = sp.csr_matrix((np.ones(M.nnz, np.int64), M.indices, M.indptr), shape=M.shape)
    shared: NDArray[np.int64] = has @ (is_first * (topics > 0))
    return shared
