"""Sources in memory: blocks of rows cut from one CSR matrix."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array, columns_of
from tonmf.nmf.blocks import Block
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.on_host import BYTES_OF_WORK


def default_block_size(X: sp.csr_matrix, n_topics: int, bytes_of_work: int = BYTES_OF_WORK) -> int:
    """Return the default number of documents in a block, with `bytes_of_work` for one float64 array of n_docs × n_topics.

    Each block also keeps a pointer for every term, so it should store at least as many values as there are terms.

    >>> default_block_size(sp.eye(5, format="csr"), n_topics=10)
    104857
    """
    as_many_values_as_terms = int(X.shape[0] * X.shape[1]) // max(int(X.nnz), 1)
    return max(1, bytes_of_work // (8 * n_topics), as_many_values_as_terms)


B = TypeVar("B", bound=Block)


class HeldBlocks(Generic[B]):
    """A source that holds all blocks in memory, with the state that a fit keeps for them."""

    dtype: np.dtype[Any]
    _blocks: list[B]
    _ops: Ops

    def blocks(self) -> Sequence[B]:
        return self._blocks

    def start_from(self, H: Array | None, n_topics: int) -> None:
        for block in self._blocks:
            n_docs = len(block.squared_norms)
            if H is None:
                block.H = self._ops.zeros((n_docs, n_topics), self.dtype)
            else:
                rows = H[block.first : block.first + n_docs]
                block.H = self._ops.place(np.array(rows, dtype=self.dtype, order="C"))

    def keep_topics(self, kept: NDArray[np.bool_]) -> None:
        for block in self._blocks:
            block.H = columns_of(block.H, kept)


class MatrixSource(HeldBlocks[Block]):
    """A CSR matrix in canonical form (sorted, no duplicates), cut into blocks of rows that share its memory."""

    def __init__(self, X: sp.csr_matrix, sample_weight: Array, block_size: int, ops: Ops) -> None:
        self.n_docs, self.n_terms = X.shape
        self.dtype = X.dtype
        self._X, self._ops = X, ops
        self._blocks = []
        for low in range(0, self.n_docs, block_size):
            high = min(low + block_size, self.n_docs)
            rows, weights = ops.prepare(rows_between(X, low, high)), ops.place(sample_weight[low:high])
            self._blocks.append(Block(rows, ops.squared_norms(rows), weights, low, np.zeros((high - low, 0), X.dtype)))

    def again(self) -> MatrixSource:
        """Return a source of the same documents for another fit; it shares the documents, not the state of the fit."""
        twin = copy.copy(self)
        twin._blocks = [block.fresh() for block in self._blocks]
        return twin

    def branch(self) -> MatrixSource:
        """Return a source of the same documents for a fit that goes on from the state of this one."""
        twin = copy.copy(self)
        twin._blocks = [copy.copy(block) for block in self._blocks]
        for block in twin._blocks:
            block.H = block.H.copy()  # the rest of the state is never changed in place
        return twin

    def matrix(self) -> sp.csr_matrix:
        return self._X


def rows_between(X: sp.csr_matrix, low: int, high: int) -> sp.csr_matrix:
    """Return rows [low, high) without copying values or indices."""
    if (low, high) == (0, X.shape[0]):
        return X
    first, last = X.indptr[low], X.indptr[high]
    rows = sp.csr_matrix((high - low, X.shape[1]), dtype=X.dtype)
    # The constructor would copy a small part of a large array.
    rows.data, rows.indices, rows.indptr = X.data[first:last], X.indices[first:last], X.indptr[low : high + 1] - first
    rows.has_canonical_format = True
    return rows
