"""Data sets: documents, and which of them are outliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """Documents with known outliers.

    Attributes
    ----------
    name : str
    labels : ndarray of shape (n_docs,)
        1 for outliers, 0 for the rest.
    ids : list of str
        The name of each document.
    texts : list of str, optional
        The documents, if they are texts.
    X : sparse matrix of shape (n_docs, n_terms), optional
        The documents, if they are rows of numbers.
    terms : list of str, optional
        Names of the columns of ``X``, if known.
    """

    name: str
    labels: NDArray[np.int64]
    ids: list[str]
    texts: list[str] | None = None
    X: Any = None
    terms: list[str] | None = None

    def __repr__(self) -> str:
        """Describe the data set on one line: documents may be long, and many."""
        kind = "texts" if self.texts is not None else f"X of {self.X.shape[1]:,} columns"
        return (
            f"Dataset({self.name!r}, {len(self.ids):,} documents, {int(self.labels.sum()):,} of them outliers, {kind})"
        )
