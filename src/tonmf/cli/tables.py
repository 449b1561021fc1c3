"""Lay out rankings, explanations and topics, for a terminal of any width or for a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tonmf.cli.screen import printable

if TYPE_CHECKING:
    from tonmf.detector.explain.explanation import Explanation
    from tonmf.detector.fitted import FittedDetector
    from tonmf.ranking import Ranking
    from tonmf.text.pieces import Piece

WORDS = 5
"""Maximum number of unexpected words in a line of the table."""

LONGEST_ID, LONGEST_WORDS = 28, 34
"""Maximum width of ids and of unexpected words, so that there is room for the document."""

NARROWEST = 18
"""Minimum width of a column."""

GAP = 2
"""Spaces between columns."""

NUMBERS = ("rank", "score")
"""Columns that are aligned to the right."""

STRANGE = "bold red"


def ranking_table(
    ranking: Ranking,
    explanations: Sequence[Explanation],
    lines: Sequence[Sequence[int]],
    width: int,
    planted: Sequence[str | None] | None = None,
) -> RenderableType:
    """Return a table of the strangest documents, and what was planted in each, if that is known.

    A line of several copies shows the first of them, and how many they are. Facts come first; unexpected words and an excerpt
    of the document share the rest of the line. If there is no room for both, the excerpt has a line of its own.
    """
    facts = {
        "rank": [str(ranking.ranks[line[0]]) for line in lines],
        "score": [f"{why.score:z.2f}" for why in explanations],
        "flagged": ["yes" if why.outlier else "" for why in explanations],
        **({} if planted is None else {"planted": [planted[line[0]] or "" for line in lines]}),
        "id": [_called(why, len(line)) for why, line in zip(explanations, lines, strict=True)],
    }
    needed = {name: max(map(cell_len, (name, *values))) for name, values in facts.items()}
    room = width - sum(needed.values()) - GAP * len(needed)
    if room < 2 * NARROWEST:
        return _stacked(ranking, explanations, lines, facts, needed, width)
    title = f"unexpected {_plural(explanations)}"
    words = [_as_fit(why, min(LONGEST_WORDS, room // 2)) for why in explanations]
    room -= max(map(cell_len, (title, *words))) + GAP
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for name, least in needed.items():
        table.add_column(name, justify="right" if name in NUMBERS else "left", no_wrap=True, min_width=least)
    table.add_column(title, no_wrap=True)
    table.add_column("document", no_wrap=True)
    for why, line, listed, *known in zip(explanations, lines, words, *facts.values(), strict=True):
        reason = Text(listed, style=STRANGE if why.outlier else "")
        table.add_row(*map(Text, known), reason, styled(document_excerpt(ranking, line[0], why, room)))
    return table


def _called(why: Explanation, n_copies: int) -> str:
    """Return the id of a document, and the number of copies if it stands for several."""
    copies = f" ×{n_copies:,}" if n_copies > 1 else ""
    return shortened(printable(why.id), LONGEST_ID - len(copies)) + copies


def _stacked(
    ranking: Ranking,
    explanations: Sequence[Explanation],
    lines: Sequence[Sequence[int]],
    facts: Mapping[str, Sequence[str]],
    needed: Mapping[str, int],
    width: int,
) -> Group:
    """Return the same for a narrow terminal: below the facts of each document, an excerpt on a line of its own."""

    def placed(values: Mapping[str, str]) -> str:
        return (" " * GAP).join(_filled(value, needed[name], name in NUMBERS) for name, value in values.items())

    indent = needed["rank"] + GAP
    room = width - sum(needed.values()) - GAP * len(needed)
    title = f"unexpected {_plural(explanations)}"
    heading = placed({name: name for name in facts})
    shown = [Text(shortened(f"{heading}{' ' * GAP}{title}" if room >= len(title) else heading, width), style="bold")]
    for number, (why, line) in enumerate(zip(explanations, lines, strict=True)):
        known = Text(shortened(placed({name: values[number] for name, values in facts.items()}), width))
        if room >= len(title):
            known.append(" " * GAP).append(_as_fit(why, room), STRANGE if why.outlier else "")
        excerpt = styled(document_excerpt(ranking, line[0], why, max(width - indent, NARROWEST)))
        shown += [known, Text.assemble(" " * indent, excerpt)]
    return Group(*shown)


def _filled(text: str, width: int, to_the_right: bool) -> str:
    """Fill up text to `width` columns of a terminal."""
    blank = " " * (width - cell_len(text))
    return blank + text if to_the_right else text + blank


def _plural(explanations: Sequence[Explanation]) -> str:
    return f"{explanations[0].kind}s" if explanations else "words"


def document_excerpt(ranking: Ranking, row: int, why: Explanation, width: int) -> list[Piece]:
    """Return the part of a document to show, with its unexpected words marked."""
    from tonmf.detector.explain.unexpected import most_telling
    from tonmf.ranking import pieces_of
    from tonmf.text.pieces import excerpt

    words = most_telling(why.unexpected, WORDS)
    return excerpt(pieces_of(ranking.detector, ranking.documents, row, words), width, cell_len)


def styled(pieces: Sequence[Piece]) -> Text:
    """Return pieces as text, with the unexpected ones highlighted."""
    return Text.assemble(*((printable(piece.text), STRANGE if piece.share > 0 else "") for piece in pieces))


def explanation_lines(why: Explanation, width: int) -> list[Text]:
    """Return an explanation: a sentence and measures, which may wrap, and a line for each word, topic and document."""
    head, *lists = printable(why.to_text(), isolates=True).split("\n\n")
    lines = [Text(head)]
    for number, part in enumerate(lists):
        lines.append(Text(""))
        for fact in part.split("\n"):
            wrapped = wrap(fact, width, subsequent_indent=MEASURE) if number == 0 else [shortened(fact, width)]
            lines += map(Text, wrapped)
    return lines


MEASURE = " " * 14
"""Indent of a measure's second line, below its first word."""


def topic_lines(detector: FittedDetector, n_words: int, width: int) -> list[Text]:
    """Return a line for each topic, with its share and first words, and below it its typical documents."""
    lines = [Text("topic   share  words, and typical documents", style="bold")]
    indent = " " * 15
    for topic in detector.topics(n_words):
        lines.append(Text(f"{topic.number:>5}  {100 * topic.share:>4.1f} %  {printable(', '.join(topic.words))}"))
        typical = (printable(f"{indent}{document.id}  {document.excerpt}") for document in topic.typical)
        lines += [Text(shortened(line, width), style="dim") for line in typical]
    return lines


def _as_fit(why: Explanation, room: int) -> str:
    """Return as many of the most telling words as there is room for."""
    from tonmf.detector.explain.unexpected import most_telling

    words = [printable(word.word) for word in most_telling(why.unexpected, WORDS)]
    while len(words) > 1 and cell_len(", ".join(words)) > room:
        words.pop()
    return shortened(", ".join(words), room)


def shortened(text: str, width: int) -> str:
    """Cut text to `width` columns of a terminal; some characters take two."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
