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

WINDOW = 1 << 22
"""Characters after the first quote that decide whether quotes enclose cells."""

LONGEST_RECORD = 1 << 30
"""The most characters of a record; a longer one is surely an unclosed quote."""

CLOSING = re.compile(r'[^"]*+(?:""[^"]*+)*+"')
"""The rest of a quoted cell, in which two quotes stand for one."""


class TableRecord(NamedTuple):
    """One record with its line end, its number from 1, and the line on which it begins."""

    text: str
    number: int
    line: int


class Records:
    """The records of a table, blank lines included; they can be gone through once.

    Parameters
    ----------
    lines : iterable of str
        The lines of the table.
    delimiter : str
        Between cells.
    name : str
        Of the file, in errors.
    quoted : bool, optional
        Whether quotes enclose cells. By default, the lines decide that follow the first quote: if every quote there encloses a
        cell, or is doubled within one, quotes enclose cells everywhere; otherwise they are text. A cell in quotes does not
        hold lines with as many delimiters as the first line: those are rows.

    Attributes
    ----------
    quoted : bool or None
        Whether quotes enclose cells; None as long as there was no quote.
    stray : bool
        Whether there are quotes at the start of cells that do not enclose them.
    """

    def __init__(self, lines: Iterable[str], delimiter: str, name: str, quoted: bool | None = True) -> None:
        self._lines, self._delimiter, self._name = iter(lines), delimiter, name
        self._opening = re.compile(rf'(?:^|[\r{re.escape(delimiter)}])"')
        self.quoted, self.stray = quoted, False

    def __iter__(self) -> Iterator[TableRecord]:
        number, start, length, inside = 1, 1, 0, False
        pending: list[str] = []
        for line_number, line in enumerate(self._lines if self.quoted is not None else self._deciding(), 1):
            if self.quoted and '"' in line:
                inside = _is_inside_quotes(line, inside, self._opening)
            if inside or pending:
                pending.append(line)
                length += len(line)
                if length > LONGEST_RECORD:
                    raise InputError(_unclosed(self._name, number, start))
            if not inside:
                yield TableRecord("".join(pending) if pending else line, number, start)
                number, start, length = number + 1, line_number + 1, 0
                pending = []
        if pending:
            raise InputError(_unclosed(self._name, number, start))

    def _deciding(self) -> Iterator[str]:
        """Yield the lines, and decide on quotes at the first."""
        n_delimiters: int | None = None
        for line in self._lines:
            if n_delimiters is None and not line.isspace():
                n_delimiters = line.count(self._delimiter)
            if self.quoted is not None or '"' not in line:
                yield line
                continue
            window, length = [line], len(line)
            for following in self._lines:
                window.append(following)
                length += len(following)
                if length >= WINDOW:
                    break
            whole = length < WINDOW
            self.quoted = quotes_enclose_cells(window, self._delimiter, n_delimiters or 0, whole)
            self.stray = not self.quoted and any(map(self._opening.search, window))
            yield from window


def quotes_enclose_cells(lines: Iterable[str], delimiter: str, n_delimiters: int, whole: bool) -> bool:
    r"""Return whether all quotes on these lines enclose cells, or are doubled within such cells.

    Lines within a cell in quotes that have `n_delimiters`, as every row has, speak against it, unless they are in the minority
    of such cells, or every cell of the first line is in quotes. `whole` is False if the lines may end within a cell.

    >>> quotes_enclose_cells(['1\t"one\n', 'two"\n', '2\t"a ""third"" one"\n'], "\t", 1, True)
    True
    >>> quotes_enclose_cells(['1\t"one\n', '2\ttwo\n', '3\tthree"\n'], "\t", 1, True)
    False
    """
    n_good = n_doubtful = 0
    inside = doubtful = all_quoted = False
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n")
        position, n_quoted = 0, 0
        while True:
            if inside:
                closing = CLOSING.match(text, position)
                within = text[position:] if closing is None else text[position : closing.end()]
                is_whole_line = position == 0 and n_delimiters > 0 and text.count(delimiter) == n_delimiters
                doubtful = doubtful or (is_whole_line and delimiter in within)
                if closing is None:
                    break
                position, inside = closing.end(), False
                n_doubtful, n_good, doubtful = n_doubtful + doubtful, n_good + (not doubtful), False
                n_quoted += 1
            elif text.startswith('"', position):
                position, inside = position + 1, True
                continue
            else:
                end = text.find(delimiter, position)
                cell = text[position:] if end < 0 else text[position:end]
                if '"' in cell:
                    return False
                position += len(cell)
            if position == len(text):
                break
            if not text.startswith(delimiter, position):
                return False
            position += len(delimiter)
        all_quoted = n_quoted > n_delimiters if number == 0 else all_quoted
    if inside and whole:
        return False
    return all_quoted or n_doubtful + doubtful == 0 or n_good > n_doubtful + doubtful


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
