"""Decode bytes to lines of text: encodings, byte-order marks, bytes that are not valid, and binary files.

Only "\\n" ends a line. In a file that has none, as old programs of the Mac write it, "\\r" does, and is read as "\\n". Python's
`str.splitlines` also splits at U+2028, form feeds and others, which occur within documents.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Self

from tonmf.errors import InputError, Message, Param
from tonmf.io.encodings import AUTO, ENOUGH, detected, wide
from tonmf.io.notes import Occurrences
from tonmf.io.options import ReadOptions
from tonmf.io.streams import Opened
from tonmf.text.documents import REPLACEMENT, SURROGATE
from tonmf.wording import listed, number_of

MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it starts with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
"""Encodings by byte-order mark."""

BINARY_STARTS = (
    b"%PDF-",
    b"PK\x03\x04",
    b"PAR1",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x7fELF",
    b"\xd0\xcf\x11\xe0",
)
"""First bytes of common binary files that need not have a NUL byte early on."""


CONTROLS, KINDS, MANY = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]"), 8, 0.02
"""Control characters that text hardly has; how many kinds of them, and what share of all bytes, no text has."""

CHUNK = 1 << 18
"""Bytes to read at a time where lines may be very long."""


def _mark_bad_byte(error: UnicodeError) -> tuple[str, int]:
    """Replace a byte b that cannot be decoded by the surrogate U+DC00 + b, which no valid text holds.

    So a line shows whether it had a bad byte, and which, in every encoding. Python's own "surrogateescape" does the same, but
    not for UTF-16.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return chr(0xDC00 + error.object[error.start]), error.end


BAD_BYTES_MARKED = "tonmf.bad-bytes-marked"
codecs.register_error(BAD_BYTES_MARKED, _mark_bad_byte)


def encoding_of(head: bytes, given: str) -> str:
    """Return the encoding of a byte-order mark, else the given one; without a mark, UTF-16 and UTF-32 are little-endian."""
    marked = next((encoding for mark, encoding in MARKS.items() if head.startswith(mark)), None)
    if marked is not None:
        return marked
    if given == AUTO:
        return wide(head[:8192]) or "utf-8"
    return {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(codecs.lookup(given).name, given)


def is_binary(head: bytes, given: str) -> bool:
    """Return whether the first bytes are not text: they have NUL bytes, and the encoding has none in ordinary characters."""
    encoding = encoding_of(head, given)
    if b"\0" in "a".encode(encoding):
        return False
    return b"\0" in head[:8192] or head.startswith(BINARY_STARTS) or _has_many_controls(head[:8192])


def _has_many_controls(head: bytes) -> bool:
    """Return whether bytes that are not UTF-8 hold control characters of all kinds, where text has a kind or two at most."""
    found = Counter(CONTROLS.findall(head))
    if len(found) < KINDS or found.total() < MANY * len(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return True
    return False


def has_returns_alone(head: bytes, encoding: str) -> bool:
    r"""Return whether carriage returns end the lines of a file, by its first bytes: they have no line feed.

    >>> [has_returns_alone(head, "utf-8") for head in (b"one\rtwo\r", b"one\r\ntwo", b"one\r")]
    [True, False, False]
    """
    text = head.decode(encoding, "replace")[:-1]  # the last may be the half of a Windows line end
    return "\r" in text and "\n" not in text


def byte_lines(source: Opened, encoding: str) -> Iterator[bytes]:
    """Return the lines of an input as bytes, in an encoding that has ASCII as a part."""
    if not has_returns_alone(source.head, encoding):
        return iter(source.stream)
    return (line.encode("latin-1") for line in io.TextIOWrapper(source.stream, "latin-1", newline=None))


class DecodedLines:
    """The lines of an input as text, each with its line end.

    Once they have been read, `encoding` is the one they were read in, and `replaced` counts the lines on which bytes were
    replaced.
    """

    def __init__(self, source: Opened, options: ReadOptions) -> None:
        if is_binary(source.head, options.encoding):
            raise InputError(
                f"{source.name}: expected text, but it is a binary file. Check the file and ",
                Param("format"),
                "; if it is text in UTF-16, give ",
                Param("encoding", "utf-16"),
                ".",
            )
        self._source, self._refuse = source, options.encoding_errors == "refuse"
        self.encoding = encoding_of(source.head, options.encoding)
        self._may_differ = options.encoding == AUTO and self.encoding == "utf-8" and not self._refuse
        self.was_chosen = options.encoding == AUTO and self.encoding.startswith("utf-16-")
        self.replaced = Occurrences()

    @property
    def _called(self) -> str:
        return self.encoding.removesuffix("-sig")

    def __iter__(self) -> Iterator[str]:
        text = self._detected() if self._may_differ else self._decoded()
        for number, line in enumerate(_cut(text), 1):
            bad = None if line.isascii() else SURROGATE.search(line)
            if bad is None:
                yield line
                continue
            yield self._replaced(line, bad[0], number)

    def _replaced(self, line: str, bad: str, number: int) -> str:
        """Return a line with its bad bytes replaced, and count it; raise `InputError` if they are refused."""
        if self._refuse:
            raise InputError(
                f"{self._source.name}, line {number}: byte 0x{ord(bad) & 0xFF:02X} is not valid {self._called}. Give ",
                Param("encoding"),
                ", perhaps latin-1 or cp1252, or let such bytes be replaced (",
                Param("encoding_errors", "replace"),
                ").",
            )
        self.replaced.add(f"line {number:,}")
        return SURROGATE.sub(REPLACEMENT, line)

    def chunks(self) -> Iterator[str]:
        """Yield the text in pieces of some size, for files whose lines may be very long."""
        number = 1
        for chunk in self._decoded_chunks():
            pieces = []
            for place, piece in enumerate(chunk.split("\n")):
                number += place > 0
                bad = None if piece.isascii() else SURROGATE.search(piece)
                pieces.append(piece if bad is None else self._replaced(piece, bad[0], number))
            yield "\n".join(pieces)

    def _decoded_chunks(self) -> Iterator[str]:
        """Decode some bytes at a time; by the first that are not ASCII, detect the encoding if it may differ."""
        stream, chunk = self._source.stream, b""
        while self._may_differ and (chunk := stream.read(CHUNK)) and chunk.isascii():
            yield chunk.decode("ascii")
        if self._may_differ and chunk:
            try:
                codecs.getincrementaldecoder("utf-8")().decode(chunk)  # a character may be cut at the end
            except UnicodeDecodeError:
                self._take(detected([chunk], self._source.head))
        decoder = codecs.getincrementaldecoder(self.encoding)(BAD_BYTES_MARKED)
        while chunk := chunk or stream.read(CHUNK):
            yield decoder.decode(chunk)
            chunk = b""
        yield decoder.decode(b"", final=True)

    def _take(self, found: str | None) -> None:
        """Read on in the encoding that was detected, if one was."""
        self.encoding, self.was_chosen = found or self.encoding, found is not None

    def _decoded(self) -> Iterator[str]:
        newline = None if has_returns_alone(self._source.head, self.encoding) else "\n"
        return io.TextIOWrapper(self._source.stream, self.encoding, BAD_BYTES_MARKED, newline=newline)

    def _detected(self) -> Iterator[str]:
        """Decode UTF-8; where the first line that is not ASCII is not UTF-8 either, detect the encoding from there on.

        All encodings that are detected have ASCII as a part, so no line before has to be read again.
        """
        is_ascii, lines = True, byte_lines(self._source, self.encoding)
        for line in lines:
            if not line.isascii():
                try:
                    yield line.decode()
                except UnicodeDecodeError:
                    break
                is_ascii = False
            else:
                yield line.decode("ascii")
        else:
            return
        held = [line]
        if is_ascii:
            held += _some_more(lines)
            self._take(detected(held, self._source.head))
        for line in chain(held, lines):
            yield line.decode(self.encoding, BAD_BYTES_MARKED)

    def notes(self) -> list[str]:
        """Return notes on the encoding."""
        notes: list[str] = []
        if self.was_chosen:
            notes.append(EncodingNote(self._source.name, self.encoding))
        elif self.encoding in ("utf-16", "utf-32"):
            notes.append(f"{self._source.name} was read as {self.encoding.upper()}.")
        if self.replaced:
            notes.append(
                Message(
                    f"On {number_of(self.replaced.count, 'line')} of {self._source.name} bytes that are not {self._called} "
                    f"were replaced by U+FFFD (first: {self.replaced.first}). ",
                    TRY_ENCODINGS,
                )
            )
        return notes


def _some_more(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines until enough of them are not ASCII to judge by."""
    size, seen = 0, 0
    while size < ENOUGH and seen < 16 * ENOUGH and (line := next(lines, b"")):
        size, seen = size + (0 if line.isascii() else len(line)), seen + len(line)
        yield line


def _cut(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines; if there is but one, without a line feed, cut it where it has carriage returns.

    Where the first bytes have them, the file has been cut there already.
    """
    first = next(lines, "")
    if "\r" in first and not first.endswith("\n"):
        yield from io.StringIO(first, newline=None)
    elif first:
        yield first
    yield from lines


class EncodingNote(Message):
    """A note on a file that is not UTF-8. Where there are many, one note for all takes their place."""

    name: str
    encoding: str

    def __new__(cls, name: str, encoding: str) -> Self:
        """Word the note."""
        said = f"{name} was read as {encoding}, since it is not UTF-8; if that is wrong, give "
        note = super().__new__(cls, said, Param("encoding"), ".")
        note.name, note.encoding = name, encoding
        return note


class Encodings:
    """Counts files that are not UTF-8, by their encoding."""

    def __init__(self) -> None:
        self._found: dict[str, Occurrences] = {}

    def add(self, name: str, encoding: str) -> None:
        """Count a file."""
        self._found.setdefault(encoding, Occurrences()).add(name)

    def notes(self, of_files: str) -> list[str]:
        """Return a note on them, if there are any; `of_files` says of how many."""
        if not self._found:
            return []
        n_files = sum(found.count for found in self._found.values())
        are, were = ("is", "was") if n_files == 1 else ("are", "were")
        each = [
            f"{encoding} ({f'{found.count:,}, first: ' if n_files > 1 else ''}{found.first})"
            for encoding, found in self._found.items()
        ]
        said = f"{n_files:,} of {of_files} {are} not UTF-8 and {were} read as {listed(each)}; if that is wrong, give "
        return [Message(said, Param("encoding"), ".")]


TRY_ENCODINGS = Message("If that is wrong, try ", Param("encoding", "latin-1"), " or cp1252.")


def without_line_end(line: str) -> str:
    r"""Return a line without "\n" or "\r\n".

    >>> without_line_end("text\r\n")
    'text'
    """
    return line.removesuffix("\n").removesuffix("\r")
