"""The table of results that people keep: a row for each document, with the reason for its score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tonmf.detector.explain.explanation import Explanation
from tonmf.text.documents import is_matrix, joined_items, take

if TYPE_CHECKING:
    from tonmf.ranking.ranking import Ranking

TYPES = {
    "rank": "whole",
    "id": "text",
    "score": "number",
    "p_value": "number",
    "outlier": "truth",
    "judged": "truth",
    "topic": "whole",
    "unexpected_terms": "texts",
    "reason": "text",
    "text": "text",
}
"""Columns of the table of results, in order, and what they hold (`tonmf.io.write`)."""

COLUMNS = tuple(TYPES)

TERMS = 10
"""Unexpected terms in a row of the table."""

AT_ONCE = 2000
"""Documents to score or explain at a time: enough to be quick, few enough to save memory and to show progress."""


def ignore(share: float) -> None:
    """Ignore progress."""


class Reason(NamedTuple):
    """What the table says of a document beside its score: its main topic, its unexpected words, and a sentence."""

    topic: int | None
    words: list[str]
    sentence: str | None

    @classmethod
    def of(cls, why: Explanation) -> Reason:
        """Take them from an explanation."""
        return cls(why.topic, [word.word for word in why.unexpected], why.reason)


NO_REASON = Reason(None, [], None)
"""Of a document whose reason nobody asked for."""


def columns_of(
    ranking: Ranking,
    numbers: Sequence[int],
    documents: Any,
    ids: Sequence[str],
    n_words: int = TERMS,
    on_done: Callable[[float], None] = ignore,
    reasons: str = "all",
) -> dict[str, list[Any]]:
    """Return the table of some documents of a ranking, given by their numbers, in the order in which they are given, by column.

    Documents whose score depends on embeddings that are not at hand, and that nobody makes, have no sentence for a reason.
    """
    chosen = np.asarray(numbers, np.int64)
    outliers = ranking.outliers[chosen]
    explained = np.flatnonzero(outliers | (reasons == "all")).tolist()
    reasons_of = [NO_REASON] * len(ids)
    n_done = 0
    for rows in stretches(explained):
        found = _reasons(ranking, chosen[rows].tolist(), take(documents, rows), [ids[row] for row in rows], n_words)
        for row, reason in zip(rows, found, strict=True):
            reasons_of[row] = reason
        n_done += len(rows)
        on_done(n_done / len(explained))
    topics, terms, said = (list(column) for column in zip(*reasons_of, strict=True)) if ids else ([], [], [])
    texts = [None] * len(ids) if is_matrix(documents) else [as_text(document) for document in documents]
    ranks, scores, p_values = (of[chosen].tolist() for of in (ranking.ranks, ranking.scores, ranking.p_values))
    known = (ranks, list(ids), scores, p_values, outliers.tolist(), ranking.judged[chosen].tolist())
    return dict(zip(COLUMNS, (*known, topics, terms, said, texts), strict=True))


def _reasons(
    ranking: Ranking, numbers: Sequence[int], documents: Any, ids: Sequence[str], n_words: int
) -> list[Reason]:
    """Return the reasons for the scores of some documents."""
    detector = ranking.detector
    if ranking.reasons is not None and ranking.fdr is None:
        known = [ranking.reasons[number] for number in numbers]
        return [Reason(topic, words[:n_words], sentence) for topic, words, sentence in known]
    embeddings = ranking.embeddings_of(numbers)
    if detector.uses_embeddings_ and embeddings is None and detector.embedder is None:
        found = zip(*detector.reasons(documents, n_words), strict=True)
        return [Reason(topic, [word.word for word in words], None) for topic, words in found]
    explained = detector.explain(documents, embeddings=embeddings, names=ids, n_words=n_words, n_nearest=0, n_missing=0)
    return [Reason.of(ranking.flagged(why, row)) for why, row in zip(explained, numbers, strict=True)]


def as_text(document: Any) -> str:
    """Return a text as it is, or the items of a basket on one line."""
    return document if isinstance(document, str) else joined_items(document)


def length_of(documents: Any, row: int) -> int:
    """Return the number of characters of a document as text; 0 for a row of counts."""
    return 0 if is_matrix(documents) else len(as_text(documents[row]))


def stretches(rows: Sequence[int]) -> Iterator[list[int]]:
    """Yield the rows in runs of `AT_ONCE`."""
    for start in range(0, len(rows), AT_ONCE):
        yield list(rows[start : start + AT_ONCE])
