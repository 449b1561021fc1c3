"""``tonmf detect --memory``: documents that are too many to be held."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from tonmf.cli.errors import in_flags
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.io.document_files import DocumentFiles

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.ranking import COLUMNS, Ranking, in_writing, stretches
from tonmf.text.batches import Batches, check_unchanged


def learn_large(screen: Screen, documents: DocumentFiles, **options: Any) -> LargeRanking:
    """Learn from files within a given memory, and rank their documents."""
    fingerprint = documents.fingerprint
    with screen.progress("Counting, then learning") as done:
        detector = TextOutlierDetector(**options, callback=done).fit(documents)
    detector.callback = None
    return rank_on_disk(detector, fingerprint)


def fetch_and_write(
    screen: Screen, ranking: LargeRanking, documents: DocumentFiles, top: int, output: str | None, reasons: str
) -> None:
    """Bring what is to be shown, and write the table of all documents on the way."""
    from tonmf.io.write import writing_table

    empty = set(ranking.empty)
    rows = list(islice((int(row) for row in ranking.order if int(row) not in empty), max(top, 1)))
    rows = rows or [int(ranking.order[0])]
    names = {*empty, *(int(row) for group in ranking.small_groups for row in group.documents)}
    table = writing_table(output, TYPES) if output else nullcontext()
    with screen.progress("Writing" if output else "Reading") as done, table as write:
        fetch(ranking, documents, rows, names, write, reasons, done)
    for note in documents.notes:  # known now, also if all was learnt before and is in the cache
        screen.note(in_flags(note))
    if output:
        screen.note(f"All {len(ranking.ids):,} documents are in {output}, in the order in which they came.")


T = TypeVar("T")

TYPES = {
    "rank": "whole",
    "id": "text",
    "score": "number",
    "outlier": "truth",
    "topic": "whole",
    "unexpected_terms": "texts",
    "text": "text",
}
"""What the columns of a table of results hold."""


class Fetched(Sequence[T], Generic[T]):
    """A sequence of which only some places are known."""

    def __init__(self, length: int) -> None:
        self._length, self._known = length, dict[int, T]()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._length))]
        return self._known[int(place)]

    def put(self, place: int, value: T) -> None:
        """Make a place known."""
        self._known[place] = value


@dataclass(frozen=True)
class LargeRanking(Ranking):
    """A `Ranking` that has the documents and names of a few rows only, and the fingerprint of the documents it is of."""

    fingerprint: Any = None

    @cached_property
    def observations(self) -> list[str]:
        """Which documents repeat others is told by who reads them (`tonmf.io.document_files`)."""
        return []


def rank_on_disk(detector: TextOutlierDetector, fingerprint: Any) -> LargeRanking:
    """The training documents of a detector, in order; their texts and names are still to come."""
    n_docs = len(detector.outlier_scores_)
    order = np.argsort(-detector.outlier_scores_, kind="stable")
    documents, names = Fetched[Any](n_docs), Fetched[str](n_docs)
    return LargeRanking(detector, documents, names, detector.outlier_scores_, order, fingerprint)


def fetch(
    ranking: LargeRanking,
    batches: Batches,
    rows: Iterable[int],
    names: Iterable[int],
    write: Callable[[dict[str, list[Any]]], None] | None = None,
    reasons: str = "outliers",
    on_done: Callable[[float], None] = lambda share: None,
) -> None:
    """Go through the documents once more: keep those of some rows, and the names of some; write the table of all of them.

    The table has the columns of ``Ranking.columns``, in the order in which documents come. With ``reasons="outliers"`` the
    topic and the unexpected terms are given of flagged documents only, since to find them takes longer than to read on.
    """
    check_unchanged(batches, ranking.fingerprint)
    wanted, named = set(rows), set(names)
    ranks = np.empty(len(ranking.order), np.int64)
    ranks[ranking.order] = np.arange(1, len(ranks) + 1)
    first = 0
    for batch in batches:
        last = first + len(batch.ids)
        if last > len(ranks):
            break
        for row in wanted.intersection(range(first, last)):
            ranking.documents.put(row, batch.content[row - first])
        for row in (wanted | named).intersection(range(first, last)):
            ranking.ids.put(row, batch.ids[row - first])  # type: ignore[attr-defined]
        if write is not None:
            here = slice(first, last)
            write(_columns(ranking, batch.ids, batch.content, ranks[here], ranking.scores[here], reasons))
        on_done(last / len(ranks))
        first = last
    else:
        if first == len(ranks):
            check_unchanged(batches, ranking.fingerprint)
            return
    raise InputError(
        f"The documents have changed since they were learnt from: there were {len(ranks):,}. Run again, on files that stay as "
        "they are."
    )


def _columns(
    ranking: LargeRanking,
    ids: Sequence[str],
    content: Sequence[Any],
    ranks: NDArray[np.int64],
    scores: NDArray[np.floating[Any]],
    reasons: str,
) -> dict[str, list[Any]]:
    outliers = scores > ranking.detector.threshold_
    chosen = np.flatnonzero(outliers | (reasons == "all")).tolist()
    topics: list[int | None] = [None] * len(ids)
    words: list[list[str]] = [[] for _ in ids]
    for some in stretches(chosen):
        of_some = ranking.detector.reasons([content[row] for row in some], n_words=10)
        for row, topic, unexpected in zip(some, *of_some, strict=True):
            topics[row], words[row] = topic, [word.word for word in unexpected]
    values = (ranks.tolist(), ids, scores.tolist(), outliers.tolist(), topics, words, map(in_writing, content))
    return {name: list(column) for name, column in zip(COLUMNS, values, strict=True)}
