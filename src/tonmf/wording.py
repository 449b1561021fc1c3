"""How values, names and reasons look in a message: short, and on one line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

LONGEST = 60
"""Characters of a value that a message shows."""

MOST_NAMES = 12
"""Names that a message lists."""


def shown(value: Any) -> str:
    r"""A value for a message, cut if it is long.

    >>> shown("two\nlines")
    "'two\\nlines'"
    """
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST else value[:LONGEST] + "…")
    return one_line(repr(value))


def one_line(reason: object) -> str:
    r"""What an error of another library says, as a part of our one line.

    >>> one_line("first\n  second")
    'first second'
    """
    words = " ".join(str(reason).split())
    return words if len(words) <= 2 * LONGEST else words[: 2 * LONGEST] + "…"


def listed(names: Iterable[str]) -> str:
    """Names with commas between them, not all if there are many.

    >>> listed(["title", "body"])
    'title, body'
    """
    names = [one_line(name) for name in names]
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


def path_shown(path: str) -> str:
    """A path that any output can take: file names may hold line breaks and bytes that are no text."""
    return os.fsencode(path).decode("utf-8", "replace").replace("\n", "\\n").replace("\r", "\\r")


def number_of(count: int, noun: str) -> str:
    """
    A count with its noun.

    >>> number_of(1, "file"), number_of(2225, "file")
    ('1 file', '2,225 files')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def cannot(verb: str, path: str, error: OSError) -> str:
    """The message for a file that the system does not let us read or write."""
    advice = {
        FileNotFoundError: "Check the name",
        PermissionError: "Check the access rights",
        IsADirectoryError: "Give a file",
        NotADirectoryError: "Check the path: a part of it that should be a folder is a file",
    }.get(type(error), "Check the path and the disk")
    if verb == "written" and isinstance(error, FileNotFoundError):
        advice = "Make the folder first"
    return f"{path_shown(path)} cannot be {verb}: {one_line(error.strerror or error)}. {advice}."
