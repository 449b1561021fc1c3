"""Tell whether the first row of a table names its columns, or is a row like the others.

Each column votes. It compares the first cell with those below: a word above numbers or dates is a name, and a number above
numbers is not; nor is a cell that recurs below, such as "ham", or a sentence above sentences. Names such as "text" or "user_id"
count for themselves. With no vote either way, the first row is taken for names, as in most files, and a note says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from tonmf.io.columns import NUMBER, TEXT_NAMES

NAMES = frozenset({
    *TEXT_NAMES, "age", "answer", "author", "beschreibung", "bewertung", "brand", "caption", "category", "city",
    "class", "code", "comentario", "commentaire", "company", "count", "country", "created", "data", "date", "datetime",
    "datum", "day", "doc", "email", "fecha", "feedback", "file", "filename", "from", "gender", "group", "headline",
    "hour", "id", "index", "inhalt", "item", "key", "keywords", "kommentar", "label", "lang", "language", "line",
    "link", "location", "mail", "month", "nachricht", "name", "nom", "nombre", "number", "outlier", "price", "product",
    "prompt", "query", "question", "rating", "response", "reviewer", "score", "section", "sentence", "sentiment", "sms",
    "source", "status", "story", "subject", "tag", "target", "term", "testo", "texte", "texto", "time", "timestamp",
    "titel", "title", "titre", "titulo", "to", "topic", "type", "url", "user", "username", "uuid", "value", "version",
    "words", "year",
})  # fmt: skip
"""Words that names of columns consist of, or end with."""

NOTHING = frozenset({"", "-", "?", "n/a", "na", "nan", "none", "null"})
"""Cells that stand for a missing value."""

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
IDENTIFIER = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
YEAR = re.compile(r"(?:19|20)\d\d")

NEARLY_ALL = 0.95
"""The share of a column's cells that must have one shape for the column to have it."""

FEW_VALUES, MANY_ROWS = 20, 5
"""A column holds categories if it has at most so many values, each in so many rows on average."""

SURE, LIKELY, SLIGHT = 3, 2, 1
"""Votes."""

MOST_TITLES = 5
"""The most rows above a header."""

LONG, SENTENCE = 4, 8
"""Words from which on a cell is no name, and surely none."""


def is_name(cell: str) -> bool:
    """Return whether a cell is a usual name of a column.

    >>> is_name("texts"), is_name("Review Text"), is_name("userId"), is_name("text me later"), is_name("ham")
    (True, True, True, False, False)
    """
    words = [word.lower() for word in CAMEL.split(cell.strip()) if word]
    if not 0 < len(words) <= 4 or len(cell) > 40:
        return False
    return words[-1] in NAMES or words[-1].removesuffix("s") in NAMES


LOOKED_AT = 1000
"""Characters of a cell that say what its shape is."""


def shape_of(cell: str) -> str:
    """Return a cell with runs of digits as 9 and runs of letters as a; numbers are all alike.

    >>> shape_of("2024-01-31"), shape_of("AB-17"), shape_of("-3.5")
    ('9-9-9', 'a-9', '9')
    """
    cell = cell.strip()[:LOOKED_AT]
    if len(cell) <= 40 and NUMBER.fullmatch(cell):
        return "9"
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", cell))


def n_words(cell: str) -> float:
    """Return the number of words; scripts without spaces have one every three characters."""
    return max(len(cell.split()), len(WIDE.findall(cell)) / 3)


@dataclass(frozen=True)
class ColumnProfile:
    """What the cells of a column have in common.

    ========== ===========================================================
    shape      the shape of nearly all of them, if it has as many numbers as words; else None
    categories the values of a column with few of them; else None
    words      the median number of words
    shortest   the length that nine cells in ten exceed
    questions  whether one cell in ten ends in a question mark
    cells      all cells with a value
    ========== ===========================================================
    """

    shape: str | None
    categories: frozenset[str] | None
    words: float
    shortest: int
    questions: bool
    cells: tuple[str, ...]

    @classmethod
    def of(cls, cells: Sequence[str]) -> ColumnProfile:
        """Return the profile of a column."""
        present = tuple(cell.strip() for cell in cells if not is_nothing(cell))
        if not present:
            return cls(None, None, 0, 0, False, ())
        ((usual, n_usual),) = Counter(map(shape_of, present)).most_common(1)
        has_shape = usual.count("9") >= max(usual.count("a"), 1) and n_usual >= NEARLY_ALL * len(present)
        values = frozenset(present)
        few = len(values) <= FEW_VALUES and len(values) * MANY_ROWS <= len(present)
        lengths = sorted(map(len, present))
        n_questions = sum(cell.endswith("?") for cell in present)
        return cls(
            usual if has_shape else None,
            values if few else None,
            median(map(n_words, present)),
            lengths[len(lengths) // 10],
            10 * n_questions >= len(present),
            present,
        )

    def fits(self, cell: str) -> bool:
        """Return whether a cell may be one of this column: it has the shape, or is one of the categories."""
        cell = cell.strip()
        if self.categories is not None:
            return cell in self.categories
        return self.shape is None or is_nothing(cell) or shape_of(cell) == self.shape

    @property
    def is_particular(self) -> bool:
        """Return whether not every cell would fit."""
        return self.categories is not None or self.shape is not None

    def vote(self, cell: str) -> int:
        """Return how sure it is that a cell above this column is its name: negative if it is one more of its cells."""
        cell = cell.strip()
        if is_nothing(cell):
            return 0
        recurs = self.cells.count(cell)
        if recurs > (1 if is_name(cell) else 0):
            return -SURE
        if self.shape is not None:
            if shape_of(cell) != self.shape:
                return SURE
            return -SLIGHT if YEAR.fullmatch(cell) else -SURE
        if is_name(cell):
            return SURE
        if not self.cells and NUMBER.fullmatch(cell):
            return -LIKELY
        return self._vote_on_words(cell)

    def _vote_on_words(self, cell: str) -> int:
        n = n_words(cell)
        if IDENTIFIER.fullmatch(cell) and not any(map(IDENTIFIER.fullmatch, self.cells[:20])):
            return LIKELY
        if cell.endswith("?") and not self.questions and self.cells:
            return LIKELY  # the question of a survey above its answers
        if n >= LONG and (self.words >= LONG or not self.cells) and len(cell) >= self.shortest:
            return -SURE if n >= SENTENCE else -LIKELY
        if n < LONG - 1 and self.words >= LONG and len(cell) < self.shortest:
            return SLIGHT
        return 0 if self.categories is None else SLIGHT


def is_nothing(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell.strip().lower() in NOTHING


@dataclass(frozen=True)
class TableProfile:
    """The first row of a table, the profiles of its columns without that row, and how sure it is that the row is a header."""

    columns: tuple[ColumnProfile, ...]
    votes: int

    @classmethod
    def of(cls, first: Sequence[str], rows: Sequence[Sequence[str]]) -> TableProfile:
        """Return the profile of a table, given its first row and the first of those below."""
        cut = [row for row in rows if len(row) == len(first) and (len(row) == 1 or list(row) != list(first))]
        columns = tuple(ColumnProfile.of([row[place] for row in cut]) for place in range(len(first)))
        if _is_count(first) and any(column.cells and column.shape is None for column in columns):
            return cls(columns, SURE)  # pandas numbers columns without names: 0, 1, 2
        votes = sum(column.vote(cell) for column, cell in zip(columns, first, strict=True))
        present = [cell.strip() for cell in first if not is_nothing(cell)]
        if len(set(present)) < len(present):
            votes -= SLIGHT
        if any(is_nothing(cell) and column.cells for column, cell in zip(columns[1:], first[1:], strict=True)):
            votes -= SLIGHT
        return cls(columns, votes)

    @property
    def has_header(self) -> bool:
        """Return whether the first row is a header: unless it likely is none."""
        return self.votes > -LIKELY

    @property
    def is_sure(self) -> bool:
        """Return whether there was reason enough to say so."""
        return self.votes > 0 or not self.has_header

    @property
    def is_beyond_doubt(self) -> bool:
        """Return whether the first row is a header by the votes of several columns."""
        return self.votes >= 2 * SURE

    @cached_property
    def _particular(self) -> list[tuple[int, ColumnProfile]]:
        """The columns that not every cell would fit, and their places."""
        return [(place, column) for place, column in enumerate(self.columns) if column.is_particular]

    def is_row(self, cells: Sequence[str], delimiter: str) -> bool:
        """Return whether cells that were between delimiters look like a row of this table."""
        if len(cells) != len(self.columns) or len(cells) < 2:
            return False
        if self._particular:
            return all(column.fits(cells[place]) for place, column in self._particular)
        if delimiter == "\t":
            return True
        # In running text a space follows the comma.
        return len(cells) > 2 and not any(cell[:1].isspace() or is_nothing(cell) for cell in cells)


def n_titles(rows: Sequence[Sequence[str]], named: Collection[str] = ()) -> int:
    """Return how many rows are titles above the header of a table: rows of one cell, above one that surely is a header.

    `named` are columns that the user names, by which a header is known as well.

    >>> n_titles([["Reviews of 2026", ""], ["id", "text"], ["1", "some text"], ["2", "more text"]])
    1
    """
    filled = [[cell for cell in row if cell.strip()] for row in rows[: MOST_TITLES + 1]]
    place = next((place for place, cells in enumerate(filled) if len(cells) > 1), 0)
    if place == 0 or not any(filled[:place]) or any(cell in named for cells in filled[:place] for cell in cells):
        return 0
    header, below = rows[place], rows[place + 1 :]
    if 2 * sum(len(row) == len(header) for row in below) < max(len(below), 1):
        return 0
    is_header = TableProfile.of(header, below).votes > 0 or any(cell.strip() in named for cell in header)
    return place if is_header else 0


def _is_count(cells: Sequence[str]) -> bool:
    """Return whether cells count on from 0 or 1; the first may be empty, above the index."""
    given = [cell.strip() for cell in (cells[1:] if cells and not cells[0].strip() else cells)]
    return bool(given) and given in ([str(place + start) for place in range(len(given))] for start in (0, 1))
