"""Blocks of documents: what one is, who supplies them (`Source`) and who runs them (`Executor`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array


@dataclass
class Block:
    """Some consecutive documents, and what a fit remembers of each.

    ============== ======================= ==========================================================
    field          shape                   what
    ============== ======================= ==========================================================
    X              n_docs × n_terms        as `tonmf.nmf.ops.Ops.prepare` returned it
    squared_norms  n_docs                  ‖x_i‖², float64
    sample_weight  n_docs                  how often a document counts
    first          number                  how many documents come before the block
    H              n_docs × n_topics       its topics
    rho, omega     n_docs                  its residual norm and weight, once `measured`
    held           (`tonmf.nmf.steps`)     what the paper's solver keeps while Z is held
    ============== ======================= ==========================================================
    """

    X: Any
    squared_norms: Array
    sample_weight: Array
    first: int
    H: Array
    rho: Array = field(init=False)
    omega: Array = field(init=False)
    measured: bool = False
    held: Any = None

    def fresh(self) -> Block:
        """Return the same documents for another fit, which remembers nothing of them yet."""
        return Block(self.X, self.squared_norms, self.sample_weight, self.first, np.zeros((0, 0), self.H.dtype))


class Source(Protocol):
    """Documents in blocks, to be gone through as often as a fit needs."""

    n_docs: int
    n_terms: int
    dtype: np.dtype[Any]

    def blocks(self) -> Iterable[Block]:
        """The blocks, in order; a block may be at hand only until the next one is asked for."""

    def start_from(self, H: Array | None, n_topics: int) -> None:
        """Set every document's topics to its row of `H`, or to zero."""

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        """Forget every document's use of the other topics."""

    def matrix(self) -> sp.csr_matrix:
        """All documents as one matrix, where that is possible."""


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


class SerialExecutor:
    """`tonmf.nmf.blocks.Executor` that adds every block's share into one set of sums."""

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
