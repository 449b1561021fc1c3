"""Documents in order of their scores, with what there is to say about each: the table that people keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.scores.groups import Group
from tonmf.detector.scores.scoring import WIDTHS
from tonmf.text.documents import TEXTS, is_matrix, note_on_copies, take
from tonmf.text.pieces import Piece
from tonmf.wording import number_of

COLUMNS = ("rank", "id", "score", "outlier", "topic", "unexpected_terms", "text")
"""Of a table of results, in this order."""

AT_ONCE = 2000
"""Documents that are looked at together: enough to be quick, and few enough to save memory and to show progress."""


READ_AT_MOST = 20_000
"""Characters of a document in which unexpected words are looked for, to be shown."""

FEW = 20
"""Documents below which there is little to learn."""

SMALL = 0.05
"""The share of the documents up to which a group is small enough to be shown."""

SAME_SCORE = 1e-6
"""How far scores of the same documents may be apart, by rounding."""


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
        for some in stretches(list(range(len(ids)))):
            scores.append(detector.outlier_score(take(documents, some)))
            on_done((some[-1] + 1) / len(ids))
        return cls.of(detector, documents, ids, np.concatenate(scores))

    @property
    def outliers(self) -> NDArray[np.bool_]:
        """Which documents are above the threshold."""
        return self.scores > self.detector.threshold_

    @property
    def rule(self) -> str:
        """By what rule documents are flagged."""
        threshold, contamination = self.detector.threshold_, self.detector.contamination
        if isinstance(contamination, str):
            return f"score above {threshold:.2f}, the automatic threshold: median + {WIDTHS:g} (P84 − median)"
        return f"score above {threshold:.2f}, so that {100 * contamination:g} % of the training documents are"

    @cached_property
    def is_of_training(self) -> bool:
        """Whether these are the documents that the detector was fitted on."""
        known = self.detector.outlier_scores_
        return self.scores is known or (
            len(known) == len(self.scores) and bool(np.allclose(known, self.scores, rtol=0, atol=SAME_SCORE))
        )

    @cached_property
    def empty(self) -> list[int]:
        """Numbers of documents without words, for which there is nothing to show; their scores are above all of training."""
        if self.scores is self.detector.outlier_scores_:
            return np.flatnonzero(self.detector.empty_).tolist()
        suspects = [row for row in self.order.tolist() if self.scores[row] > self.detector.highest_score_]
        if not suspects:
            return []
        empty = self.detector.alarms(take(self.documents, suspects))["empty"]
        return sorted(row for row, alarm in zip(suspects, empty, strict=True) if alarm > 0)

    @cached_property
    def observations(self) -> list[str]:
        """What one should know about the documents as they are."""
        notes, n_docs = [], len(self.ids)
        if self.is_of_training and n_docs < FEW:
            with_few = f"With {number_of(n_docs, 'document')} there is little to learn from"
            notes.append(f"{with_few}; take scores and the threshold with caution.")
        if self.detector.kind_ == TEXTS:
            notes += note_on_copies(n_docs - len(set(self.documents)))
        return notes

    @property
    def small_groups(self) -> list[Group]:
        """Documents that hang together but are rare, which may explain one another and so have ordinary scores.

        They are known of the documents that the detector was fitted on.
        """
        return [group for group in self.detector.groups_ if group.share <= SMALL] if self.is_of_training else []

    def reasons(
        self, rows: Sequence[int], n_words: int, on_done: Callable[[float], None] = ignore
    ) -> tuple[list[int | None], list[list[UnexpectedWord]]]:
        """The main topic and the unexpected words of some documents."""
        topics: list[int | None] = []
        words: list[list[UnexpectedWord]] = []
        for some in stretches(rows):
            of_some = self.detector.reasons(take(self.documents, some), n_words)
            topics += of_some[0]
            words += of_some[1]
            on_done(len(topics) / len(rows))
        return topics, words

    def text(self, row: int) -> str | None:
        """A document in writing: its text, or its items; None for a row of counts."""
        return None if is_matrix(self.documents) else in_writing(self.documents[row])

    def length(self, row: int) -> int:
        """Characters of a document in writing."""
        return len(self.text(row) or "")

    def explain(self, rows: Sequence[int], **how_much: Any) -> list[Explanation]:
        """Why some documents have the scores they have; `how_much` as in the detector's ``explain``."""
        return self.detector.explain(take(self.documents, rows), names=[self.ids[row] for row in rows], **how_much)

    def columns(
        self, n_words: int = 10, on_done: Callable[[float], None] = ignore, reasons: str = "all"
    ) -> dict[str, list[Any]]:
        """The table of all documents, the strangest first; `on_done` gets the share that is done.

        With ``reasons="outliers"`` the topic and the unexpected terms are given of flagged documents only.
        """
        rows, outliers = self.order.tolist(), self.outliers
        n_explained = int(outliers.sum()) if reasons == "outliers" else len(rows)
        topics, words = self.reasons(rows[:n_explained], n_words, on_done)
        topics += [None] * (len(rows) - n_explained)
        words += [[] for _ in range(len(rows) - n_explained)]
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


def in_writing(document: Any) -> str:
    """A text as it is, or the items of a basket."""
    return document if isinstance(document, str) else " ".join(map(str, document))


def pieces_of(
    detector: TextOutlierDetector,
    documents: Any,
    row: int,
    words: Sequence[UnexpectedWord],
    read_at_most: int = READ_AT_MOST,
) -> list[Piece]:
    """One of the documents as far as it is looked at, cut into pieces to show; of a row of counts, its terms."""
    if is_matrix(documents):
        return detector.pieces(detector.analyze(take(documents, [row])), words)
    return detector.pieces(documents[row][:read_at_most], words)


def stretches(rows: Sequence[int]) -> Iterator[list[int]]:
    """Some of the rows at a time."""
    for start in range(0, len(rows), AT_ONCE):
        yield list(rows[start : start + AT_ONCE])
