"""One document of a report: its explanation, and its text in pieces, with the unexpected words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tonmf.detector.explain.explanation import Explanation, NearDocument, TopicShare, main_alarm_of
from tonmf.detector.explain.quotes import cut
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.ranking import READ_AT_MOST, Ranking, pieces_of
from tonmf.ranking.table import length_of
from tonmf.report.plan import Level
from tonmf.text.documents import content_key, is_matrix
from tonmf.text.pieces import Piece, excerpt

SEARCHED = 5
"""A text is cut to its most unexpected part, which is searched for in a beginning this many times as long."""


def describe(ranking: Ranking, row: int, documents: Any, at: int, why: Explanation, level: Level) -> dict[str, Any]:
    """Describe the document that is at a place of some documents, in plain values.

    They are those of `Explanation.to_dict`, without what is the same for all documents.
    """
    described: dict[str, Any] = {
        **_known(ranking, row, why.id, why.alarms, why.topics),
        "score": why.score,
        "outlier": why.outlier,
        "sentence": why.sentence,
        "reason": why.reason,
        "parts": _rounded(why.parts),
        "unexplained": _rounded(vars(why.unexplained)),
        "unexpected": [_word(word) for word in why.unexpected],
        "topic": why.topic,
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
    return described | _text(ranking, documents, at, why.unexpected, level)


def describe_bare(
    ranking: Ranking,
    row: int,
    documents: Any,
    at: int,
    name: str,
    alarms: Mapping[str, float],
    topic: int | None,
    topics: Sequence[TopicShare],
    level: Level,
) -> dict[str, Any]:
    """Describe a document that no reasons were made for."""
    return {
        **_known(ranking, row, name, alarms, topics),
        "sentence": None,
        "unexpected": [],
        "topic": topic,
        **_text(ranking, documents, at, [], level),
    }


def _known(
    ranking: Ranking, row: int, name: str, alarms: Mapping[str, float], topics: Sequence[TopicShare]
) -> dict[str, Any]:
    """Return what is said of every document."""
    return {
        "rank": int(ranking.ranks[row]),
        "id": name,
        "row": row,
        "score": float(ranking.scores[row]),
        "p_value": _round(float(ranking.p_values[row])),
        "outlier": bool(ranking.outliers[row]),
        "judged": bool(ranking.judged[row]),
        "alarms": _rounded(alarms),
        "main_alarm": main_alarm_of(alarms),
        "topics": [{"number": topic.number, "share": _round(topic.share)} for topic in topics],
    }


def _text(ranking: Ranking, documents: Any, at: int, words: Sequence[UnexpectedWord], level: Level) -> dict[str, Any]:
    """Return a document in pieces, cut if it is long, and a key of its content, which tells it again in another report.

    Words are marked where all is said of a document, and where a text is cut to what is around them; elsewhere the page marks
    them when it is opened, since most documents never are.
    """
    text: dict[str, Any] = {} if is_matrix(documents) else {"content": content_key(documents[at])}
    n_characters = length_of(documents, at)
    read_at_most = min(SEARCHED * level.longest, READ_AT_MOST)
    is_cut = n_characters > level.longest
    pieces = pieces_of(ranking.detector, documents, at, words if level.in_full or is_cut else [], read_at_most)
    if is_cut:
        text["cut"] = n_characters
        pieces = excerpt(pieces, level.longest)
    return {**text, "pieces": [_plain(piece) for piece in pieces]}


def _near(documents: Sequence[NearDocument]) -> list[dict[str, Any]]:
    return [{**vars(near.document), "cosine": _round(near.cosine)} for near in documents]


def _word(word: UnexpectedWord) -> dict[str, Any]:
    return {"word": cut(word.word), "share": _round(word.share), "count": word.count, "known": word.known}


def _plain(piece: Piece) -> str | list[Any]:
    return [piece.text, _round(piece.share)] if piece.share > 0 else piece.text


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: _round(value) for name, value in values.items()}


@lru_cache(10_000)
def _round(value: float) -> float:
    """Round to four digits: no more are shown, and they take less room."""
    return float(f"{value:.4g}")
