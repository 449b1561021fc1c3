"""Read CSV and TSV: a header, and a row for each document.

A row's number is that of its record, counting the header as 1. Unless a cell holds a line break, it is the number of the line.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tonmf.errors import InputError
from tonmf.io.arrow import arrow
from tonmf.io.columns import Chooser, Columns
from tonmf.io.decoding import DecodedLines
from tonmf.io.harmless import as_it_was, is_own_table
from tonmf.io.notes import note_on_shared_names
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.records import TableRecord, blocks, records
from tonmf.io.streams import Opened
from tonmf.text.documents import TEXTS
from tonmf.wording import number_of, one_line, shown

DELIMITERS = {"csv": ",", "tsv": "\t"}

INSTEAD = {";": "semicolons", "\t": "tabs", "|": "bars"}
"""Delimiters that some spreadsheets write in place of commas."""

NEEDS_ARROW = "Reading CSV and Parquet"


def read_csv(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read cells separated by commas, or by semicolons, tabs or bars if the header has those and no comma."""
    return _read(source, "csv", options, chooser)


def read_tsv(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read cells separated by tabs."""
    return _read(source, "tsv", options, chooser)


def _read(source: Opened, format: str, options: ReadOptions, chooser: Chooser) -> Part:  # noqa: A002
    arrow("pyarrow", NEEDS_ARROW)
    part, lines = Part(source.name, format, TEXTS, source.sink), DecodedLines(source, options)
    table = _open_table(iter(lines), format, part)
    if table is None:
        return part
    chooser.check_called_once(table.names, part.name)
    if options.keep_columns:
        part.notes += note_on_shared_names(table.names, part.name)
    columns = None
    for block in blocks(table.rows):
        numbers, cells = _parse(block, table, columns, part, options.skip_bad)
        if not numbers:
            continue
        if columns is None:
            columns, notes = chooser.choose(cells, format, part.name)
            part.notes += notes
        _add_rows(numbers, cells, columns, part, options.skip_bad)
    part.notes += lines.notes()
    return part


@dataclass(frozen=True)
class _Table:
    """The delimiter, the names of the columns, and the rows below the header."""

    delimiter: str
    names: list[str]
    rows: Iterator[TableRecord]


def _open_table(lines: Iterator[str], format: str, part: Part) -> _Table | None:  # noqa: A002
    """Read the header, the first line that is not blank; return None if there is none."""
    before = []
    for first in lines:
        before.append(first)
        if not first.isspace():
            break
    else:
        return None
    delimiter = DELIMITERS[format]
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", first)
    if format == "csv" and delimiter not in unquoted:
        instead = max(INSTEAD, key=unquoted.count)
        if instead in unquoted:
            part.notes.append(
                f"{part.name} has {INSTEAD[instead]} between its cells, not commas, and was read that way."
            )
            delimiter = instead
    found = records(chain(before, lines), delimiter, part.name)
    header = next(record for record in found if not record.text.isspace())
    names = _column_names(header, delimiter, part.name)
    # In a table of one column a blank line is a row whose cell is empty.
    return _Table(delimiter, names, (row for row in found if len(names) == 1 or not row.text.isspace()))


def _column_names(header: TableRecord, delimiter: str, name: str) -> list[str]:
    """Return the names in the header; a column without a name is named by its number."""
    try:
        (cells,) = csv.reader(io.StringIO(header.text, newline=""), delimiter=delimiter)
    except (csv.Error, ValueError) as error:
        raise InputError(
            f"{name}, row {header.number}: expected the names of the columns, but they cannot be read ({one_line(error)}). "
            "Put a row of short names first, and end rows with line feeds, not carriage returns alone."
        ) from error
    return [cell.strip() or f"column {number}" for number, cell in enumerate(cells, 1)]


def _parse(
    block: list[TableRecord], table: _Table, columns: Columns | None, part: Part, skip_bad: bool
) -> tuple[list[int], dict[str, list[str]]]:
    """Return the numbers of the good rows, and the cells by column.

    If no columns are chosen yet, these are all columns with a unique name.
    """
    pyarrow, arrow_csv = arrow("pyarrow", NEEDS_ARROW), arrow("pyarrow.csv", NEEDS_ARROW)
    data = "".join(record.text for record in block).encode()
    wrong: list[Any] = []

    def take_note(row: Any) -> str:
        wrong.append(row)
        return "skip"

    numbered = [str(position) for position in range(len(table.names))]
    called = Counter(table.names)
    wanted = {
        name: position
        for name, position in zip(table.names, numbered, strict=True)
        if (called[name] == 1 if columns is None else name in columns.names)
    }
    try:
        parsed = arrow_csv.read_csv(
            pyarrow.BufferReader(data),
            # One thread, since otherwise rows have no numbers.
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=numbered),
            parse_options=arrow_csv.ParseOptions(
                delimiter=table.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=take_note,
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(wanted.values()),
                column_types=dict.fromkeys(numbered, pyarrow.string()),
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowException as error:
        raise InputError(f"{part.name}, rows {block[0].number} to {block[-1].number}: {one_line(error)}.") from error
    if parsed.num_rows + len(wrong) != len(block):
        raise InputError(
            f"{part.name}, rows {block[0].number} to {block[-1].number}: a carriage return outside quotes breaks a row in two. "
            "End rows with line feeds, and put cells with line breaks in quotes."
        )
    for row in wrong:
        number = block[row.number - 1].number
        cells = f"{number_of(row.actual_columns, 'cell')}, expected {row.expected_columns}: {shown(row.text)}"
        part.add_bad(f"row {number}", cells, skip_bad)
    bad = {row.number - 1 for row in wrong}
    numbers = [record.number for position, record in enumerate(block) if position not in bad]
    found = {name: parsed.column(position).to_pylist() for name, position in wanted.items()}
    if is_own_table(table.names):
        found = {name: list(map(as_it_was, values)) for name, values in found.items()}
    return numbers, found


def _add_rows(numbers: list[int], cells: dict[str, list[str]], columns: Columns, part: Part, skip_bad: bool) -> None:
    for place, number in enumerate(numbers):
        row = {column: values[place] for column, values in cells.items()}
        facts = part.facts(f"row {number}", columns, row, skip_bad)
        if facts is not None:
            part.add(number, row[columns.text], facts)
