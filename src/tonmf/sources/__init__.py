"""Where blocks of documents come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.ops import Array

__all__ = ["Block", "Source"]


@dataclass
class Block:
    """Some consecutive documents, and what a fit remembers of each.

    ============== ======================= ==========================================================
    field          shape                   what
    ============== ======================= ==========================================================
    X              n_docs × n_terms        as `tonmf.ops.Ops.prepare` returned it
    squared_norms  n_docs                  ‖x_i‖², float64
    sample_weight  n_docs                  how often a document counts
    first          number                  how many documents come before the block
    H              n_docs × n_topics       its topics
    rho, omega     n_docs                  its residual norm and weight, once `measured`
    held           (see `tonmf.blocks`)    what the paper's solver keeps while Z is held
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

    def unfitted(self) -> Block:
        """The same documents for another fit, which remembers nothing of them yet."""
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
