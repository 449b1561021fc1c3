"""Lines on standard output that wait for whoever reads them: nothing is queued, and waiting can be called off.

In a file a line is there as a whole or not at all: one that finds no room is taken back, and if a process was killed in the
middle of one, the next line begins on a line of its own.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable

from tonmf.errors import InputError
from tonmf.wording import one_line

PIECE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes without blocking whenever it is ready for any."""


class Output:
    """Writes whole lines to a file descriptor.

    Parameters
    ----------
    fd : int
    wake : int
        A file descriptor that becomes readable when it is time to stop.
    stopping : callable
        Whether it is.
    patience : float
        Seconds that a reader has after that to take the rest of a line.
    """

    def __init__(self, fd: int, wake: int, stopping: Callable[[], bool], patience: float = 1.0) -> None:
        self._fd, self._wake, self._stopping, self._patience = fd, wake, stopping, patience
        self._is_file = stat.S_ISREG(os.fstat(fd).st_mode)
        self._called_off = False
        self._before = self._line_end_due() if self._is_file else b""

    def write(self, line: bytes) -> bool:
        """Write a line; False if it was called off before the reader took all of it, or one before it was."""
        if self._is_file:
            self._to_file(self._before + line)
            self._before = b""
        elif not self._called_off:
            self._called_off = True  # so it is, too, if this fails in the middle of the line
            self._called_off = not self._to_reader(memoryview(line))
        return not self._called_off

    def _to_reader(self, rest: memoryview) -> bool:
        deadline: float | None = None
        while rest:
            if self._stopping() and deadline is None:
                deadline = time.monotonic() + self._patience
            if self._ready(deadline):
                rest = rest[os.write(self._fd, rest[:PIECE]) :]
            elif deadline is not None and time.monotonic() >= deadline:
                return False
        return True

    def _ready(self, deadline: float | None) -> bool:
        """Wait until the reader takes more, or there is reason to think again."""
        if deadline is not None:
            return bool(select.select([], [self._fd], [], max(deadline - time.monotonic(), 0))[1])
        return bool(select.select([self._wake], [self._fd], [])[1])

    def _to_file(self, line: bytes) -> None:
        written, start = 0, 0
        try:
            while written < len(line):
                n_bytes = os.write(self._fd, line[written:])
                if written == 0:
                    start = os.lseek(self._fd, 0, os.SEEK_CUR) - n_bytes
                written += n_bytes
        except OSError as error:
            if written:
                self._take_back(start, written)
            raise InputError(
                f"The answers cannot be written: {one_line(error.strerror or error)}. Check the disk, and start it again."
            ) from error

    def _take_back(self, start: int, written: int) -> None:
        """Cut off a part of a line, unless others have written to the file since it began, or it may only grow."""
        end = start + written
        try:
            if os.lseek(self._fd, 0, os.SEEK_CUR) == end == os.fstat(self._fd).st_size:
                os.ftruncate(self._fd, start)
                os.lseek(self._fd, start, os.SEEK_SET)
        except OSError:
            pass
        self._before = self._line_end_due()

    def _line_end_due(self) -> bytes:
        return b"\n" if _ends_within_a_line(self._fd) else b""


def _ends_within_a_line(fd: int) -> bool:
    """Whether a file has a last line without an end, as far as we may know."""
    try:
        size = os.fstat(fd).st_size
        if size == 0:
            return False
        reading = os.open(f"/dev/fd/{fd}", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return os.pread(reading, 1, size - 1) not in (b"\n", b"")
    except OSError:
        return False
    finally:
        os.close(reading)
