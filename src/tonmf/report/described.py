"""One document as a report has it: its explanation, and its text in pieces, those that are unexpected words marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.explain.explanation import LONGEST_WORD, Explanation
from tonmf.ranking import READ_AT_MOST, Ranking, pieces_of
from tonmf.text.pieces import Piece, excerpt

DETAILED = 1000
"""So many of the strangest documents, and all that are flagged, are described in full; others in short."""

IN_FULL = {"n_words": 10, "n_nearest": 3, "n_missing": 5}
IN_SHORT = {"n_words": 5, "n_nearest": 0, "n_missing": 0}
"""What is listed of a document."""

SEARCHED = 5
"""The part to show of a text that is cut is looked for among so many times as many characters."""

ALL_TEXT = 20_000_000
"""Characters that are kept of the texts in full, and again of those in short; if there are more, the longest are cut."""


@dataclass(frozen=True)
class Level:
    """How much is said about a document: in full or in short, and the characters that are kept of its text."""

    in_full: bool
    longest: int


def levels(ranking: Ranking) -> tuple[int, Level, Level]:
    """How many documents, the strangest first, are described in full; and what that means for them and for the rest."""
    n_detailed = max(DETAILED, int(ranking.outliers.sum()))
    rows = ranking.order.tolist()
    lengths = np.array([ranking.length(row) for row in rows], np.int64)
    return (
        n_detailed,
        Level(True, _longest_kept(lengths[:n_detailed])),
        Level(False, _longest_kept(lengths[n_detailed:])),
    )


def _longest_kept(lengths: NDArray[np.int64]) -> int:
    """The largest limit up to which all texts, cut to it, have no more than `ALL_TEXT` characters together."""
    ascending = np.sort(lengths)
    before = np.cumsum(ascending) - ascending
    left = len(ascending) - np.arange(len(ascending))
    # If the texts from number i on are cut to one length, this is what is left for each of them.
    room = (ALL_TEXT - before) // np.maximum(left, 1)
    cut = np.flatnonzero(ascending > room)
    return min(READ_AT_MOST, int(room[cut[0]])) if len(cut) else READ_AT_MOST


def describe(ranking: Ranking, row: int, why: Explanation, level: Level) -> dict[str, Any]:
    """A document in plain values: what `Explanation.to_dict` has, but for what is the same for all documents."""
    said: dict[str, Any] = {
        "id": why.id,
        "row": row,
        "score": why.score,
        "outlier": why.outlier,
        "sentence": why.sentence,
        "alarms": _rounded(why.alarms),
        "main_alarm": why.main_alarm,
        "parts": _rounded(why.parts),
        "unexplained": _rounded(vars(why.unexplained)),
        "unexpected": [
            {**vars(word), "word": _shown(word.word), "share": _round(word.share)} for word in why.unexpected
        ],
        "topic": why.topic,
        "topics": [{"number": lean.number, "share": _round(lean.share)} for lean in why.topics],
        "background": _round(why.background),
    }
    if level.in_full:
        said |= {
            "length": _rounded(vars(why.length)),
            "unknown": _rounded(vars(why.unknown)),
            "missing": why.missing,
            "nearest": [{**vars(near.document), "cosine": _round(near.cosine)} for near in why.nearest],
        }
    n_characters = ranking.length(row)
    read_at_most = min(SEARCHED * level.longest, READ_AT_MOST)
    pieces = pieces_of(ranking.detector, ranking.documents, row, why.unexpected, read_at_most)
    if n_characters > level.longest:
        said["cut"] = n_characters
        pieces = excerpt(pieces, level.longest)
    return {**said, "pieces": [_plain(piece) for piece in pieces]}


def _plain(piece: Piece) -> str | list[Any]:
    return [piece.text, _round(piece.share)] if piece.share > 0 else piece.text


def _shown(word: str) -> str:
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: _round(value) for name, value in values.items()}


def _round(value: float) -> float:
    """Four digits say all that is shown, and take less room."""
    return float(f"{value:.4g}")
