"""A reader's marks in a CSV file with an id and a mark on each line, made by hand or by a program that appends to it.

A header ``id,mark`` is skipped. Of several marks on a document the last one counts, and an empty mark takes back an earlier
one, so that a program never has to change what it has written. The apostrophe that tonmf puts before an id which a spreadsheet
would run (`tonmf.io.harmless`) is taken away.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tonmf.errors import InputError
from tonmf.io.harmless import as_it_was, harmless
from tonmf.storage.atomic import to_disk
from tonmf.wording import cannot, shown

MARKS = ("strange", "fine")

TAKEN_BACK = ""

HEADER = ("id", "mark")


def read_marks(path: str | Path) -> dict[str, str]:
    """Return the mark of each document by its id, in the order in which they were marked last.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    marks : dict of str to str
        "strange" or "fine".
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a CSV file in UTF-8: {error}.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    marks: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        try:
            entry = _entry(line, number)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}.") from error
        if entry is not None:
            marks.pop(entry[0], None)
            if entry[1] != TAKEN_BACK:
                marks[entry[0]] = entry[1]
    return marks


def marks_so_far(data: bytes) -> tuple[dict[str, str], list[str]]:
    """Return the last mark of each document in a file that may still grow, an empty one too, and what is wrong with lines.

    A last line that may be half-written is left out until it is whole. A wrong line does not stop those after it.

    >>> marks_so_far(b"id,mark\\npost-1,fine\\npost-1,\\nodd\\npost-2,stra")
    ({'post-1': ''}, ["line 4: expected an id and a mark, such as post-17,strange or post-17,fine; got 'odd'"])
    """
    lines = list(io.StringIO(data.decode("utf-8-sig", "replace"), newline=""))
    ends = not lines or lines[-1].endswith(("\n", "\r"))
    marks: dict[str, str] = {}
    wrong: list[str] = []
    done = 0
    while done < len(lines):
        n_lines = 1
        try:
            cells, n_lines = _first_record(lines, done)
            entry = _entry(cells, done + 1)
        except (ValueError, csv.Error) as error:
            entry = None
            if ends or done + n_lines < len(lines):
                wrong.append(f"line {done + 1}: {error}")
        done += n_lines
        # Without the end of its line, an empty mark may become another; one of our words is whole.
        if entry is not None and (ends or done < len(lines) or entry[1] in MARKS):
            marks.pop(entry[0], None)
            marks[entry[0]] = entry[1]
    return marks, wrong


def _first_record(lines: Sequence[str], start: int) -> tuple[list[str], int]:
    """Return the cells of the record that begins on a line, and how many lines it has: an id may have line breaks."""
    reader = csv.reader((lines[number] for number in range(start, len(lines))), strict=True)
    cells = next(reader)
    return cells, reader.line_num


def _entry(line: Sequence[str], number: int) -> tuple[str, str] | None:
    """Return the id and the mark on a line; None if it is blank or the header; `ValueError` says what is wrong."""
    cells = tuple(cell.strip() for cell in line)
    if not any(cells) or (number == 1 and cells == HEADER):
        return None
    if len(cells) != len(HEADER) or not cells[0] or cells[1].lower() not in (*MARKS, TAKEN_BACK):
        raise ValueError(
            f"expected an id and a mark, such as post-17,{MARKS[0]} or post-17,{MARKS[1]}; got {shown(','.join(line))}"
        )
    return as_it_was(cells[0]), cells[1].lower()


def append_marks(path: str | Path, marks: Iterable[tuple[str, str]]) -> None:
    """Append marks to a file, all of them or none, and sync it, so that whatever happens then they are not lost.

    Parameters
    ----------
    path : str or Path
        Made, with a header, if there is no such file.
    marks : iterable of (str, str)
        An id, and "strange", "fine", or an empty mark that takes back an earlier one.
    """
    path = Path(path)
    try:
        is_new = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            _append(handle, marks)
        finally:
            os.close(handle)
        if is_new and os.name == "posix":
            to_disk(path.absolute().parent)
    except OSError as error:
        raise InputError(cannot("written", str(path), error)) from error


def _append(handle: int, marks: Iterable[tuple[str, str]]) -> None:
    size = os.fstat(handle).st_size
    text = io.StringIO(newline="")
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    if size == 0:
        marks = [HEADER, *marks]
    else:
        os.lseek(handle, -1, os.SEEK_END)
        text.write("" if os.read(handle, 1) == b"\n" else "\n")
    for name, mark in marks:
        # Python quotes line feeds by itself, but not carriage returns.
        (quoted if "\r" in name else plain).writerow((harmless(name), mark))
    data = text.getvalue().encode("utf-8", "replace")
    try:
        if os.write(handle, data) < len(data):
            raise OSError(28, "No space left on device")
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, size)
        raise
