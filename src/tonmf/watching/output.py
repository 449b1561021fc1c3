"""Lines on standard output that wait for whoever reads them: nothing is queued, and waiting can be called off."""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable

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
        self._may_block = not stat.S_ISREG(os.fstat(fd).st_mode)

    def write(self, line: bytes) -> bool:
        """Write a line; False if it was called off before the reader took all of it."""
        deadline: float | None = None
        rest = memoryview(line)
        while rest:
            if self._may_block:
                if self._stopping() and deadline is None:
                    deadline = time.monotonic() + self._patience
                if not self._ready(deadline):
                    if deadline is not None and time.monotonic() >= deadline:
                        return False
                    continue
                rest = rest[os.write(self._fd, rest[:PIECE]) :]
            else:
                rest = rest[os.write(self._fd, rest) :]
        return True

    def _ready(self, deadline: float | None) -> bool:
        """Wait until the reader takes more, or there is reason to think again."""
        if deadline is not None:
            return bool(select.select([], [self._fd], [], max(deadline - time.monotonic(), 0))[1])
        return bool(select.select([self._wake], [self._fd], [])[1])
