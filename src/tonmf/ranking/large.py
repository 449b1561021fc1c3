"""The training documents of a detector that are too many for memory."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.scores.scale import SAME_SCORE
from tonmf.errors import InputError
from tonmf.ranking.ranking import SIDE_BY_SIDE, Ranking, order_of
from tonmf.ranking.table import as_text, columns_of, ignore
from tonmf.text.batches import Batch, Batches, check_unchanged
from tonmf.text.documents import content_of
from tonmf.text.side_by_side import in_order

MOST_LISTED = 2000
"""Documents of a large ranking to keep for the lines to show: more than these are only counted as copies."""

T = TypeVar("T")


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

    @property
    def places(self) -> Container[int]:
        """Return the places that are known."""
        return self._known

    def put(self, place: int, value: T) -> None:
        """Make a place known."""
        self._known[place] = value


@dataclass(frozen=True)
class _Seen:
    """A batch of documents that were read again: the number of the first, hashes, lengths, and their rows of the table."""

    first: int
    batch: Batch
    contents: list[int]
    n_characters: list[int]
    columns: dict[str, list[Any]] | None = None


@dataclass(frozen=True, repr=False)
class LargeRanking(Ranking):
    """The training documents of a detector that are too many for memory: it has the documents and ids of a few rows only.

    `fingerprint` tells whether the documents have changed since (`tonmf.text.batches`). `contents` has a hash of each document,
    which tells copies apart from others, and `n_characters` its length as text, once they have been read.
    """

    fingerprint: Any = None
    contents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_characters: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of_training(cls, detector: FittedDetector, fingerprint: Any, embeddings: Array | None = None) -> LargeRanking:
        """Rank the training documents of a detector, without their texts and ids; `fetch` brings those.

        `embeddings` are those that were given, perhaps mapped into memory.
        """
        scores, judged = detector.outlier_scores_, ~detector.empty_
        documents, ids = Fetched[Any](len(scores)), Fetched[str](len(scores))
        order, contents = order_of(scores, judged), np.arange(len(scores))
        p_values = detector.p_values_
        n_characters = np.zeros(len(scores), np.int64)
        read = {"fingerprint": fingerprint, "contents": contents, "n_characters": n_characters}
        of_documents = {"embeddings": embeddings, **read}
        return cls(detector, documents, ids, scores, judged, order, p_values, **of_documents)

    @cached_property
    def observations(self) -> list[str]:
        """Return notes but on copies, which whoever reads the documents notes (`tonmf.io.document_files`)."""
        return self.on_boilerplate

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Return for each document the number of the first that has the same content and score."""
        order = np.argsort(self.contents, kind="stable")
        ascending = self.contents[order]
        is_first = np.append(True, ascending[1:] != ascending[:-1])
        del ascending  # of millions of documents, each such array counts
        again, starts = np.flatnonzero(~is_first), np.flatnonzero(is_first)
        rows, earlier = order[again], order[starts[np.searchsorted(starts, again, side="right") - 1]]
        same = np.abs(self.scores[rows] - self.scores[earlier]) <= SAME_SCORE
        firsts = np.arange(len(order))
        firsts[rows[same]] = earlier[same]
        return firsts

    def lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of characters of some documents as text."""
        return self.n_characters[rows]

    def _listable(self, top: int) -> NDArray[np.int64]:
        """Return the strangest documents down to the `top`-th different score, since copies have equal ones; not too many."""
        rows = super()._listable(top)[: max(MOST_LISTED, top)]
        other_score = np.flatnonzero(-np.diff(self.scores[rows]) > SAME_SCORE)
        return rows[: other_score[top - 1] + 1] if 0 < top <= len(other_score) else rows

    def names(self, rows: Iterable[int]) -> list[str]:
        """Return the ids of some documents, those that were fetched."""
        return [self.ids[row] for row in rows if row in self.ids.places]  # type: ignore[attr-defined]

    def fetch(
        self,
        batches: Batches,
        top: int,
        names: Iterable[int],
        write: Callable[[dict[str, list[Any]], Batch], None] | None = None,
        reasons: str = "outliers",
        on_done: Callable[[float], None] = ignore,
    ) -> None:
        """Read the documents once more: keep those of the first `top` lines, and the ids of `names`; write the table of all.

        `write` gets the columns of ``Ranking.columns`` and the batch that they are of, in the order of the documents. With
        ``reasons="outliers"`` only flagged documents get a topic, unexpected terms and a reason, which take longer to find
        than documents to read.
        """
        wanted, named = {*self._listable(top).tolist(), int(self.order[0])}, set(names)
        n_docs = len(self.scores)

        def look(read: tuple[int, Batch]) -> _Seen:
            """Do what takes time, for several batches side by side."""
            first, batch = read
            contents = [hash(content_of(document)) for document in batch.content]
            n_characters = [len(as_text(document)) for document in batch.content]
            if write is None:
                return _Seen(first, batch, contents, n_characters)
            rows = range(first, first + len(batch.ids))
            columns = columns_of(self, rows, batch.content, batch.ids, reasons=reasons)
            return _Seen(first, batch, contents, n_characters, columns)

        for seen in in_order(look, self.read_again(batches), min(SIDE_BY_SIDE, self.detector.n_readers_)):
            first, batch = seen.first, seen.batch
            last = first + len(batch.ids)
            for row in wanted.intersection(range(first, last)):
                self.documents.put(row, batch.content[row - first])
            known = sorted((wanted | named).intersection(range(first, last)))
            self.keep_ids(known, [batch.ids[row - first] for row in known])
            self.contents[first:last], self.n_characters[first:last] = seen.contents, seen.n_characters
            if write is not None and seen.columns is not None:
                write(seen.columns, batch)
            on_done(last / n_docs)

    def read_again(self, batches: Batches) -> Iterator[tuple[int, Batch]]:
        """Yield the batches of documents, and how many documents came before each; raise `InputError` if they have changed."""
        check_unchanged(batches, self.fingerprint)
        n_docs, first = len(self.scores), 0
        for batch in batches:
            last = first + len(batch.ids)
            if last > n_docs:
                break
            yield first, batch
            first = last
        else:
            if first == n_docs:
                check_unchanged(batches, self.fingerprint)
                return
        raise InputError(
            f"The documents have changed since they were learnt from: there were {n_docs:,}. Run again, on files that stay as "
            "they are."
        )

    def keep_ids(self, rows: Iterable[int], ids: Iterable[str]) -> None:
        """Remember what some documents are called."""
        for row, name in zip(rows, ids, strict=True):
            self.ids.put(row, name)  # type: ignore[attr-defined]
