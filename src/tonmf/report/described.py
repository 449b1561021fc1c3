"""One document of a report: its explanation, and its text in pieces, with the unexpected words marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.explain.explanation import Explanation, NearDocument
from tonmf.detector.explain.quotes import cut
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.ranking import READ_AT_MOST, Ranking, pieces_of
from tonmf.text.pieces import Piece, excerpt

DETAILED = 1000
"""The strangest documents, at least this many and all that are flagged, are described in full; the others in short."""

IN_FULL = {"n_words": 10, "n_nearest": 3, "n_missing": 5}
IN_SHORT = {"n_words": 5, "n_nearest": 0, "n_missing": 0}
"""Numbers of words and documents that are listed."""

SEARCHED = 5
"""A text is cut to its most unexpected part, which is searched for in a beginning this many times as long."""

ALL_TEXT = 20_000_000
"""Characters to keep of all texts described in full, and again of those in short; if there are more, the longest are cut."""


@dataclass(frozen=True)
class Level:
    """Describes documents in full or in short, with so many characters of the text."""

    in_full: bool
    longest: int


def levels(ranking: Ranking) -> tuple[int, Level, Level]:
    """Return how many documents, the strangest first, to describe in full, and the levels for these and for the rest."""
    n_detailed = max(DETAILED, int(ranking.outliers.sum()))
    rows = ranking.order.tolist()
    lengths = np.array([ranking.length(row) for row in rows], np.int64)
    return (
        n_detailed,
        Level(True, _longest_kept(lengths[:n_detailed])),
        Level(False, _longest_kept(lengths[n_detailed:])),
    )


def _longest_kept(lengths: NDArray[np.int64]) -> int:
    """Return the largest length such that all texts, cut to it, have at most `ALL_TEXT` characters together."""
    ascending = np.sort(lengths)
    before = np.cumsum(ascending) - ascending
    left = len(ascending) - np.arange(len(ascending))
    # If the texts from number i on are cut to one length, this is what is left for each of them.
    room = (ALL_TEXT - before) // np.maximum(left, 1)
    cut = np.flatnonzero(ascending > room)
    return min(READ_AT_MOST, int(room[cut[0]])) if len(cut) else READ_AT_MOST


def describe(ranking: Ranking, row: int, why: Explanation, level: Level) -> dict[str, Any]:
    """Describe a document in plain values: `Explanation.to_dict` without what is the same for all documents."""
    described: dict[str, Any] = {
        "rank": int(ranking.ranks[row]),
        "id": why.id,
        "row": row,
        "score": why.score,
        "p_value": _round(why.p_value),
        "outlier": why.outlier,
        "judged": why.judged,
        "sentence": why.sentence,
        "reason": why.reason,
        "alarms": _rounded(why.alarms),
        "main_alarm": why.main_alarm,
        "parts": _rounded(why.parts),
        "unexplained": _rounded(vars(why.unexplained)),
        "unexpected": [_word(word) for word in why.unexpected],
        "topic": why.topic,
        "topics": [{"number": topic.number, "share": _round(topic.share)} for topic in why.topics],
    }
    if level.in_full:
        described |= {
            "length": _rounded(vars(why.length)),
            "unknown": _rounded(vars(why.unknown)),
            "missing": why.missing,
            "nearest": _near(why.nearest),
        }
        if why.nearest_by_meaning:
            described["nearest_by_meaning"] = _near(why.nearest_by_meaning)
    n_characters = ranking.length(row)
    read_at_most = min(SEARCHED * level.longest, READ_AT_MOST)
    pieces = pieces_of(ranking.detector, ranking.documents, row, why.unexpected, read_at_most)
    if n_characters > level.longest:
        described["cut"] = n_characters
        pieces = excerpt(pieces, level.longest)
    return {**described, "pieces": [_plain(piece) for piece in pieces]}


def _near(documents: Sequence[NearDocument]) -> list[dict[str, Any]]:
    return [{**vars(near.document), "cosine": _round(near.cosine)} for near in documents]


def _word(word: UnexpectedWord) -> dict[str, Any]:
    return {"word": cut(word.word), "share": _round(word.share), "count": word.count, "known": word.known}


def _plain(piece: Piece) -> str | list[Any]:
    return [piece.text, _round(piece.share)] if piece.share > 0 else piece.text


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: _round(value) for name, value in values.items()}


def _round(value: float) -> float:
    """Round to four digits: no more are shown, and they take less room."""
    return float(f"{value:.4g}")
