"""Cut the text of a table into blocks of whole records.

A record is a line, or several where a quoted cell holds line breaks. Blocks of whole records let a table be parsed block by
block, however long its records are. They also reveal a quote that is never closed, which a parser would take for one long cell
up to the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tonmf.errors import InputError

BLOCK = 1 << 20
"""Characters after which a block ends, with the record."""

LONGEST_RECORD = 1 << 30
"""The most characters of a record; a longer one is surely an unclosed quote."""

CLOSING = re.compile(r'[^"]*+(?:""[^"]*+)*+"')
"""The rest of a quoted cell, in which two quotes stand for one."""


class TableRecord(NamedTuple):
    """One record with its line end, and its number from 1."""

    text: str
    number: int


def records(lines: Iterable[str], delimiter: str, name: str) -> Iterator[TableRecord]:
    """Yield the records of a table, blank lines included."""
    opening = re.compile(rf'(?:^|[\r{re.escape(delimiter)}])"')
    number, start, length, inside = 1, 1, 0, False
    pending: list[str] = []
    for line_number, line in enumerate(lines, 1):
        if '"' in line:
            inside = _is_inside_quotes(line, inside, opening)
        if inside or pending:
            pending.append(line)
            length += len(line)
            if length > LONGEST_RECORD:
                raise InputError(_unclosed(name, number, start))
        if not inside:
            yield TableRecord("".join(pending) if pending else line, number)
            number, start, length = number + 1, line_number + 1, 0
            pending = []
    if pending:
        raise InputError(_unclosed(name, number, start))


def _unclosed(name: str, number: int, line: int) -> str:
    return (
        f"{name}, row {number} (line {line}): a quoted cell starts here that does not end. Close the quote, or double it if it "
        "belongs to the text."
    )


def _is_inside_quotes(line: str, inside: bool, opening: re.Pattern[str]) -> bool:
    """Return whether a line ends within a quoted cell, given whether it starts within one.

    A quote opens a cell only as its first character; elsewhere it belongs to the text.
    """
    position = 0
    while True:
        if inside:
            closing = CLOSING.match(line, position)
            if closing is None:
                return True
            position = closing.end()
        found = opening.search(line, position)
        if found is None:
            return False
        position, inside = found.end(), True


def blocks(source: Iterable[TableRecord]) -> Iterator[list[TableRecord]]:
    """Group records into blocks."""
    block: list[TableRecord] = []
    length = 0
    for record in source:
        block.append(record)
        length += len(record.text)
        if length >= BLOCK:
            yield block
            block, length = [], 0
    if block:
        yield block
