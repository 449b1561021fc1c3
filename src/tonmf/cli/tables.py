"""Lay out rankings, explanations and topics, for a terminal of any width or for a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from tonmf.cli.screen import printable

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.detector.explain.explanation import Explanation
    from tonmf.detector.explain.unexpected import UnexpectedWord
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

STRANGE = "bold red"


def ranking_table(
    ranking: Ranking,
    explanations: Sequence[Explanation],
    rows: Sequence[int],
    width: int,
    planted: Sequence[str | None] | None = None,
) -> Table:
    """Return a table of the strangest documents, and what was planted in each, if that is known.

    Facts come first; unexpected words and, if there is room, an excerpt of the document share the rest of the line.
    """
    from tonmf.detector.explain.unexpected import most_telling

    facts = {
        "rank": [str(ranking.ranks[row]) for row in rows],
        "score": [f"{why.score:.2f}" for why in explanations],
        "flagged": ["yes" if why.outlier else "" for why in explanations],
        **({} if planted is None else {"planted": [planted[row] or "" for row in rows]}),
        "id": [shortened(printable(why.id), LONGEST_ID) for why in explanations],
    }
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    room = width
    for name, values in facts.items():
        needed = max(map(cell_len, (name, *values)))
        room -= needed + GAP
        table.add_column(name, justify="right" if name in ("rank", "score") else "left", no_wrap=True, min_width=needed)
    with_documents = room >= 2 * NARROWEST
    title = f"unexpected {_plural(explanations)}"
    words = [
        _as_fit(
            most_telling(why.unexpected, WORDS),
            min(LONGEST_WORDS, room // 2) if with_documents else max(room, NARROWEST),
        )
        for why in explanations
    ]
    table.add_column(title, no_wrap=True)
    if with_documents:
        table.add_column("document", no_wrap=True)
    room -= max(map(cell_len, (title, *words))) + GAP
    for why, row, listed, *known in zip(explanations, rows, words, *facts.values(), strict=True):
        reason = Text(listed, style=STRANGE if why.outlier else "")
        document = [styled(document_excerpt(ranking, row, why, room))] if with_documents else []
        table.add_row(*map(Text, known), reason, *document)
    return table


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
    """Return an explanation: a sentence, which may wrap, and a line for each fact."""
    sentence, *facts = printable(why.to_text(), isolates=True).split("\n")
    return [Text(sentence), *(Text(shortened(fact, width)) for fact in facts)]


def topic_lines(detector: TextOutlierDetector, n_words: int, width: int) -> list[Text]:
    """Return a line for each topic, with its share and first words, and below it its typical documents."""
    lines = [Text("topic   share  words, and typical documents", style="bold")]
    indent = " " * 15
    for topic in detector.topics(n_words):
        lines.append(Text(f"{topic.number:>5}  {100 * topic.share:>4.1f} %  {printable(', '.join(topic.words))}"))
        typical = (printable(f"{indent}{document.id}  {document.excerpt}") for document in topic.typical)
        lines += [Text(shortened(line, width), style="dim") for line in typical]
    return lines


def _as_fit(unexpected: Sequence[UnexpectedWord], room: int) -> str:
    """Return as many words as there is room for."""
    words = [printable(word.word) for word in unexpected]
    while len(words) > 1 and cell_len(", ".join(words)) > room:
        words.pop()
    return shortened(", ".join(words), room)


def shortened(text: str, width: int) -> str:
    """Cut text to `width` columns of a terminal; some characters take two."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
