"""Read sheets of workbooks (.xlsx, .xlsm, .xlsb, .xls, .ods): a row for each document, below a header if there is one.

Rows have the numbers that the spreadsheet shows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain, dropwhile, islice
from typing import Any

from tonmf.errors import InputError, Message, MissingExtraError, Param
from tonmf.io.columns import Chooser, is_missing
from tonmf.io.header import TableProfile
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.rows import NumberedRow, add_rows
from tonmf.io.streams import Opened
from tonmf.io.table_layout import FIRST_ROWS, column_names, titles_of
from tonmf.text.documents import TEXTS
from tonmf.wording import listed, number_of, one_line, shown

OLE, ENCRYPTED = b"\xd0\xcf\x11\xe0", "EncryptedPackage".encode("utf-16-le")
"""First bytes of .xls files, and of .xlsx files with a password, which have an entry of this name."""


def read_spreadsheet(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each row of a sheet."""
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtraError("Reading spreadsheets needs python-calamine: pip install 'tonmf[excel]'.") from error
    part, data = Part(source.name, "spreadsheet", TEXTS, source.sink), source.stream.read()
    if not data:
        return part
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            sheet = book.get_sheet_by_name(_chosen(book, part, options))
            _read(_rows(sheet), part, options, chooser)
    except calamine.PasswordError as error:
        raise _with_password(source.name) from error
    except (calamine.CalamineError, OSError) as error:
        if data.startswith(OLE) and ENCRYPTED in data:
            raise _with_password(source.name) from error
        raise InputError(
            f"{source.name}: expected a workbook (.xlsx, .xls, .ods), but it cannot be read as one ({one_line(error)}). Check "
            "the file and ",
            Param("format"),
            ".",
        ) from error
    return part


def _read(rows: Iterator[NumberedRow], part: Part, options: ReadOptions, chooser: Chooser) -> None:
    """Read a document from each row, below the header if there is one."""
    below = dropwhile(lambda numbered: all(map(is_missing, numbered[1])), rows)
    sample = list(islice(below, FIRST_ROWS))
    if not sample:
        return
    cells = [["" if cell is None else str(cell) for cell in row] for _, row in sample]
    titles = titles_of(cells, options, part)
    first, *others = cells[titles:]
    profile = TableProfile.of(first, others)
    names, has_header = column_names(first, others, profile, part.format, options, chooser, part)
    add_rows(names, chain(sample[titles + has_header :], below), part, options, chooser)


def _with_password(name: str) -> InputError:
    return InputError(f"{name} has a password. Save it without one, and read that.")


def _chosen(book: Any, part: Part, options: ReadOptions) -> str:
    """Return the name of the sheet to read: the one that the user names or numbers, else the first that can be seen."""
    names: list[str] = [sheet.name for sheet in book.sheets_metadata if "WorkSheet" in str(sheet.typ)]
    if options.sheet is not None:
        number = int(options.sheet) if options.sheet.isdecimal() else 0
        if options.sheet not in names and not 1 <= number <= len(names):
            raise InputError(
                f"{part.name} has no sheet {shown(options.sheet)} (",
                Param("sheet"),
                f"); it has {listed(names) or 'none'}.",
            )
        return options.sheet if options.sheet in names else names[number - 1]
    if not names:
        raise InputError(f"{part.name} has no sheet with cells. Check the file.")
    visible = [s.name for s in book.sheets_metadata if s.name in names and "Visible" in str(s.visible)]
    first = (visible or names)[0]
    if len(names) > 1:
        others = [name for name in names if name != first]
        part.notes.append(
            Message(
                f"{part.name} has {number_of(len(names), 'sheet')}, of which {shown(first)} was read; for {listed(others)} ",
                "give ",
                Param("sheet"),
                ".",
            )
        )
    return first


def _rows(sheet: Any) -> Iterator[NumberedRow]:
    """Yield the rows of a sheet, with the numbers that the spreadsheet shows."""
    start = sheet.start[0] if sheet.start else 0
    rows = sheet.to_python(skip_empty_area=True)
    for number, row in enumerate(rows, start + 1):
        yield number, [_value(cell) for cell in row]


def _value(cell: Any) -> Any:
    """Return a cell, None if it is blank; spreadsheets keep whole numbers as fractions."""
    if cell == "":
        return None
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
