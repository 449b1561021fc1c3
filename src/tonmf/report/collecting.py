"""How often Python looks for cycles among objects. Documents and results are many objects without any."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

COLLECT_AFTER = 50_000
"""New objects after which Python looks for cycles, as in the command; its own default is 700, or 2,000."""

_lock, _held = Lock(), list[tuple[int, int, int]]()


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Look for cycles rarely while many objects are made, whatever other threads do; then as often as before.

    >>> with collecting_rarely():
    ...     gc.get_threshold()[0] >= COLLECT_AFTER
    True
    """
    with _lock:
        _held.append(gc.get_threshold())
        if 0 < _held[0][0] < COLLECT_AFTER:  # 0 is never
            gc.set_threshold(COLLECT_AFTER, *_held[0][1:])
    try:
        yield
    finally:
        with _lock:
            before = _held[0]
            _held.pop()
            if not _held:
                gc.set_threshold(*before)
