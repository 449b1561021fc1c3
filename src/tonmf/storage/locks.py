"""Folders that one process uses at a time."""

from __future__ import annotations

from pathlib import Path
from typing import IO


def hold(path: Path) -> IO[str]:
    """Open a lock file, made if it is not there, and hold it until it is closed or the process ends, however it does.

    `BlockingIOError` if another process holds it. Where the system has no such locks (Windows), nobody is kept out.
    """
    lock = path.open("a")
    try:
        import fcntl
    except ImportError:
        return lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        lock.close()
        raise
    return lock
