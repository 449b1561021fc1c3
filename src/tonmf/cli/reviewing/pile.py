"""The documents to review, and the detector whose scores of them follow marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.reading import FollowingScores
from tonmf.ranking import Ranking, columns_of, ignore, order_of, stretches
from tonmf.text.documents import first_copies, take


@dataclass(frozen=True)
class Pile:
    """Documents, and what scores them.

    ========= ======= ======================================================================================
    field     shape   what
    ========= ======= ======================================================================================
    detector          scores them, and takes their marks
    content   n_docs  the documents as they were given
    ids       n_docs  their ids
    judged    n_docs  False for documents without words, which cannot be marked
    unmarked  n_docs  their scores without marks
    firsts    n_docs  the number of the first document with the same content: one reading is enough for all copies
    following         new documents, by stretches; nothing if they are those that the detector was fitted on
    embeddings n_docs their embeddings, if there are any
    ========= ======= ======================================================================================
    """

    detector: FittedDetector
    content: Any
    ids: Sequence[str]
    judged: NDArray[np.bool_]
    unmarked: Array
    firsts: NDArray[np.int64]
    following: Sequence[FollowingScores] = ()
    embeddings: Array | None = None

    @classmethod
    def of_training(cls, ranking: Ranking) -> Pile:
        """Take the documents that a detector was fitted on."""
        detector, content = ranking.detector, ranking.documents
        judged, unmarked, firsts = ~detector.empty_, detector.unmarked_scores_, first_copies(content)
        return cls(detector, content, ranking.ids, judged, unmarked, firsts, embeddings=ranking.embeddings)

    @classmethod
    def of_new(
        cls,
        detector: FittedDetector,
        content: Any,
        ids: Sequence[str],
        on_done: Callable[[float], None] = ignore,
        embeddings: Array | None = None,
    ) -> Pile:
        """Score documents by a fitted detector, some at a time; `on_done` gets the share that is done."""
        following = []
        for some in stretches(list(range(len(ids)))):
            rows = None if embeddings is None else embeddings[some]
            following.append(detector.follow(take(content, some), embeddings=rows))
            on_done((some[-1] + 1) / len(ids))
        judged = np.concatenate([part.unmarked.judged for part in following])
        unmarked = np.concatenate([part.unmarked.total for part in following])
        return cls(detector, content, ids, judged, unmarked, first_copies(content), following, embeddings)

    def _embeddings_of(self, rows: list[int]) -> Array | None:
        return None if self.embeddings is None else self.embeddings[rows]

    def scores(self) -> Array:
        """Return the scores of all documents with the marks as they are now."""
        if not self.following:
            return self.detector.outlier_scores_
        return np.concatenate([self.detector.scores_of(part) for part in self.following])

    def mark(self, row: int, mark: str) -> None:
        """Mark a document as strange or fine."""
        if self.following:
            known = {"documents": take(self.content, [row]), "embeddings": self._embeddings_of([row])}
            self.detector.mark(**{mark: [0]}, **known, names=[self.ids[row]])
        else:
            self.detector.mark(**{mark: [row]})

    def unmark(self, row: int) -> None:
        """Take the mark of a document away."""
        self.detector.unmark([self.ids[row]])

    def explain(self, row: int) -> Explanation:
        """Explain the score of a document."""
        content, embeddings = take(self.content, [row]), self._embeddings_of([row])
        (why,) = self.detector.explain(content, embeddings=embeddings, names=[self.ids[row]], n_missing=0)
        return why

    def in_order(self, rows: Sequence[int]) -> list[int]:
        """Return some documents in the order of their scores, the strangest first."""
        chosen = set(rows)
        return [row for row in order_of(self.scores(), self.judged).tolist() if row in chosen]

    def table(self, rows: Sequence[int], on_done: Callable[[float], None] = ignore) -> dict[str, list[Any]]:
        """Return the table of results of some documents (`tonmf.ranking.TYPES`), with their ranks among all."""
        chosen, p_values = list(rows), None
        if self.following:
            p_values = np.ones(len(self.ids))
            if chosen:
                embeddings = self._embeddings_of(chosen)
                p_values[chosen] = self.detector.p_value(take(self.content, chosen), embeddings=embeddings)
        ranking = Ranking.of(self.detector, self.content, self.ids, self.scores(), p_values, self.embeddings)
        ids = [self.ids[row] for row in chosen]
        return columns_of(ranking, chosen, take(self.content, chosen), ids, on_done=on_done)
