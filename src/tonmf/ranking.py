"""Documents in order of their scores, with what there is to say about each: the table that people keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector import TextOutlierDetector
from tonmf.documents import is_matrix, take
from tonmf.ops import Array
from tonmf.unexpected import UnexpectedWord

COLUMNS = ("rank", "id", "score", "outlier", "topic", "unexpected_terms", "text")
"""Of a table of results, in this order."""

AT_ONCE = 2000
"""Documents that are looked at together: enough to be quick, and few enough to save memory and to show progress."""


def ignore(share: float) -> None:
    """Nobody wants to know how much is done."""


@dataclass(frozen=True)
class Ranking:
    """Scored documents.

    ============ ========== =====================================================
    field        shape      what
    ============ ========== =====================================================
    detector                what scored them
    documents    n_docs     as they were given
    ids          n_docs     what they are called
    scores       n_docs     higher is stranger
    order        n_docs     numbers of the documents, the strangest first
    ============ ========== =====================================================
    """

    detector: TextOutlierDetector
    documents: Any
    ids: Sequence[str]
    scores: Array
    order: NDArray[np.int64]

    @classmethod
    def of(cls, detector: TextOutlierDetector, documents: Any, ids: Sequence[str], scores: Array) -> Ranking:
        """Documents of equal score stay in the order in which they came."""
        return cls(detector, documents, ids, scores, np.argsort(-scores, kind="stable"))

    @classmethod
    def by(
        cls,
        detector: TextOutlierDetector,
        documents: Any,
        ids: Sequence[str],
        on_done: Callable[[float], None] = ignore,
    ) -> Ranking:
        """Documents as a fitted detector scores them, some at a time; `on_done` gets the share that is done."""
        scores = []
        for some in _stretches(list(range(len(ids)))):
            scores.append(detector.outlier_score(take(documents, some)))
            on_done((some[-1] + 1) / len(ids))
        return cls.of(detector, documents, ids, np.concatenate(scores))

    @property
    def outliers(self) -> NDArray[np.bool_]:
        """Which documents are above the threshold."""
        return self.scores > self.detector.threshold_

    def reasons(
        self, rows: Sequence[int], n_words: int, on_done: Callable[[float], None] = ignore
    ) -> tuple[list[int | None], list[list[UnexpectedWord]]]:
        """The main topic and the unexpected words of some documents."""
        topics: list[int | None] = []
        words: list[list[UnexpectedWord]] = []
        for some in _stretches(rows):
            of_some = self.detector.reasons(take(self.documents, some), n_words)
            topics += of_some[0]
            words += of_some[1]
            on_done(len(topics) / len(rows))
        return topics, words

    def text(self, row: int) -> str | None:
        """A document in writing: its text, or its items; None for a row of counts."""
        if is_matrix(self.documents):
            return None
        document = self.documents[row]
        return document if isinstance(document, str) else " ".join(map(str, document))

    def columns(self, n_words: int = 10, on_done: Callable[[float], None] = ignore) -> dict[str, list[Any]]:
        """The table of all documents, the strangest first; `on_done` gets the share that is done."""
        rows = self.order.tolist()
        topics, words = self.reasons(rows, n_words, on_done)
        outliers = self.outliers
        values: tuple[Iterable[Any], ...] = (
            range(1, len(rows) + 1),
            [self.ids[row] for row in rows],
            [float(self.scores[row]) for row in rows],
            [bool(outliers[row]) for row in rows],
            topics,
            [[word.word for word in of_document] for of_document in words],
            [self.text(row) for row in rows],
        )
        return {name: list(column) for name, column in zip(COLUMNS, values, strict=True)}


def _stretches(rows: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), AT_ONCE):
        yield list(rows[start : start + AT_ONCE])
