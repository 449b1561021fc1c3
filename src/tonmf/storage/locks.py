"""Locks on folders that one process uses at a time."""

from __future__ import annotations

from pathlib import Path
from typing import IO


def hold(path: Path) -> IO[str]:
    """Open a lock file, creating it if necessary; hold the lock until the file is closed or the process ends, even by a kill.

    Raise `BlockingIOError` if another process holds it. On systems without such locks (Windows), nobody is kept out.
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
