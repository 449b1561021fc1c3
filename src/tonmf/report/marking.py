"""What the page of a report needs to follow a reader's marks by itself: rows of documents, and the rule (`MarkRule`).

The page computes what `tonmf.detector.marks.effects` does, from rows that are rounded to `STEPS` values. It has those of as
many documents as fit into `ROOM`, the strangest first, and those of the ordinary documents that move the threshold. Documents
without a row keep their scores.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import LITTLE
from tonmf.detector.marks.effects import NOISE
from tonmf.detector.marks.likeness import NOTHING_LEFT
from tonmf.detector.marks.marks import FINE, FINE_SCORE, LEAST_RISE, STRANGE, STRANGE_SCORE
from tonmf.detector.marks.rule import MarkRule
from tonmf.detector.scores.scoring import MOST_FLAGGED, NO_LUMP, UPPER_WIDTHS, WIDTHS
from tonmf.nmf.threshold import UPPER_QUANTILE
from tonmf.ranking import Ranking, stretches
from tonmf.text.documents import take

ROOM = 2_000_000
"""Bytes of a page for the rows of documents."""

OF_A_TERM, OF_A_DOCUMENT = 5, 40
"""Bytes that a term of a row takes, and what a document takes beside its terms: packed, and as text."""

STEPS = 2**16 - 1
"""Values of a row are sent as whole multiples of 1 / STEPS, so likenesses are right to 0.0001 and scores to about 0.001."""

FOR_ORDINARY = 0.5
"""Share of the room that rows of ordinary documents may take which are not among the documents of the report."""


RowsOf = Callable[[int, int], sp.csr_matrix]
"""The unit rows of documents, from one place of the order to another; fewer where there are no more."""


@dataclass
class MarkedRows:
    """Unit rows of the strangest documents, as long as there may be room for them."""

    parts: list[sp.csr_matrix] = field(default_factory=list)
    size: int = 0

    def add(self, rows: sp.csr_matrix | None) -> None:
        """Keep the rows of the documents that come next, unless there is enough."""
        if rows is not None and self.size < 2 * ROOM:
            self.parts.append(rows)
            self.size += OF_A_TERM * rows.nnz + OF_A_DOCUMENT * rows.shape[0]

    def rows(self, start: int, end: int) -> sp.csr_matrix:
        """Return the rows from one place to another."""
        if len(self.parts) > 1:
            self.parts = [sp.csr_matrix(sp.vstack(self.parts, format="csr"))]
        return self.parts[0][start:end] if self.parts else sp.csr_matrix((0, 0))


def marking_of(
    ranking: Ranking, rows_of: RowsOf | None = None, listed: NDArray[np.int64] | None = None
) -> dict[str, Any] | None:
    """Return what a page needs to follow marks, ready for JSON; None for a detector with embeddings.

    ``documents`` is how many documents, the strangest first, have a row and so can be marked. `rows_of` returns rows that are
    known already. `listed` are the documents of the report, if it does not list all.
    """
    listed = ranking.order if listed is None else listed
    if ranking.detector.uses_embeddings_:
        return None
    rule = ranking.detector.mark_rule()
    packed = PackedRows(rule)
    marks = _marks(rule, packed)
    ordinary = _ordinary(rule, packed)
    places, unmarked = _documents(ranking, rule, packed, rows_of or _counted_rows(ranking))
    return {
        "fingerprint": _fingerprint(ranking, marks, listed),
        "room": ROOM,
        "documents": len(places),
        "ordinary": {"rows": ordinary, "all": rule.ordinary.shape[0]},
        "marks": marks,
        "rows": packed.plain(),
        "row_of": places,
        "unmarked": unmarked,
        "rule": {
            "square": rule.centred.square,
            "nothing_left": NOTHING_LEFT,
            "unit": rule.unit,
            "noise": NOISE,
            "wanted": {STRANGE: STRANGE_SCORE, FINE: FINE_SCORE},
            "least_rise": LEAST_RISE,
            "threshold": rule.threshold,
            "highest": rule.highest,
            "share": _share(ranking, rule, len(listed)),
            "little": LITTLE,
            "level": {
                "widths": WIDTHS,
                "upper": UPPER_QUANTILE,
                "most_flagged": MOST_FLAGGED,
                "upper_widths": UPPER_WIDTHS,
                "no_lump": NO_LUMP,
            },
        },
    }


@dataclass
class PackedRows:
    """Rounded rows, each different one once, and the bytes that they take in a page."""

    rule: MarkRule
    size: int = 0
    rows: list[tuple[NDArray[np.integer[Any]], NDArray[np.int64]]] = field(default_factory=list)
    onto_mean: list[float] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, rows: sp.csr_matrix, most: float) -> list[int]:
        """Add rows as long as there is room; return their numbers."""
        onto_mean = self.rule.onto_mean(rows).round(7).tolist()
        numbers: list[int] = []
        for number in range(rows.shape[0]):
            inside = slice(rows.indptr[number], rows.indptr[number + 1])
            columns, values = rows.indices[inside], np.rint(STEPS * rows.data[inside]).astype(np.int64)
            key = columns.tobytes() + values.tobytes()
            if key not in self._numbers:
                if self.size + _size(len(columns)) > most:
                    break
                self.size += _size(len(columns))
                self._numbers[key] = len(self.rows)
                self.rows.append((columns, values))
                self.onto_mean.append(onto_mean[number])
            numbers.append(self._numbers[key])
        return numbers

    def plain(self) -> dict[str, Any]:
        """Return the rows one after the other; columns are numbered anew, and each is given by its distance from the last."""
        none = np.zeros(0, np.int64)
        columns = np.concatenate([none, *(columns for columns, _ in self.rows)])
        values = np.concatenate([none, *(values for _, values in self.rows)])
        used, numbers = np.unique(columns, return_inverse=True)
        lengths = [len(columns) for columns, _ in self.rows]
        begins = np.append(0, np.cumsum(lengths, dtype=np.int64))[:-1][np.array(lengths, np.int64) > 0]
        steps = np.diff(numbers, prepend=0)
        steps[begins] = numbers[begins]
        return {
            "steps": STEPS,
            "n_columns": len(used),
            "lengths": lengths,
            "columns": steps.tolist(),
            "values": values.tolist(),
            "onto_mean": self.onto_mean,
        }


def _size(n_terms: int) -> int:
    return OF_A_TERM * n_terms + OF_A_DOCUMENT


def _marks(rule: MarkRule, packed: PackedRows) -> list[dict[str, Any]]:
    """Return the marks that the scores follow already; their rows are sent in any case."""
    if rule.marks is None:
        return []
    rows = packed.add(rule.marks.rows, np.inf)
    named = zip(rule.marks.named().items(), rule.marks.gaps.tolist(), rows, strict=True)
    return [{"id": name, "mark": mark, "gap": gap, "row": row} for (name, mark), gap, row in named]


def _ordinary(rule: MarkRule, packed: PackedRows) -> list[int]:
    """Return the rows of the ordinary documents; of evenly chosen ones if there is no room for all."""
    sizes = OF_A_TERM * np.diff(rule.ordinary.indptr) + OF_A_DOCUMENT
    fits = min(1.0, FOR_ORDINARY * ROOM / max(int(sizes.sum()), 1))
    some = np.unique(np.linspace(0, len(sizes) - 1, int(fits * len(sizes))).astype(int))
    return packed.add(rule.ordinary[some], np.inf)


def _counted_rows(ranking: Ranking) -> RowsOf:
    return lambda start, end: ranking.detector.unit_rows(take(ranking.documents, ranking.order[start:end].tolist()))


def _documents(ranking: Ranking, rule: MarkRule, packed: PackedRows, rows_of: RowsOf) -> tuple[list[int], list[float]]:
    """Return the rows of the strangest documents, and their scores without marks."""
    numbers: list[int] = []
    unmarked: list[float] = []
    judged = ranking.order[: int(ranking.judged.sum())].tolist()
    for some in stretches(judged):
        rows = rows_of(len(numbers), len(numbers) + len(some))
        added = packed.add(rows, ROOM)
        scores: Array = ranking.scores[some[: rows.shape[0]]] - rule.added(rows)
        numbers += added
        unmarked += scores[: len(added)].tolist()
        if len(added) < len(some):
            break
    n_docs = _without_torn_tie(ranking.scores[judged], len(numbers))
    return numbers[:n_docs], unmarked[:n_docs]


def _without_torn_tie(descending: Array, n_docs: int) -> int:
    """Return a number of documents, at most `n_docs`, after which the score changes: copies stay together."""
    while 0 < n_docs < len(descending) and descending[n_docs - 1] == descending[n_docs]:
        n_docs -= 1
    return n_docs


def _share(ranking: Ranking, rule: MarkRule, n_listed: int) -> float | None:
    """Return the share of the listed documents to flag, if the share of all documents is given."""
    if rule.share is None or not ranking.is_of_training:
        return None
    n_judged = int(ranking.judged.sum())
    return rule.share if n_judged <= n_listed else min(rule.share * n_judged / n_listed, 1.0)


def _fingerprint(ranking: Ranking, marks: Sequence[dict[str, Any]], listed: NDArray[np.int64]) -> str:
    """Return what tells the report of these documents, scores and marks from any other, for what a browser stores."""
    digest = hashlib.sha256()
    for part in _parts(ranking, marks, listed):
        digest.update(part)
    return digest.hexdigest()[:32]


def _parts(ranking: Ranking, marks: Sequence[dict[str, Any]], listed: NDArray[np.int64]) -> Iterator[bytes]:
    yield json.dumps([ranking.names(listed.tolist()), [[one["id"], one["mark"]] for one in marks]]).encode()
    yield ranking.scores.round(6).tobytes()
