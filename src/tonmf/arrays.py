"""Arrays of floating-point numbers, as type hints name them, in host memory or on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


def columns_of(A: Any, kept: NDArray[np.bool_]) -> Any:
    """Return some columns of an array, contiguous by rows, wherever the array is.

    >>> columns_of(np.arange(6).reshape(2, 3), np.array([True, False, True])).tolist()
    [[0, 2], [3, 5]]
    """
    return A[:, np.asarray(kept, like=A)].copy(order="C")
