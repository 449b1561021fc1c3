"""The numba kernels.

======== ======================== ===========================================================
letter   shape                    what
======== ======================== ===========================================================
F        (n_rows, n_topics)       the factor being solved for, updated in place, ≥ 0
rhs      (n_rows, n_topics)       right-hand side of the normal equations, float64
gram     (n_topics, n_topics)     their matrix, symmetric; in F's dtype for `hals`
A, B     (n_rows, n_topics)       dense factors
ratios   (n_terms, n_topics)      probability of a term in a topic over that in the background
theta    (n_rows, n_topics + 1)   mixture of each row over the background (first) and the topics
out      see each kernel          float64
cuts     (n_ranges + 1,)          boundaries of the ranges of rows
cursor   (1,)                     the next range that no thread has claimed
======== ======================== ===========================================================

Several threads call the same kernel with the same arguments. Each claims ranges of rows from the shared cursor until none is
left, so a slow thread does not hold up the others. The kernels release the GIL. Every number in a result comes from one
range, or from several in order, so results do not depend on the number of threads.

Both coordinate-descent kernels lower  ½ f·gram·fᵀ − rhs·fᵀ  over f ≥ 0 for each row f of F. A coordinate whose diagonal
entry of `gram` is zero has no effect on the fit and is not changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tonmf.nmf.ops import SAME_ROW
from tonmf.nmf.ops.simd import LANES, MAX_VECTORS, claim, strip1, strip2, strip3, strip4, strip5, strip6, strip7, strip8

TILE = 64
"""Rows in a tile of a HALS sweep, one per SIMD lane."""

GRAM_TILE = 128
"""Rows in a tile of a Gram matrix."""


@njit(nogil=True, cache=True)
def sparse_times_dense(indptr: Any, indices: Any, data: Any, B: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Compute out[i] += Σ_p data[p] · B[indices[p]]  for every compressed row i, in stored order."""
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            _add_sparse_row(data, indices, np.int64(indptr[i]), np.int64(indptr[i + 1]), B, out, i)


@njit(nogil=True, cache=True, inline="always")
def _add_sparse_row(data: Any, indices: Any, start: Any, stop: Any, B: Any, out: Any, i: int) -> None:
    """Compute out[i] += Σ_p data[p] · B[indices[p]]  for p in [start, stop), float64 sums."""
    n_topics = B.shape[1]
    if n_topics < LANES:
        for c in range(n_topics):
            total = out[i, c]
            for p in range(start, stop):
                total += np.float64(data[p]) * np.float64(B[indices[p], c])
            out[i, c] = total
        return
    if start == stop:
        return
    last = n_topics - LANES
    n_vectors = (n_topics + LANES - 1) // LANES
    # A short strip comes first, so that the vector that overlaps its neighbour is in the same strip.
    opening = n_vectors % MAX_VECTORS
    end = last if opening == n_vectors else LANES * (opening - 1)
    if opening == 1:
        strip1(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 2:
        strip2(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 3:
        strip3(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 4:
        strip4(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 5:
        strip5(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 6:
        strip6(data, indices, start, stop, B, 0, end, out, i)
    elif opening == 7:
        strip7(data, indices, start, stop, B, 0, end, out, i)
    for vector in range(opening, n_vectors, MAX_VECTORS):
        first = LANES * vector
        end = min(first + LANES * (MAX_VECTORS - 1), last)
        strip8(data, indices, start, stop, B, first, end, out, i)


@njit(nogil=True, cache=True)
def partial_grams(A: Any, weight: Any, B: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Compute out[r] += Σ_i weight_i a_i ⊗ b_i over the rows i of range r.

    A tile of A is compressed column by column first: most entries of a factor are zero and cost nothing further.
    """
    values = np.empty(GRAM_TILE)
    rows = np.empty(GRAM_TILE, np.int64)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for first in range(cuts[r], cuts[r + 1], GRAM_TILE):
            last = min(first + GRAM_TILE, cuts[r + 1])
            for j in range(A.shape[1]):
                n = 0
                for i in range(first, last):
                    a = A[i, j]
                    values[n] = weight[i] * np.float64(a)
                    rows[n] = i
                    n += a != 0
                _add_sparse_row(values, rows, 0, n, B, out[r], j)


@njit(nogil=True, cache=True, fastmath={"contract"})
def hals(F: Any, rhs: Any, scale: float, gram: Any, n_sweeps: int, cuts: Any, cursor: Any) -> None:
    """Do `n_sweeps` sweeps over the topics: f_j ← max(0, f_j + (scale·rhs_j − f·gram_j) / gram_jj).

    A tile is transposed so that its rows lie along the SIMD lanes, which leaves no branch and no reduction inside.
    """
    n_topics = F.shape[1]
    tile = np.zeros((n_topics, TILE), F.dtype)
    tile_rhs = np.zeros((n_topics, TILE), F.dtype)
    gradient = np.zeros(TILE, F.dtype)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for first in range(cuts[r], cuts[r + 1], TILE):
            n_rows = min(TILE, cuts[r + 1] - first)
            for t in range(n_rows):
                for j in range(n_topics):
                    tile[j, t] = F[first + t, j]
                    tile_rhs[j, t] = scale * rhs[first + t, j]
            for _ in range(n_sweeps):
                for j in range(n_topics):
                    if gram[j, j] > 0:
                        _update_topic(tile, tile_rhs, gram, gradient, j)
            for t in range(n_rows):
                for j in range(n_topics):
                    F[first + t, j] = tile[j, t]


@njit(nogil=True, cache=True, fastmath={"contract"}, inline="always")
def _update_topic(tile: Any, tile_rhs: Any, gram: Any, gradient: Any, j: int) -> None:
    """Update one coordinate of every row of a tile, four topics of the product at a time."""
    n_topics, width = tile.shape
    for t in range(width):
        gradient[t] = tile_rhs[j, t]
    r = 0
    while r + 4 <= n_topics:
        g0, g1, g2, g3 = gram[j, r], gram[j, r + 1], gram[j, r + 2], gram[j, r + 3]
        f0, f1, f2, f3 = tile[r], tile[r + 1], tile[r + 2], tile[r + 3]
        for t in range(width):
            gradient[t] -= g0 * f0[t] + g1 * f1[t] + g2 * f2[t] + g3 * f3[t]
        r += 4
    while r < n_topics:
        g0, f0 = gram[j, r], tile[r]
        for t in range(width):
            gradient[t] -= g0 * f0[t]
        r += 1
    step = gram.dtype.type(1.0) / gram[j, j]
    zero = gram.dtype.type(0.0)
    f = tile[j]
    for t in range(width):
        f[t] = max(f[t] + gradient[t] * step, zero)


@njit(nogil=True, cache=True)
def greedy(F: Any, rhs: Any, gram: Any, n_updates: int, cuts: Any, cursor: Any) -> None:
    """Move, `n_updates` times in each row, the coordinate whose exact minimisation lowers the objective most.

    With gradient g = f·gram − rhs, coordinate j moves by s_j = max(−f_j, −g_j/gram_jj) and gains
    −g_j s_j − ½ gram_jj s_j².
    """
    n_topics = F.shape[1]
    f = np.empty(n_topics)
    gradient = np.empty(n_topics)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            f[:] = F[i]
            for j in range(n_topics):
                gradient[j] = -rhs[i, j]
                for s in range(n_topics):
                    gradient[j] += gram[j, s] * f[s]
            for _ in range(n_updates):
                best, best_gain, best_move = -1, 0.0, 0.0
                for j in range(n_topics):
                    if gram[j, j] > 0:
                        move = max(-f[j], -gradient[j] / gram[j, j])
                        gain = -move * (gradient[j] + 0.5 * gram[j, j] * move)
                        if gain > best_gain:
                            best, best_gain, best_move = j, gain, move
                if best < 0:
                    break
                f[best] = max(f[best] + best_move, 0.0)
                for j in range(n_topics):
                    gradient[j] += best_move * gram[j, best]
            F[i] = f


@njit(nogil=True, cache=True)
def quadratic(F: Any, rhs: Any, gram: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Compute out_i = f_i gram f_iᵀ − 2 rhs_i·f_i in float64; topics that a row does not use cost no time."""
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            total = 0.0
            for j in range(F.shape[1]):
                f = np.float64(F[i, j])
                if f != 0:
                    off_diagonal = 0.0
                    for s in range(j):
                        off_diagonal += gram[j, s] * F[i, s]
                    total += f * (2 * off_diagonal + gram[j, j] * f - 2 * rhs[i, j])
            out[i] = total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def mixtures(
    indptr: Any,
    indices: Any,
    data: Any,
    ratios: Any,
    prior: Any,
    n_steps: int,
    theta: Any,
    lift: Any,
    cuts: Any,
    cursor: Any,
) -> None:
    """Run `n_steps` of EM for each row's mixture, from uniform, and compute its lift.

    With s_t = θ_0 + Σ_k θ_k ratios_tk for each term t of the row:  θ_k ∝ prior_k + Σ_t count_t θ_k ratios_tk / s_t,  and
    lift = Σ_t count_t ln s_t / Σ_t count_t. Ratios are gathered once, topic by topic, so that terms lie along the SIMD lanes.
    """
    n_topics = ratios.shape[1]
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    local = np.empty((n_topics, longest), ratios.dtype)
    counts = np.empty(longest)
    mixed = np.empty(longest)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            first = indptr[i]
            n_terms = indptr[i + 1] - first
            total = 0.0
            for t in range(n_terms):
                counts[t] = data[first + t]
                total += np.float64(data[first + t])
                for k in range(n_topics):
                    local[k, t] = ratios[indices[first + t], k]
            theta[i] = 0
            if total == 0:  # no words: all background
                theta[i, 0] = 1
                lift[i] = 0
                continue
            theta[i] = 1 / (n_topics + 1)
            for _ in range(n_steps):
                _mix(local, theta[i], mixed, n_terms)
                for t in range(n_terms):
                    mixed[t] = counts[t] / mixed[t]
                _reweigh(local, theta[i], mixed, n_terms, prior)
            _mix(local, theta[i], mixed, n_terms)
            logs = 0.0
            for t in range(n_terms):
                logs += np.float64(counts[t]) * np.log(np.float64(mixed[t]))
            lift[i] = logs / total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"}, inline="always")
def _mix(local: Any, theta: Any, mixed: Any, n_terms: int) -> None:
    """Compute mixed_t = θ_0 + Σ_k θ_k local_kt."""
    for t in range(n_terms):
        mixed[t] = theta[0]
    for k in range(len(local)):
        share = theta[k + 1]
        row = local[k]
        for t in range(n_terms):
            mixed[t] += share * row[t]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"}, inline="always")
def _reweigh(local: Any, theta: Any, pull: Any, n_terms: int, prior: Any) -> None:
    """Update θ_k ← (prior_k + θ_k Σ_t pull_t local_kt) / Σ, where pull_t = count_t / mixed_t."""
    pulled = 0.0
    for t in range(n_terms):
        pulled += pull[t]
    theta[0] = prior[0] + theta[0] * pulled
    normaliser = theta[0]
    for k in range(len(local)):
        row = local[k]
        pulled = 0.0
        for t in range(n_terms):
            pulled += pull[t] * row[t]
        theta[k + 1] = prior[k + 1] + theta[k + 1] * pulled
        normaliser += theta[k + 1]
    for k in range(len(theta)):
        theta[k] /= normaliser


@njit(nogil=True, cache=True)
def nearest(
    indptr: Any,
    indices: Any,
    data: Any,
    others_indptr: Any,
    others_indices: Any,
    others_data: Any,
    dense_row: Any,
    dense: Any,
    n_nearest: int,
    out: Any,
    cuts: Any,
    cursor: Any,
) -> None:
    """Average the largest products of each row with the other rows; leave out one product of 1. See `_multiply`."""
    n_others = dense.shape[1]
    products = np.empty(n_others)
    largest = np.empty(n_nearest + 1)  # in rising order
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            start, end = indptr[i], indptr[i + 1]
            _multiply(start, end, indices, data, others_indptr, others_indices, others_data, dense_row, dense, products)
            largest[:] = -1
            for product in products:
                if product > largest[0]:
                    _insert(largest, product)
            n_found = min(n_others, n_nearest + 1)
            last = n_nearest if n_found > 0 and largest[n_nearest] <= SAME_ROW else n_nearest - 1
            first = max(last + 1 - n_nearest, n_nearest + 1 - n_found)
            total = 0.0
            for k in range(first, last + 1):
                total += largest[k]
            out[i] = total / (last + 1 - first) if last >= first else 0.0


@njit(nogil=True, cache=True)
def strongest(
    indptr: Any,
    indices: Any,
    data: Any,
    others_indptr: Any,
    others_indices: Any,
    others_data: Any,
    dense_row: Any,
    dense: Any,
    weights: Any,
    n_largest: int,
    out: Any,
    cuts: Any,
    cursor: Any,
) -> None:
    """Sum the largest weighted products of each row with the other rows; leave out one product of 1. See `_multiply`."""
    products = np.empty(len(weights))
    largest = np.empty(n_largest)  # in rising order
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            start, end = indptr[i], indptr[i + 1]
            _multiply(start, end, indices, data, others_indptr, others_indices, others_data, dense_row, dense, products)
            largest[:] = 0
            left_out = False
            for k in range(len(weights)):
                if not left_out and products[k] > SAME_ROW:
                    left_out = True
                elif products[k] * weights[k] > largest[0]:
                    _insert(largest, products[k] * weights[k])
            total = 0.0
            for product in largest:
                total += product
            out[i] = total


@njit(nogil=True, cache=True, inline="always")
def _multiply(
    start: int,
    end: int,
    indices: Any,
    data: Any,
    others_indptr: Any,
    others_indices: Any,
    others_data: Any,
    dense_row: Any,
    dense: Any,
    products: Any,
) -> None:
    """Write the products of a row with the other rows, given by columns.

    A term that many of them have is also a row of `dense`, whose number `dense_row` has for it (−1 for other terms). To add
    zeros in order takes less time than to find the places of the other numbers, and does not change the sums.
    """
    products[:] = 0
    for p in range(start, end):
        value, term = np.float64(data[p]), indices[p]
        row = dense_row[term]
        if row >= 0:
            for k in range(len(products)):
                products[k] += value * np.float64(dense[row, k])
        else:
            for q in range(others_indptr[term], others_indptr[term + 1]):
                place = np.uint32(others_indices[q])  # for numba, no check for a negative index
                products[place] += value * np.float64(others_data[q])


@njit(nogil=True, cache=True, inline="always")
def _insert(rising: Any, value: float) -> None:
    """Insert a value larger than the smallest, and drop the smallest."""
    k = 1
    while k < len(rising) and rising[k] < value:
        rising[k - 1] = rising[k]
        k += 1
    rising[k - 1] = value
