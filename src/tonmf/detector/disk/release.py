"""Give freed memory back to the system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def release_memory() -> None:
    """Return to the system what is free between blocks in use.

    After millions of words were counted by several threads, glibc keeps hundreds of megabytes that nothing uses: a memory limit
    would be exceeded by memory that is free. Where the C library has no ``malloc_trim``, nothing happens.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return glibc's ``malloc_trim``, or None."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library; Windows takes no None
        return None
