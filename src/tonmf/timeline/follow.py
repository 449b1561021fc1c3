"""Follow documents in order of time: score each by the current model, and find topics that emerge, fade or are new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explainer import SMALLEST_LEAN
from tonmf.detector.explain.explanation import note_on_unjudged
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.scores.ladder import first_words
from tonmf.errors import InputError
from tonmf.parameters import check_at_least
from tonmf.stream.times import UNITS, duration_of, duration_text, seconds_of, time_text
from tonmf.text.documents import as_documents, check_names, is_matrix, n_documents, one_of, take
from tonmf.text.frames import names_for
from tonmf.timeline.nursery import FoundTopic, NewTopic, Nursery
from tonmf.timeline.results import Alert, Timeline, Window
from tonmf.timeline.trends import WindowTotals, changes, padded, states_of

__all__ = ["Alert", "NewTopic", "Nursery", "Timeline", "Window", "follow", "note_on_first"]

BATCH = 100
"""Documents after which the model is updated."""

LARGEST_PART = 1 / 4
"""The most documents of a batch, as a part of those that the model has learnt from.

Scales and threshold come from the scores that documents had when they arrived. A batch of more documents than the model knew
makes it another model, for which they are no measure: of the next documents it flags all, or none.
"""

PUT_IN_ORDER = "The documents did not come in order of time, and were put in order."

ENOUGH_FIRST = 200
"""Documents that a model should have learnt from before a timeline begins; fewer are noted."""


def follow(
    detector: TextOutlierDetector,
    documents: Any,
    times: Any,
    *,
    window: Any = "7 days",
    ids: Sequence[Any] | None = None,
    learn: bool = True,
    batch: int = BATCH,
    nursery: Nursery | None = None,
    on_done: Callable[[float], None] | None = None,
) -> Timeline:
    """Follow documents in order of time with a fitted detector.

    Each document is scored by the current model, which then learns from it. Strange documents that turn out to have a subject
    in common become a topic of the model (`tonmf.timeline.nursery`), which is announced once. The detector is changed: in the
    end it has learnt from all of them.

    Parameters
    ----------
    detector : TextOutlierDetector
        Fitted on earlier documents.
    documents : as in ``fit``
    times : sequence of shape (n_docs,)
        When each was written: datetimes, ISO 8601, mail dates or seconds since 1970. Documents are sorted by time; those of
        equal times stay in the order given.
    window : str or timedelta
        Length of a window, such as "7 days".
    ids : sequence of shape (n_docs,), optional
        Names of the documents; their numbers if not given.
    learn : bool
        Whether the detector learns from the documents. New topics are added in any case.
    batch : int
        Documents after which the detector is updated; fewer as long as it has learnt from less than four times as many.
    nursery : Nursery, optional
        Holds strange documents from before. Without one, bursts are compared with the first documents.
    on_done : callable, optional
        Called with the progress, from 0 to 1.

    Returns
    -------
    timeline : Timeline

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> texts = make_corpus(n_docs=400, n_outliers=0).texts
    >>> times = [f"2026-01-{1 + day:02d}" for day in range(20) for _ in range(10)]
    >>> timeline = follow(TextOutlierDetector().fit(texts[:200]), texts[200:], times, window="10 days")
    >>> [(window.n_docs, window.n_outliers) for window in timeline.windows], timeline.alerts
    ([(100, 0), (100, 1)], [])
    """
    check_is_fitted(detector)
    check_at_least(batch, 1, "batch")
    if detector.uses_embeddings_:
        raise InputError("A timeline is made of words; the detector was fitted with embeddings. Fit one without.")
    ids, (documents, _) = names_for(documents, ids), as_documents(documents)
    n_docs = n_documents(documents)
    names, seconds = check_names(ids, n_docs), seconds_of(times, n_docs)
    length = duration_of(window, "window")
    order = np.argsort(seconds, kind="stable").astype(np.int64)
    windows = Windows.over(seconds, length)
    first = note_on_first(detector.n_seen_)
    follower = Follower(detector, Nursery() if nursery is None else nursery, documents, names, seconds, learn)
    with detector.keeping_topics():
        end = 0
        while end < n_docs:
            start, end = end, min(end + _batch_after(detector.n_seen_, batch), n_docs)
            for observed in follower.follow_batch(order[start:end]):
                windows.add(seconds[observed.rows], observed)
            if on_done is not None:
                on_done(end / n_docs)
    return follower.timeline(order, windows, [*first, *_notes(seconds, windows)])


def _batch_after(n_seen: int, most: int) -> int:
    """Return the number of documents of the next batch, for a model that has learnt from `n_seen`.

    >>> _batch_after(60, 100), _batch_after(1000, 100)
    (15, 100)
    """
    return min(max(int(LARGEST_PART * n_seen), 1), most)


def note_on_first(n_docs: int) -> list[str]:
    """Return a note if a model has learnt from few documents before the timeline begins.

    >>> note_on_first(200)
    []
    """
    if n_docs >= ENOUGH_FIRST:
        return []
    documents = f"{n_docs:,} document{'' if n_docs == 1 else 's'}"
    few = f"With only {documents} to learn from before the timeline begins, the model cannot know what is ordinary"
    advice = f"Give a longer warm-up, of {ENOUGH_FIRST} documents or more if there are as many"
    return [f"{few}: the first scores, outliers and topics mean little. {advice}."]


def _notes(seconds: Array, windows: Windows) -> list[str]:
    notes = []
    if (np.diff(seconds) < 0).any():
        notes.append(PUT_IN_ORDER)
    if len(seconds) > 1 and seconds.min() == seconds.max():
        notes.append(f"All documents have the same time, {time_text(seconds[0])}, so there is nothing to compare.")
    elif len(windows.totals) == 1 and len(seconds) > 1:
        n_days = (seconds.max() - seconds.min()) / UNITS["day"]
        span = f"{n_days:,.0f} days" if n_days >= 10 else f"{n_days:.2g} days"
        length = duration_text(windows.length)
        notes.append(f"All documents lie within {span}, in one window of {length}: give a shorter one to see changes.")
    return notes


TOPIC_WORDS, UNEXPECTED_WORDS = 5, 5
"""Words shown of a topic, and unexpected words shown of a document."""

MOST_WINDOWS = 10_000
"""Most windows of a timeline; more are surely a mistake."""


@dataclass(frozen=True)
class Observed:
    """Documents as the current model sees them."""

    rows: NDArray[np.int64]
    scores: Array
    outliers: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    shares: Array
    topics: NDArray[np.int64]
    reasons: list[list[str]]

    def first(self, n: int) -> Observed:
        """Return the first n of them."""
        values = (getattr(self, field.name)[:n] for field in fields(self))
        return Observed(*values)


@dataclass
class Windows:
    """Totals of each window; the first window begins at midnight or, if windows are shorter, at a multiple of their length."""

    first: float
    length: float
    totals: list[WindowTotals]

    @classmethod
    def over(cls, seconds: Array, length: float) -> Windows:
        """Make empty windows for documents of these times."""
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
        return cls(first, length, [WindowTotals(0, 0, empty, empty) for _ in range(n_windows)])

    def number(self, seconds: Array) -> NDArray[np.int64]:
        """Return the number of the window that each time is in."""
        numbers: NDArray[np.int64] = ((seconds - self.first) // self.length).astype(np.int64)
        return numbers

    def add(self, seconds: Array, observed: Observed) -> None:
        """Add documents of these times."""
        numbers = self.number(seconds)
        for number in np.unique(numbers).tolist():
            there = numbers == number
            self.totals[number] += WindowTotals.of(observed.shares[there], observed.outliers[there])

    def listed(self, alerts: Sequence[Alert], n_topics: int) -> list[Window]:
        """Return the windows as results, once all documents are in."""
        born: list[int | None] = [None] * n_topics
        for alert in alerts:
            born[alert.topic] = int(self.number(np.array([alert.new.raised]))[0])
        totals = [
            WindowTotals(t.n_docs, t.n_outliers, padded(t.sums, n_topics), padded(t.squares, n_topics))
            for t in self.totals
        ]
        states = states_of(totals, born)
        starts = [self.first + number * self.length for number in range(len(totals) + 1)]
        return [
            Window(start, end, tally.n_docs, tally.n_outliers, tally.shares, emerging, fading)
            for start, end, tally, emerging, fading in zip(
                starts, starts[1:], totals, changes(states, 1), changes(states, -1), strict=False
            )
        ]


class Follower:
    """A detector that follows documents."""

    def __init__(
        self, detector: TextOutlierDetector, nursery: Nursery, documents: Any, ids: list[str], times: Array, learn: bool
    ) -> None:
        self.detector, self.nursery, self.learn = detector, nursery, learn
        self.documents, self.ids, self.times = documents, ids, times
        self.alerts: list[Alert] = []
        self.observed: list[Observed] = []

    def follow_batch(self, rows: NDArray[np.int64]) -> Iterator[Observed]:
        """Score a batch, look for a new topic after each document, then learn from the batch."""
        read = self._read(rows)
        left, of_left = rows, read
        while len(left):
            observed = self._observe(left, of_left)
            n_taken = next(
                (n for n, row in enumerate(left, start=1) if self._take(int(row), observed.scores[n - 1])), len(left)
            )
            observed = observed.first(n_taken)  # the rest is read again, by the model that has the new topic
            self.observed.append(replace(observed, shares=observed.shares[:0]))
            yield observed
            left = left[n_taken:]
            if len(left):
                of_left = self._read(left)
        if self.learn:
            self.detector.learn_from(read, times=self.times[rows])

    def _read(self, rows: NDArray[np.int64]) -> ReadDocuments:
        return self.detector.read(take(self.documents, rows), names=[self.ids[row] for row in rows])

    def _observe(self, rows: NDArray[np.int64], read: ReadDocuments) -> Observed:
        scores, shares = read.scores.total, read.explained
        reasons = [[word.word for word in words] for words in read.unexpected_words(UNEXPECTED_WORDS)]
        outliers = read.scores.outliers(self.detector.threshold_)
        return Observed(rows, scores, outliers, read.scores.judged, shares, _main(shares), reasons)

    def _take(self, row: int, score: float) -> bool:
        """Hand a document to the nursery; return whether it completes a new topic."""
        document, time = one_of(self.documents, row), float(self.times[row])
        found = self.nursery.take(self.detector, document, float(score), self.ids[row], time)
        if found is None:
            return False
        add_found(self.detector, found)
        self.alerts.append(Alert(self.detector.rungs_[0].topics.shape[1] - 1, found.topic))
        return True

    def timeline(self, order: NDArray[np.int64], windows: Windows, notes: list[str]) -> Timeline:
        """Return the results, with documents in the order in which they were followed."""
        rung = self.detector.rungs_[0]
        words = [
            self.detector.in_words(first_words(topic, self.detector.terms_, 4 * TOPIC_WORDS))[:TOPIC_WORDS]
            for topic in rung.topics.T
        ]
        for alert in self.alerts:
            words[alert.topic] = alert.new.words[:TOPIC_WORDS]
        scores, outliers, judged, topics = (
            np.concatenate([getattr(observed, name) for observed in self.observed])
            for name in ("scores", "outliers", "judged", "topics")
        )
        notes = [*notes, *note_on_unjudged([self.ids[row] for row in order[~judged]], self.detector.word_)]
        return Timeline(
            windows.listed(self.alerts, len(words)),
            words,
            self.alerts,
            order,
            [self.ids[row] for row in order],
            self.times[order],
            scores,
            outliers,
            judged,
            topics,
            [words for observed in self.observed for words in observed.reasons],
            notes,
        )


def _main(shares: Array) -> NDArray[np.int64]:
    """Return the topic that explains most of each document; -1 if it leans on none."""
    leans = shares.max(axis=1, initial=0.0) >= SMALLEST_LEAN
    main: NDArray[np.int64] = np.where(leans, shares.argmax(axis=1), -1)
    return main


def add_found(detector: TextOutlierDetector, found: FoundTopic) -> None:
    """Give the model the topic that was found."""
    documents: Any = found.documents
    if is_matrix(documents[0]):
        documents = sp.csr_matrix(sp.vstack([sp.csr_matrix(row) for row in documents]))
    detector.add_topic(documents, names=found.topic.documents)
