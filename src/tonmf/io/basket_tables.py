"""Tell whether the rows of a table are baskets, and what stands beside their items: a header, a column of counts or of ids."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tonmf.errors import Message, Param
from tonmf.io.part import DocumentFacts, Part
from tonmf.io.separators import cells_on, items_of
from tonmf.wording import listed, shown

NUMBER = re.compile(r"[-+]?[\d.,]*\d(?:e[-+]?\d+)?", re.IGNORECASE)
NUMBERED = re.compile(r"(.*?)[\W_]*(\d+)")

HEADER_WORDS = frozenset({
    "article", "basket", "cart", "count", "customer", "date", "id", "invoice", "item", "list", "member", "no", "number",
    "order", "product", "purchase", "receipt", "tid", "transaction",
})  # fmt: skip
"""Words that the names of columns of baskets consist of."""

LONGEST_ITEM, MOST_WORDS = 60, 5
"""The most characters and words of nearly all items."""

FEWEST_ROWS, FEWEST_CELLS = 3, 3
"""The least number of rows of a table that is taken for baskets, and of cells in the longest row."""

EVEN = 0.8
"""The share of rows from which on a length is the usual one, so that the table has columns."""

FEW = 0.05
"""The most items that may be long, and rows with an empty cell before another."""

RECURRING, SHARED = 0.3, 0.3
"""The least share of cells that recur in a table of baskets, and of cells that recur in another column."""

COUNTS, IDS = "counts", "ids"
"""What a first column beside the items may hold: how many they are, or a number for each basket."""


@dataclass(frozen=True)
class BasketLayout:
    """What stands beside the items of baskets.

    ========= ============================================================
    header    the first row, if it names the columns; else None
    first     what the first column holds, if not items: `COUNTS` or `IDS`
    ========= ============================================================
    """

    header: tuple[str, ...] | None = None
    first: str | None = None

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], header: bool | None = None) -> BasketLayout:
        """Return the layout of baskets, given their first rows, and whether there is a header if the user says so."""
        if header is None:
            header = bool(rows) and (_only_number(rows[0], rows[1:]) or _are_header_words(rows[0], rows[1:]))
        return cls(tuple(rows[0]) if header and rows else None, _first_column(rows[1:] if header else rows))

    def items_in(self, row: Sequence[str]) -> Sequence[str]:
        """Return the cells of a row that may hold items."""
        return row if self.first is None else row[1:]

    def add(self, part: Part, number: int, text: str, separator: str) -> None:
        """Add the basket on a line, or in a record of a table."""
        cells = cells_on(text, separator)
        facts = DocumentFacts(id=cells[0].strip() or None) if self.first == IDS and cells else DocumentFacts()
        part.add(number, items_of(self.items_in(cells)), facts)

    def notes(self, name: str, was_given: bool) -> list[str]:
        """Return notes on what was not read as items in file `name`; `was_given` is True if the user asked for a header."""
        notes: list[str] = []
        if self.header is not None and not was_given:
            names = shown(listed(items_of(self.header)))
            taken = (
                f"The first row of {name}, {names}, was taken for the names of the columns; if it is a basket, give "
            )
            notes.append(Message(taken, Param("header", False), "."))
        if self.first == COUNTS:
            notes.append(f"The first column of {name} holds the number of items, and was left out.")
        elif self.first == IDS:
            notes.append(f"The ids were taken from the first column of {name}.")
        return notes


def baskets_in(
    rows: Sequence[Sequence[str]], header: bool | None = None, has_names: bool = False
) -> BasketLayout | None:
    """Return the layout of the baskets that the rows of a table are; None if they are none.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows.
    header : bool, optional
        Whether the first row is a header, if the user says so.
    has_names : bool
        Whether the first row looks like the names of columns, so that rows of equal length are a table. Names that only number
        the columns, such as "Item 1", say nothing like that, where rows are filled up with empty cells.
    """
    layout = BasketLayout.of(rows, header)
    below = rows if layout.header is None else rows[1:]
    items = [layout.items_in(row) for row in below]
    if layout.header is not None and _only_number(layout.header, below):
        if _are_even(len(items_of(row)) for row in items):
            return None
        has_names = False
    elif layout.header is not None:
        has_names = True
    return layout if are_baskets(items, has_names) else None


def are_baskets(rows: Sequence[Sequence[str]], has_header: bool) -> bool:
    """Return whether the rows of a table are baskets: of unequal length, with short cells that recur, also in other columns.

    Rows may be filled up with empty cells. Rows of equal length are baskets only where no header says otherwise.
    """
    baskets = list(map(items_of, rows))
    if len(baskets) < FEWEST_ROWS or max(map(len, baskets)) < FEWEST_CELLS:
        return False
    if has_header and _are_even(map(len, rows)):
        return False
    if sum(_has_gap(row) for row in rows) > FEW * len(rows):
        return False
    items = [item for basket in baskets for item in basket]
    if _are_even(map(len, baskets)) and 2 * _n_numbers(items) > len(items):
        return False  # a table of numbers
    if sum(len(item) > LONGEST_ITEM or len(item.split()) > MOST_WORDS for item in items) > FEW * len(items):
        return False
    counts = Counter(items)
    columns: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        for position, cell in enumerate(row):
            columns[cell.strip()].add(position)
    n_recurring = sum(counts[item] > 1 for item in items)
    n_shared = sum(len(columns[item]) > 1 for item in items)
    return n_recurring >= RECURRING * len(items) and n_shared >= SHARED * len(items)


def _only_number(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row only numbers the columns, and those below hold something else."""
    items = [item for row in below for item in items_of(row)]
    return _is_numbered(first) and 2 * _n_numbers(items) < len(items)


def _is_numbered(first: Sequence[str]) -> bool:
    """Return whether names only number the columns, but for the first: "Item(s)", "Item 1", "Item 2"; or 0, 1, 2.

    >>> _is_numbered(["Item(s)", "Item 1", "Item 2"]), _is_numbered(["", "0", "1"]), _is_numbered(["q1", "q2", "text"])
    (True, True, False)
    """
    found = [NUMBERED.fullmatch(cell.strip()) for cell in first]
    found = found[1:] if found and found[0] is None else found
    if len(found) < 2 or None in found:
        return False
    stems = {match[1].casefold() for match in found if match}
    numbers = [int(match[2]) for match in found if match]
    return len(stems) == 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1


def _are_header_words(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells are usual names of columns of baskets, and no items of other rows."""
    names = items_of(first)
    words = [word for name in names for word in re.findall(r"[^\W\d_]+", name.casefold()) if word != "s"]
    known = all(word in HEADER_WORDS or word.removesuffix("s") in HEADER_WORDS for word in words)
    return bool(words) and known and {cell.strip() for row in below for cell in row}.isdisjoint(names)


def _first_column(rows: Sequence[Sequence[str]]) -> str | None:
    """Return what the first column holds if it is numbers, and most of the items are not."""
    if len(rows) < FEWEST_ROWS or not all(row and row[0].strip().isdecimal() for row in rows):
        return None
    items = [item for row in rows for item in items_of(row[1:])]
    if 2 * _n_numbers(items) >= len(items):
        return None
    numbers = [int(row[0]) for row in rows]
    if all(number == len(items_of(row[1:])) for number, row in zip(numbers, rows, strict=True)):
        return COUNTS
    return IDS if len(set(numbers)) == len(numbers) else None


def _n_numbers(items: Iterable[str]) -> int:
    return sum(NUMBER.fullmatch(item) is not None for item in items)


def _are_even(lengths: Iterable[int]) -> bool:
    """Return whether nearly all lengths are the same."""
    counts = Counter(lengths)
    return max(counts.values(), default=0) >= EVEN * counts.total()


def _has_gap(row: Sequence[str]) -> bool:
    """Return whether a cell that is not empty follows one that is."""
    empty = [not cell or cell.isspace() for cell in row]
    return True in empty and False in empty[empty.index(True) :]
