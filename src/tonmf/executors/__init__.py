"""Who runs the blocks of a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, Self, TypeVar

from tonmf.sources import Block

__all__ = ["Executor", "Mergeable"]


class Mergeable(Protocol):
    """Sums over documents: those of two sets of blocks add up to those of both."""

    def merge(self, other: Self) -> None:
        """Add `other` to this."""


S = TypeVar("S", bound=Mergeable)


T = TypeVar("T")


class Executor(Protocol):
    """Does a step on every block and returns the sums over all of them; or looks at every block and returns what it saw."""

    def run(self, step: Callable[[Block, S], None], blocks: Iterable[Block], empty: Callable[[], S]) -> S:
        """``step(block, sums)`` updates the block and adds its share to `sums`, which starts from ``empty()``."""

    def gather(self, look: Callable[[Block], T], blocks: Iterable[Block]) -> list[T]:
        """``look(block)`` of every block, in order; it changes none."""
