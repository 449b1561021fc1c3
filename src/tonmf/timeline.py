"""Documents in order of time: scores by the model of the moment, topics that come and go, new ones (docs/guide/timeline.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tonmf.births import NewTopic, Nursery
from tonmf.detector import TextOutlierDetector
from tonmf.documents import COUNTS, as_documents, check_names
from tonmf.errors import InputError
from tonmf.ops import Array
from tonmf.parameters import check_at_least
from tonmf.times import UNITS, duration_of, duration_text, seconds_of, time_text
from tonmf.walk import Walk, Windows
from tonmf.windows import Alert, Timeline, Window

__all__ = ["Alert", "NewTopic", "Nursery", "Timeline", "Window", "follow", "note_on_first"]

BATCH = 100
"""Documents after which the model learns."""

PUT_IN_ORDER = "The documents did not come in order of time, and were put in order."

ENOUGH_FIRST = 200
"""Documents that a model should have learnt from before a timeline begins; of fewer, a note is made."""


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
    """Go through documents in order of time with a fitted detector.

    Each document is scored by the model of its moment, then learnt. Strange ones that come to hang together become a topic of
    the model (`tonmf.births`), which is announced once. The detector is changed: it ends as one that has seen them all.

    Parameters
    ----------
    detector : TextOutlierDetector
        Fitted on earlier documents.
    documents : as in ``fit``
    times : sequence of shape (n_docs,)
        When each was written: datetimes, ISO 8601, mail dates or seconds since 1970. Documents are put in order by them; those
        of equal times stay in the order given.
    window : str or timedelta
        Length of a window, such as "7 days".
    ids : sequence of shape (n_docs,), optional
        What the documents are called; their numbers if not given.
    learn : bool
        Whether the detector learns from the documents. New topics are added in any case.
    batch : int
        Documents after which it learns.
    nursery : Nursery, optional
        Where strange documents of before are kept. Without one, bursts are compared with the first documents.
    on_done : callable, optional
        Called with the share that is done, from 0 to 1.

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
    ([(100, 2), (100, 1)], [])
    """
    check_is_fitted(detector)
    check_at_least(batch, 1, "batch")
    if detector.uses_embeddings_:
        raise InputError("A timeline is made of words; the detector was fitted with embeddings. Fit one without.")
    documents, kind = as_documents(documents)
    n_docs = documents.shape[0] if kind == COUNTS else len(documents)
    names, seconds = check_names(ids, n_docs), seconds_of(times, n_docs)
    length = duration_of(window, "window")
    order = np.argsort(seconds, kind="stable").astype(np.int64)
    windows = Windows.over(seconds, length)
    first = note_on_first(_n_learnt(detector))
    walk = Walk(detector, Nursery() if nursery is None else nursery, documents, names, seconds, learn)
    with detector._keeping_topics():
        for start in range(0, n_docs, batch):
            for seen in walk.go(order[start : start + batch]):
                windows.add(seconds[seen.rows], seen)
            if on_done is not None:
                on_done(min(start + batch, n_docs) / n_docs)
    return walk.timeline(order, windows, [*first, *_notes(seconds, windows)])


def note_on_first(n_docs: int) -> list[str]:
    """What to say of a model that has learnt from so many documents before the timeline; nothing if they are enough.

    >>> note_on_first(200)
    []
    """
    if n_docs >= ENOUGH_FIRST:
        return []
    documents = f"{n_docs:,} document{'' if n_docs == 1 else 's'}"
    few = f"With only {documents} to learn from before the timeline begins, the model cannot know what is ordinary"
    advice = f"Give a longer warm-up, of {ENOUGH_FIRST} documents or more if there are as many"
    return [f"{few}: the first scores, outliers and topics mean little. {advice}."]


def _n_learnt(detector: TextOutlierDetector) -> int:
    state = detector._state
    return state.profile.n_docs if state.stream is None else state.stream.n_seen


def _notes(seconds: Array, windows: Windows) -> list[str]:
    notes = []
    if (np.diff(seconds) < 0).any():
        notes.append(PUT_IN_ORDER)
    if len(seconds) > 1 and seconds.min() == seconds.max():
        notes.append(f"All documents have the same time, {time_text(seconds[0])}, so there is nothing to compare.")
    elif len(windows.tallies) == 1 and len(seconds) > 1:
        n_days = (seconds.max() - seconds.min()) / UNITS["day"]
        span = f"{n_days:,.0f} days" if n_days >= 10 else f"{n_days:.2g} days"
        length = duration_text(windows.length)
        notes.append(f"All documents lie within {span}, in one window of {length}: give a shorter one to see changes.")
    return notes
