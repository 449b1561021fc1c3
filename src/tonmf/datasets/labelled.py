"""What every data set is: documents, and which of them are outliers."""

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
        One name for each document.
    texts : list of str, optional
        The documents, if they are texts.
    X : sparse matrix of shape (n_docs, n_terms), optional
        The documents, if they are rows of numbers.
    terms : list of str, optional
        What the columns of ``X`` are called, if that is known.
    """

    name: str
    labels: NDArray[np.int64]
    ids: list[str]
    texts: list[str] | None = None
    X: Any = None
    terms: list[str] | None = None

    def __repr__(self) -> str:
        """In a line: documents may be long, and many."""
        kind = "texts" if self.texts is not None else f"X of {self.X.shape[1]:,} columns"
        return (
            f"Dataset({self.name!r}, {len(self.ids):,} documents, {int(self.labels.sum()):,} of them outliers, {kind})"
        )
