"""How a file of marks is laid out: its encoding, what separates its cells, and which of them are the id and the mark.

People make such files in spreadsheets and editors. A header may name the columns, in any case and order, beside others. Cells
may be separated by commas, semicolons or tabs, and Excel's line ``sep=;`` may say by which.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tonmf.io.decoding import encoding_of
from tonmf.io.encodings import AUTO, detected
from tonmf.io.harmless import as_it_was
from tonmf.wording import number_of, shown

MARKS = ("strange", "fine")

TAKEN_BACK = ""

HEADER = ("id", "mark")

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}

EXCEL = re.compile(r'\s*"?sep=([,;\t])"?\s*', re.IGNORECASE)
"""The first line by which Excel is told what separates cells."""

CSV_ERRORS = {
    "unexpected end of data": "a quotation mark is not closed",
    "expected after": "there is something between a closing quotation mark and the end of the cell",
}
"""What is wrong with a line, by what Python says of it."""


def encoding_of_marks(data: bytes) -> str | None:
    """Return the encoding of a file of marks; None if it cannot be told. A last line that is half-written does not count.

    >>> encoding_of_marks("größe,fine".encode()), encoding_of_marks("größe,fine\\n".encode("latin-1"))
    ('utf-8', 'cp1252')
    """
    encoding = encoding_of(data, AUTO)
    if encoding != "utf-8":
        return encoding
    whole = data[: data.rfind(b"\n") + 1] or data
    try:
        whole.decode()
    except UnicodeDecodeError:
        return detected([line for line in whole.split(b"\n") if not line.isascii()], data)
    return encoding


def lines_of(text: str) -> list[str]:
    """Cut a text into lines, each with its end, of any system."""
    return list(io.StringIO(text, newline=""))


@dataclass(frozen=True)
class Layout:
    """Where the id and the mark stand.

    ========= ==========================================================
    field     what
    ========= ==========================================================
    separator what separates cells
    id, mark  places of the id and the mark among the cells of a line
    n_cells   cells that a line has
    start     lines before the first mark, such as a header
    ========= ==========================================================
    """

    separator: str = ","
    id: int = 0
    mark: int = 1
    n_cells: int = 2
    start: int = 0

    @classmethod
    def of(cls, lines: Sequence[str]) -> Layout:
        """Tell how lines are laid out by a header, or else by the first line that has a mark.

        >>> Layout.of(["Mark;ID;note"])
        Layout(separator=';', id=1, mark=0, n_cells=3, start=1)
        >>> Layout.of(["post-1\\tfine"]).separator
        '\\t'
        """
        start = next((number for number, line in enumerate(lines) if line.strip()), 0)
        named = EXCEL.fullmatch(lines[start]) if lines else None
        separators = list(SEPARATORS) if named is None else [named[1]]
        start += named is not None
        for separator in separators if start < len(lines) else ():
            names = [name.lower() for name in _cells(lines[start], separator)]
            if set(HEADER) <= set(names):
                return cls(separator, names.index(HEADER[0]), names.index(HEADER[1]), len(names), start + 1)
        for line in lines[start:]:
            for separator in separators:
                if "".join(_cells(line, separator)[1:2]).lower() in MARKS:
                    return cls(separator, start=start)
        return cls(separators[0], start=start)

    def entries(self, lines: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, str] | ValueError | None]]:
        """Yield each record: the number of lines before it and up to its end, and its id and mark, or what is wrong with it.

        A blank record has neither. An id may have line breaks.
        """
        done = self.start
        while done < len(lines):
            reader = csv.reader((lines[number] for number in range(done, len(lines))), **self.dialect, strict=True)
            n_lines, found = 1, None
            try:
                cells, n_lines = next(reader), reader.line_num
                found = self._entry([cell.strip() for cell in cells])
            except csv.Error as error:
                said = (meaning for words, meaning in CSV_ERRORS.items() if words in str(error))
                yield done, done + n_lines, ValueError(next(said, str(error)))
            except ValueError as error:
                yield done, done + n_lines, error
            else:
                yield done, done + n_lines, found
            done += n_lines

    @property
    def dialect(self) -> dict[str, Any]:
        """Return what the csv module has to know."""
        return {"delimiter": self.separator, "skipinitialspace": True}

    def _entry(self, cells: list[str]) -> tuple[str, str] | None:
        """Return the id and the mark in the cells of a line; None if it is blank; `ValueError` says what is wrong."""
        if not any(cells):
            return None
        while len(cells) > self.n_cells and not cells[-1]:
            cells = cells[:-1]
        if len(cells) > self.n_cells or len(cells) <= max(self.id, self.mark):
            raise ValueError(self._wrong_number(cells))
        if not cells[self.id]:
            raise ValueError("the id is missing")
        mark = cells[self.mark].lower()
        if mark not in (*MARKS, TAKEN_BACK):
            raise ValueError(f"{shown(cells[self.mark])} is no mark; use {MARKS[0]} or {MARKS[1]}")
        return as_it_was(cells[self.id]), mark

    def _wrong_number(self, cells: Sequence[str]) -> str:
        separator = self.separator
        wanted = "an id and a mark" if self.n_cells == len(HEADER) else f"{self.n_cells}, as in the header"
        said = f"{number_of(len(cells), 'column')}, expected {wanted}"
        if len(cells) > self.n_cells:
            called = SEPARATORS[separator]
            return f'{said}; put quotation marks around an id with a {called}, such as "a{separator} b"{separator}fine'
        if self.n_cells == len(HEADER):
            return f"{said}, such as post-17{separator}{MARKS[0]}; got {shown(separator.join(cells))}"
        return said

    def row(self, name: str, mark: str) -> list[str]:
        """Return the cells of a line with an id and a mark."""
        cells = [""] * self.n_cells
        cells[self.id], cells[self.mark] = name, mark
        return cells


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of one line, as far as they can be told."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    except csv.Error:
        return []
