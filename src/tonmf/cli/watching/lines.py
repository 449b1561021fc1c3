"""Cut the bytes that come into whole lines, with the place after each; at most one read and one line are in memory."""

from __future__ import annotations

from dataclasses import dataclass

from tonmf.cli.watching.following import ByteSource, Place
from tonmf.errors import InputError
from tonmf.io.streams import compression_of

LONGEST_LINE = 16 * 2**20
"""Most bytes of a line; longer ones are left out."""


@dataclass(frozen=True)
class InputLine:
    """A line without its end (None if it was too long), its number in its file, and the place after it."""

    content: bytes | None
    number: int
    place: Place


class Lines:
    """Lines of a byte source, numbered from the start of the file."""

    def __init__(self, source: ByteSource, start: Place) -> None:
        self.source, self.start = source, start
        self._offset, self._number = start.offset, start.lines
        self._parts: list[bytes] = []
        self._ready: list[InputLine] = []
        self._length = 0
        self.moving = False
        """Whether the last read returned any bytes, so that there may be more at once."""

    @property
    def ended(self) -> bool:
        """Check whether no more lines will come."""
        return self.source.ended and not self._ready and self._length == 0

    def take(self, most: int) -> list[InputLine]:
        """Take up to `most` lines that are there, without waiting; finish with them before taking the next."""
        if not self._ready:
            self._fill()
        taken, self._ready = self._ready[:most], self._ready[most:]
        return taken

    def _fill(self) -> None:
        """Read once. A last line without an end counts once it is clear that nothing will follow."""
        data = self.source.read()
        self.moving = bool(data)
        if data:
            if self._offset + self._length == 0:
                _check_plain(data, self.source.name)
            *whole, rest = data.split(b"\n")
            for piece in whole:
                self._add(piece)
                self._finish(1)
            self._add(rest)
        elif self._length and (self.source.ended or self.source.is_replaced()):
            self._finish_last()
        elif self.source.restart():
            self._offset = self._number = 0
            self._forget()

    def _add(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > LONGEST_LINE:
            self._parts.clear()
        elif piece:
            self._parts.append(piece)

    def _finish_last(self) -> None:
        """Finish the last line. In a file without any line feed, carriage returns end the lines."""
        *whole, rest = b"".join(self._parts).split(b"\r") if self._number == 0 else [b"".join(self._parts)]
        if not whole:
            self._finish(0)
            return
        self._forget()
        for piece in whole:
            self._add(piece)
            self._finish(1)
        if rest:
            self._add(rest)
            self._finish(0)

    def _finish(self, line_end: int) -> None:
        content = None if self._length > LONGEST_LINE else b"".join(self._parts)
        self._offset += self._length + line_end
        self._number += 1
        self._ready.append(InputLine(content, self._number, self.source.place(self._offset, self._number)))
        self._forget()

    def _forget(self) -> None:
        self._parts, self._length = [], 0


TO_TEXT = {"gzip": "zcat", "bzip2": "bzcat", "xz": "xzcat", "zstd": "zstdcat"}
"""Commands that decompress."""


def _check_plain(data: bytes, name: str) -> None:
    """Reject compressed data, by its first bytes: it cannot be read as it grows."""
    compression = compression_of(data)
    if compression is None:
        return
    command = TO_TEXT[compression]
    before = f"... | {command}" if name == "stdin" else f"{command} {name}"
    raise InputError(
        f"{name}: expected lines of text, but it is {compression} data, which watch does not read. Give it the text: "
        f"{before} | tonmf watch MODEL - (and the other options)."
    )
