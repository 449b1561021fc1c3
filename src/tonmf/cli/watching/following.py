"""Bytes that are still coming: from a file that others write to, or from a pipe."""

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

AT_ONCE = 1 << 16
"""Bytes that are read at once."""

HEAD = 1024
"""First bytes of a file by which it is known again."""


@dataclass(frozen=True)
class Place:
    """How far a file has been read, and how to know it again: the digest of its first `n_head` bytes."""

    offset: int = 0
    lines: int = 0
    n_head: int = 0
    head: str = ""


class Coming(Protocol):
    """Where bytes come from."""

    name: str
    ended: bool

    def read(self) -> bytes:
        """Bytes that are there, without waiting for more; none if there are none."""

    def is_replaced(self) -> bool:
        """Whether nothing more will come of what has been read so far, but of something else."""

    def turn_over(self) -> bool:
        """Begin anew if need be; to be called once all that was there has been taken. Whether it was so."""

    def place(self, offset: int, lines: int) -> Place:
        """What to keep of a position."""

    def waits_on(self) -> int | None:
        """What to wait on until there is more; None if one has to look now and then."""


class FollowedFile:
    """A file that grows, followed by its name: if it is cut off or replaced, reading begins at the start of what is there.

    Whoever replaces a file often makes an empty one first, and those who write to the old one go on for a while. So the old
    one is read until there is something in the new one, and then once more to its end.

    Parameters
    ----------
    path : str
    place : Place
        Where to go on, if the file is still the one that it was.
    note : callable
        Told what happened to the file.
    until_end : bool
        Whether the end of the file is the end, or the place where more will come.
    """

    def __init__(self, path: str, place: Place, note: Callable[[str], None], until_end: bool) -> None:
        self.name, self.ended = path_shown(os.path.basename(path)), False
        self._path, self._note, self._until_end = path, note, until_end
        self._fd, self._at = self._open(), 0
        self._looked_at_end, self._cut_off, self._replaced = False, False, False
        self._known = (0, self._head(0))
        self.start = self._go_on(place)

    def _open(self) -> int:
        try:
            fd = os.open(self._path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except (OSError, ValueError) as error:
            raise InputError(cannot("read", self._path, _as_os_error(error))) from error
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.close(fd)
            raise InputError(cannot("read", self._path, IsADirectoryError(21, "Is a directory")))
        return fd

    def _go_on(self, place: Place) -> Place:
        """Where reading begins."""
        if place.offset == 0:
            return Place()
        if os.fstat(self._fd).st_size >= place.offset and self._head(place.n_head) == place.head:
            self._at, self._known = place.offset, (place.n_head, place.head)
            return place
        self._note(f"{self.name} is not the file of the snapshot any more, or was cut off: it is read from its start.")
        return Place()

    def _head(self, n_bytes: int) -> str:
        return hashlib.sha256(os.pread(self._fd, n_bytes, 0)).hexdigest()

    def read(self) -> bytes:
        """Bytes that are there."""
        if self._looked_at_end and (self._cut_off or self._is_cut_off()):
            self._cut_off, self._replaced = True, False
            return b""
        # Before reading, so that what was written to this file before the other had anything is read.
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

    def _is_cut_off(self) -> bool:
        """Whether the file is shorter than what has been read of it, or begins in another way."""
        n_head, head = self._known
        return os.fstat(self._fd).st_size < self._at or self._head(n_head) != head

    def turn_over(self) -> bool:
        """Begin anew if the file was cut off, or if there is another one of its name."""
        if self._cut_off and self._another() is None:
            self._note(f"{self.name} was cut off: it is read from its start.")
        elif self._cut_off or self._replaced:
            try:
                fd = self._open()
            except InputError:  # gone again, or not ours to read yet: look later
                return False
            os.close(self._fd)
            self._fd = fd
            self._note(f"{self.name} was replaced by another file, which is read from its start.")
        else:
            return False
        self._looked_at_end, self._cut_off, self._replaced = False, False, False
        self._at, self._known = 0, (0, self._head(0))
        return True

    def is_replaced(self) -> bool:
        """Whether there is something in another file of its name, and this one has been read to its end since."""
        return self._replaced

    def _another(self) -> os.stat_result | None:
        """Another file of its name, if there is one."""
        try:
            there = os.stat(self._path)
        except OSError:  # it may come back
            return None
        return None if os.path.samestat(there, os.fstat(self._fd)) else there

    def place(self, offset: int, lines: int) -> Place:
        """With the digest of the first bytes as they were when they were read."""
        return Place(offset, lines, *self._known)

    def waits_on(self) -> int | None:
        """Files do not tell."""
        return None


class Pipe:
    """Standard input, or a named pipe; it cannot be read twice, so there is no place to go on from."""

    def __init__(self, fd: int, name: str) -> None:
        self.name, self.ended, self._fd = name, False, fd

    def read(self) -> bytes:
        """Bytes that are there."""
        if self.ended or not select.select([self._fd], [], [], 0)[0]:
            return b""
        data = os.read(self._fd, AT_ONCE)
        self.ended = not data
        return data

    def is_replaced(self) -> bool:
        """Never."""
        return False

    def turn_over(self) -> bool:
        """Never."""
        return False

    def place(self, offset: int, lines: int) -> Place:
        """Nothing to go on from but the number of lines."""
        return Place(0, lines)

    def waits_on(self) -> int | None:
        """Until the end."""
        return None if self.ended else self._fd


def _as_os_error(error: OSError | ValueError) -> OSError:
    return error if isinstance(error, OSError) else OSError(str(error))
