"""Principal component pursuit (Candès, Li, Ma and Wright): a matrix as low rank plus sparse, for large sparse matrices.

    min ‖L‖_* + λ‖S‖₁    with L + S = X

by the inexact augmented Lagrangian method of Lin, Chen and Ma (2010).

====== ======================== ==========================================================
letter shape                    what
====== ======================== ==========================================================
X      n_docs × n_terms         the rows, sparse, float32, scaled to ‖X‖₂ = 1
L      n_docs × n_terms         low rank; only U, σ and V of L = U diag(σ) Vᵀ are kept
S      n_docs × n_terms         the sparse part
Y      n_docs × n_terms         multiplier of L + S = X
mu     number                   weight of ½‖X − L − S‖²
tau    number                   λ/μ
T      n_docs × n_terms         X − L + Y_old/μ, the one dense array, float32
G      a block of rows          X − S + Y/μ; L has its singular vectors
Q      n_terms × n_directions   orthonormal: the subspace to search for singular vectors of G
====== ======================== ==========================================================

Let clip(T, τ) limit every entry to [−τ, τ], and shrink(T, τ) = T − clip(T, τ). A step is

    L = U max(σ − 1/μ, 0) Vᵀ                where U diag(σ) Vᵀ = G = X − S + Y/μ
    S = shrink(T, τ)                        where T = X − L + Y/μ
    Y = Y + μ (X − L − S) = μ clip(T, τ)

so T holds both S and Y, and nothing else is stored; G is computed from it, a block of rows at a time. Every Y has |Y| ≤ λ. The
L of a step would be optimal if the multiplier were Y + μ (S − S_old), so two numbers measure how far it is from a solution:

    left   ‖X − L − S‖ / ‖X‖
    moved  μ ‖S − S_old‖ / ‖Y‖

Lin, Chen and Ma let μ grow without limit, which drives `left` to zero whether L and S are a solution or not. Here μ goes up or
down to reduce the larger of the two.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.baselines.kernels import fill_target, update_rows
from tonmf.nmf.threads import one_blas_thread

FIRST_MU = 1.25
"""μ of the first step, for ‖X‖₂ = 1."""

GROWTH = 1.2
"""The factor by which a step raises or lowers μ."""

BALANCE = 3.0
"""μ grows while `moved` is less than this many times `left`, and falls otherwise."""

SPARE = 10
"""Directions to search beyond the rank that the previous step found."""

BLOCK_BYTES = 2**24
"""Memory for one block of rows, in each thread."""


@dataclass(frozen=True)
class PursuitOptions:
    """λ, the stopping rule, the largest rank of L, and the number of threads."""

    lam: float
    tol: float
    max_iter: int
    max_rank: int
    n_threads: int


@dataclass(frozen=True)
class Decomposition:
    """X ≈ U diag(sigma) Vᵀ + S, with S in T, and how the search ended."""

    U: Array
    sigma: Array
    V: Array
    T: Array
    lam: float
    mu: float
    n_iter: int
    left: float
    converged: bool

    def sparse_part(self) -> sp.csr_matrix:
        """Return S = shrink(T, τ), float32."""
        tau = np.float32(self.lam / self.mu)
        n_docs, n_terms = self.T.shape
        size = _block_size(n_terms)
        blocks = (self.T[low : low + size] for low in range(0, n_docs, size))
        return sp.vstack([sp.csr_matrix(block - np.clip(block, -tau, tau)) for block in blocks], format="csr")

    def multiplier(self) -> Array:
        """Return Y = μ clip(T, τ), dense."""
        return self.mu * np.clip(self.T, -self.lam / self.mu, self.lam / self.mu)


def pursue(X: sp.csr_matrix, options: PursuitOptions, rng: np.random.RandomState) -> Decomposition:
    """Split X, which has ‖X‖₂ = 1, into low rank and sparse.

    >>> X = sp.csr_matrix(np.full((6, 8), 1 / np.sqrt(48)))
    >>> options = PursuitOptions(lam=1 / np.sqrt(8), tol=1e-5, max_iter=100, max_rank=6, n_threads=1)
    >>> found = pursue(X, options, np.random.RandomState(0))
    >>> len(found.sigma), round(float(found.sigma[0]), 3), found.sparse_part().nnz
    (1, 1.0, 0)
    """
    mu, shorter = FIRST_MU, min(X.shape)
    with one_blas_thread(), ThreadPoolExecutor(options.n_threads) as threads:
        matrix = Splitting(X.astype(np.float32), options.lam, mu, threads)
        Q = _more_directions(np.zeros((X.shape[1], 0), np.float32), min(SPARE, shorter), rng)
        for n_iter in range(1, options.max_iter + 1):
            Q = _orthonormal(matrix.gram_times(Q, mu))
            U, sigma, Wt = np.linalg.svd(matrix.times(Q, mu), full_matrices=False)
            V = Q @ Wt.T
            above = int((sigma > 1 / mu).sum())
            rank = min(above, options.max_rank)
            all_found = above < len(sigma) or len(sigma) >= min(shorter, options.max_rank)
            U, sigma = U[:, :rank], sigma[:rank] - np.float32(1 / mu)
            left, moved = matrix.update(U * sigma, V[:, :rank], mu)
            converged = all_found and max(left, moved) <= options.tol
            if converged or n_iter == options.max_iter:
                break
            mu = mu * GROWTH if moved < BALANCE * left else mu / GROWTH
            wanted = rank + (SPARE if all_found else max(SPARE, rank // 2))
            Q = _more_directions(V, min(wanted, shorter), rng)
    kept = sigma > options.tol  # the rest is rounding error of the last step
    U, sigma, V = U[:, kept], sigma[kept], V[:, :rank][:, kept]
    return Decomposition(U, sigma, V, matrix.T, options.lam, matrix.mu, n_iter, left, converged)


def sparse_rows(X: Array, V: Array, sigma: Array, lam: float, mu: float, tol: float, max_iter: int) -> Array:
    """Return the s that solves  min ½‖a‖² + λ‖s‖₁  with Ba + s = x,  B = V diag(√σ), for each row x of X, which is dense.

    The steps are those of the pursuit with V fixed: Ba = V diag(μσ/(1 + μσ)) Vᵀ(x − s + y/μ). Each row stops on its own.

    >>> V, sigma = np.array([[0.6], [0.8]]), np.array([50.0])
    >>> sparse_rows(np.array([[3.0, 4.0], [3.0, 0.0]]), V, sigma, lam=1.0, mu=1.0, tol=1e-6, max_iter=1000).round(2) + 0.0
    array([[0., 0.],
           [3., 0.]])
    """
    tau, kept = lam / mu, mu * sigma / (1 + mu * sigma)
    S, clipped = np.zeros_like(X), np.zeros_like(X)
    todo = np.arange(len(X))
    for _ in range(max_iter):
        x, s_old, c_old = X[todo], S[todo], clipped[todo]
        t = x - ((x - s_old + c_old) @ V * kept) @ V.T + c_old
        c = np.clip(t, -tau, tau)
        S[todo], clipped[todo] = t - c, c
        left = _norms(c - c_old) > tol * _norms(x)
        moved = _norms(t - c - s_old) > tol * _norms(c)
        todo = todo[left | moved]
        if not len(todo):
            break
    return S


def _norms(rows: Array) -> Array:
    norms: Array = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return norms


class Splitting:
    """X, and the T of the last step, which used μ = `mu`; threads share the blocks of rows.

    The start is S = 0 and Y = X / max(‖X‖₂, max|X|/λ), for which T = Y/μ.
    """

    def __init__(self, X: sp.csr_matrix, lam: float, mu: float, threads: ThreadPoolExecutor) -> None:
        self.X, self.lam, self.mu = X, lam, mu
        self.T: Array = (X * np.float32(1 / (mu * max(1.0, float(np.abs(X.data).max()) / lam)))).toarray()
        self._norm = float(np.linalg.norm(X.data.astype(np.float64)))
        self._threads = threads
        self._rooms = threading.local()

    def gram_times(self, Q: Array, mu: float) -> Array:
        """Return GᵀG Q."""

        def work(rows: slice, room: Array) -> Array:
            G = self._target(rows, room, mu)
            product: Array = G.T @ (G @ Q)
            return product

        total = np.zeros_like(Q)
        for part in self._each(work):
            total += part
        return total

    def times(self, Q: Array, mu: float) -> Array:
        """Return G Q."""
        return np.concatenate(list(self._each(lambda rows, room: self._target(rows, room, mu) @ Q)))

    def update(self, A: Array, V: Array, mu: float) -> tuple[float, float]:
        """Compute the T of a step with L = A Vᵀ; return (left, moved)."""
        taus = np.float32(self.lam / self.mu), np.float32(self.lam / mu)
        ratio = np.float32(self.mu / mu)
        Vt = np.ascontiguousarray(V.T)

        def work(rows: slice, room: Array) -> tuple[float, float, float]:
            L = np.matmul(A[rows], Vt, out=room)
            sums: tuple[float, float, float] = update_rows(self.T[rows], *self._csr(rows), *taus, ratio, L)
            return sums

        left, moved, size = np.sqrt(np.sum(list(self._each(work)), axis=0))
        self.mu = mu
        return float(left / self._norm), float(moved / size)

    def _target(self, rows: slice, G: Array, mu: float) -> Array:
        fill_target(self.T[rows], *self._csr(rows), np.float32(self.lam / self.mu), np.float32(self.mu / mu), G)
        return G

    def _csr(self, rows: slice) -> tuple[Array, Array, Array]:
        return self.X.indptr[rows.start : rows.stop + 1], self.X.indices, self.X.data

    def _each(self, work: Callable[[slice, Array], Any]) -> Iterator[Any]:
        """Yield the results of `work(rows, room)` for all blocks of rows, in order."""
        n_docs, n_terms = self.X.shape
        size = _block_size(n_terms)

        def on(low: int) -> Any:
            if not hasattr(self._rooms, "room"):
                self._rooms.room = np.empty((min(size, n_docs), n_terms), np.float32)
            rows = slice(low, min(low + size, n_docs))
            return work(rows, self._rooms.room[: rows.stop - rows.start])

        return self._threads.map(on, range(0, n_docs, size))


def _block_size(n_terms: int) -> int:
    return max(BLOCK_BYTES // (4 * n_terms), 1)


def _orthonormal(Q: Array) -> Array:
    return np.ascontiguousarray(np.linalg.qr(Q)[0])


def _more_directions(V: Array, wanted: int, rng: np.random.RandomState) -> Array:
    """Return the first directions of V, and random ones orthogonal to them if more are wanted."""
    n_terms, known = V.shape
    if wanted <= known:
        return np.ascontiguousarray(V[:, :wanted])
    random = rng.standard_normal((n_terms, wanted - known)).astype(np.float32)
    return _orthonormal(np.hstack([V, random]))
