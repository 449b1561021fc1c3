"""Lay out a document for a screen of any size: what it is, why it is shown, and its text with unexpected words highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tonmf.cli.reviewing.review import Review
from tonmf.cli.screen import printable
from tonmf.cli.tables import shortened, styled
from tonmf.ranking import pieces_of
from tonmf.text.pieces import Piece
from tonmf.wording import number_of

KEYS = {
    "s strange": ("s, y", "strange: it is what you are looking for"),
    "f fine": ("f, n", "fine: nothing is wrong with it"),
    "k skip": ("k, space", "skip it without a mark; the next review shows it again"),
    "u undo": ("u", "take back the last mark or skip, those of earlier reviews too"),
    "o open": ("o", "open the whole text"),
    "q quit": ("q", "quit; all marks are kept"),
    "? help": ("?", "this help"),
}
"""What the keys do: in short, and as the help has it."""

LAST_KEYS = ("u undo", "q quit")
"""Those that do something when no document is left."""

LEAST_TEXT = 4
"""Lines of the text that have room even if the reasons are long."""

HEAD = 3
"""First lines of a long text that are always shown."""

MUCH_MORE = 1.5
"""How many times as many highlighted characters as at the beginning make another place worth showing."""

INDENT = 10
"""Column at which the help says what a key does."""

ALL = 1 << 40
"""Characters of a document that is shown whole."""


@dataclass(frozen=True)
class Size:
    """The room for what is shown, in characters; if it `fills` a screen, the keys have their place at the bottom."""

    width: int
    height: int
    fills: bool = True


def document_view(review: Review, row: int, message: str, size: Size) -> list[Text]:
    """Return the lines that show a document, at most as many as the screen has."""
    why, n_copies = review.pile.explain(row), review.n_copies(row)
    flag = "flagged" if why.outlier else "not flagged"
    facts = f"{f'  ×{n_copies:,}' if n_copies > 1 else ''}  score {why.score:z.2f}, {flag}"
    name = shortened(printable(why.id), max(size.width - cell_len(facts), 1))
    heading = Text.assemble((name, "bold"), shortened(facts, max(size.width - cell_len(name), 1)))
    below = _below(review, message, size)
    room = max(size.height - 2 - len(below), 2)
    reasons = _wrapped(Text(printable(why.reason, isolates=True)), size.width)[: max(room - LEAST_TEXT - 2, 1)]
    pieces = pieces_of(review.pile.detector, review.pile.content, row, why.unexpected)
    text = fitting(_wrapped(text_of(pieces), size.width), max(room - len(reasons) - 1, 1))
    return _placed([heading, *reasons, Text(), *text], below, size)


def last_view(review: Review, message: str, size: Size) -> list[Text]:
    """Return the lines that say that no document is left."""
    skipped = f", and {number_of(review.n_skipped, 'document')} skipped" if review.n_skipped else ""
    said = f"That was the last one: {number_of(review.n_strange + review.n_fine, 'document')} read{skipped}."
    return _placed(_wrapped(Text(said), size.width), _below(review, message, size, LAST_KEYS), size)


def help_view(path: str, size: Size) -> list[Text]:
    """Return the lines that say what the keys do."""
    said = (
        "Of the documents that are not marked yet, the strangest is shown first; each mark moves those like it up or down. "
        f"Marks are in {path} as soon as you make them."
    )
    lines = []
    for keys, meaning in KEYS.values():
        first, *more = _wrapped(Text(meaning), max(size.width - INDENT, 1))
        lines += [
            Text.assemble((f"{keys:<{INDENT}}", "bold"), first),
            *(Text(" " * INDENT).append(line) for line in more),
        ]
    return [*lines, Text(), *_wrapped(Text(printable(said)), size.width), Text(), Text("Any key goes back.")]


def whole_text(review: Review, row: int) -> Text:
    """Return the whole text of a document, with unexpected words highlighted."""
    why = review.pile.explain(row)
    return text_of(pieces_of(review.pile.detector, review.pile.content, row, why.unexpected, read_at_most=ALL))


def progress(review: Review) -> str:
    """Say how many documents were found and read, and about how many are left to find."""
    n_read = review.n_strange + review.n_fine
    if not n_read:
        return f"Nothing marked yet; {number_of(review.n_docs, 'document')}."
    so_far = f"Found {review.n_strange:,} in {n_read:,} read of {review.n_docs:,}"
    left = review.n_left()
    if left is None:
        return f"{so_far}."
    return f"{so_far}; {f'about {_rounded(left):,}' if left >= 1 / 2 else 'hardly any'} more to find."


def _rounded(number: float) -> int:
    """Round to two digits: an estimate says no more.

    >>> _rounded(7.6), _rounded(123.4)
    (8, 120)
    """
    return int(float(f"{number:.2g}")) if number >= 10 else round(number)


def _below(review: Review, message: str, size: Size, keys: Sequence[str] = tuple(KEYS)) -> list[Text]:
    """Return what stands below the document: what was done last, the progress, and the keys."""
    said = _wrapped(Text(printable(message), style="dim"), size.width)[:2] if message else []
    text = Text("  ").join(Text.assemble((key[0], "bold"), key[1:]) for key in keys)
    return [*said, Text(shortened(progress(review), size.width)), *_wrapped(text, size.width)]


def _placed(above: list[Text], below: list[Text], size: Size) -> list[Text]:
    """Return the lines above and below, with blank ones between them; on a small screen, as many of those above as fit."""
    if not size.fills:
        return [*above, Text(), *below]
    n_blank = max(size.height - len(above) - len(below), 1)
    return [*above[: max(size.height - len(below) - 1, 1)], *(Text() for _ in range(n_blank)), *below]


def text_of(pieces: Sequence[Piece]) -> Text:
    """Return the text of a document with unexpected words highlighted, and line breaks as a terminal knows them."""
    text = styled([Piece(piece.text.replace("\r\n", "\n").replace("\r", "\n"), piece.share) for piece in pieces])
    text.rstrip()
    return text


def _wrapped(text: Text, width: int) -> list[Text]:
    """Return a text in lines of at most `width` columns, with at most one blank line between two others."""
    lines: list[Text] = []
    for line in text.wrap(_ANYWHERE, width, tab_size=4):
        line.rstrip()
        if line.plain or (lines and lines[-1].plain):
            lines.append(line)
    return lines


_ANYWHERE = Console(width=80)
"""For wrapping, which depends on the width alone."""


def fitting(lines: list[Text], room: int) -> list[Text]:
    """Return the lines that fit, and say how many are left out.

    Of a long text, the beginning is shown, which says what it is about. If another place has many more of the highlighted
    words, only the first lines are, and below them that place.
    """
    if len(lines) <= room:
        return lines
    marked = [sum(span.end - span.start for span in line.spans) for line in lines]
    n_top = max(room - 1, 1)
    shown = room - HEAD - 2  # with a line above and one below that say what is left out
    starts = range(HEAD, len(lines) - shown + 1) if shown >= HEAD else range(0)
    first = max(starts, key=lambda start: (sum(marked[start : start + shown]), -start), default=0)
    if MUCH_MORE * sum(marked[:n_top]) >= sum(marked[:HEAD]) + sum(marked[first : first + shown]) or first < n_top:
        return [*lines[:n_top], _left_out(len(lines) - n_top)][:room]
    after = len(lines) - first - shown
    middle = lines[first : first + shown]
    return [*lines[:HEAD], _left_out(first - HEAD), *middle, *([_left_out(after)] if after else [])]


def _left_out(n_lines: int) -> Text:
    return Text(f"… {number_of(n_lines, 'more line')} (o)", style="dim")
