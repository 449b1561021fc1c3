"""A block of documents, compressed by rows and by columns."""

from __future__ import annotations

import threading
from typing import Protocol

import scipy.sparse as sp


class TwoWay(Protocol):
    """Documents by rows, for X W, and by columns, for Xᵀ F."""

    @property
    def by_row(self) -> sp.csr_matrix:
        """Return X, compressed by documents."""

    @property
    def by_column(self) -> sp.csc_matrix:
        """Return X, compressed by terms."""


class TwoWayMatrix:
    """`TwoWay` in memory; the copy by columns is made when first needed."""

    def __init__(self, X: sp.csr_matrix) -> None:
        self.by_row = X
        self._by_column: sp.csc_matrix | None = None
        self._lock = threading.Lock()

    @property
    def by_column(self) -> sp.csc_matrix:
        """Return X, compressed by terms."""
        with self._lock:  # fits that run in parallel share the block
            if self._by_column is None:
                self._by_column = self.by_row.tocsc()
        return self._by_column

    def __getstate__(self) -> sp.csr_matrix:
        return self.by_row

    def __setstate__(self, X: sp.csr_matrix) -> None:
        self.__init__(X)  # type: ignore[misc]
