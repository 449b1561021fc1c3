"""The limits of the machine, and how close to them a pass comes.

A pass with k topics and s sweeps over n documents × m terms with N stored values must at least

- multiply and add: 2·2Nk for the two sparse products, 2(n+m)k²(s+1) for the sweeps and the Gram matrices, nk² for residuals;
- move from memory: N·8 bytes of X twice, and the factors and sums in and out (4 or 8 bytes each);
- gather from the caches: a row of k numbers of 4 bytes for each stored value, twice.

Each of the three, divided by the time of the pass, is compared with the rate at which this machine does only that.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from benchmarks.harness import describe_machine, newsgroups_tfidf, print_table, save
from benchmarks.speed import RANKS, seconds_per_pass

SWEEPS = 1
"""Default number of sweeps over each factor in a pass."""


@njit(nogil=True, fastmath=True)
def _read(a: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total


@njit(nogil=True, fastmath=True)
def _gather(B: Any, rows: Any) -> float:
    total = np.float32(0)
    for i in range(len(rows)):
        b = B[rows[i]]
        for c in range(len(b)):
            total += b[c]
    return total


def _seconds(job: Callable[[int], Any], n_threads: int, repeats: int = 5) -> float:
    """Return the best time of a job that all threads share."""
    with ThreadPoolExecutor(n_threads) as pool:
        times = []
        for _ in range(repeats + 1):
            began = time.perf_counter()
            list(pool.map(job, range(n_threads)))
            times.append(time.perf_counter() - began)
    return min(times[1:])


def bandwidth(n_threads: int) -> float:
    """Measure the GB/s read from memory."""
    a = np.ones(64 * 2**20, np.float64)
    parts = np.array_split(a, n_threads)
    return a.nbytes / _seconds(lambda t: _read(parts[t]), n_threads) / 1e9


def gather_bandwidth(n_threads: int, indices: np.ndarray, n_rows: int, n_topics: int) -> float:
    """Measure the GB/s of reading whole rows of a matrix as large as W, in the order of the terms of X."""
    B = np.ones((n_rows, n_topics), np.float32)
    parts = np.array_split(indices, n_threads)
    return len(indices) * 4 * n_topics / _seconds(lambda t: _gather(B, parts[t]), n_threads) / 1e9


def arithmetic(dtype: type) -> float:
    """Measure the GFLOP/s of a large matrix product by BLAS, which is close to the peak."""
    A = np.ones((2000, 2000), dtype)
    times = []
    for _ in range(4):
        began = time.perf_counter()
        A @ A
        times.append(time.perf_counter() - began)
    return 2 * 2000**3 / min(times[1:]) / 1e9


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and save."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    warnings.simplefilter("ignore")
    cores = describe_machine()["cores"]
    X = newsgroups_tfidf()
    n, m, N = *X.shape, X.nnz
    limits = {
        "read (GB/s)": bandwidth(cores),
        "float32 (GFLOP/s)": arithmetic(np.float32),
        "float64 (GFLOP/s)": arithmetic(np.float64),
    }
    print_table(f"This machine, {cores} threads", list(limits), [limits.values()])
    rows = []
    for k in RANKS:
        seconds_per_pass(X, k, 2)
        seconds = min(seconds_per_pass(X, k, 6) for _ in range(3))
        flops = 4 * N * k + 2 * (n + m) * k**2 * (SWEEPS + 1) + n * k**2
        moved = 16 * N + 4 * (2 * n * k + 3 * m * k) + 8 * (2 * n * k + 3 * m * k)
        gather = gather_bandwidth(cores, X.indices, m, k)
        used = {
            "arithmetic": flops / seconds / 1e9 / limits["float64 (GFLOP/s)"],
            "memory": moved / seconds / 1e9 / limits["read (GB/s)"],
            "gathers": 8 * N * k / seconds / 1e9 / gather,
        }
        nearest = max(used, key=lambda name: used[name])
        row = {"topics": k, "ms per pass": 1e3 * seconds, "gather limit (GB/s)": gather}
        rows.append({**row, **{f"% of {name}": 100 * share for name, share in used.items()}, "nearest": nearest})
    print_table(
        "Share of the limits that a pass uses (float32 data, float64 sums)", list(rows[0]), (r.values() for r in rows)
    )
    save("machine", {"limits": limits, "passes": rows})


if __name__ == "__main__":
    main()
