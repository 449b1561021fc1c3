"""What separates the items of a basket: named by the user, or found in the data; and tables that are baskets."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tonmf.errors import Param, ParameterError
from tonmf.wording import shown

NUMBER = re.compile(r"[-+]?[\d.,]*\d(?:e[-+]?\d+)?", re.IGNORECASE)

SPACE = " "
"""Stands for any white space."""

NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "pipe": "|", "space": SPACE, "\\t": "\t"}
"""Separators by what a user may type for them."""

CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", SPACE: "white space"}
"""What notes call separators."""

ENOUGH_LINES = 0.2
"""The least share of lines that have a separator. Many baskets hold a single item."""

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


def separator_from(given: str) -> str:
    r"""Return the separator that a user means; raise `ParameterError` for an empty one.

    >>> separator_from("comma"), separator_from("tab"), separator_from(" & ")
    (',', '\t', ' & ')
    """
    if not given:
        raise ParameterError(
            Param("separator"), " must be comma, semicolon, tab, bar, space or the characters themselves; got nothing."
        )
    if given.isspace() and given != "\t":
        return SPACE
    return NAMED.get(given.lower(), given)


def called(separator: str) -> str:
    """Return what to call a separator in a note."""
    return CALLED.get(separator, shown(separator))


def separator_of(lines: Sequence[str]) -> str:
    r"""Return what separates the items on these lines: white space, unless another separator is on enough of them.

    >>> separator_of(["whole milk,soda", "yogurt", "tropical fruit,yogurt,coffee"])
    ','
    >>> separator_of(["32 41 59", "30 31 32"])
    ' '
    """
    full = [line.strip() for line in lines if not line.isspace()]
    having = {candidate: sum(candidate in line for line in full) for candidate in CALLED if candidate != SPACE}
    best = max(having, key=lambda candidate: having[candidate])
    if not having[best] or having[best] < ENOUGH_LINES * len(full):
        return SPACE
    if best == "\t" and all(word.isdecimal() for line in full for word in line.split()):
        return SPACE  # numbers, with tabs and spaces between them
    return best


def items_on(line: str, separator: str) -> list[str]:
    """Return the items on a line, without the white space around them; an item in quotes may hold the separator.

    >>> items_on('"milk, skimmed", bread,, 24" screen', ",")
    ['milk, skimmed', 'bread', '24" screen']
    """
    if separator == SPACE:
        return line.split()
    cells = line.split(separator)
    if '"' in line and len(separator) == 1:
        try:
            (cells,) = csv.reader([line.strip("\r\n")], delimiter=separator, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError):  # a stray quote, which is part of its item
            cells = line.split(separator)
    return [cell.strip() for cell in cells if cell and not cell.isspace()]


def are_baskets(rows: Sequence[Sequence[str]], has_header: bool) -> bool:
    """Return whether the rows of a table are baskets: of unequal length, with short cells that recur, also in other columns.

    Rows may be filled up with empty cells. Rows of equal length are baskets only where no header says otherwise.
    """
    baskets = [[cell.strip() for cell in row if cell and not cell.isspace()] for row in rows]
    if len(baskets) < FEWEST_ROWS or max(map(len, baskets)) < FEWEST_CELLS:
        return False
    if has_header and _are_even(map(len, rows)):
        return False
    if sum(_has_gap(row) for row in rows) > FEW * len(rows):
        return False
    items = [item for basket in baskets for item in basket]
    if _are_even(map(len, baskets)) and 2 * sum(NUMBER.fullmatch(item) is not None for item in items) > len(items):
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


def _are_even(lengths: Iterable[int]) -> bool:
    """Return whether nearly all lengths are the same."""
    counts = Counter(lengths)
    return max(counts.values()) >= EVEN * counts.total()


def _has_gap(row: Sequence[str]) -> bool:
    """Return whether a cell that is not empty follows one that is."""
    empty = [not cell or cell.isspace() for cell in row]
    return True in empty and False in empty[empty.index(True) :]
