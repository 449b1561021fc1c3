"""What a timeline holds: windows of time, new topics, and the documents in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.stream.times import time_text
from tonmf.timeline.nursery import NewTopic
from tonmf.timeline.trends import ENOUGH


@dataclass(frozen=True)
class Window:
    """A stretch of time.

    Attributes
    ----------
    start, end : float
        In seconds since 1970, UTC; the end is the beginning of the next.
    n_docs : int
        Documents in it.
    n_outliers : int
        Those that were flagged, each by the model of its moment.
    shares : ndarray of shape (n_topics,)
        How much of its documents' weight each topic explains, a mean over documents.
    emerging, fading : list of int
        Topics that come up in it, and that go down (`tonmf.timeline.trends`).
    """

    start: float
    end: float
    n_docs: int
    n_outliers: int
    shares: Array
    emerging: list[int]
    fading: list[int]

    @property
    def outlier_share(self) -> float:
        """Of its documents."""
        return self.n_outliers / max(self.n_docs, 1)

    @property
    def has_few(self) -> bool:
        """Whether its documents are fewer than 20, so that shares of them say little, and no topic emerges or fades."""
        return 0 < self.n_docs < ENOUGH


@dataclass(frozen=True)
class Alert:
    """A new topic, and its number in the timeline."""

    topic: int
    new: NewTopic

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.new.to_dict(), "topic": self.topic + 1}


@dataclass(frozen=True)
class Timeline:
    """What happened, in order of time.

    ========= =================== ====================================================================
    field     shape               what
    ========= =================== ====================================================================
    windows   n_windows           what was in each stretch of time, empty ones included
    words     n_topics            first words of each topic as it was in the end, of a new one those of its alert
    alerts                        new topics, in the order in which they were found
    rows      n_docs              numbers of the documents, as they were given, in order of time
    ids       n_docs              what they are called
    times     n_docs              in seconds since 1970, UTC
    scores    n_docs              each by the model of its moment
    outliers  n_docs              whether it was flagged
    topics    n_docs              the topic that explained most of it, from 0 up; -1 if none explained a tenth
    reasons   n_docs              its unexpected words
    notes                         what one should know, in sentences
    ========= =================== ====================================================================

    Topics keep their numbers: those of the model at the beginning in its order, then new ones as they are found.
    """

    windows: list[Window]
    words: list[list[str]]
    alerts: list[Alert]
    rows: NDArray[np.int64]
    ids: list[str]
    times: Array
    scores: Array
    outliers: NDArray[np.bool_]
    topics: NDArray[np.int64]
    reasons: list[list[str]]
    notes: list[str]

    def columns(self) -> dict[str, list[Any]]:
        """A table of the documents, in order of time."""
        return {
            "time": [time_text(seconds) for seconds in self.times.tolist()],
            "id": list(self.ids),
            "score": self.scores.tolist(),
            "outlier": self.outliers.tolist(),
            "topic": [topic + 1 if topic >= 0 else None for topic in self.topics.tolist()],
            "unexpected_terms": [list(words) for words in self.reasons],
        }

    def to_dict(self) -> dict[str, Any]:
        """Windows, topics and alerts, for JSON."""
        return {
            "documents": len(self.ids),
            "flagged": int(self.outliers.sum()),
            "windows": [
                {
                    "start": time_text(window.start),
                    "documents": window.n_docs,
                    "outliers": window.n_outliers,
                    "shares": [round(share, 6) for share in window.shares.tolist()],
                    "emerging": [topic + 1 for topic in window.emerging],
                    "fading": [topic + 1 for topic in window.fading],
                }
                for window in self.windows
            ],
            "topics": [{"number": number, "words": words} for number, words in enumerate(self.words, start=1)],
            "alerts": [alert.to_dict() for alert in self.alerts],
            "notes": self.notes,
        }
