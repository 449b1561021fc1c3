"""A detector on its way through documents in order of time, and what it meets in each window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.births import Found, Nursery
from tonmf.detector import TextOutlierDetector
from tonmf.documents import is_matrix, one_of, take
from tonmf.errors import InputError
from tonmf.explaining import SMALLEST_LEAN
from tonmf.ops import Array
from tonmf.times import UNITS, duration_text
from tonmf.topics import first_words
from tonmf.trends import Tally, changes, padded, states_of
from tonmf.unexpected import Leftovers
from tonmf.windows import Alert, Timeline, Window

TOPIC_WORDS, UNEXPECTED_WORDS = 5, 5
"""Words that stand for a topic, and unexpected words of a document."""

MOST_WINDOWS = 10_000
"""More are a slip of the pen."""


@dataclass(frozen=True)
class Seen:
    """Documents as the model of the moment saw them."""

    rows: NDArray[np.int64]
    scores: Array
    outliers: NDArray[np.bool_]
    shares: Array
    topics: NDArray[np.int64]
    reasons: list[list[str]]

    def first(self, n: int) -> Seen:
        """The first n of them."""
        values = (getattr(self, field.name)[:n] for field in fields(self))
        return Seen(*values)


@dataclass
class Windows:
    """What falls into each window; the first begins with a day, or, if windows are shorter, with one of them."""

    first: float
    length: float
    tallies: list[Tally]

    @classmethod
    def over(cls, seconds: Array, length: float) -> Windows:
        """Empty ones for documents of these times."""
        unit = min(UNITS["day"], length)
        first = min(
            float(np.floor(seconds.min() / unit) * unit), float(seconds.min())
        )  # which rounding may put after it
        n_windows = int((seconds.max() - first) // length) + 1
        if n_windows > MOST_WINDOWS:
            raise InputError(
                f"The documents span {(seconds.max() - first) / UNITS['day']:,.0f} days, which makes {n_windows:,} windows of "
                f"{duration_text(length)}; at most {MOST_WINDOWS:,} make sense. Give a longer window, and check the times."
            )
        empty = np.zeros(0)
        return cls(first, length, [Tally(0, 0, empty, empty) for _ in range(n_windows)])

    def number(self, seconds: Array) -> NDArray[np.int64]:
        """Of the window that each time is in."""
        numbers: NDArray[np.int64] = ((seconds - self.first) // self.length).astype(np.int64)
        return numbers

    def add(self, seconds: Array, seen: Seen) -> None:
        """Take in documents of these times."""
        numbers = self.number(seconds)
        for number in np.unique(numbers).tolist():
            there = numbers == number
            self.tallies[number] += Tally.of(seen.shares[there], seen.outliers[there])

    def listed(self, alerts: Sequence[Alert], n_topics: int) -> list[Window]:
        """All of them, once everything is in."""
        born: list[int | None] = [None] * n_topics
        for alert in alerts:
            born[alert.topic] = int(self.number(np.array([alert.new.raised]))[0])
        tallies = [
            Tally(t.n_docs, t.n_outliers, padded(t.sums, n_topics), padded(t.squares, n_topics)) for t in self.tallies
        ]
        states = states_of(tallies, born)
        starts = [self.first + number * self.length for number in range(len(tallies) + 1)]
        return [
            Window(start, end, tally.n_docs, tally.n_outliers, tally.shares, emerging, fading)
            for start, end, tally, emerging, fading in zip(
                starts, starts[1:], tallies, changes(states, 1), changes(states, -1), strict=False
            )
        ]


class Walk:
    """A detector on its way through documents."""

    def __init__(
        self, detector: TextOutlierDetector, nursery: Nursery, documents: Any, ids: list[str], times: Array, learn: bool
    ) -> None:
        self.detector, self.nursery, self.learn = detector, nursery, learn
        self.documents, self.ids, self.times = documents, ids, times
        self.alerts: list[Alert] = []
        self.seen: list[Seen] = []

    def go(self, rows: NDArray[np.int64]) -> Iterator[Seen]:
        """Score some documents, look for new topics after each, and learn from them."""
        left = rows
        while len(left):
            seen = self._look(left)
            n_seen = next(
                (n for n, row in enumerate(left, start=1) if self._take(int(row), seen.scores[n - 1])), len(left)
            )
            seen = seen.first(n_seen)  # the rest is looked at again, by the model that has the new topic
            self.seen.append(replace(seen, shares=seen.shares[:0]))
            yield seen
            left = left[n_seen:]
        if self.learn:
            documents, names = take(self.documents, rows), [self.ids[row] for row in rows]
            self.detector.partial_fit(documents, times=self.times[rows], names=names)

    def _look(self, rows: NDArray[np.int64]) -> Seen:
        detector = self.detector
        new = detector._new(take(self.documents, rows), None, None)
        leftovers = Leftovers.of(new.counts, new.outside, detector.rungs_, new.readings)
        explainer, scores = detector._state.explainer(detector.analyzer), new.scores.total
        reasons = [
            [word.word for word in explainer.words(leftovers, row, UNEXPECTED_WORDS)] for row in range(len(rows))
        ]
        shares = leftovers.explained
        return Seen(rows, scores, scores > detector.threshold_, shares, _main(shares), reasons)

    def _take(self, row: int, score: float) -> bool:
        """Whether a document completes a new topic."""
        document, time = one_of(self.documents, row), float(self.times[row])
        found = self.nursery.take(self.detector, document, float(score), self.ids[row], time)
        if found is None:
            return False
        add_found(self.detector, found)
        self.alerts.append(Alert(self.detector.rungs_[0].topics.shape[1] - 1, found.topic))
        return True

    def timeline(self, order: NDArray[np.int64], windows: Windows, notes: list[str]) -> Timeline:
        """All that was met, with documents in the order in which they were gone through."""
        rung = self.detector.rungs_[0]
        words = [first_words(topic, self.detector.terms_, TOPIC_WORDS) for topic in rung.topics.T]
        for alert in self.alerts:
            words[alert.topic] = alert.new.words[:TOPIC_WORDS]
        scores, outliers, topics = (
            np.concatenate([getattr(seen, name) for seen in self.seen]) for name in ("scores", "outliers", "topics")
        )
        return Timeline(
            windows.listed(self.alerts, len(words)),
            words,
            self.alerts,
            order,
            [self.ids[row] for row in order],
            self.times[order],
            scores,
            outliers,
            topics,
            [words for seen in self.seen for words in seen.reasons],
            notes,
        )


def _main(shares: Array) -> NDArray[np.int64]:
    """Of each document the topic that explains most of it; -1 if it leans on none."""
    leans = shares.max(axis=1, initial=0.0) >= SMALLEST_LEAN
    main: NDArray[np.int64] = np.where(leans, shares.argmax(axis=1), -1)
    return main


def add_found(detector: TextOutlierDetector, found: Found) -> None:
    """Give the model a topic of documents that were found to make one."""
    documents: Any = found.documents
    if is_matrix(documents[0]):
        documents = sp.csr_matrix(sp.vstack([sp.csr_matrix(row) for row in documents]))
    detector.add_topic(documents, names=found.topic.documents)
