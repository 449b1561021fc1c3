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
from tonmf.nmf.ops.simd import (
    AHEAD,
    TILE_BYTES,
    add_pulls,
    add_sparse_row,
    add_weighted_rows,
    claim,
    copy_transposed,
    prefetch_row,
)

SIMD_DIGEST = "86b55b8de1f69546"
"""Digest of the package `simd`. numba looks for changes in this file alone, so a change there must change this file."""

TERMS_IN_TILE = TILE_BYTES // 8
"""Terms in a tile of a mixture, each with a float64 sum."""

FLOATS_IN_VECTOR = 8
"""float32 numbers in a vector, up to which rows of `add_pulls` are filled."""

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
            add_sparse_row(data, indices, indptr[i], indptr[i + 1], B, out, i)


@njit(nogil=True, cache=True)
def partial_grams(A: Any, weight: Any, B: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Compute  Σ_i weight_i a_i ⊗ b_i  over the rows i of each range, and add it to as many rows of `out` as A has topics.

    A tile of A is compressed column by column first: most entries of a factor are zero and cost nothing further.
    """
    n_topics = A.shape[1]
    tile = np.empty((n_topics, GRAM_TILE), A.dtype)
    values = np.empty(GRAM_TILE)
    rows = np.empty(GRAM_TILE, np.int64)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for first in range(cuts[r], cuts[r + 1], GRAM_TILE):
            n_rows = min(GRAM_TILE, cuts[r + 1] - first)
            copy_transposed(A, first, n_rows, n_topics, 1.0, tile, 0)
            for j in range(n_topics):
                n = np.uint64(0)  # for numba, no check for a negative index
                for t in range(n_rows):
                    values[n] = weight[first + t] * np.float64(tile[j, t])
                    rows[n] = first + t
                    n += np.uint64(tile[j, t] != 0)
                add_sparse_row(values, rows, 0, np.int64(n), B, out, r * n_topics + j)


@njit(nogil=True, cache=True, fastmath={"contract"})
def hals(F: Any, rhs: Any, scale: float, gram: Any, n_sweeps: int, cuts: Any, cursor: Any) -> None:
    """Do `n_sweeps` sweeps over the topics: f_j ← max(0, f_j + (scale·rhs_j − f·gram_j) / gram_jj).

    A tile is transposed so that its rows lie along the SIMD lanes, which leaves no branch and no reduction inside.
    """
    n_topics, width = F.shape[1], TILE_BYTES // F.itemsize
    tile = np.zeros((n_topics, width), F.dtype)
    tile_rhs = np.zeros((n_topics, width), F.dtype)
    gradient = np.zeros(width, F.dtype)
    zero = F.dtype.type(0)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for first in range(cuts[r], cuts[r + 1], width):
            n_rows = min(width, cuts[r + 1] - first)
            copy_transposed(F, first, n_rows, n_topics, 1.0, tile, 0)
            copy_transposed(rhs, first, n_rows, n_topics, scale, tile_rhs, 0)
            for _ in range(n_sweeps):
                for j in range(n_topics):
                    if gram[j, j] > 0:
                        for t in range(width):
                            gradient[t] = tile_rhs[j, t]
                        add_weighted_rows(tile, 0, gram, j, -1.0, gradient)
                        step = F.dtype.type(1) / gram[j, j]
                        for t in range(width):
                            tile[j, t] = max(tile[j, t] + gradient[t] * step, zero)
            copy_transposed(tile, 0, n_topics, n_rows, 1.0, F, first)


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
    """Compute out_i = f_i gram f_iᵀ − 2 rhs_i·f_i = −f_i·(rhs_i + (rhs_i − f_i gram))  in float64, on tiles as in `hals`."""
    n_topics, width = F.shape[1], TILE_BYTES // gram.itemsize
    tile = np.zeros((n_topics, width))
    tile_rhs = np.zeros((n_topics, width))
    gradient = np.zeros(width)
    total = np.zeros(width)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for first in range(cuts[r], cuts[r + 1], width):
            n_rows = min(width, cuts[r + 1] - first)
            copy_transposed(F, first, n_rows, n_topics, 1.0, tile, 0)
            copy_transposed(rhs, first, n_rows, n_topics, 1.0, tile_rhs, 0)
            total[:] = 0
            for j in range(n_topics):
                for t in range(width):
                    gradient[t] = tile_rhs[j, t]
                add_weighted_rows(tile, 0, gram, j, -1.0, gradient)
                for t in range(width):
                    total[t] -= tile[j, t] * (tile_rhs[j, t] + gradient[t])
            for t in range(n_rows):
                out[first + t] = total[t]


@njit(nogil=True, cache=True, error_model="numpy")
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

    With s_t = θ_0 + Σ_k θ_k ratios_tk for each term t of the row:  θ_k ∝ prior_k + θ_k Σ_t ratios_tk count_t / s_t,  and
    lift = Σ_t count_t ln s_t / Σ_t count_t. Counts and prior are scaled so that the right-hand side adds up to 1. Ratios are
    gathered once, with a 1 for the background, and transposed into tiles with terms along the SIMD lanes. Terms that fill
    the last tile have a count of zero. Steps are in float32; the lift is in float64.
    """
    n_mixed = ratios.shape[1] + 1
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    n_tiles = (longest + TERMS_IN_TILE - 1) // TERMS_IN_TILE
    tiles = np.ones((n_tiles * n_mixed, TERMS_IN_TILE), np.float32)
    terms = np.zeros((n_tiles * TERMS_IN_TILE, -(-n_mixed // FLOATS_IN_VECTOR) * FLOATS_IN_VECTOR), np.float32)
    terms[:, 0] = 1
    counts = np.zeros((n_tiles, TERMS_IN_TILE), np.float32)
    mixed = np.zeros(TERMS_IN_TILE)
    shares, scaled_prior = np.zeros((1, n_mixed), np.float32), np.zeros(n_mixed, np.float32)
    pulled, prior_mass = np.zeros(terms.shape[1], np.float32), prior.sum()
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            first = indptr[i]
            n_terms = indptr[i + 1] - first
            n_tiles = (n_terms + TERMS_IN_TILE - 1) // TERMS_IN_TILE
            total = 0.0
            for p in range(first, indptr[i + 1]):
                total += data[p]
            scale = 1 / (total + prior_mass)
            for b in range(n_tiles):
                counts[b] = 0
                begin, place = first + b * TERMS_IN_TILE, b * TERMS_IN_TILE
                n_here = min(TERMS_IN_TILE, indptr[i + 1] - begin)
                for t in range(n_here):
                    counts[b, t] = scale * data[begin + t]
                _gather(ratios, indices, begin, n_here, terms, place)
                copy_transposed(terms, place, n_here, n_mixed, 1.0, tiles, b * n_mixed)
            theta[i] = 0
            if total == 0:  # no words: all background
                theta[i, 0] = 1
                lift[i] = 0
                continue
            shares[:] = 1
            for k in range(n_mixed):
                scaled_prior[k] = scale * prior[k]
            for _ in range(n_steps):
                pulled[:] = 0
                for b in range(n_tiles):
                    place = b * TERMS_IN_TILE
                    n_here = min(TERMS_IN_TILE, n_terms - place)
                    add_pulls(tiles, b * n_mixed, shares, counts, b, terms, place, n_here, pulled)
                for k in range(n_mixed):
                    shares[0, k] = scaled_prior[k] + shares[0, k] * pulled[k]
            normaliser = 0.0
            for k in range(n_mixed):
                normaliser += shares[0, k]
            for k in range(n_mixed):
                theta[i, k] = shares[0, k] / normaliser
            logs = 0.0
            for b in range(n_tiles):
                mixed[:] = 0
                add_weighted_rows(tiles, b * n_mixed, theta, i, 1.0, mixed)
                for t in range(min(TERMS_IN_TILE, n_terms - b * TERMS_IN_TILE)):
                    logs += data[first + b * TERMS_IN_TILE + t] * np.log(mixed[t])
            lift[i] = logs / total


@njit(nogil=True, cache=True, inline="always")
def _gather(ratios: Any, indices: Any, begin: int, n_here: int, terms: Any, place: int) -> None:
    """Copy the ratios of some of a row's terms, beside the background's, into rows from `place` on."""
    for t in range(n_here):
        prefetch_row(ratios, indices[min(begin + t + AHEAD, len(indices) - 1)])
        for k in range(ratios.shape[1]):
            terms[place + t, k + 1] = ratios[indices[begin + t], k]


@njit(nogil=True, cache=True)
def mixed(indptr: Any, indices: Any, ratios: Any, theta: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Compute out_t = θ_0 + Σ_k θ_k ratios_tk  for each stored term t of each row, on tiles as in `mixtures`."""
    tile = np.ones((ratios.shape[1] + 1, TERMS_IN_TILE))
    terms = np.ones((TERMS_IN_TILE, ratios.shape[1] + 1), ratios.dtype)
    sums = np.zeros(TERMS_IN_TILE)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            for begin in range(indptr[i], indptr[i + 1], TERMS_IN_TILE):
                n_here = min(TERMS_IN_TILE, indptr[i + 1] - begin)
                _gather(ratios, indices, begin, n_here, terms, 0)
                copy_transposed(terms, 0, n_here, terms.shape[1], 1.0, tile, 0)
                sums[:] = 0
                add_weighted_rows(tile, 0, theta, i, 1.0, sums)
                for t in range(n_here):
                    out[begin + t] = sums[t]


@njit(nogil=True, cache=True)
def largest(ends: Any, values: Any, n_largest: int, places: Any, place_ends: Any, cuts: Any, cursor: Any) -> None:
    """Write where values[ends[i] : ends[i + 1]] has its largest values into places[place_ends[i] : place_ends[i + 1]].

    The largest comes first; of equals, the first. There is room for `n_largest`, or for all if they are fewer.
    """
    kept = np.empty(n_largest)  # in falling order
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            first, n_kept = place_ends[i], 0
            for place in range(ends[i], ends[i + 1]):
                value = values[place]
                if n_kept < n_largest:
                    n_kept += 1
                elif value <= kept[n_largest - 1]:
                    continue
                at = n_kept - 1
                while at > 0 and value > kept[at - 1]:
                    kept[at], places[first + at] = kept[at - 1], places[first + at - 1]
                    at -= 1
                kept[at], places[first + at] = value, place


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
def smallest(indptr: Any, indices: Any, values: Any, out: Any, cuts: Any, cursor: Any) -> None:
    """Write the least value in each column of `values` over the terms of each row; the largest number if it has none."""
    most = np.uint32(0xFFFFFFFF)
    least = np.full(values.shape[1], most)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            for t in range(indptr[i], indptr[i + 1]):
                term = np.uintp(indices[t])  # no check for negative places, which would keep the loop from SIMD
                for c in range(values.shape[1]):
                    if values[term, np.uintp(c)] < least[c]:
                        least[c] = values[term, np.uintp(c)]
            for c in range(values.shape[1]):
                out[i, c], least[c] = least[c], most


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


@njit(nogil=True, cache=True)
def mean_around(
    indptr: Any,
    indices: Any,
    data: Any,
    others_indptr: Any,
    others_indices: Any,
    others_data: Any,
    dense_row: Any,
    dense: Any,
    weights: Any,
    values: Any,
    n_nearest: int,
    out: Any,
    cuts: Any,
    cursor: Any,
) -> None:
    """Average the values of the nearest other rows of each row, which is among them at its own place. See `_multiply`."""
    products = np.empty(len(weights))
    largest = np.empty(n_nearest)  # in rising order
    places = np.empty(n_nearest, np.int64)
    while True:
        r = claim(cursor)
        if r >= len(cuts) - 1:
            return
        for i in range(cuts[r], cuts[r + 1]):
            start, end = indptr[i], indptr[i + 1]
            _multiply(start, end, indices, data, others_indptr, others_indices, others_data, dense_row, dense, products)
            products[i] = 0
            largest[:] = 0
            places[:] = 0
            for place in range(len(products)):
                if products[place] > largest[0]:
                    k = 1
                    while k < n_nearest and largest[k] < products[place]:
                        largest[k - 1], places[k - 1] = largest[k], places[k]
                        k += 1
                    largest[k - 1], places[k - 1] = products[place], place
            total, valued = 0.0, 0.0
            for k in range(n_nearest):
                total += largest[k] * weights[places[k]]
                valued += largest[k] * weights[places[k]] * values[places[k]]
            out[i] = valued / total if total > 0 else 0.0


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

    A term that many of them have is also a row of `dense`, whose number `dense_row` has for it (−1 for other terms); it is
    empty if there is no such term. To add zeros in order takes less time than to find the places of the other numbers, and does
    not change the sums.
    """
    products[:] = 0
    for p in range(start, end):
        value, term = np.float64(data[p]), indices[p]
        row = dense_row[term] if len(dense_row) > 0 else -1
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
