"""The starts of a fit.

====== ==================== ============================================================
letter shape                what
====== ==================== ============================================================
X      n_docs × n_terms     the documents
W      n_terms × n_topics   first topics, of any scale
H      n_docs × n_topics    first H, or None for zero
====== ==================== ============================================================

``random``
    Each topic is a mean of documents, weighted by how far they lie from the mean document in a random direction:
    W = Xᵀ max(0, (X − x̄)R), R standard normal, H = 0. It is as large as the data, looks at every document, and depends on
    what the documents say but not on their order or on how repeats are written (twice, or once with weight 2).
``rows``
    Each topic is the mean of 8 documents drawn at random, H = 0. Topics differ more at first than with ``random``, which suits
    a fit from many topics of which most are to be dropped. The order of the documents does not matter here, either.
``nndsvd``, ``nndsvda``, ``nndsvdar``
    From the leading singular vectors, keeping of each pair the sign that carries more (Boutsidis and Gallopoulos); zeros
    stay zero, become the mean of X, or small random numbers.
``uniform``
    W and H uniform on [0, 1], as in the paper's published code. For comparison only: see `tonmf.nmf.solver.rank_correlation`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.blocks import Block, Executor, Source
from tonmf.nmf.ops import Ops
from tonmf.nmf.steps import Sums

Start = tuple[Array | None, Array]
"""(H or None, W)"""


def at_unit_norm(start: Start, dtype: np.dtype[Any]) -> Start:
    """Scale a start to topics of unit norm, so that no scale of the data overflows or underflows `dtype`."""
    H, W = start
    largest = W.max(axis=0)
    W /= np.where(largest > 0, largest, 1)
    norms = np.sqrt(np.einsum("ij,ij->j", W, W))
    W /= np.where(norms > 0, norms, 1)
    return (None if H is None else H * (largest * norms)), np.ascontiguousarray(W, dtype=dtype)


def random_start(source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Start:
    """Return W = Xᵀ (s∘max(0, (X − x̄)R)), R standard normal; where that is zero, the mean document."""
    R = np.empty((source.n_terms, n_topics), source.dtype)
    for low in range(0, len(R), ROWS_AT_A_TIME):
        rows = R[low : low + ROWS_AT_A_TIME]
        rows[:] = rng.standard_normal(rows.shape)

    dtype = source.dtype

    def add_leaning(block: Block, sums: Sums) -> None:
        lean = ops.project(block.X, placed)
        lean -= np.asarray(centre, like=lean)
        np.maximum(lean, 0, out=lean)
        lean *= block.sample_weight[:, None]
        ops.collect(block.X, lean.astype(dtype), sums.P)

    total_weight = sum(executor.gather(lambda block: float(block.sample_weight.sum()), source))
    total = term_sums(source, ops, executor)
    centre, placed = total / total_weight @ R, ops.place(R)
    W = executor.run(add_leaning, source, partial(Sums.zeros, source.n_terms, n_topics)).P
    empty = ~W.any(axis=0)
    W[:, empty] = total[:, None]
    return None, W


ROWS_AT_A_TIME = 4096
"""Rows of random numbers that are drawn together, which bounds memory."""


def term_sums(source: Source, ops: Ops, executor: Executor) -> Array:
    """Return Σ_i s_i x_it of each term t, float64."""
    dtype = source.dtype

    def add_documents(block: Block, sums: Sums) -> None:
        ops.collect(block.X, block.sample_weight.astype(dtype)[:, None], sums.P)

    sums: Array = executor.run(add_documents, source, partial(Sums.zeros, source.n_terms, 1)).P[:, 0]
    return sums


ROWS_PER_TOPIC = 8
"""Documents in each topic of `rows_start`."""


def rows_start(source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Start:
    """Make each topic the sum of a few documents, drawn in proportion to their weight; empty ones are not drawn."""
    order, weights = by_content(source, rng, ops, executor)
    drawn, dtype = rng.random_sample(n_topics * ROWS_PER_TOPIC), source.dtype
    cumulative = np.cumsum(weights[order] if weights.any() else np.ones(len(order)))
    chosen = order[np.searchsorted(cumulative, drawn * cumulative[-1], side="right")]
    topics = np.repeat(np.arange(n_topics), ROWS_PER_TOPIC)

    def add_chosen(block: Block, sums: Sums) -> None:
        here = (chosen >= block.first) & (chosen < block.first + len(block.sample_weight))
        if here.any():
            rows, places = np.unique(chosen[here] - block.first, return_inverse=True)
            times = np.zeros((len(rows), n_topics), dtype)
            np.add.at(times, (places, topics[here]), 1)
            ops.collect(ops.prepare(block.X.by_row[rows]), times, sums.P)

    W = executor.run(add_chosen, source, partial(Sums.zeros, source.n_terms, n_topics)).P
    return None, W


def by_content(
    source: Source, rng: np.random.RandomState, ops: Ops, executor: Executor
) -> tuple[NDArray[np.int64], Array]:
    """Return the numbers of all documents in order of Xr, r standard normal, and the weight of each; 0 for empty ones.

    That order is the same however the documents come, so what is drawn from it depends on what they say only.
    """
    r = rng.standard_normal((source.n_terms, 1)).astype(source.dtype)

    def look(block: Block) -> tuple[Array, Array]:
        return ops.project(block.X, r)[:, 0], ops.fetch(_weights_of(block))

    places, weights = map(np.concatenate, zip(*executor.gather(look, source), strict=True))
    return np.argsort(places, kind="stable"), weights


def _weights_of(block: Block) -> Array:
    """Return the weight of each document, 0 for empty ones."""
    weights: Array = block.sample_weight * (block.squared_norms > 0)
    return weights


def uniform_start(source: Source, n_topics: int, rng: np.random.RandomState, *_: Any) -> Start:
    """Draw W and H uniformly from [0, 1]."""
    W = rng.uniform(size=(source.n_terms, n_topics))
    return rng.uniform(size=(source.n_docs, n_topics)), W


def nndsvd_start(source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Start:
    """Return the non-negative double singular value decomposition, zeros included."""
    return _nndsvd(source, n_topics, rng, ops, executor)


def _nndsvd(
    source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor
) -> tuple[Array, Array]:
    """Return (H, W) from the singular vectors of the rows, scaled by the root of their weight."""
    from sklearn.utils.extmath import randomized_svd  # heavy, and names of starts are wanted without it

    X, rank = source.matrix(), min(n_topics, source.n_docs, source.n_terms)
    root = np.sqrt(_all_weights(source, ops, executor))
    U, S, Vt = randomized_svd(sp.diags_array(root, dtype=source.dtype) @ X, rank, random_state=rng)
    H, W = np.zeros((source.n_docs, n_topics)), np.zeros((source.n_terms, n_topics))
    for k in range(rank):
        sides = [(np.maximum(sign * U[:, k], 0), np.maximum(sign * Vt[k], 0)) for sign in (1, -1)]
        sizes = [float(np.linalg.norm(u) * np.linalg.norm(v)) for u, v in sides]
        (u, v), size = max(zip(sides, sizes, strict=True), key=lambda side: side[1])
        if size > 0:
            H[:, k] = np.sqrt(S[k] * size) * u / np.linalg.norm(u)
            W[:, k] = np.sqrt(S[k] * size) * v / np.linalg.norm(v)
    return np.divide(H, root[:, None], out=np.zeros_like(H), where=root[:, None] > 0), W


def _mean(source: Source, ops: Ops, executor: Executor) -> float:
    """Return the weighted mean of all entries of X."""
    X, weights = source.matrix(), _all_weights(source, ops, executor)
    return float((weights @ X).sum() / (weights.sum() * source.n_terms))


def _all_weights(source: Source, ops: Ops, executor: Executor) -> Array:
    """Return the weights of all documents."""
    return np.concatenate(executor.gather(lambda block: ops.fetch(block.sample_weight), source))


def nndsvda_start(source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Start:
    """Return NNDSVD with zeros replaced by the mean of X."""
    mean = _mean(source, ops, executor)
    H, W = (np.where(factor == 0, mean, factor) for factor in _nndsvd(source, n_topics, rng, ops, executor))
    return H, W


def nndsvdar_start(source: Source, n_topics: int, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Start:
    """Return NNDSVD with zeros replaced by random numbers up to a hundredth of the mean of X."""
    most = _mean(source, ops, executor) / 100
    factors = _nndsvd(source, n_topics, rng, ops, executor)
    H, W = (np.where(factor == 0, most * rng.uniform(size=factor.shape), factor) for factor in factors)
    return H, W


STARTS: dict[str, Callable[..., Start]] = {
    "random": random_start,
    "rows": rows_start,
    "nndsvd": nndsvd_start,
    "nndsvda": nndsvda_start,
    "nndsvdar": nndsvdar_start,
    "uniform": uniform_start,
}
