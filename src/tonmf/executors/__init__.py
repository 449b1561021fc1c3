"""Who runs the blocks of a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from tonmf.sources import Block, Source

__all__ = ["Executor", "Mergeable"]


class Mergeable(Protocol):
    """Sums over documents: those of two sets of blocks add up to those of both."""

    def merge(self, other: Self) -> None:
        """Add `other` to this."""

    def packed(self, dtype: np.dtype[Any]) -> Self:
        """The same with its large array in `dtype`, as it is sent to another process."""

    def unpacked(self) -> Self:
        """The same with its large array in float64, ready for `merge`."""


S = TypeVar("S", bound=Mergeable)


T = TypeVar("T")


class Executor(Protocol):
    """Does a step on every block and returns the sums over all of them; or looks at every block and returns what it saw.

    `far` says that blocks are somewhere else, so that a number for each document is a lot to ask for.
    """

    far: bool

    def over(self, source: Source) -> AbstractContextManager[None]:
        """Around a fit over a source: in the end, what was kept for it elsewhere is let go."""

    def run(self, step: Callable[[Block, S], None], blocks: Iterable[Block], empty: Callable[[], S]) -> S:
        """``step(block, sums)`` updates the block and adds its share to `sums`, which starts from ``empty()``."""

    def gather(self, look: Callable[[Block], T], blocks: Iterable[Block]) -> list[T]:
        """``look(block)`` of every block, in order; it changes none."""
