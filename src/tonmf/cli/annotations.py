"""Flagged documents as lines that people and build servers know: ``file:line: …``, or annotations of GitHub Actions."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tonmf.io.origins import Origin


class LineFormat(StrEnum):
    """Forms of a line on a flagged document."""

    TEXT = "text"
    GITHUB = "github"


def place_of(origin: Origin) -> str:
    """Return where a document is, as linters write it.

    >>> from tonmf.io.origins import Origin
    >>> place_of(Origin("posts.txt", 17)), place_of(Origin("posts.parquet", None)), place_of(Origin(None, 3))
    ('posts.txt:17', 'posts.parquet', 'stdin:3')
    """
    path = "stdin" if origin.path is None else path_from_here(origin.path)
    return path if origin.line is None else f"{path}:{origin.line}"


def path_from_here(path: str) -> str:
    """Return a path as seen from the working directory if it lies in it, as it is otherwise."""
    here = os.path.relpath(path)
    return path if here.startswith(os.pardir) else here


def on_one_line(text: str) -> str:
    """Return a text without line breaks: an id may have some, and a build server takes a line with ``::`` for a command.

    >>> print(on_one_line("posts.csv:2: a" + chr(10) + "::error::b"))
    posts.csv:2: a\\n::error::b
    """
    return text.replace("\n", "\\n")


def github_line(level: str, message: str, title: str, origin: Origin | None = None) -> str:
    """Return a workflow command of GitHub Actions, which shows a message at a file and a line.

    >>> from tonmf.io.origins import Origin
    >>> github_line("warning", "100 % unknown: b", "a, b", Origin("posts.csv", 17))
    '::warning file=posts.csv,line=17,title=a%2C b::100 %25 unknown: b'
    """
    properties = {"title": title}
    if origin is not None and origin.path is not None:
        line = {} if origin.line is None else {"line": str(origin.line)}
        properties = {"file": path_from_here(origin.path), **line, "title": title}
    listed = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{level} {listed}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    """Escape a value of a workflow command: what would end it, and per cent first."""
    for character in "%\r\n" + also:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
