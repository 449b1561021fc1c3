"""Read bytes as they come: from a file that others write to, or from a pipe."""

from __future__ import annotations

import hashlib
import os
import select
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tonmf.errors import InputError
from tonmf.wording import cannot, path_shown

AT_ONCE = 1 << 18
"""Bytes of one read."""

HEAD = 1024
"""Most bytes at the start of a file by which it is recognised."""


@dataclass(frozen=True)
class Place:
    """How far a file has been read, and the digest of its first `n_head` bytes, to recognise it by."""

    offset: int = 0
    lines: int = 0
    n_head: int = 0
    head: str = ""


class ByteSource(Protocol):
    """A file or pipe that bytes come from."""

    name: str
    ended: bool

    def read(self) -> bytes:
        """Return the bytes that are there, without waiting; none if there are none."""

    def is_replaced(self) -> bool:
        """Check whether a line that lacks its end will never get one, since what follows is another file."""

    def restart(self) -> bool:
        """Go to the start of a file that was truncated or replaced; return whether it was. Call it after an empty read."""

    def place(self, offset: int, lines: int) -> Place:
        """Return the place at an offset, after a number of lines."""

    def wait_fd(self) -> int | None:
        """Return a file descriptor to wait on until there is more; None if one has to poll."""


class FollowedFile:
    """A file that grows, followed by its name: if it is truncated or replaced, reading restarts at the start of what is there.

    A program that replaces a file often makes an empty one first, while others still write to the old one. So the old one is
    read until there is something in the new one, and then once more to its end.

    Parameters
    ----------
    path : str
    place : Place
        Where to resume, if the file is still the same.
    note : callable
        Called with a sentence if the file was truncated or replaced.
    until_end : bool
        Whether to stop at the end of the file instead of waiting for more.
    """

    def __init__(self, path: str, place: Place, note: Callable[[str], None], until_end: bool) -> None:
        self.name, self.ended = path_shown(os.path.basename(path)), False
        self._path, self._note, self._until_end = path, note, until_end
        self._fd, self._at = self._open(), 0
        self._looked_at_end, self._truncated, self._replaced = False, False, False
        self._known = (0, self._head(0))
        self.start = self._resume(place)

    def _open(self) -> int:
        try:
            fd = os.open(self._path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except (OSError, ValueError) as error:
            raise InputError(cannot("read", self._path, _as_os_error(error))) from error
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.close(fd)
            raise InputError(cannot("read", self._path, IsADirectoryError(21, "Is a directory")))
        return fd

    def _resume(self, place: Place) -> Place:
        """Go to a place if the file still has it, else to the start; return where reading begins."""
        if place.offset == 0:
            return Place()
        if os.fstat(self._fd).st_size >= place.offset and self._head(place.n_head) == place.head:
            self._at, self._known = place.offset, (place.n_head, place.head)
            return place
        self._note(f"{self.name} is no longer the file of the snapshot, or was truncated: reading it from its start.")
        return Place()

    def _head(self, n_bytes: int) -> str:
        return hashlib.sha256(os.pread(self._fd, n_bytes, 0)).hexdigest()

    def read(self) -> bytes:
        """Return the bytes that are there."""
        if self._looked_at_end and (self._truncated or self._is_truncated()):
            self._truncated, self._replaced = True, False
            return b""
        # Look before reading, so that nothing is lost that was written to this file before the other had anything.
        another = self._another() if self._looked_at_end else None
        try:
            data = os.pread(self._fd, AT_ONCE, self._at)
        except OSError as error:
            raise InputError(cannot("read", self._path, error)) from error
        self._at += len(data)
        if self._known[0] < min(self._at, HEAD):
            self._known = (min(self._at, HEAD), self._head(min(self._at, HEAD)))
        self._looked_at_end, self._replaced = not data, not data and another is not None and another.st_size > 0
        if not data:
            self.ended = self._until_end
        return data

    def _is_truncated(self) -> bool:
        """Check whether the file is shorter than what has been read of it, or begins differently."""
        n_head, head = self._known
        return os.fstat(self._fd).st_size < self._at or self._head(n_head) != head

    def restart(self) -> bool:
        """Go to the start of the file if it was truncated, or of the one that has replaced it; return whether it did."""
        if self._truncated and self._another() is None:
            self._note(f"{self.name} was truncated: reading it from its start.")
        elif self._truncated or self._replaced:
            try:
                fd = self._open()
            except InputError:  # gone again, or not readable yet: look later
                return False
            os.close(self._fd)
            self._fd = fd
            self._note(f"{self.name} was replaced by another file: reading that from its start.")
        else:
            return False
        self._looked_at_end, self._truncated, self._replaced = False, False, False
        self._at, self._known = 0, (0, self._head(0))
        return True

    def is_replaced(self) -> bool:
        """Check whether another file of its name has content, and this one has been read to its end since."""
        return self._replaced

    def _another(self) -> os.stat_result | None:
        """Return the status of another file that has its name now, None if there is none."""
        try:
            there = os.stat(self._path)
        except OSError:  # the file may come back
            return None
        return None if os.path.samestat(there, os.fstat(self._fd)) else there

    def place(self, offset: int, lines: int) -> Place:
        """Return the place, with the digest of the first bytes as they were when they were read."""
        return Place(offset, lines, *self._known)

    def wait_fd(self) -> int | None:
        """Return None: a file does not say when it grows."""
        return None


class Pipe:
    """Standard input or a named pipe. It cannot be read twice, so there is no place to resume from."""

    def __init__(self, fd: int, name: str) -> None:
        self.name, self.ended, self._fd = name, False, fd

    def read(self) -> bytes:
        """Return the bytes that are there."""
        if self.ended or not select.select([self._fd], [], [], 0)[0]:
            return b""
        data = os.read(self._fd, AT_ONCE)
        self.ended = not data
        return data

    def is_replaced(self) -> bool:
        """Return False."""
        return False

    def restart(self) -> bool:
        """Return False: a pipe has no start to go to."""
        return False

    def place(self, offset: int, lines: int) -> Place:
        """Return the number of lines, which is all that can be kept."""
        return Place(0, lines)

    def wait_fd(self) -> int | None:
        """Return the pipe until it has ended."""
        return None if self.ended else self._fd


def _as_os_error(error: OSError | ValueError) -> OSError:
    return error if isinstance(error, OSError) else OSError(str(error))
