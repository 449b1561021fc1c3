"""Turn Ctrl-C and SIGTERM into a request to stop, so that nothing is interrupted half-way."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether somebody has asked to stop, by which signal, and a file descriptor that is readable from then on."""

    def __init__(self, wake: int) -> None:
        self.wake, self.signal_number = wake, 0

    def __call__(self) -> bool:
        """Check whether somebody has asked to stop."""
        return self.signal_number != 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal. A second one does what it usually does: whoever asks twice does not want to wait."""
        self.signal_number = number
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def wait(self, fd: int | None, seconds: float) -> None:
        """Wait until there is something to read, somebody asks to stop, or time is up."""
        select.select([self.wake, *([] if fd is None else [fd])], [], [], max(seconds, 0))


@contextmanager
def stop_on_signals() -> Iterator[StopRequest]:
    """Let signals only set a flag while in this context; afterwards they do what they did before."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    request = StopRequest(readable)
    before = {number: signal.signal(number, request.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    wakeup = signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    try:
        yield request
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(readable)
        os.close(writable)
