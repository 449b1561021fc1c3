"""Read a reader's marks: a CSV file with an id and a mark on each line, made by hand or by a program that appends to it.

A header ``id,mark`` is skipped. Of several marks on a document the last one counts, and an empty mark takes back an earlier
one, so that a program never has to change what it has written. The apostrophe that tonmf puts before an id which a spreadsheet
would run (`tonmf.io.harmless`) is taken away.
"""

from __future__ import annotations

import csv
from pathlib import Path

from tonmf.errors import InputError
from tonmf.io.harmless import as_it_was
from tonmf.wording import shown

MARKS = ("strange", "fine")

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
        cells = tuple(cell.strip() for cell in line)
        if not any(cells) or (number == 1 and cells == HEADER):
            continue
        if len(cells) != len(HEADER) or not cells[0] or cells[1].lower() not in (*MARKS, ""):
            raise InputError(
                f"{path}, line {number}: expected an id and a mark, such as post-17,{MARKS[0]} or post-17,{MARKS[1]}; got "
                f"{shown(','.join(line))}."
            )
        name = as_it_was(cells[0])
        marks.pop(name, None)
        if cells[1]:
            marks[name] = cells[1].lower()
    return marks
