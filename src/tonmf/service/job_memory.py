"""The memory that a job may use: how much there is, the limit on a process, and how to tell that it was reached."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

SHARE = 0.75
"""Share of the memory there is that jobs may use together, unless the server is told otherwise. The rest is for the server."""

GROUPS, OWN_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""Where Linux says how much memory the processes of a container or a service may use, and to which of those we belong."""

FULL = ("memory", "can't start new thread")
"""What errors that are no `MemoryError`, such as torch's, say when memory runs out."""


def memory_of_a_job(at_once: int) -> int | None:
    """Return the bytes that each of so many jobs may use unless otherwise told; None if the system does not say what it has."""
    available = available_memory()
    return None if available is None else int(available * SHARE / at_once)


def available_memory() -> int | None:
    """Return the bytes of memory of the machine, or of the container or service if that has less."""
    try:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):  # Windows
        return None
    return min(found + limits_of_groups())


def limits_of_groups() -> list[int]:
    """Return the limits of memory of the groups that this process is in, one within the other."""
    found = []
    with contextlib.suppress(OSError, ValueError, StopIteration):
        own = next(line[3:] for line in OWN_GROUP.read_text().splitlines() if line.startswith("0::"))
        group = GROUPS / own.strip("/")
        for folder in (group, *group.parents):
            if GROUPS in (folder, *folder.parents):
                with contextlib.suppress(OSError, ValueError):  # none, or the word max
                    found.append(int((folder / "memory.max").read_text()))
    return found


def limit_memory(n_bytes: int) -> None:
    """Let this process have so many bytes of memory of its own; what goes beyond becomes a `MemoryError` where it is asked for.

    Without effect on systems that have no such limit (Windows).
    """
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))


def is_for_want_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or what caused it, is that there was no more memory.

    >>> is_for_want_of_memory(RuntimeError("can't start new thread")), is_for_want_of_memory(OSError(2, "No file"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        if isinstance(error, RuntimeError) and any(words in str(error) for words in FULL):
            return True
        error = error.__cause__ or error.__context__
    return False
