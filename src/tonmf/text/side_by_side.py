"""Stretches of documents, worked on side by side, and results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, TypeVar

from tonmf.text.batches import size_of

S = TypeVar("S")
T = TypeVar("T")

STRETCH, STRETCH_SIZE = 2000, 1_000_000
"""The most documents in a stretch, and the size at which it ends even with fewer: enough work for a thread to be worth it."""


AHEAD = 6
"""Items that are worked on or done beside one for each thread, so that threads go on while the caller is busy with a result."""


def stretches_of(documents: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut a list of documents into stretches.

    >>> [len(some) for some in stretches_of(["a text"] * 5000)]
    [2000, 2000, 1000]
    """
    start, size = 0, 0
    for place, document in enumerate(documents):
        size += size_of(document)
        if size >= STRETCH_SIZE or place + 1 - start == STRETCH:
            yield documents[start : place + 1]
            start, size = place + 1, 0
    if start < len(documents):
        yield documents[start:]


def in_order(function: Callable[[S], T], items: Iterable[S], n_threads: int) -> Iterator[T]:
    """Yield the function of each item, in order; `n_threads` threads work on the items that come next, if there are several.

    >>> list(in_order(str.upper, "abc", n_threads=2))
    ['A', 'B', 'C']
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    running = deque[Future[T]]()
    with ThreadPoolExecutor(n_threads, thread_name_prefix="tonmf-text") as pool:
        try:
            for item in chain(first, items):
                running.append(pool.submit(function, item))
                while running and (len(running) > n_threads + AHEAD or running[0].done()):
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for other in running:
                other.cancel()
