"""Cut a document into pieces to show, unexpected words marked, and choose the stretch that is worth showing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tonmf.text.documents import between_items

Span = tuple[int, int, str]
"""(start, end, term) of a word in a text."""


class Piece(NamedTuple):
    """Some characters of a document, and their share if they are an unexpected word; otherwise 0."""

    text: str
    share: float = 0.0


def pieces_of_items(items: Iterable[Any], shares: Mapping[str, float]) -> list[Piece]:
    """Make a piece of each item of a basket, with spaces between them, or commas where items have spaces in them."""
    pieces: list[Piece] = []
    names = list(map(str, items))
    between = Piece(between_items(names))
    for item in names:
        pieces += [between] * bool(pieces) + [Piece(item, shares.get(item, 0.0))]
    return pieces


def as_it_is(text: str) -> str:
    """Return a text."""
    return text


def pieces_of_text(
    text: str, shares: Mapping[str, float], spans: Iterable[Span] | None, shown: Callable[[str], str] = as_it_is
) -> list[Piece]:
    """Cut a text where unexpected terms begin and end; together the pieces are the text.

    Parameters
    ----------
    text : str
    shares : mapping of str to float
        Unexpected terms and their shares.
    spans : iterable of (start, end, term), optional
        The words of the text, so that a term is found in whatever form it stands there. If not given, terms are sequences
        of characters.
    shown : callable
        What to show of a piece.
    """
    marks = _places_of_characters(text, shares) if spans is None else _places_of_words(list(spans), shares)
    pieces, done = list[Piece](), 0
    for start, end, share in sorted(marks):
        start = max(start, done)
        if end > start:
            if start > done:
                pieces.append(Piece(shown(text[done:start])))
            pieces.append(Piece(shown(text[start:end]), share))
            done = end
    if done < len(text):
        pieces.append(Piece(shown(text[done:])))
    return pieces


def _places_of_words(words: Sequence[Span], shares: Mapping[str, float]) -> Iterator[tuple[int, int, float]]:
    """Yield (start, end, share) of unexpected terms, longer sequences of words before shorter ones."""
    lengths = sorted({term.count(" ") + 1 for term in shares}, reverse=True)
    if lengths == [1]:
        yield from ((start, end, share) for start, end, term in words if (share := shares.get(term, 0.0)) > 0)
        return
    for first in range(len(words)):
        for n_words in lengths:
            run = words[first : first + n_words]
            share = shares.get(" ".join(term for _, _, term in run), 0.0) if len(run) == n_words else 0.0
            if share > 0:
                yield run[0][0], run[-1][1], share
                break


def _places_of_characters(text: str, shares: Mapping[str, float]) -> Iterator[tuple[int, int, float]]:
    # Letter by letter, since some letters are two in lower case, which would move all that follow.
    lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    for term, share in shares.items():
        wanted = term.strip().lower()
        place = lowered.find(wanted) if wanted and share > 0 else -1
        while place >= 0:
            yield place, place + len(wanted), share
            place = lowered.find(wanted, place + len(wanted))


def excerpt(pieces: Sequence[Piece], width: int, measure: Callable[[str], int] = len) -> list[Piece]:
    """Return the stretch of at most `width` characters that has most of the unexpected words, on one line.

    Prefer the beginning where no other place is better, and mark what is left out by "…". `measure` returns the width of a
    text, for outputs where some characters are wider than others.
    """
    line = [Piece(re.sub(r"\s+", " ", piece.text), piece.share) for piece in pieces]
    starts = [0]
    for piece in line:
        starts.append(starts[-1] + measure(piece.text))
    if starts[-1] <= width:
        return line
    best, most = 0, _share_from(line, starts, 0, width)
    for first, piece in enumerate(line):
        if piece.share > 0 and starts[first] > 0:
            share = _share_from(line, starts, first, width - 1)
            if share > most:
                best, most = first, share
    return _cut(line[best:], width, best > 0, measure)


def _share_from(line: Sequence[Piece], starts: Sequence[int], first: int, width: int) -> float:
    share, place = 0.0, first
    while place < len(line) and starts[place + 1] <= starts[first] + width - 1:
        share += line[place].share
        place += 1
    return share


def _cut(line: Sequence[Piece], width: int, cut_before: bool, measure: Callable[[str], int]) -> list[Piece]:
    """Cut a line to `width`, with marks where something is missing."""
    kept, room = [Piece("…")] * cut_before, width - cut_before
    if sum(measure(piece.text) for piece in line) <= room:
        return [*kept, *line]
    room -= 1  # for the mark at the end
    for piece in line:
        text = piece.text
        while measure(text) > room:
            text = text[: max(min(room, len(text) - 1), 0)]
        kept.append(Piece(text, piece.share))
        room -= measure(text)
        if text != piece.text:
            break
    return [*kept, Piece("…")]
