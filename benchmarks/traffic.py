"""Count the bytes that a Dask cluster moves: all that client, scheduler and workers write to connections, messages included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def count_here() -> None:
    """Start to count what this process writes."""
    from distributed.comm.tcp import TCP

    if hasattr(TCP, "bytes_written"):
        return
    TCP.bytes_written, write = 0, TCP.write

    async def counting(self: Any, *args: Any, **kwargs: Any) -> Any:
        n_bytes = await write(self, *args, **kwargs)
        TCP.bytes_written += n_bytes if isinstance(n_bytes, int) else 0
        return n_bytes

    TCP.write = counting


def written_here() -> int:
    """Return the bytes that this process has written."""
    from distributed.comm.tcp import TCP

    return int(TCP.bytes_written)


class Traffic:
    """A counter of what moves between the processes of a cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        count_here()
        client.run(count_here)
        self._scheduler_is_here = client.run_on_scheduler(_process) == _process()
        if not self._scheduler_is_here:
            client.run_on_scheduler(count_here)

    def so_far(self) -> int:
        """Return the bytes since counting began."""
        there = sum(self._client.run(written_here).values())
        return there + written_here() + (0 if self._scheduler_is_here else self._client.run_on_scheduler(written_here))

    @contextmanager
    def during(self) -> Iterator[list[int]]:
        """Yield a list that receives the bytes moved, when the with-block ends."""
        moved: list[int] = []
        before = self.so_far()
        yield moved
        moved.append(self.so_far() - before)


def _process() -> int:
    import os

    return os.getpid()


def bytes_of_model(n_workers: int, n_terms: int, n_topics: int) -> int:
    """Return the bytes a pass moves by the model: topics to each worker in float32, and its sums back in float64.

    >>> bytes_of_model(2, 1000, 10)
    240000
    """
    return n_workers * n_terms * n_topics * (4 + 8)
