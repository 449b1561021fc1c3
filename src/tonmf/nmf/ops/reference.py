"""The numpy backend: plain numpy and scipy, the reference for the others, and the fallback."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops import SAME_ROW
from tonmf.nmf.ops.on_host import OnHost
from tonmf.nmf.ops.two_way import TwoWay


class ReferenceOps(OnHost):
    """`tonmf.nmf.ops.Ops` with numpy and scipy, on one thread."""

    n_threads = 1

    def project(self, X: TwoWay, W: Array) -> Array:
        product: Array = X.by_row.astype(np.float64) @ W.astype(np.float64)
        return product

    def collect(self, X: TwoWay, F: Array, out: Array) -> None:
        out += X.by_row.T.astype(np.float64) @ F.astype(np.float64)

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

    def nearest(self, X: TwoWay, others: TwoWay, n_nearest: int) -> Array:
        rows, sample = X.by_row, others.by_row
        means = np.zeros(rows.shape[0])
        for i in range(rows.shape[0]):
            products = np.sort((sample @ rows[[i]].T).toarray().ravel().astype(np.float64))[::-1][: n_nearest + 1]
            itself = len(products) > 0 and products[0] > SAME_ROW
            products = products[1:] if itself else products[:n_nearest]
            means[i] = products.mean() if len(products) else 0.0
        return means

    def strongest(self, X: TwoWay, others: TwoWay, weights: Array, n_largest: int) -> Array:
        rows, sums = X.by_row, np.zeros(X.by_row.shape[0])
        for i in range(rows.shape[0]):
            products = (others.by_row @ rows[[i]].T).toarray().ravel().astype(np.float64)
            itself = np.flatnonzero(products > SAME_ROW)[:1]
            products[itself] = 0
            sums[i] = np.sort(products * weights)[::-1][:n_largest].sum()
        return sums

    def mean_around(self, X: TwoWay, others: TwoWay, weights: Array, values: Array, n_nearest: int) -> Array:
        rows, means = X.by_row, np.zeros(X.by_row.shape[0])
        for i in range(rows.shape[0]):
            products = (others.by_row @ rows[[i]].T).toarray().ravel().astype(np.float64)
            products[i] = 0
            nearest = np.argsort(-products, kind="stable")[:n_nearest]
            counts = products[nearest] * weights[nearest]
            means[i] = counts @ values[nearest] / counts.sum() if counts.any() else 0.0
        return means

    def smallest(self, X: TwoWay, values: NDArray[np.uint32]) -> NDArray[np.uint32]:
        rows = X.by_row
        out = np.full((rows.shape[0], values.shape[1]), np.iinfo(np.uint32).max, np.uint32)
        filled = np.flatnonzero(np.diff(rows.indptr))
        if len(filled):
            out[filled] = np.minimum.reduceat(values[rows.indices], rows.indptr[filled])
        return out

    def mixtures(self, X: TwoWay, ratios: Array, prior: Array, n_steps: int) -> tuple[Array, Array]:
        rows = X.by_row
        theta, lift = np.empty((rows.shape[0], len(prior))), np.zeros(rows.shape[0])
        for i in range(rows.shape[0]):
            stored = slice(rows.indptr[i], rows.indptr[i + 1])
            counts = rows.data[stored].astype(np.float64)
            if not counts.any():
                theta[i], theta[i, 0] = 0, 1
                continue
            by_term = np.column_stack([np.ones(len(counts)), ratios[rows.indices[stored]]])
            theta[i] = 1 / len(prior)
            for _ in range(n_steps):
                theta[i] = prior + theta[i] * ((counts / (by_term @ theta[i])) @ by_term)
                theta[i] /= theta[i].sum()
            lift[i] = counts @ np.log(by_term @ theta[i]) / counts.sum()
        return theta, lift

    def mixed(self, X: TwoWay, ratios: Array, theta: Array) -> Array:
        rows = np.repeat(np.arange(X.by_row.shape[0]), np.diff(X.by_row.indptr))
        sums: Array = theta[rows, 0] + np.einsum("ij,ij->i", theta[rows, 1:], ratios[X.by_row.indices])
        return sums

    def largest(self, ends: NDArray[np.int64], values: Array, n_largest: int) -> NDArray[np.int64]:
        runs = pairwise(ends.tolist())
        places = [start + np.argsort(-values[start:end], kind="stable")[:n_largest] for start, end in runs]
        return np.concatenate([np.zeros(0, np.int64), *places])
