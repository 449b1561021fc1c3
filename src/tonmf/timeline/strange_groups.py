"""Find groups of strange documents that have a subject in common, by words that burst (`tonmf.timeline.nursery`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from tonmf.timeline.bursts import latest_burst

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

    def __getitem__(self, term: str) -> float:
        return self.known.get(term, self.outside)


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

    strange: list[StrangeDocument]
    rarities: Rarities
    bursts: Mapping[str, float]
    least: int

    def groups(self) -> list[StrangeGroup]:
        """Return the groups with enough members, the most certain first."""
        terms = list(self.bursts)
        M = counted(self.strange, terms)
        weights = np.array([self.rarities[term] * self.bursts[term] for term in terms])
        if not M.nnz:
            return []
        corpus = Corpus.in_memory(M, totals_of(M), terms, weights, weights, MAX_TOPICS, make_ops("numba", 1))
        ladder = Ladder(corpus, MAX_TOPICS, lambda n: make_ops("numba", n), 1, 1, lambda n: None)
        rung, glance = next(ladder.fits([(TOPIC_SHARE, 0)]))
        groups = []
        for column in range(rung.topics.shape[1]):
            topic = rung.topics[:, column]
            members = members_of(glance, column)
            members = members[_n_shared(M, topic)[members] >= SHARED_WORDS]
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
        Y = self._rows[members]
        near = np.tril((Y @ Y.T).toarray(), -1) >= COPY
        first: NDArray[np.bool_] = ~near.any(axis=1)
        return first

    def mean_row(self, members: Sequence[int]) -> dict[str, float]:
        """Return the mean row of members at unit norm, over all words that two strange documents share."""
        row = np.asarray(self._rows[members].mean(axis=0)).ravel()
        row /= max(float(np.linalg.norm(row)), np.finfo(np.float64).tiny)
        return {self._terms[place]: float(row[place]) for place in np.flatnonzero(row)}

    @cached_property
    def _terms(self) -> list[str]:
        """Return the words that two strange documents share, in an order that does not depend on who counted them."""
        frequencies = Counter(term for one in self.strange for term in one.terms)
        return sorted(term for term, n in frequencies.items() if n > 1)

    @cached_property
    def _rows(self) -> sp.csr_matrix:
        """Return the strange documents as the detector weighs documents, c∘w at unit norm."""
        idf = np.array([self.rarities[term] for term in self._terms])
        return unit_rows(damped(counted(self.strange, self._terms)), term_weights(idf))


def counted(strange: Sequence[StrangeDocument], terms: Sequence[str]) -> sp.csr_matrix:
    """Count the terms in each document."""
    column_of = {term: column for column, term in enumerate(terms)}
    columns, counts, ends = [], [], [0]
    for one in strange:
        there = [(column_of[term], n) for term, n in one.terms.items() if term in column_of]
        columns += [column for column, _ in there]
        counts += [n for _, n in there]
        ends.append(len(columns))
    parts = (np.array(counts, np.float32), np.array(columns, np.int32), np.array(ends, np.int32))
    matrix = sp.csr_matrix(parts, shape=(len(strange), len(terms)))
    matrix.sort_indices()
    return matrix


def _n_shared(M: sp.csr_matrix, topic: Array) -> NDArray[np.int64]:
    """Count the topic's first words that each document has."""
    first = np.argsort(-topic, kind="stable")[:FIRST_WORDS]
    first = first[topic[first] > 0]
    shared: NDArray[np.int64] = np.asarray((M[:, first] > 0).sum(axis=1)).ravel()
    return shared
