"""The elementwise passes of `tonmf.baselines.pursuit`, compiled; that module explains the letters.

Each pass works on some rows of T and releases the GIL, so that threads can share the rows. Sums over a row are in float32,
sums over rows in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LOOSE = {"reassoc", "contract", "nsz"}
"""Allow sums in any order, so that they can use SIMD registers."""


@njit(nogil=True, cache=True, fastmath=LOOSE)
def fill_target(T: Any, indptr: Any, indices: Any, data: Any, tau: Any, ratio: Any, G: Any) -> None:
    """Compute G = X − shrink(T, τ) + ratio · clip(T, τ), with X as CSR."""
    for i in range(T.shape[0]):
        t, g = T[i], G[i]
        for j in range(len(t)):
            clipped = min(max(t[j], -tau), tau)
            g[j] = ratio * clipped - (t[j] - clipped)
        for p in range(indptr[i], indptr[i + 1]):
            g[indices[p]] += data[p]


@njit(nogil=True, cache=True, fastmath=LOOSE)
def update_rows(
    T: Any, indptr: Any, indices: Any, data: Any, tau_old: Any, tau: Any, ratio: Any, L: Any
) -> tuple[float, float, float]:
    """Compute T = X − L + ratio · clip(T, τ_old) in place; overwrite `L`.

    Return (‖X − L − S‖², ‖S − S_old‖², ‖Y/μ‖²).
    """
    left, moved, size = np.float64(0), np.float64(0), np.float64(0)
    for i in range(T.shape[0]):
        t, row = T[i], L[i]
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] -= data[p]
        row_left, row_moved, row_size = np.float32(0), np.float32(0), np.float32(0)
        for j in range(len(t)):
            clipped_old = min(max(t[j], -tau_old), tau_old)
            value = ratio * clipped_old - row[j]
            clipped = min(max(value, -tau), tau)
            row_left += (clipped - ratio * clipped_old) ** 2
            row_moved += ((value - clipped) - (t[j] - clipped_old)) ** 2
            row_size += clipped**2
            t[j] = value
        left += row_left
        moved += row_moved
        size += row_size
    return left, moved, size
