"""The operations in plain numpy and scipy: the reference for the others, and the fallback."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tonmf.ops import Array


class ReferenceOps:
    """`tonmf.ops.Ops` with numpy and scipy, on one thread."""

    def prepare(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return X

    def project(self, X: sp.csr_matrix, W: Array) -> Array:
        product: Array = X.astype(np.float64) @ W.astype(np.float64)
        return product

    def collect(self, X: sp.csr_matrix, F: Array, out: Array) -> None:
        out += X.T.astype(np.float64) @ F.astype(np.float64)

    def hals(self, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            for j in np.flatnonzero(np.diag(gram) > 0):
                F[:, j] = np.maximum(F[:, j] + (rhs[:, j] - F @ gram[:, j]) / gram[j, j], 0)

    def greedy(self, F: Array, rhs: Array, gram: Array, n_updates: int) -> None:
        rows = np.arange(len(F))
        diagonal = np.diag(gram)
        movable = diagonal > 0
        gradient = F @ gram - rhs
        for _ in range(n_updates):
            move = np.zeros_like(gradient)
            move[:, movable] = np.maximum(-F[:, movable], -gradient[:, movable] / diagonal[movable])
            gain = -move * (gradient + 0.5 * diagonal * move)
            best = gain.argmax(axis=1)
            step = np.where(gain[rows, best] > 0, move[rows, best], 0)
            F[rows, best] = np.maximum(F[rows, best] + step, 0)
            gradient += step[:, None] * gram[best]

    def quadratic(self, F: Array, rhs: Array, gram: Array) -> Array:
        f = F.astype(np.float64)
        values: Array = np.einsum("ij,ij->i", f @ gram - 2 * rhs, f)
        return values

    def gram(self, A: Array, weight: Array, B: Array) -> Array:
        product: Array = A.astype(np.float64).T @ (weight[:, None] * B)
        return product
