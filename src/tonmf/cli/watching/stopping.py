"""To be asked to stop, by Ctrl-C or SIGTERM, without being cut off in the middle of something."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopping:
    """Whether somebody asked us to stop, by which signal, and a file descriptor to wait on until somebody does."""

    def __init__(self, wake: int) -> None:
        self.wake, self.signal_number = wake, 0

    def __call__(self) -> bool:
        """Whether somebody asked."""
        return self.signal_number != 0

    def asked(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler. Who asks twice does not want to wait: then Ctrl-C and SIGTERM do what they usually do."""
        self.signal_number = number
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def wait(self, fd: int | None, seconds: float) -> None:
        """Until there is something to read, somebody asks us to stop, or time has passed."""
        select.select([self.wake, *([] if fd is None else [fd])], [], [], max(seconds, 0))


@contextmanager
def stopping() -> Iterator[Stopping]:
    """While this lasts, signals only set a flag; afterwards they do what they did before."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    asked = Stopping(readable)
    before = {number: signal.signal(number, asked.asked) for number in (signal.SIGINT, signal.SIGTERM)}
    wakeup = signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    try:
        yield asked
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(readable)
        os.close(writable)
