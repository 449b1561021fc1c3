"""Open a file or standard input, decompress it, and look at its first bytes.

The first bytes tell the compression, so that standard input needs no name, and a misnamed file is noticed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any, BinaryIO

from tonmf.errors import InputError
from tonmf.io.archives import ArchiveMember, Place, name_in
from tonmf.io.arrow import arrow
from tonmf.io.formats import COMPRESSION_OF, split_name
from tonmf.wording import cannot, one_line

HEAD = 1 << 16
"""Bytes to look at before reading on."""

MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
"""First bytes of compressed data."""

Sink = Callable[[Any], None] | None
"""Called with a `tonmf.io.part.Part` whenever it holds a batch of documents."""

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""Errors of decompressors."""


@dataclass(frozen=True)
class Opened:
    """An input that is open.

    =========== ======================================================
    name        its name in messages
    path        None for standard input and for files in archives
    compression of the file, if any
    stream      its bytes, decompressed
    head        the first of them
    sink        takes documents in batches as they are read; None to read all of them at once
    =========== ======================================================
    """

    name: str
    path: str | None
    compression: str | None
    stream: io.BufferedReader
    head: bytes
    sink: Sink = None


@contextmanager
def opened(place: Place, name: str, stdin: BinaryIO | None = None, sink: Sink = None) -> Iterator[Opened]:
    """Open a file, or standard input if `place` is None, and decompress it if need be."""
    if place is None:
        # Standard input is the caller's: it is not closed.
        yield replace(_decompressed(stdin or sys.stdin.buffer, None, name), sink=sink)
        return
    if isinstance(place, ArchiveMember):
        with place.archive.open(place.info) as member:
            yield replace(_decompressed(member, place, name), sink=sink)
        return
    try:
        file = open(place, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(_unreadable(place, error)) from error
    with file:
        yield replace(_decompressed(file, place, name), sink=sink)


def _unreadable(path: str, error: OSError | ValueError) -> str:
    return cannot("read", path, error if isinstance(error, OSError) else OSError(str(error)))


def _decompressed(file: IO[bytes], place: Place, name: str) -> Opened:
    head, stream = _peeked(file, f"{name} cannot be read")
    compression = compression_of(head)
    extension = split_name(name_in(place))[2]
    if extension and COMPRESSION_OF[extension] != compression:
        raise InputError(
            f"{name}: expected {COMPRESSION_OF[extension]} data, by the extension {extension}, but it "
            f"{'is ' + compression + ' data' if compression else 'starts differently'}. Rename it, or get it again."
        )
    if compression:
        plain = _decompressor(compression)(stream)
        head, stream = _peeked(plain, f"{name}: its {compression} data is damaged or cut short")
    return Opened(name, place if isinstance(place, str) else None, compression, stream, head)


def compression_of(head: bytes) -> str | None:
    """Return the compression by the first bytes; bzip2's are letters that a text could start with, so more must match."""
    found = next((compression for magic, compression in MAGIC.items() if head.startswith(magic)), None)
    if found == "bzip2" and head[4:10] not in (b"1AY&SY", b"\x17rE8P\x90"):
        return None
    return found


def _decompressor(compression: str) -> Any:
    if compression == "zstd":
        pyarrow = arrow("pyarrow", "Reading .zst files")
        return lambda stream: pyarrow.CompressedInputStream(stream, "zstd")
    return {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}[compression]


def _peeked(file: Any, complaint: str) -> tuple[bytes, io.BufferedReader]:
    """Return the first bytes of a stream, which may be a pipe, and a stream that still has all of them."""
    guarded = _Guarded(file, complaint)
    head = guarded.first(HEAD)
    return head, io.BufferedReader(guarded, 1 << 20)


class _Guarded(io.RawIOBase):
    """A stream whose first bytes can be peeked at, and whose errors are `InputError`."""

    def __init__(self, file: Any, complaint: str) -> None:
        self._file, self._complaint = file, complaint
        self._waiting = b""

    def first(self, size: int) -> bytes:
        """Return up to `size` bytes without consuming them."""
        while len(self._waiting) < size:
            more = self._read(size - len(self._waiting))
            if not more:
                break
            self._waiting += more
        return self._waiting

    def _read(self, size: int) -> bytes:
        try:
            data: bytes = self._file.read(size)
        except DAMAGE as error:
            raise InputError(f"{self._complaint} ({one_line(error)}). Get or make it again.") from error
        return data

    def readable(self) -> bool:
        """Return True: `io.BufferedReader` asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; `io.BufferedReader` calls it."""
        view = memoryview(buffer)
        data, self._waiting = self._waiting[: len(view)], self._waiting[len(view) :]
        data = data or self._read(len(view))
        view[: len(data)] = data
        return len(data)
