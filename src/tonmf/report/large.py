"""Describe the documents of a report that do not fit into memory, as their files are read once more.

They come in the order of the files, and are wanted in that of their ranks. So each is described when it is read, and kept in a
temporary file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.embeddings import check_new_embeddings
from tonmf.ranking import LargeRanking, stretches
from tonmf.report.atlas import TopicMap
from tonmf.report.describing import Describer, Read
from tonmf.report.plan import Plan
from tonmf.storage.spool import Spool
from tonmf.text.batches import Batch, Batches

COLUMN = np.dtype(np.int32)
"""How columns of the unit row of a document are kept."""


class SpooledDocuments(Sequence[dict[str, Any]]):
    """The descriptions of documents, by place, in a temporary file; where they are on the map is known when all are."""

    def __init__(self, spool: Spool, atlas: TopicMap) -> None:
        self._spool, self._map = spool, atlas

    def __len__(self) -> int:
        return len(self._spool)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        document: dict[str, Any] = json.loads(self._spool.get(place).decode("utf-8", "surrogatepass"))
        x, y = self._places[place].tolist()
        return document | {"x": x, "y": y}

    @cached_property
    def _places(self) -> NDArray[np.float64]:
        return self._map.rounded

    def put(self, place: int, document: dict[str, Any]) -> None:
        """Keep the description of a document."""
        written = json.dumps(document, ensure_ascii=False, allow_nan=False)
        self._spool.put(place, written.encode("utf-8", "surrogatepass"))


class SpooledRows:
    """The unit rows of documents with reasons, by place, in a temporary file."""

    def __init__(self, spool: Spool, n_terms: int) -> None:
        self._spool, self._n_terms, self._value = spool, n_terms, np.dtype(np.float64)

    def put(self, places: Sequence[int], rows: sp.csr_matrix) -> None:
        """Keep the rows of documents at these places."""
        self._value = rows.dtype
        columns, values = rows.indices.astype(COLUMN), rows.data
        for place, start, end in zip(places, rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
            self._spool.put(place, columns[start:end].tobytes() + values[start:end].tobytes())

    def rows(self, start: int, end: int) -> sp.csr_matrix:
        """Return the rows from one place to another; fewer where there are no more."""
        records = [self._spool.get(place) for place in range(start, min(end, len(self._spool)))]
        width = COLUMN.itemsize + self._value.itemsize
        lengths = [len(record) // width for record in records]
        split = [length * COLUMN.itemsize for length in lengths]
        columns = np.frombuffer(b"".join(record[:at] for record, at in zip(records, split, strict=True)), COLUMN)
        values = np.frombuffer(b"".join(record[at:] for record, at in zip(records, split, strict=True)), self._value)
        return sp.csr_matrix((values, columns, np.append(0, np.cumsum(lengths))), shape=(len(records), self._n_terms))


def describe_files(
    describer: Describer, batches: Batches, folder: Path | None, on_done: Callable[[float], None]
) -> tuple[SpooledDocuments, SpooledRows]:
    """Describe the documents of files as they are read; return them, and the rows of those with reasons, by place."""
    ranking, plan = describer.ranking, describer.plan
    assert isinstance(ranking, LargeRanking)  # noqa: S101 (others have their documents)
    documents = SpooledDocuments(Spool(len(plan.rows), folder), describer.map)
    rows = SpooledRows(Spool(plan.n_reasoned, folder), ranking.detector.n_terms_)
    for first, batch in ranking.read_again(batches):
        for places, some in _by_level(plan, _places(plan, first, len(batch.ids))):
            read = _read(ranking, plan, places, some, first, batch)
            ranking.keep_ids(plan.rows[places].tolist(), [batch.ids[at] for at in some])
            for place, document in zip(places, describer.describe(places, read), strict=True):
                documents.put(place, document)
            if read.rows is not None:
                rows.put(places, read.rows)
        on_done((first + len(batch.ids)) / plan.n_docs)
    return documents, rows


def _places(plan: Plan, first: int, n_docs: int) -> list[tuple[int, int]]:
    """Return the place in the report and the place in a batch of the listed documents among those of the batch."""
    wanted = np.flatnonzero((plan.rows >= first) & (plan.rows < first + n_docs))
    return [(place, int(plan.rows[place]) - first) for place in wanted.tolist()]


def _by_level(plan: Plan, places: Sequence[tuple[int, int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield those of each level."""
    for level in (plan.full, plan.short, plan.bare):
        of_level = [both for both in places if plan.level(both[0]) is level]
        if of_level:
            yield [place for place, _ in of_level], [at for _, at in of_level]


def _read(ranking: LargeRanking, plan: Plan, places: list[int], some: list[int], first: int, batch: Batch) -> Read:
    embeddings = ranking.embeddings_of([first + at for at in some])
    documents, ids = [batch.content[at] for at in some], [batch.ids[at] for at in some]
    return Read.of(ranking, documents, ids, plan.level(places[0]), embeddings)


def listed_embeddings(ranking: LargeRanking, plan: Plan, batches: Batches) -> Array | None:
    """Return the embeddings of the listed documents at unit norm, made again or given; None if there are none."""
    detector = ranking.detector
    if not detector.uses_embeddings_:
        return None
    if ranking.embeddings is not None:
        given, width = ranking.embeddings, ranking.embeddings.shape[1]
        rows = np.zeros((len(plan.rows), width), np.float32)
        for places in stretches(range(len(plan.rows))):
            rows[places] = check_new_embeddings(given[plan.rows[places]], len(places), width)
        return rows
    made: NDArray[np.float32] | None = None
    for first, batch in ranking.read_again(batches):
        both = _places(plan, first, len(batch.ids))
        found = detector.embed([batch.content[at] for _, at in both]) if both else None
        if found is not None:
            made = np.zeros((len(plan.rows), found.shape[1]), np.float32) if made is None else made
            made[[place for place, _ in both]] = found
    return made
