"""Write lines to standard output at the reader's pace: nothing is queued, and a request to stop ends the wait.

A line can be cut off, by a full disk or by a stop while the reader does not read. In a file, the next watch begins a new line
after it, so that the answer that follows is whole.
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
    """Writes lines to a file descriptor.

    Parameters
    ----------
    fd : int
    wake : int
        A file descriptor that becomes readable when somebody asks to stop.
    stopping : callable
        Returns whether somebody has asked to stop.
    patience : float
        Seconds that the reader then has to take the rest of a line.
    """

    def __init__(self, fd: int, wake: int, stopping: Callable[[], bool], patience: float = 1.0) -> None:
        self._fd, self._wake, self._stopping, self._patience = fd, wake, stopping, patience
        self._cut_off = _ends_within_a_line(fd)

    def write(self, line: bytes) -> bool:
        """Write a line; return False if the reader did not take all of it before a stop. Do not call it again then."""
        rest, deadline = memoryview(b"\n" + line if self._cut_off else line), None
        self._cut_off = False
        while rest:
            if self._stopping() and deadline is None:
                deadline = time.monotonic() + self._patience
            if self._wait(deadline):
                rest = rest[self._write(rest[:PIECE]) :]
            elif deadline is not None and time.monotonic() >= deadline:
                return False
        return True

    def _wait(self, deadline: float | None) -> bool:
        """Wait until the reader takes more, a stop is asked for, or the deadline; return whether the reader takes more."""
        if deadline is not None:
            return bool(select.select([], [self._fd], [], max(deadline - time.monotonic(), 0))[1])
        return bool(select.select([self._wake], [self._fd], [])[1])

    def _write(self, piece: memoryview) -> int:
        try:
            return os.write(self._fd, piece)
        except BrokenPipeError:  # the reader has seen enough, which is no error
            raise
        except OSError as error:
            reason = one_line(error.strerror or error)
            raise InputError(f"Cannot write the answers: {reason}. Check the disk, and start it again.") from error


def _ends_within_a_line(fd: int) -> bool:
    """Check whether a file ends in a line that was cut off, as far as it can be read."""
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        return False
    try:
        with open(f"/dev/fd/{fd}", "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b"\n"
    except OSError:  # it is empty, or we may not read it
        return False
