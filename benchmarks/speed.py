"""Seconds per pass and to a good fit on 20 Newsgroups, compared with scikit-learn's NMF; and the first call, which compiles."""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF

from benchmarks.harness import in_new_process, newsgroups_tfidf, print_table, save
from tonmf import TONMF

RANKS = (10, 20, 50, 100)
NEAR = 0.01
"""A good fit is within this share of the best objective that the method reaches."""


def seconds_per_sklearn_iteration(X: sp.csr_matrix, rank: int, n: int) -> float:
    """Return seconds per iteration from the difference of two fits, so that start-up does not count."""
    times = []
    for iterations in (1, 1 + n):
        began = time.perf_counter()
        NMF(rank, init="random", random_state=0, max_iter=iterations, tol=0, solver="cd").fit(X)
        times.append(time.perf_counter() - began)
    return (times[1] - times[0]) / n


def seconds_per_pass(X: sp.csr_matrix, rank: int, n: int, **options: object) -> float:
    """Return the mean seconds of n passes, timed by the progress callback."""
    ticks: list[float] = []
    model = TONMF(
        rank, max_iter=n + 1, tol=0, random_state=0, callback=lambda _: ticks.append(time.perf_counter()), **options
    )
    model.fit(X)
    return (ticks[-1] - ticks[0]) / (len(ticks) - 1)


def pass_times(X: sp.csr_matrix, repeats: int) -> list[dict[str, float]]:
    """Time both in turn, so that a slow moment of the machine affects both."""
    results = []
    for rank in RANKS:
        n = 10 if rank < 50 else 4
        seconds_per_pass(X, rank, 2)
        runs = [(seconds_per_pass(X, rank, n), seconds_per_sklearn_iteration(X, rank, n)) for _ in range(repeats)]
        ours, sklearn = np.median(runs, axis=0)
        results.append(
            {
                "topics": rank,
                "tonmf (ms)": 1e3 * ours,
                "scikit-learn NMF (ms)": 1e3 * sklearn,
                "tonmf / NMF": ours / sklearn,
            }
        )
    return results


def time_to_fit(X: sp.csr_matrix) -> list[dict[str, float]]:
    """Time each method from a cold start to within 1 % of its best objective."""
    results = []
    for rank in RANKS:
        ours = [_our_path(X, rank, alpha) for alpha in (np.inf, "auto")]
        theirs = _sklearn_path(X, rank, best=ours[0][-1][1])
        plain_best = min(ours[0][-1][1], theirs[-1][1])
        results.append(
            {
                "topics": rank,
                "scikit-learn NMF (s)": _first_near(theirs, plain_best),
                "tonmf, alpha=inf, same objective (s)": _first_near(ours[0], plain_best),
                "tonmf, robust, alpha given (s)": _first_near(ours[1], ours[1][-1][1]),
            }
        )
    return results


def _our_path(X: sp.csr_matrix, rank: int, alpha: float | str, n: int = 60) -> list[tuple[float, float]]:
    """Return (seconds, objective) after each pass; an automatic α is first fixed at its final value."""
    if alpha == "auto":
        alpha = TONMF(rank, random_state=0).fit(X).alpha_
    began = time.perf_counter()
    path: list[tuple[float, float]] = []
    TONMF(
        rank,
        alpha=alpha,
        max_iter=n,
        tol=0,
        random_state=0,
        callback=lambda p: path.append((time.perf_counter() - began, p.objective)),
    ).fit(X)
    return path


def _sklearn_path(X: sp.csr_matrix, rank: int, best: float) -> list[tuple[float, float]]:
    """Return the same for scikit-learn, which has no callback: fit ever longer, until close to the best known objective."""
    path = []
    for n in (1, 2, 3, 5, 8, 12, 18, 27, 40, 60):
        began = time.perf_counter()
        model = NMF(rank, init="random", random_state=0, max_iter=n, tol=0, solver="cd").fit(X)
        path.append((time.perf_counter() - began, 0.5 * model.reconstruction_err_**2))
        if path[-1][1] <= best * (1 + NEAR / 4):
            break
    return path


def _first_near(path: list[tuple[float, float]], best: float) -> float:
    return next((seconds for seconds, objective in path if objective <= best * (1 + NEAR)), float("nan"))


def first_call() -> dict[str, float]:
    """Time a tiny first fit with an empty kernel cache, and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        empty, full = (
            in_new_process("benchmarks.first_call", environment={"NUMBA_CACHE_DIR": cache}) for _ in range(2)
        )
    return {"first call, kernels compiled (s)": empty["seconds"], "first call, kernels from cache (s)": full["seconds"]}


def main(arguments: list[str] | None = None) -> None:
    """Print and save all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9, help="how often to time each pair")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    X = newsgroups_tfidf()
    print(f"20 Newsgroups tf-idf: {X.shape[0]:,} documents × {X.shape[1]:,} terms, {X.nnz:,} stored values, {X.dtype}")
    passes = pass_times(X, options.repeats)
    print_table(f"One pass, median of {options.repeats}", list(passes[0]), (r.values() for r in passes))
    fits = time_to_fit(X)
    print_table(
        f"To within {NEAR:.0%} of the best objective, from a cold start", list(fits[0]), (r.values() for r in fits)
    )
    call = first_call()
    print_table("First call in a new process (300 × 100 matrix)", list(call), [call.values()])
    save(
        "speed", {"documents": X.shape[0], "terms": X.shape[1], "stored": X.nnz, "passes": passes, "fits": fits, **call}
    )


if __name__ == "__main__":
    main()
