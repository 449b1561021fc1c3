"""Blocks of documents: what a block is, what supplies blocks (`Source`), and what runs functions on them (`Executor`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeGuard, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.errors import Param, ParameterError


@dataclass
class Block:
    """Consecutive documents, and the state that a fit keeps for each.

    ============== ======================= ==========================================================
    field          shape                   what
    ============== ======================= ==========================================================
    X              n_docs × n_terms        as `tonmf.nmf.ops.Ops.prepare` returned it
    squared_norms  n_docs                  ‖x_i‖², float64
    sample_weight  n_docs                  how often each document counts
    first          number                  how many documents come before the block
    H              n_docs × n_topics       the topics of each document
    rho, omega     n_docs                  residual norm and weight of each, once `measured`
    held_z         `tonmf.nmf.steps.HeldZ` what the paper's solver keeps while Z is held
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
    held_z: Any = None

    def fresh(self) -> Block:
        """Return a block with the same documents and no state, for another fit."""
        return Block(self.X, self.squared_norms, self.sample_weight, self.first, np.zeros((0, 0), self.H.dtype))


class Source(Protocol):
    """Documents in blocks, which an `Executor` goes over as often as a fit needs."""

    n_docs: int
    n_terms: int
    dtype: np.dtype[Any]

    def start_from(self, H: Array | None, n_topics: int) -> None:
        """Set every document's topics to its row of `H`, or to zero."""

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        """Drop the columns of every document's H that are not in `kept`."""

    def matrix(self) -> sp.csr_matrix:
        """Return all documents as one matrix, where that is possible."""


def not_in_one_place(where: str) -> ParameterError:
    """Return the error for `Source.matrix` of documents that are never put together."""
    return ParameterError(
        f"A start by nndsvd needs all documents in one place, and these are {where}. Use ",
        Param("init", "random"),
        " or 'rows'.",
    )


class LocalSource(Source, Protocol):
    """A `Source` whose blocks are in this process."""

    def blocks(self) -> Iterable[Block]:
        """Return the blocks in order; a block may be valid only until the next one is asked for."""


class Mergeable(Protocol):
    """Sums over documents. The sums of two sets of blocks add up to the sums of both."""

    def merge(self, other: Self) -> None:
        """Add `other` to these sums."""


S = TypeVar("S", bound=Mergeable)


T = TypeVar("T")


class Executor(Protocol):
    """Runs a function on every block of a source: a step that updates blocks and sums, or a look at each block.

    `far` says that the blocks are in other processes, so that fetching one number per document is expensive.
    """

    far: bool

    def session(self, source: Source) -> AbstractContextManager[None]:
        """Enter the context of one fit; on exit, release what the executor cached for `source`."""

    def run(self, step: Callable[[Block, S], None], source: Source, empty: Callable[[], S]) -> S:
        """Call ``step(block, sums)``, which updates the block and adds its share to `sums`; return the sums over all blocks.

        Sums start from ``empty()``.
        """

    def gather(self, look: Callable[[Block], T], source: Source) -> list[T]:
        """Return ``look(block)`` for every block, in order. `look` must not change the block."""


class SerialExecutor:
    """`Executor` that runs on one block after the other in this process."""

    far = False

    def session(self, source: Source) -> AbstractContextManager[None]:
        return nullcontext()

    def run(self, step: Callable[[Block, S], None], source: Source, empty: Callable[[], S]) -> S:
        sums = empty()
        for block in _local_blocks(source):
            step(block, sums)
        return sums

    def gather(self, look: Callable[[Block], T], source: Source) -> list[T]:
        return [look(block) for block in _local_blocks(source)]


def _local_blocks(source: Source) -> Iterable[Block]:
    if not _is_local(source):
        raise TypeError(f"Expected a source with blocks in this process, got {type(source).__name__}.")
    return source.blocks()


def _is_local(source: Source) -> TypeGuard[LocalSource]:
    """Check for blocks in this process; `isinstance` of a protocol would take longer than a step over a small block."""
    return hasattr(source, "blocks")
