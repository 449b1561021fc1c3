"""Whole lines of what is coming, and where each ends; no more is in memory than one read and one line."""

from __future__ import annotations

from dataclasses import dataclass

from tonmf.cli.watching.following import Coming, Place
from tonmf.errors import InputError
from tonmf.io.streams import compression_of

LONGEST_LINE = 16 * 2**20
"""Bytes of a line beyond which it is left out."""


@dataclass(frozen=True)
class Line:
    """A line without its end, or None if it was too long; its number, and the place after it, in the file that it is of."""

    content: bytes | None
    number: int
    place: Place


class Lines:
    """Cuts bytes into lines. Lines are numbered from the first of the file."""

    def __init__(self, coming: Coming, start: Place) -> None:
        self.coming, self.start = coming, start
        self._offset, self._number = start.offset, start.lines
        self._parts: list[bytes] = []
        self._ready: list[Line] = []
        self._length = 0
        self.moving = False
        """Whether the last look for more brought any bytes, so that there may be more at once."""

    @property
    def ended(self) -> bool:
        """Whether there will be no more lines."""
        return self.coming.ended and not self._ready and self._length == 0

    def take(self, most: int) -> list[Line]:
        """Up to so many lines that are there, without waiting; each must be dealt with before the next are taken."""
        if not self._ready:
            self._fill()
        taken, self._ready = self._ready[:most], self._ready[most:]
        return taken

    def _fill(self) -> None:
        """One read. The last line may lack its end; it counts once it is clear that nothing will follow."""
        data = self.coming.read()
        self.moving = bool(data)
        if data:
            if self._offset + self._length == 0:
                _check_plain(data, self.coming.name)
            *whole, rest = data.split(b"\n")
            for piece in whole:
                self._add(piece)
                self._finish(1)
            self._add(rest)
        elif self._length and (self.coming.ended or self.coming.is_replaced()):
            self._finish(0)
        elif self.coming.turn_over():
            self._offset = self._number = 0
            self._forget()

    def _add(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > LONGEST_LINE:
            self._parts.clear()
        elif piece:
            self._parts.append(piece)

    def _finish(self, line_end: int) -> None:
        content = None if self._length > LONGEST_LINE else b"".join(self._parts)
        self._offset += self._length + line_end
        self._number += 1
        self._ready.append(Line(content, self._number, self.coming.place(self._offset, self._number)))
        self._forget()

    def _forget(self) -> None:
        self._parts, self._length = [], 0


TO_TEXT = {"gzip": "zcat", "bzip2": "bzcat", "xz": "xzcat", "zstd": "zstdcat"}
"""Commands that write out the text of compressed data."""


def _check_plain(data: bytes, name: str) -> None:
    """Refuse the beginning of compressed data, which cannot be read as it grows."""
    compression = compression_of(data)
    if compression is None:
        return
    command = TO_TEXT[compression]
    before = f"... | {command}" if name == "stdin" else f"{command} {name}"
    raise InputError(
        f"{name}: expected lines of text, but it is {compression} data, which watch does not read. Give it the text: "
        f"{before} | tonmf watch MODEL - (and the other options)."
    )
