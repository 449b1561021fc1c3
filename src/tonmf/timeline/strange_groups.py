"""Find groups of strange documents that have a subject in common, by words that burst (`tonmf.timeline.nursery`)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.groups import members_of
from tonmf.detector.scores.ladder import Ladder, first_words
from tonmf.nmf.threads import make_ops
from tonmf.text.counts import totals_of
from tonmf.text.weighting import damped, term_weights, unit_rows
from tonmf.timeline.bursts import latest_burst, smallest_chance
from tonmf.timeline.kept_words import STRANGE, KeptWords, Numbers, Rarities

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
    """The strange documents of a nursery, oldest first, and the numbers of their words (`tonmf.timeline.kept_words`).

    Beyond its capacity, the oldest leave.
    """

    def __init__(self, capacity: int, kept_words: KeptWords) -> None:
        self.documents: deque[StrangeDocument] = deque()
        self.kept_words = kept_words
        self._capacity = capacity
        self._words: deque[Numbers] = deque()
        self._counts: deque[NDArray[np.float32]] = deque()

    def __len__(self) -> int:
        return len(self.documents)

    def add(self, document: StrangeDocument) -> None:
        """Add the newest document."""
        terms = document.terms
        self.documents.append(document)
        self._words.append(self.kept_words.add(terms, STRANGE))
        self._counts.append(np.fromiter(terms.values(), np.float32, len(terms)))
        if len(self) > self._capacity:
            self.remove({self.documents[0].number})

    def remove(self, numbers: Container[int]) -> None:
        """Remove the documents with these numbers in the sequence."""
        stays = [document.number not in numbers for document in self.documents]
        for words in compress(self._words, map(not_, stays)):
            self.kept_words.remove(words, STRANGE)
        self.documents = deque(compress(self.documents, stays))
        self._words, self._counts = deque(compress(self._words, stays)), deque(compress(self._counts, stays))

    def shared_words(self, rows: Sequence[int]) -> list[str]:
        """Return the words of the documents in these rows that another document has too, by alphabet."""
        words = np.unique(np.concatenate([self._words[row] for row in rows]))
        n_documents = self.kept_words.frequencies(STRANGE)[words]
        return sorted(self.kept_words.names(words[n_documents > 1].tolist()))

    def counted(self, rows: Sequence[int], terms: Sequence[str]) -> sp.csr_matrix:
        """Count terms that are words of the nursery in each of the documents in these rows."""
        words, counts = [self._words[row] for row in rows], [self._counts[row] for row in rows]
        columns = self.kept_words.places(terms)[np.concatenate(words)]
        there = columns >= 0
        ends = np.append(0, np.cumsum(there))[np.cumsum([0, *map(len, words)])]
        parts = (np.concatenate(counts)[there], columns[there].astype(np.int32), ends.astype(np.int32))
        matrix = sp.csr_matrix(parts, shape=(len(rows), len(terms)))
        matrix.sort_indices()
        return matrix


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
        return self.strange.counted(range(len(self.strange)), list(self.bursts))

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
        Y = self._rows(members.tolist())[0]
        near = np.tril((Y @ Y.T).toarray(), -1) >= COPY
        first: NDArray[np.bool_] = ~near.any(axis=1)
        return first

    def mean_row(self, members: Sequence[int]) -> dict[str, float]:
        """Return the mean row of members at unit norm, over all words that two strange documents share."""
        Y, terms = self._rows(members)
        row = np.asarray(Y.mean(axis=0)).ravel()
        row /= max(float(np.linalg.norm(row)), np.finfo(np.float64).tiny)
        return {terms[place]: float(row[place]) for place in np.flatnonzero(row)}

    def _rows(self, members: Sequence[int]) -> tuple[sp.csr_matrix, list[str]]:
        """Return strange documents as the detector weighs documents, c∘w at unit norm, and the words of the columns.

        These are the words that the documents share with other strange ones, in an order that does not depend on who counted
        them.
        """
        terms = self.strange.shared_words(members)
        Y = unit_rows(damped(self.strange.counted(members, terms)), term_weights(self.rarities.of_terms(terms)))
        return Y, terms


def _n_shared(M: sp.csr_matrix, topics: Array) -> NDArray[np.int64]:
    """Count the first words of each topic that each document has; shape (n_docs, n_topics)."""
    order = np.argsort(-topics, axis=0, kind="stable")[:FIRST_WORDS]
    is_first = np.zeros(topics.shape, np.int64)
    np.put_along_axis(is_first, order, 1, axis=0)
    has = sp.csr_matrix((np.ones(M.nnz, np.int64), M.indices, M.indptr), shape=M.shape)
    shared: NDArray[np.int64] = has @ (is_first * (topics > 0))
    return shared
