"""Word values, names and reasons for messages: short, and on one line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

LONGEST = 60
"""The most characters of a value in a message."""

MOST_NAMES = 12
"""The most names in a list."""


def shown(value: Any) -> str:
    r"""Return a value for a message, cut if it is long.

    >>> shown("two\nlines")
    "'two\\nlines'"
    """
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST else value[:LONGEST] + "…")
    return one_line(repr(value))


def one_line(reason: object) -> str:
    r"""Return the message of another library's error on one line, cut if it is long.

    >>> one_line("first\n  second")
    'first second'
    """
    words = " ".join(str(reason).split())
    return words if len(words) <= 2 * LONGEST else words[: 2 * LONGEST] + "…"


def listed(names: Iterable[str]) -> str:
    """Join names by commas, and cut the list if there are many.

    >>> listed(["title", "body"])
    'title, body'
    """
    names = [one_line(name) for name in names]
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


def path_shown(path: str) -> str:
    """Return a path that any output can take: file names may hold line breaks and bytes that are not text."""
    return os.fsencode(path).decode("utf-8", "replace").replace("\n", "\\n").replace("\r", "\\r")


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> number_of(1, "file"), number_of(2225, "file")
    ('1 file', '2,225 files')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def cannot(verb: str, path: str, error: OSError) -> str:
    """Return the message for a file that the system does not let us read or write."""
    advice = {
        FileNotFoundError: "Check the name",
        PermissionError: "Check the access rights",
        IsADirectoryError: "Give a file",
        NotADirectoryError: "Check the path: a part of it that should be a folder is a file",
    }.get(type(error), "Check the path and the disk")
    if verb == "written" and isinstance(error, FileNotFoundError):
        advice = "Make the folder first"
    return f"{path_shown(path)} cannot be {verb}: {one_line(error.strerror or error)}. {advice}."
