"""A document as pieces to show, those that make it strange marked; and the stretch of it that is worth showing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tonmf.words import HAS_UNSPACED, unicode_word


@dataclass(frozen=True)
class Piece:
    """Some characters of a document, and the share of the unexpected word that they are; 0 if they are none."""

    text: str
    share: float = 0.0


def pieces_of_items(items: Iterable[str], shares: Mapping[str, float]) -> list[Piece]:
    """The items of a basket, with spaces between them."""
    pieces: list[Piece] = []
    for item in items:
        pieces += [Piece(" ")] * bool(pieces) + [Piece(item, shares.get(item, 0.0))]
    return pieces


def pieces_of_text(text: str, shares: Mapping[str, float], analyze: Callable[[str], Iterable[str]]) -> list[Piece]:
    """A text cut where unexpected terms begin and end; together the pieces are the text.

    Parameters
    ----------
    text : str
    shares : mapping of str to float
        Unexpected terms and their shares.
    analyze : callable
        What makes terms of a text, so that a word is found in whatever form it stands there.
    """
    pieces, done = [], 0
    for start, end, share in sorted(_marks(text, shares, analyze)):
        if start < done:
            continue
        pieces += [Piece(text[done:start])] * (start > done) + [Piece(text[start:end], share)]
        done = end
    return pieces + [Piece(text[done:])] * (done < len(text))


def _marks(
    text: str, shares: Mapping[str, float], analyze: Callable[[str], Iterable[str]]
) -> Iterator[tuple[int, int, float]]:
    """Places of unexpected terms: single words, runs of words, or characters within a word."""
    words: list[tuple[int, int, str]] = []
    for found in unicode_word().finditer(text):
        terms = list(analyze(found.group()))
        if len(terms) == 1 and not HAS_UNSPACED.search(found.group()):
            words.append((*found.span(), terms[0]))
        else:  # pairs of characters in scripts without spaces, or terms that are characters
            for term in terms:
                place = found.group().lower().find(term.strip().lower()) if term in shares else -1
                if place >= 0:
                    yield found.start() + place, found.start() + place + len(term.strip()), shares[term]
    lengths = sorted({term.count(" ") + 1 for term in shares}, reverse=True)
    for first in range(len(words)):
        for n_words in lengths:
            run = words[first : first + n_words]
            share = shares.get(" ".join(term for _, _, term in run), 0.0) if len(run) == n_words else 0.0
            if share > 0:
                yield run[0][0], run[-1][1], share
                break


def excerpt(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """The stretch of at most so many characters with most of the unexpected words, on one line.

    Where the beginning is as good as any other place, it is the beginning; what is left out is marked by "…".
    """
    line = [Piece(_one_line(piece.text), piece.share) for piece in pieces]
    starts = [0]
    for piece in line:
        starts.append(starts[-1] + len(piece.text))
    if starts[-1] <= width:
        return line
    best, most = 0, _share_from(line, starts, 0, width)
    for first, piece in enumerate(line):
        if piece.share > 0 and starts[first] > 0:
            share = _share_from(line, starts, first, width - 1)
            if share > most:
                best, most = first, share
    return _cut(line[best:], width, cut_before=best > 0)


def _share_from(line: Sequence[Piece], starts: Sequence[int], first: int, width: int) -> float:
    share, place = 0.0, first
    while place < len(line) and starts[place + 1] <= starts[first] + width - 1:
        share += line[place].share
        place += 1
    return share


def _cut(line: Sequence[Piece], width: int, cut_before: bool) -> list[Piece]:
    """At most `width` characters of it, with marks where something is missing."""
    kept, room = [Piece("…")] * cut_before, width - cut_before
    if sum(len(piece.text) for piece in line) <= room:
        return [*kept, *line]
    for piece in line:
        kept.append(Piece(piece.text[: room - 1], piece.share))
        room -= len(piece.text)
        if room <= 1:
            break
    return [*kept, Piece("…")]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def document_pieces(document: Any, shares: Mapping[str, float], analyze: Callable[[Any], Iterable[str]]) -> list[Piece]:
    """The pieces of a text, or of a basket."""
    return pieces_of_text(document, shares, analyze) if isinstance(document, str) else pieces_of_items(document, shares)
