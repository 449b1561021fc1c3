"""Find new topics: strange documents that turn out to have a subject in common.

Strange documents of the recent past are kept in a *nursery*. After every few of them it looks for a subject that some share and
that was not there before:

1. Words that occur in more of the recent documents than the model leads one to expect *burst* (`tonmf.timeline.bursts`): d
   documents have the word and e should, by its document frequency in the model as it was before these documents;
   z = (d − e)/√(e + 1) is above `BURST`.
2. The strange documents as rows of bursting words only, each of weight c·idf·z, are fitted as the detector fits documents
   (`tonmf.detector.scores.ladder`), and those that lean on the same topic are a group (`tonmf.detector.scores.groups`).
3. A group is a new topic if it has enough members that are no copies of one another, if they came later than the other
   strange documents by more than chance (p < `CHANCE`), and if it is near no topic of the model and near none announced
   before.

Memory is bounded: the words of the recent documents, and the strange ones among them. Nothing is random, and documents are
taken one by one, so that the result does not depend on the batches in which they come.
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_left, insort
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, Self

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.scores.groups import SAME_TOPIC
from tonmf.parameters import check_at_least
from tonmf.stream.quantile import quantile_of_sorted
from tonmf.stream.times import time_text
from tonmf.text.documents import is_matrix, items_of, one_of
from tonmf.timeline import kept_words
from tonmf.timeline.bursts import burst_of
from tonmf.timeline.kept_words import KeptWords, Numbers, Rarities
from tonmf.timeline.strange_groups import (
    SHARED_WORDS,
    NurseryView,
    StrangeDocument,
    StrangeDocuments,
    StrangeGroup,
)

RECENT = 1000
"""Documents whose words are compared with what the model expects."""

STRANGE_SHARE = 0.25
"""Share of the recent documents that the nursery takes, the strangest first."""

CAPACITY = 800
"""Strange documents that are kept; beyond that, the oldest leave."""

EVERY = 8
"""Strange documents between one search for groups and the next."""

LONGEST = 20_000
"""Characters of a document that are read and kept; of a basket, of its items together."""

LEAST = 5
"""Documents that make a new topic, not counting copies."""

BURST, LEAST_SEEN = 2.5, 3
"""z above which a word bursts, and documents that must have it."""

CHANCE = 1e-3
"""Probability below which chance alone does not explain so many documents so late."""

REMEMBERED = 100
"""New topics that are remembered, so that none is announced twice."""


@dataclass(frozen=True)
class NewTopic:
    """A group of strange documents that has grown into a topic.

    Attributes
    ----------
    words : list of str
        Its first words.
    documents : list of str
        Ids of the documents in which it was found, in the order in which they came, copies included.
    size : int
        Number of these documents, not counting copies.
    since : float
        Time of the first of them that has one, in seconds since 1970.
    raised : float
        Time of the document that completed it. If that has no time, both are numbers in the sequence.
    chance : float
        Probability that chance alone brings so many documents so late.
    """

    words: list[str]
    documents: list[str]
    size: int
    since: float
    raised: float
    chance: float

    def to_dict(self, timed: bool = True) -> dict[str, Any]:
        """Return a dictionary for JSON; times are ISO 8601, or numbers in the sequence if documents have no times."""
        written = time_text if timed else int
        times = {"since": written(self.since), "raised": written(self.raised)}
        return {"alert": "new topic", "words": self.words, "documents": self.documents, **times, "size": self.size}


@dataclass(frozen=True)
class FoundTopic:
    """A new topic, and its documents for the model to learn from."""

    topic: NewTopic
    documents: list[Any]


class RecentDocument(NamedTuple):
    """A recent document: its distinct words (none if it is a copy), a digest of its word counts, and its score."""

    words: frozenset[str]
    text: int
    score: float


@dataclass(frozen=True)
class NurseryState:
    """All that a nursery keeps, oldest first; `tonmf.timeline.saved` reads and writes it."""

    least: int
    n_taken: int
    n_waiting: int
    recent: Sequence[RecentDocument]
    strange: Sequence[StrangeDocument]
    announced: Sequence[Mapping[str, float]]
    rarities: Sequence[tuple[int, Rarities]]


class Nursery:
    """Keeps strange documents, and finds new topics among them.

    Parameters
    ----------
    least : int
        Documents that make a topic, not counting copies.

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> texts = make_corpus(n_docs=300, n_outliers=0).texts
    >>> detector, nursery = TextOutlierDetector().fit(texts), Nursery()
    >>> nursery.remember(detector, texts, detector.outlier_scores_)
    >>> news = [f"lava ash crater magma {text}" for text in texts[:40]]
    >>> scores = detector.outlier_score(news)
    >>> found = [nursery.take(detector, text, score, str(i)) for i, (text, score) in enumerate(zip(news, scores))]
    >>> sorted([new.topic.words[:4] for new in found if new][0])
    ['ash', 'crater', 'lava', 'magma']
    """

    def __init__(self, least: int = LEAST) -> None:
        check_at_least(least, 2, "least")
        self._least, self._n_taken, self._n_waiting = least, 0, 0
        self._recent: deque[RecentDocument] = deque()
        self._scores: list[float] = []  # of the recent documents, in rising order
        self._kept_words = KeptWords()
        self._recent_words: deque[Numbers] = deque()  # of the recent documents, in the same order
        self._texts: Counter[int] = Counter()
        self._strange = StrangeDocuments(CAPACITY, self._kept_words)
        self._announced: deque[Mapping[str, float]] = deque(maxlen=REMEMBERED)
        self._rarities: deque[tuple[int, Rarities]] = deque()

    def __len__(self) -> int:
        return len(self._strange)

    @property
    def state(self) -> NurseryState:
        """Return all that it keeps."""
        return NurseryState(
            self._least,
            self._n_taken,
            self._n_waiting,
            self._recent,
            self._strange.documents,
            self._announced,
            self._rarities,
        )

    @classmethod
    def from_state(cls, state: NurseryState) -> Self:
        """Make a nursery that goes on where another one was."""
        nursery = cls(state.least)
        nursery._n_taken, nursery._n_waiting = state.n_taken, state.n_waiting
        nursery._recent.extend(state.recent)
        nursery._scores = sorted(recent.score for recent in state.recent)
        for document in state.strange:
            nursery._strange.add(document)
        nursery._announced.extend(state.announced)
        nursery._rarities.extend(state.rarities)
        for recent in state.recent:
            nursery._recent_words.append(nursery._kept_words.add(recent.words, kept_words.RECENT))
            nursery._texts[recent.text] += 1
        return nursery

    def remember(
        self,
        detector: TextOutlierDetector,
        documents: Sequence[Any],
        scores: Array,
        ids: Sequence[str] | None = None,
        times: Sequence[float] | None = None,
    ) -> None:
        """Take documents of the past, such as those that the detector was fitted on, without looking for new topics.

        Without ids they are called "remembered 0", "remembered 1" and so on, by their numbers in the sequence, so that their
        names differ from those of documents to come.
        """
        first = self._n_taken
        names = [f"remembered {first + row}" for row in range(len(scores))] if ids is None else list(ids)
        cut = float(np.quantile(scores, 1 - STRANGE_SHARE)) if len(scores) else 0.0
        for row, score in enumerate(scores):
            time = None if times is None else times[row]
            self._note(detector, one_of(documents, row), float(score), names[row], time, cut)

    def take(
        self,
        detector: TextOutlierDetector,
        document: Any,
        score: float,
        id: str,  # noqa: A002
        time: float | None = None,
        terms: Counter[str] | None = None,
    ) -> FoundTopic | None:
        """Take the next document, with its score by the current model; return a new topic if it completes one.

        `terms` are its term counts, if they are known: then it is not analysed again.
        """
        self._keep_rarities(detector)
        cut = quantile_of_sorted(self._scores, 1 - STRANGE_SHARE) if self._scores else -math.inf
        if not self._note(detector, document, float(score), id, time, cut, terms):
            return None
        self._n_waiting += 1
        if self._n_waiting < EVERY or len(self._strange) < 2 * self._least:
            return None
        self._n_waiting = 0
        return self._search(detector)

    def _note(
        self,
        detector: TextOutlierDetector,
        document: Any,
        score: float,
        id: str,  # noqa: A002
        time: float | None,
        cut: float,
        terms: Counter[str] | None = None,
    ) -> bool:
        """Note a recent document, and keep it if it is strange; return whether it is."""
        number = self._n_taken
        self._n_taken += 1
        beginning = _beginning(document)
        if terms is None or beginning != document:
            terms = detector.count_terms(beginning)
        text = _digest(terms)
        words = frozenset(terms) if self._texts[text] == 0 else frozenset()  # a copy makes no word more common
        self._texts[text] += 1
        self._recent.append(RecentDocument(words, text, score))
        insort(self._scores, score)
        self._recent_words.append(self._kept_words.add(words, kept_words.RECENT))
        if len(self._recent) > RECENT:
            self._forget()
        if score <= cut or not terms:
            return False
        self._strange.add(StrangeDocument(number, id, None if time is None else float(time), beginning, terms))
        return True

    def _forget(self) -> None:
        """Forget the oldest of the recent documents."""
        _, text, score = self._recent.popleft()
        self._kept_words.remove(self._recent_words.popleft(), kept_words.RECENT)
        del self._scores[bisect_left(self._scores, score)]
        self._texts[text] -= 1
        if self._texts[text] == 0:
            del self._texts[text]

    def _keep_rarities(self, detector: TextOutlierDetector) -> None:
        """Keep the idf of words now and then, to compare words with the model from before the recent documents."""
        if not self._rarities or self._n_taken - self._rarities[-1][0] >= RECENT // 2:
            self._rarities.append((self._n_taken, Rarities.of(detector)))
        while len(self._rarities) > 1 and self._n_taken - self._rarities[1][0] >= RECENT:
            self._rarities.popleft()

    def _search(self, detector: TextOutlierDetector) -> FoundTopic | None:
        """Return the most certain new topic, None if there is none."""
        rarities = self._rarities[0][1]
        bursts = self._bursting(rarities)
        if len(bursts) < SHARED_WORDS:
            return None
        view = NurseryView(self._strange, rarities, bursts, self._least)
        for group in view.groups() if view.may_have_group(CHANCE) else []:
            if group.chance < CHANCE and not self._is_known(group, view, detector):
                return self._announce(group, detector)
        return None

    def _bursting(self, rarities: Rarities) -> dict[str, float]:
        """Return z of the words that burst; a word is expected in the share (1 + df)/(1 + n) = exp(1 − idf) of documents."""
        words = self._kept_words
        seen = words.frequencies(kept_words.RECENT)
        frequent = np.flatnonzero(seen >= LEAST_SEEN)
        z = burst_of(seen[frequent].astype(np.float64), len(self._recent) * np.exp(1 - words.idf(frequent, rarities)))
        bursting = z > BURST
        return dict(sorted(zip(words.names(frequent[bursting].tolist()), z[bursting].tolist(), strict=True)))

    def _is_known(self, group: StrangeGroup, view: NurseryView, detector: TextOutlierDetector) -> bool:
        """Check whether a group is near a topic of the model, or near one announced before."""
        if any(_cosine(group.weights, other) >= SAME_TOPIC for other in self._announced):
            return True
        mean = view.mean_row(group.members)
        columns = {term: column for column, term in enumerate(detector.terms_) if term in mean}
        row = np.zeros(len(detector.terms_), np.float32)
        for term, column in columns.items():
            row[column] = mean[term]
        return bool((row @ detector.rungs_[0].topics).max() >= SAME_TOPIC)

    def _announce(self, group: StrangeGroup, detector: TextOutlierDetector) -> FoundTopic:
        """Make a group a topic; its documents leave the nursery."""
        strange = self._strange.documents
        chosen, last = [strange[row] for row in group.members], strange[-1]
        self._announced.append(group.weights)
        self._strange.remove({one.number for one in chosen})
        documents = [one.document for one in chosen]
        topic = NewTopic(
            detector.in_words(group.words, documents),
            [one.id for one in chosen],
            group.size,
            *_beginning_and_end(chosen, last),
            group.chance,
        )
        return FoundTopic(topic, documents)


def _beginning_and_end(members: Sequence[StrangeDocument], last: StrangeDocument) -> tuple[float, float]:
    """Return the times of the first member that has one and of the last document; numbers if that has no time."""
    if last.time is None:
        return float(members[0].number), float(last.number)
    return next((one.time for one in members if one.time is not None), last.time), last.time


def _beginning(document: Any) -> Any:
    """Cut a document to the part that is read; a row of counts is short."""
    if is_matrix(document):
        return document
    if isinstance(document, str):
        return document[:LONGEST]
    items = items_of(document)
    return [item for item, n in zip(items, accumulate(map(len, items)), strict=True) if n <= LONGEST]


def _digest(terms: Mapping[str, int]) -> int:
    """Return a number by which copies are known, the same in every process."""
    content = json.dumps(sorted(terms.items())).encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of two topics at unit norm."""
    return sum(weight * other[term] for term, weight in one.items() if term in other)
