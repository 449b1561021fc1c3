"""Work out the layout of a CSV or TSV file from its first rows; of a sheet of a workbook, whether it has a header.

They tell what separates the cells, whether there is a header (`header`), whether quotes enclose cells in a TSV file (`records`)
and whether rows are baskets (`separators`). Files read in memory and files read in batches go the same way.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tonmf.errors import InputError, Message, Param
from tonmf.io.basket_tables import BasketLayout, baskets_in
from tonmf.io.columns import Chooser, keys_of
from tonmf.io.delimiters import NONE as NO_DELIMITER
from tonmf.io.delimiters import declared_delimiter, find_delimiter
from tonmf.io.harmless import as_it_was, is_own_table
from tonmf.io.header import TableProfile, n_titles
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.records import CLOSING, Records, TableRecord
from tonmf.io.separators import called
from tonmf.wording import one_line, shown

FIRST_ROWS, FIRST_CHARACTERS = 1_000, 1 << 20
"""Rows, and about as many characters, that tell delimiters, a header and baskets."""


PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
"""The start of a web page, which servers send in place of a file."""


@dataclass(frozen=True)
class Table:
    """A table whose first rows have been looked at.

    ========= ====================================================================================
    delimiter between cells
    names     of the columns, a column without one by its number; None if the rows are baskets
    records   all records
    rows      those without the header
    profile   of the columns, to tell rows that were merged
    baskets   what stands beside the items, if the rows are baskets
    ========= ====================================================================================
    """

    delimiter: str
    names: list[str] | None
    records: Records
    rows: Iterator[TableRecord]
    profile: TableProfile
    baskets: BasketLayout | None = None

    @property
    def keys(self) -> list[str]:
        """Return a name for each column that no other has; of several columns with one name, the numbers."""
        return keys_of(self.names or [])


def open_table(
    lines: Iterator[str],
    format: str,  # noqa: A002
    options: ReadOptions,
    chooser: Chooser,
    part: Part,
) -> Table | None:
    """Look at the first rows; return None if there are none."""
    first_lines = _first_lines(lines)
    if not first_lines:
        return None
    if PAGE.match("".join(first_lines[:2])):
        raise InputError(
            f"{part.name}: expected a table, but it is a web page, perhaps one that asks to sign in. Get the file again."
        )
    may_be_baskets = options.format is None and not options.columns
    delimiter, note = find_delimiter(
        first_lines, format, options, part.name, chooser.baskets.get(format) if may_be_baskets else False
    )
    found = Records(
        chain(first_lines, lines), delimiter, part.name, None if delimiter in ("\t", NO_DELIMITER) else True
    )
    records = iter(found)
    sample = _first_records(records)
    full = [record for record in sample if not record.text.isspace()]
    if declared_delimiter(full[0].text) is not None and len(full) > 1:
        full = full[1:]
    first = _first_cells(full[0], delimiter, found.quoted is not False, part.name)
    others = [(record.number, cells_of(record, delimiter, found.quoted is not False)) for record in full[1:]]
    numbered = [(full[0].number, first), *((number, cells) for number, cells in others if cells)]
    numbered = numbered[titles_of([cells for _, cells in numbered], options, part) :]
    (number, first), rows = numbered[0], [cells for _, cells in numbered[1:]]
    profile = TableProfile.of(first, rows)
    everything = chain(sample, records)
    baskets = _baskets([first, *rows], profile, format, options, chooser) if may_be_baskets else None
    if baskets is not None:
        taken = f"{part.name} was read as baskets, with {called(delimiter)} between the items, since its columns hold the same "
        part.notes.append(Message(taken, "things; if it is a table, give ", Param("format", format), "."))
        part.notes += baskets.notes(part.name, was_given=options.header is not None)
        rest = (record for record in everything if record.number > number - (baskets.header is None))
        return Table(delimiter, None, found, rest, profile, baskets)
    if note is not None:
        part.notes.append(note)
    names, has_header = column_names(first, rows, profile, format, options, chooser, part)
    if is_own_table(names):
        names = list(map(as_it_was, names))
    # In a table of one column a blank line is a row whose cell is empty.
    rest = (
        record
        for record in everything
        if record.number > number - (not has_header) and (len(names) == 1 or not record.text.isspace())
    )
    return Table(delimiter, names, found, rest, profile)


def _first_records(records: Iterator[TableRecord]) -> list[TableRecord]:
    """Return the first records, blank ones included; at least one that is not blank."""
    first: list[TableRecord] = []
    n_full = length = 0
    for record in records:
        first.append(record)
        if not record.text.isspace():
            n_full, length = n_full + 1, length + len(record.text)
            if n_full == FIRST_ROWS or length >= FIRST_CHARACTERS:
                break
    return first


def _first_lines(lines: Iterator[str]) -> list[str]:
    """Return the first lines, blank ones included; none if all are blank."""
    first: list[str] = []
    n_full = length = 0
    for line in lines:
        first.append(line)
        if not line.isspace():
            n_full, length = n_full + 1, length + len(line)
            if n_full == FIRST_ROWS or length >= FIRST_CHARACTERS:
                break
    return first if n_full else []


def _first_cells(record: TableRecord, delimiter: str, quoted: bool, name: str) -> list[str]:
    """Return the cells of the first row."""
    try:
        return _split(record, delimiter, quoted)
    except (csv.Error, ValueError) as error:
        raise InputError(
            f"{name}, row {record.number}: expected the names of the columns, but they cannot be read ({one_line(error)}). "
            "Put a row of short names first, and end all rows in the same way."
        ) from error


def cells_of(record: TableRecord, delimiter: str, quoted: bool) -> list[str] | None:
    """Return the cells of a row; None if they cannot be read, as will be said when it is its turn."""
    try:
        return _split(record, delimiter, quoted)
    except (csv.Error, ValueError):
        return None


def _split(record: TableRecord, delimiter: str, quoted: bool) -> list[str]:
    """Return the cells of a record; csv refuses long ones, and the limit to that is one for the whole process."""
    if len(record.text) >= csv.field_size_limit():
        return _split_long(record.text.rstrip("\r\n"), delimiter, quoted)
    (cells,) = csv.reader(
        io.StringIO(record.text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    return cells


def _split_long(text: str, delimiter: str, quoted: bool) -> list[str]:
    if not quoted:
        return text.split(delimiter)
    cells, position = [], 0
    while True:
        cell = ""
        if text.startswith('"', position) and (closing := CLOSING.match(text, position + 1)):
            cell, position = text[position + 1 : closing.end() - 1].replace('""', '"'), closing.end()
        end = text.find(delimiter, position)
        cells.append(cell + (text[position:] if end < 0 else text[position:end]))
        if end < 0:
            return cells
        position = end + 1


def _baskets(
    rows: Sequence[Sequence[str]],
    profile: TableProfile,
    format: str,  # noqa: A002
    options: ReadOptions,
    chooser: Chooser,
) -> BasketLayout | None:
    """Return the layout of the baskets that rows are, None if they are none; the first file of a format decides for all."""
    if format not in chooser.baskets:
        has_names = profile.votes > 0 if options.header is None else options.header
        found = baskets_in(rows, options.header, has_names)
        beyond_doubt = profile.is_beyond_doubt and (found is None or found.header is None)
        chooser.baskets[format] = found is not None and not beyond_doubt
    return BasketLayout.of(rows, options.header) if chooser.baskets[format] else None


def titles_of(rows: Sequence[Sequence[str]], options: ReadOptions, part: Part) -> int:
    """Return how many rows are titles above the table, and note that they are left out."""
    count = 0 if options.header is not None else n_titles(rows, [column for _, column in options.columns])
    if count:
        title = shown(next(cell.strip() for row in rows[:count] for cell in row if cell.strip()))
        said = (
            f"The first row of {part.name}, {title}, was taken for a title"
            if count == 1
            else f"The first {count} rows of {part.name}, {title}, were taken for titles"
        )
        advice = Message("if the first row names the columns, give ", Param("header", True), ".")
        part.notes.append(Message(f"{said} above the table and left out; ", advice))
    return count


def column_names(
    first: Sequence[str],
    rows: Sequence[Sequence[str]],
    profile: TableProfile,
    format: str,  # noqa: A002
    options: ReadOptions,
    chooser: Chooser,
    part: Part,
) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether the first row holds them.

    The first row is a header if the user says so, if it holds a column that the user names, if it is that of the first file, or
    if it looks like one. Without a header, columns are called by their numbers, or as in the first file if there are as many.
    """
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(first, 1)]
    known = chooser.headers.get(format)
    named = [column for _, column in options.columns if not column.isdecimal() or int(column) > len(names)]
    has_header = options.header
    if has_header is None and (names == known or any(column in names for column in named)):
        has_header = True
    elif has_header is None:
        has_header = profile.has_header if not named or known is not None else True
        part.notes += _note_on_header(first, has_header, profile, part.name)
    if not has_header:
        n_columns = Counter(len(row) for row in [first, *rows]).most_common(1)[0][0]
        names = known if known is not None and len(known) == n_columns else list(map(str, range(1, n_columns + 1)))
    chooser.headers.setdefault(format, names if has_header else None)
    return names, has_header


def _note_on_header(first: Sequence[str], has_header: bool, profile: TableProfile, name: str) -> list[str]:
    if has_header and profile.is_sure:
        return []
    if has_header:
        names = shown(", ".join(cell.strip() for cell in first))
        taken = f"The first row of {name}, {names}, was taken for the names of the columns; if it is a document, give "
        return [Message(taken, Param("header", False), ".")]
    taken = f"The first row of {name} is like the others and was read as a document; if it names the columns, give "
    return [Message(taken, Param("header", True), ".")]
