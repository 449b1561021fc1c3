"""Follow the answers of a running ``tonmf watch``: the file that it writes, its last lines and those to come.

A watch writes a JSON line for each document, and one for each new topic. The file may not be there yet, may be cut, or replaced
by another, as when logs are rotated: then it is followed from its beginning. What no watch writes is passed over.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import stat
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, Param
from tonmf.service.errors import encoded
from tonmf.text.documents import without_surrogates
from tonmf.wording import path_shown

KEPT = 200
"""Events that a reader who comes later still gets."""

BETWEEN_LOOKS = 0.25
"""Seconds between two looks at the file."""

AT_ONCE = 2**18
"""Bytes to read at a time; of a file that is longer when the server starts, only the last ones."""

LONGEST_LINE = 2**22
"""Bytes of a line; longer ones are passed over."""

BETWEEN_SIGNS = 15.0
"""Seconds after which a reader gets a sign of life, so that proxies keep the connection."""

LONGEST_TEXT, MOST_TERMS, MOST_IDS = 500, 20, 10
"""Characters of a text, terms and ids that an event has, at most."""


@dataclass(frozen=True)
class Event:
    """A line of a watch, as a server-sent event: its number, its name and its data."""

    number: int
    name: str
    data: dict[str, Any]


class LiveFile:
    """Follows a file for any number of readers."""

    def __init__(self, path: Path, is_stopping: Callable[[], bool] = lambda: False) -> None:
        self._path, self._is_stopping = path, is_stopping
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._number = 0
        self._run = secrets.token_hex(4)  # numbers begin anew with each server
        self._offset, self._inode, self._rest = -1, -1, b""
        self._news = asyncio.Event()
        self.readers = 0

    async def follow(self) -> None:
        """Read for ever what is written."""
        while True:
            data = await asyncio.to_thread(self._read)
            if data:
                self._take(data)
            if len(data) < AT_ONCE:
                await asyncio.sleep(BETWEEN_LOOKS)

    async def events(self, last_id: str = "") -> AsyncIterator[bytes]:
        """Yield the events after `last_id`, the last ones first, then those to come; end when the server stops."""
        run, _, number = last_id.partition("-")
        sent = int(number) if run == self._run and number.isdecimal() else -1
        self.readers += 1
        try:
            yield b"retry: 2000\n\n"
            quiet = 0.0
            while not self._is_stopping():
                news = self._news
                for event in [event for event in self._events if event.number > sent]:
                    sent = event.number
                    yield self._worded(event)
                    quiet = 0.0
                try:
                    async with asyncio.timeout(1):
                        await news.wait()
                except TimeoutError:
                    quiet += 1
                if quiet >= BETWEEN_SIGNS:
                    yield b": nothing new\n\n"
                    quiet = 0.0
        finally:
            self.readers -= 1

    def _worded(self, event: Event) -> bytes:
        head = f"id: {self._run}-{event.number}\nevent: {event.name}\ndata: ".encode()
        return head + encoded(event.data) + b"\n\n"

    def _read(self) -> bytes:
        """Return what was written since the last look, some at a time."""
        try:
            with self._path.open("rb") as file:
                found = os.fstat(file.fileno())
                if self._offset < 0:  # the beginning of a line that is cut is passed over
                    self._offset = max(found.st_size - AT_ONCE, 0)
                    skips = self._offset > 0
                elif found.st_ino != self._inode or found.st_size < self._offset:
                    self._offset, self._rest, skips = 0, b"", False
                else:
                    skips = False
                self._inode = found.st_ino
                file.seek(self._offset)
                data = file.read(AT_ONCE)
        except OSError:  # it is not there yet, or no longer
            self._offset = max(self._offset, 0)
            return b""
        self._offset += len(data)
        return data.partition(b"\n")[2] if skips else data

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        before = self._number
        for line in lines:
            event = event_in(line)
            if event is not None:
                self._events.append(Event(self._number, *event))
                self._number += 1
        if self._number > before:
            news, self._news = self._news, asyncio.Event()
            news.set()


def event_in(line: bytes) -> tuple[str, dict[str, Any]] | None:
    r"""Return the name and the data of the event that a line of a watch is; None if it is none.

    >>> event_in(b'{"id": "a", "score": 1.5, "outlier": false, "judged": true, "text": "one"}')[0]
    'document'
    >>> event_in(b'{"alert": "new topic", "words": ["lava"], "documents": ["a"]}')
    ('topic', {'words': ['lava'], 'documents': ['a'], 'since': None, 'raised': None, 'size': None})
    >>> event_in(b"cut o")
    """
    try:
        found = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    if found.get("alert") == "new topic":
        return "topic", {
            "words": _strings(found.get("words"), MOST_TERMS),
            "documents": _strings(found.get("documents"), MOST_IDS),
            **{name: _short(found.get(name)) for name in ("since", "raised")},
            "size": _number(found.get("size")),
        }
    score = _number(found.get("score"))
    if score is None or "id" not in found:
        return None
    return "document", {
        "id": _short(str(found["id"])),
        "score": score,
        "outlier": found.get("outlier") is True,
        "judged": found.get("judged") is not False,
        "topic": _number(found.get("topic")),
        "unexpected_terms": _strings(found.get("unexpected_terms"), MOST_TERMS),
        "reason": _short(found.get("reason")),
        "time": _short(found.get("time")),
        "text": _short(found.get("text")),
    }


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _number(value: Any) -> float | int | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else None


def _short(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    shown = without_surrogates(value)
    return shown if len(shown) <= LONGEST_TEXT else shown[: LONGEST_TEXT - 1] + "…"


def _strings(value: Any, most: int) -> list[str]:
    found = [_short(one) for one in value[:most]] if isinstance(value, list) else []
    return [one for one in found if one is not None]


def check_file(path: Path) -> None:
    """Reject what cannot be followed by its path: a folder, a pipe; a file that is not there yet can be."""
    try:
        kind = path.stat().st_mode
    except OSError:
        kind = stat.S_IFREG
    if not stat.S_ISREG(kind):
        raise InputError(
            f"{path_shown(str(path))} is no file. Let tonmf watch write its answers to a file, and name that with ",
            Param("watch"),
            ".",
        )
