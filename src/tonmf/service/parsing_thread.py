"""The thread in which large requests are parsed and checked, one after the other, while small ones are answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tonmf.service.json_outline import outline_of
from tonmf.service.json_parts import AT_ONCE

T = TypeVar("T")


class ParsingThread:
    """A thread for what would take too long in the thread of requests."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "parsing")

    async def start(self) -> None:
        """Compile what is compiled."""
        await self.run(AT_ONCE + 1, lambda: outline_of(b"{}"))

    async def run(self, n_bytes: int, work: Callable[[], T]) -> T:
        """Return what `work` returns; it is done at once if there are few bytes to work on, and else in the thread."""
        if n_bytes <= AT_ONCE:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def stop(self) -> None:
        """End after the work at hand."""
        self._thread.shutdown(wait=False, cancel_futures=True)
