"""A reader's marks in a CSV file with an id and a mark on each line, made by hand or by a program that appends to it.

Of several marks on a document the last one counts, and an empty mark takes back an earlier one, so that a program never has to
change what it has written. The apostrophe that tonmf puts before an id which a spreadsheet would run (`tonmf.io.harmless`) is
taken away. `tonmf.io.mark_layout` tells encodings, headers and separators, and marks are added in the form that the file has.
"""

from __future__ import annotations

import csv
import errno
import io
import os
from collections.abc import Iterable
from pathlib import Path

from tonmf.errors import InputError
from tonmf.io.harmless import harmless
from tonmf.io.mark_layout import HEADER, MARKS, TAKEN_BACK, Layout, encoding_of_marks, lines_of
from tonmf.storage.atomic import to_disk
from tonmf.wording import cannot

__all__ = ["MARKS", "TAKEN_BACK", "append_marks", "check_appendable", "marks_so_far", "read_marks"]

WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""Encodings that begin a file with a byte-order mark, and how they go on in little-endian order."""


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
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        lines = lines_of(data.decode(encoding_of_marks(data) or "utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read as UTF-8: {error}. Save it as CSV in UTF-8.") from error
    marks: dict[str, str] = {}
    for number, _, entry in Layout.of(lines).entries(lines):
        if isinstance(entry, ValueError):
            raise InputError(f"{path}, line {number + 1}: {entry}.") from entry
        if entry is not None:
            marks.pop(entry[0], None)
            if entry[1] != TAKEN_BACK:
                marks[entry[0]] = entry[1]
    return marks


def marks_so_far(data: bytes) -> tuple[dict[str, str], list[str]]:
    """Return the last mark of each document in a file that may still grow, an empty one too, and what is wrong with lines.

    A last line that may be half-written is left out until it is whole. A wrong line does not stop those after it.

    >>> marks_so_far(b"id,mark\\npost-1,fine\\npost-1,\\npost-2,odd\\npost-2,stra")
    ({'post-1': ''}, ["line 4: 'odd' is no mark; use strange or fine"])
    """
    encoding = encoding_of_marks(data) or "utf-8"
    lines = lines_of(data.decode(encoding, "replace"))
    ends = not lines or lines[-1].endswith(("\n", "\r"))
    marks: dict[str, str] = {}
    wrong: list[str] = []
    for before, done, entry in Layout.of(lines).entries(lines):
        is_whole = ends or done < len(lines)
        if isinstance(entry, ValueError):
            if is_whole:
                wrong.append(f"line {before + 1}: {entry}")
        # Without the end of its line, an empty mark may become another; one of our words is whole.
        elif entry is not None and (is_whole or entry[1] in MARKS):
            marks.pop(entry[0], None)
            marks[entry[0]] = entry[1]
    return marks, wrong


def check_appendable(path: str | Path) -> None:
    """Raise `InputError` if marks cannot be added to a file in the encoding that it has."""
    try:
        _encoding_to_append(Path(path).read_bytes(), path)
    except OSError as error:
        raise InputError(cannot("read", str(path), error)) from error


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
            _append(handle, path, marks)
        finally:
            os.close(handle)
        if is_new and os.name == "posix":
            to_disk(path.absolute().parent)
    except OSError as error:
        raise InputError(cannot("written", str(path), error)) from error


def _append(handle: int, path: Path, marks: Iterable[tuple[str, str]]) -> None:
    data = path.read_bytes()
    size, encoding = len(data), _encoding_to_append(data, path)
    before = data.decode(encoding, "replace").removeprefix("\ufeff")
    layout = Layout.of(lines_of(before))
    end = "\r\n" if before.endswith("\r\n") else "\n"
    text = io.StringIO(newline="")
    plain = csv.writer(text, delimiter=layout.separator, lineterminator=end)
    quoted = csv.writer(text, delimiter=layout.separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    if size == 0:
        marks = [HEADER, *marks]
    elif not before.endswith(("\n", "\r")):
        text.write(end)
    for name, mark in marks:
        # Python quotes line feeds by itself, but not carriage returns.
        (quoted if "\r" in name else plain).writerow(layout.row(harmless(name), mark))
    data = text.getvalue().encode(encoding, "replace")
    try:
        if os.write(handle, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, size)
        raise


def _encoding_to_append(data: bytes, path: str | Path) -> str:
    """Return the encoding in which a file goes on; raise `InputError` if it is not one that has all characters."""
    encoding = encoding_of_marks(data) or "utf-8"
    if not encoding.startswith("utf"):
        raise InputError(
            f"{path} is in {encoding}, and marks can be added only in UTF-8 or UTF-16. Save it as CSV in UTF-8, or give "
            "another file."
        )
    is_big = encoding in ("utf-16", "utf-32") and data.startswith((b"\xfe\xff", b"\0"))
    going_on = WITHOUT_MARK.get(encoding, encoding)
    return going_on.replace("-le", "-be") if is_big else going_on
