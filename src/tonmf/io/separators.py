"""What separates the items of a basket: named by the user, or found in the data."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

from tonmf.errors import Param, ParameterError
from tonmf.wording import shown

SPACE = " "
"""Stands for any white space."""

NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "pipe": "|", "space": SPACE, "\\t": "\t"}
"""Separators by what a user may type for them."""

CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", SPACE: "white space"}
"""What notes call separators."""

ENOUGH_LINES = 0.2
"""The least share of lines that have a separator. Many baskets hold a single item."""


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


def cells_on(line: str, separator: str) -> list[str]:
    """Return the cells on a line, empty ones included; a cell in quotes may hold the separator."""
    if separator == SPACE:
        return line.split()
    if '"' in line and len(separator) == 1:
        try:
            (cells,) = csv.reader([line.strip("\r\n")], delimiter=separator, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError):  # a stray quote, which is part of its item
            pass
        else:
            return cells
    return line.split(separator)


def items_of(cells: Iterable[str]) -> list[str]:
    """Return the items in cells, without the white space around them, and without empty cells.

    >>> items_of(cells_on('"milk, skimmed", bread,, 24" screen', ","))
    ['milk, skimmed', 'bread', '24" screen']
    """
    return [cell.strip() for cell in cells if cell and not cell.isspace()]


def items_on(line: str, separator: str) -> list[str]:
    """Return the items on a line."""
    return items_of(cells_on(line, separator))
