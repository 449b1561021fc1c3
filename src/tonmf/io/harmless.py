"""Cells of CSV and TSV that a spreadsheet would take for formulas.

Documents come from anywhere, and a spreadsheet runs a cell that begins like a formula. An apostrophe before it makes it text.
Numbers such as -3.5 stay as they are. Where tonmf reads one of its own tables again, it takes the apostrophes away.
"""

from __future__ import annotations

import re
from collections.abc import Collection

FORMULA = re.compile(r"[=+\-@\t\r].", re.DOTALL)
"""The beginning of a cell that a spreadsheet would run: one of these characters, and something behind it."""

SIGNED_NUMBER = re.compile(r"[-+](?:(?:\d[\d.,]*|[.,]\d+)(?:e[-+]?\d+)?\s?%?|nan|inf)", re.IGNORECASE)
"""A cell that begins like a formula but is a number."""

MADE_HARMLESS = re.compile(r"'+[=+\-@\t\r].", re.DOTALL)
"""The beginning of a cell that `harmless` returns, or that would be read as one."""

SUSPECT = frozenset("=+-@\t\r'")
"""The first characters of all cells that one of these can match."""

OWN_COLUMNS = frozenset({"id", "score", "outlier", "judged", "topic", "unexpected_terms"})
"""Columns that together occur only in our own tables of results."""


def harmless(cell: str) -> str:
    """Return the text of a cell with an apostrophe before it if a spreadsheet would run it.

    >>> [harmless(cell) for cell in ("=1+1", "-3.5", "- milk", "-", "text")]
    ["'=1+1", '-3.5', "'- milk", '-', 'text']

    A text that begins as if it had been made harmless gets one more, so that each can be told from the other.

    >>> harmless("'=1+1")
    "''=1+1"
    """
    if cell[:1] not in SUSPECT:
        return cell
    runs = FORMULA.match(cell) is not None and SIGNED_NUMBER.fullmatch(cell) is None
    return f"'{cell}" if runs or MADE_HARMLESS.match(cell) else cell


def as_it_was(cell: str) -> str:
    """Return the text of which `harmless` made a cell.

    >>> as_it_was("'=1+1"), as_it_was("-3.5"), as_it_was("'tis")
    ('=1+1', '-3.5', "'tis")
    """
    return cell[1:] if MADE_HARMLESS.match(cell) else cell


def is_own_table(names: Collection[str]) -> bool:
    """Return whether a table with these columns is one that tonmf wrote."""
    return OWN_COLUMNS.issubset(names)
