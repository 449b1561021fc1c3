"""The results of a timeline: windows of time, new topics, and the documents in order."""

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
        In seconds since 1970, UTC; the end is the start of the next.
    n_docs : int
        Documents in it.
    n_outliers : int
        Flagged documents, each by the model at its time.
    shares : ndarray of shape (n_topics,)
        Mean share of a document's weight that each topic explains.
    emerging, fading : list of int
        Topics that emerge and fade in it (`tonmf.timeline.trends`).
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
        """Return the share of its documents that are outliers."""
        return self.n_outliers / max(self.n_docs, 1)

    @property
    def has_few(self) -> bool:
        """Return whether it has fewer than 20 documents, too few for a topic to emerge or fade."""
        return 0 < self.n_docs < ENOUGH


@dataclass(frozen=True)
class Alert:
    """A new topic, and its number in the timeline."""

    topic: int
    new: NewTopic

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {**self.new.to_dict(), "topic": self.topic + 1}


@dataclass(frozen=True)
class Timeline:
    """Scored documents, windows and new topics, in order of time.

    ========= =================== ====================================================================
    field     shape               what
    ========= =================== ====================================================================
    windows   n_windows           consecutive windows of time, empty ones included
    words     n_topics            first words of each topic as it is in the end; of a new one, those of its alert
    alerts                        new topics, in the order in which they were found
    rows      n_docs              numbers of the documents, as they were given, in order of time
    ids       n_docs              what they are called
    times     n_docs              in seconds since 1970, UTC
    scores    n_docs              each by the model at its time
    outliers  n_docs              whether it was flagged
    judged    n_docs              False for documents without words, which are not judged
    topics    n_docs              the topic that explains most of it, from 0 up; -1 if none explains a tenth
    reasons   n_docs              its unexpected words
    notes                         what a reader should know, in sentences
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
    judged: NDArray[np.bool_]
    topics: NDArray[np.int64]
    reasons: list[list[str]]
    notes: list[str]

    def columns(self) -> dict[str, list[Any]]:
        """Return a table of the documents, in order of time."""
        return {
            "time": [time_text(seconds) for seconds in self.times.tolist()],
            "id": list(self.ids),
            "score": self.scores.tolist(),
            "outlier": self.outliers.tolist(),
            "judged": self.judged.tolist(),
            "topic": [topic + 1 if topic >= 0 else None for topic in self.topics.tolist()],
            "unexpected_terms": [list(words) for words in self.reasons],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return windows, topics and alerts as a dictionary for JSON."""
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
