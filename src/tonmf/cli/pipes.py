"""End quietly, with exit code 0, when the reader of standard output goes away, as ``head`` does.

A reader of standard error that goes away ends nothing: what would be said there is discarded.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import Any


def reader_is_gone(error: BaseException | None) -> bool:
    """Return whether an error means that nobody reads from a pipe any more; Windows calls that an invalid argument."""
    if isinstance(error, BrokenPipeError):
        return True
    if not isinstance(error, OSError):
        return False
    return sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None


def discard(stream: Any) -> None:
    """Let a stream lead nowhere from now on, with what still waits in it."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()


def flush() -> None:
    """Flush standard output before the interpreter does, which would print an error and change the exit code."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if not reader_is_gone(error):
            raise
        discard(sys.stdout)
