"""Read CSV and TSV: a row for each document, below a header if there is one; or a basket a row.

A row's number is that of its record, counting a header as 1. Unless a cell holds a line break, it is the number of the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tonmf.errors import InputError
from tonmf.io.arrow import arrow
from tonmf.io.basket_tables import BasketLayout
from tonmf.io.columns import Chooser, Columns
from tonmf.io.decoding import DecodedLines
from tonmf.io.harmless import as_it_was, is_own_table
from tonmf.io.notes import Occurrences
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.records import TableRecord, blocks
from tonmf.io.streams import Opened
from tonmf.io.table_layout import Table, cells_of, open_table
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.wording import number_of, one_line, shown

NEEDS_ARROW = "Reading CSV and Parquet"


def read_csv(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read cells separated by commas, or by semicolons, tabs or bars if the first lines have those instead."""
    return _read(source, "csv", options, chooser)


def read_tsv(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read cells separated by tabs. Quotes are text, unless all of them enclose cells."""
    return _read(source, "tsv", options, chooser)


def _read(source: Opened, format: str, options: ReadOptions, chooser: Chooser) -> Part:  # noqa: A002
    arrow("pyarrow", NEEDS_ARROW)
    part, lines = Part(source.name, format, TEXTS, source.sink), DecodedLines(source, options)
    table = open_table(iter(lines), format, options, chooser, part)
    if table is not None and table.baskets is not None:
        _read_baskets(table, table.baskets, part)
    elif table is not None:
        _read_rows(table, format, options, chooser, part)
    part.notes += lines.notes()
    return part


def _read_baskets(table: Table, layout: BasketLayout, part: Part) -> None:
    """Read a basket from each row."""
    part.kind, part.format = ITEMS, "baskets"
    for record in table.rows:
        layout.add(part, record.number, record.text, table.delimiter)


def _read_rows(table: Table, format: str, options: ReadOptions, chooser: Chooser, part: Part) -> None:  # noqa: A002
    """Read a document from each row."""
    names = table.names or []
    chooser.check_called_once(names, part.name)
    columns, merged = None, Occurrences()
    for block in blocks(table.rows):
        records, cells = _parse(block, table, columns, part, options.skip_bad)
        if not records:
            continue
        if columns is None:
            columns, notes = chooser.choose(cells, format, part.name, names)
            part.notes += notes
        _add_rows(records, cells, columns, part, options.skip_bad)
        if table.records.quoted:
            merged.add_all(_rows_within_cells(block, table))
    if table.records.stray:
        part.notes.append(
            f"{part.name} has quotes at the start of cells that do not enclose them, so quotes were read as text."
        )
    if merged:
        look, were = ("looks like a row", "was") if merged.count == 1 else ("look like rows", "were")
        part.notes.append(
            f"{number_of(merged.count, 'line')} of {part.name} {look} but {were} read as part of a cell in quotes (first: "
            f"{merged.first}). If that is wrong, close the quote before, or double it if it belongs to the text."
        )


def _rows_within_cells(block: list[TableRecord], table: Table) -> Iterator[str]:
    """Yield a place for each line within a record that looks like a row of its own."""
    delimiter, n_delimiters = table.delimiter, len(table.names or []) - 1
    for record in block:
        lines = record.text.rstrip("\r\n").split("\n")
        for line in lines[1:]:
            n_found = line.count(delimiter)
            if n_found < n_delimiters or n_delimiters == 0:
                continue
            cells: list[str] | None = None
            if n_found == n_delimiters:
                cells = line.split(delimiter)
            elif '"' in line:
                cells = cells_of(TableRecord(line, record.number, record.line), delimiter, quoted=True)
            if cells is not None and table.profile.is_row(cells, delimiter):
                yield f"in row {record.number}"


def _parse(
    block: list[TableRecord], table: Table, columns: Columns | None, part: Part, skip_bad: bool
) -> tuple[list[TableRecord], dict[str, list[str]]]:
    """Return the good rows, and the cells by column.

    If no columns are chosen yet, these are all columns.
    """
    pyarrow, arrow_csv = arrow("pyarrow", NEEDS_ARROW), arrow("pyarrow.csv", NEEDS_ARROW)
    data = "".join(record.text for record in block).encode()
    wrong: list[Any] = []

    def take_note(row: Any) -> str:
        wrong.append(row)
        return "skip"

    keys = table.keys
    numbered = [str(position) for position in range(len(keys))]
    wanted = {
        key: position
        for key, position in zip(keys, numbered, strict=True)
        if (keys.count(key) == 1 if columns is None else key in columns.names)
    }
    try:
        parsed = arrow_csv.read_csv(
            pyarrow.BufferReader(data),
            # One thread, since otherwise rows have no numbers.
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=numbered),
            parse_options=arrow_csv.ParseOptions(
                delimiter=table.delimiter,
                quote_char='"' if table.records.quoted is not False else False,
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
    good = [record for position, record in enumerate(block) if position not in bad]
    found = {name: parsed.column(position).to_pylist() for name, position in wanted.items()}
    if is_own_table(table.names or ()):
        found = {name: list(map(as_it_was, values)) for name, values in found.items()}
    return good, found


def _add_rows(
    records: list[TableRecord], cells: dict[str, list[str]], columns: Columns, part: Part, skip_bad: bool
) -> None:
    """Add a document from each row. A blank cell is a missing value."""
    for place, record in enumerate(records):
        row = {column: values[place] or None for column, values in cells.items()}
        facts = part.facts(f"row {record.number}", columns, row, skip_bad)
        if facts is not None:
            part.add(record.number, columns.content_of(row), facts, record.line)
