"""Blocks one after the other, in this process (each block's arithmetic may use many threads)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

from tonmf.executors import S, T
from tonmf.sources import Block, Source


class SerialExecutor:
    """`tonmf.executors.Executor` that adds every block's share into one set of sums."""

    far = False

    def over(self, source: Source) -> AbstractContextManager[None]:
        return nullcontext()

    def run(self, step: Callable[[Block, S], None], blocks: Iterable[Block], empty: Callable[[], S]) -> S:
        sums = empty()
        for block in blocks:
            step(block, sums)
        return sums

    def gather(self, look: Callable[[Block], T], blocks: Iterable[Block]) -> list[T]:
        return [look(block) for block in blocks]
