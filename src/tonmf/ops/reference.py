"""The operations in plain numpy and scipy: the reference for the others, and the fallback."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tonmf.ops import SAME_ROW, Array


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

    def nearest(self, X: sp.csr_matrix, others: sp.csr_matrix, n_nearest: int) -> Array:
        means = np.zeros(X.shape[0])
        for i in range(X.shape[0]):
            products = np.sort((others @ X[[i]].T).toarray().ravel().astype(np.float64))[::-1][: n_nearest + 1]
            itself = len(products) > 0 and products[0] > SAME_ROW
            products = products[1:] if itself else products[:n_nearest]
            means[i] = products.mean() if len(products) else 0.0
        return means

    def mixtures(self, X: sp.csr_matrix, ratios: Array, prior: Array, n_steps: int) -> tuple[Array, Array]:
        theta, lift = np.empty((X.shape[0], len(prior))), np.zeros(X.shape[0])
        for i in range(X.shape[0]):
            stored = slice(X.indptr[i], X.indptr[i + 1])
            counts = X.data[stored].astype(np.float64)
            if not counts.any():
                theta[i], theta[i, 0] = 0, 1
                continue
            by_term = np.column_stack([np.ones(len(counts)), ratios[X.indices[stored]]])
            theta[i] = 1 / len(prior)
            for _ in range(n_steps):
                theta[i] = prior + theta[i] * ((counts / (by_term @ theta[i])) @ by_term)
                theta[i] /= theta[i].sum()
            lift[i] = counts @ np.log(by_term @ theta[i]) / counts.sum()
        return theta, lift
