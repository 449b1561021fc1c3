"""Time and memory compared with Algorithm 1 on dense arrays, on the paper's Reuters matrix, for the same iterations."""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import data_folder, in_new_process, peak_of, print_table, save
from tonmf.datasets.archives import read_reuters_matrix

TOPICS, ALPHA, BETA = 10, 10.0, 1.0
"""Settings of the run that is quoted for the paper's published code."""


def reuters_counts() -> sp.csr_matrix:
    """Return the counts of 5,768 documents of earn and acq and 100 of interest, in 18,933 terms."""
    counts, classes = read_reuters_matrix(data_folder() / "Reuters21578.mat")
    rows = np.concatenate([np.flatnonzero(np.isin(classes, (1, 2))), np.flatnonzero(classes == 6)[:100]])
    return counts[rows]


def dense_algorithm(X: np.ndarray, H: np.ndarray, W: np.ndarray, n_outer: int, n_inner: int) -> float:
    """Run Algorithm 1 with Z and X − Z as matrices, by large matrix products; C2 needs the misfit of every inner iteration."""
    for _ in range(n_outer):
        Z = X - H @ W.T
        rho = np.linalg.norm(Z, axis=1)
        Z *= np.maximum(1 - ALPHA / np.maximum(rho, ALPHA), 0)[:, None]
        A = X - Z
        for _ in range(n_inner):
            rhs, gram = A @ W, W.T @ W
            for j in range(TOPICS):
                H[:, j] = np.maximum(H[:, j] + (rhs[:, j] - H @ gram[:, j] - BETA) / gram[j, j], 0)
            rhs, gram = A.T @ H, H.T @ H
            for j in range(TOPICS):
                W[:, j] = np.maximum(W[:, j] + (rhs[:, j] - W @ gram[:, j]) / gram[j, j], 0)
            misfit = 0.5 * np.linalg.norm(A - H @ W.T) ** 2 + ALPHA * np.linalg.norm(Z, axis=1).sum() + BETA * H.sum()
    return float(misfit)


def run(method: str, n_outer: int, n_inner: int) -> dict[str, float]:
    """Run one method in this process, from the same start: topics that are means of random documents, none in use."""
    warnings.simplefilter("ignore")
    X = reuters_counts()
    rows = np.random.default_rng(0).integers(X.shape[0], size=(TOPICS, 8))
    W = np.array([np.asarray(X[r].mean(axis=0)).ravel() for r in rows]).T
    W /= np.linalg.norm(W, axis=0)
    H = np.zeros((X.shape[0], TOPICS))
    if method == "dense":
        job = lambda: dense_algorithm(X.toarray(), H, W, n_outer, n_inner)  # noqa: E731
    else:
        from tonmf import TONMF

        options = {"alpha": ALPHA, "beta": BETA, "solver": "paper", "init": (H, W), "tol": 0, "inner_tol": 0}
        TONMF(2, solver="paper", max_iter=2).fit(sp.eye(50).tocsr())  # load the kernels; `speed` measures compiling
        model = TONMF(TOPICS, max_iter=n_outer, inner_iter=n_inner, **options)
        job = lambda: model.fit(X)  # noqa: E731
    began = time.perf_counter()
    before, peak = peak_of(job)
    assert method == "dense" or model.n_iter_ == n_outer, "not the same number of iterations"
    return {
        "seconds": time.perf_counter() - began,
        "mb_for_the_fit": peak - before,
        "mb_of_the_process": peak,
    }


def main(arguments: list[str] | None = None) -> None:
    """Print and save the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outer", type=int, default=9, help="number of updates of Z")
    parser.add_argument("--inner", type=int, default=9, help="inner iterations in each")
    parser.add_argument("--only", choices=["dense", "tonmf"], help="run one method in this process, and print JSON")
    options = parser.parse_args(arguments)
    if options.only:
        print(json.dumps(run(options.only, options.outer, options.inner)))
        return
    results = {
        name: in_new_process("benchmarks.dense", "--only", name, "--outer", options.outer, "--inner", options.inner)
        for name in ("dense", "tonmf")
    }
    ratio = {key: results["dense"][key] / results["tonmf"][key] for key in results["dense"]}
    columns = ["", "seconds", "MB for the fit", "MB of the process"]
    rows = [
        ["Algorithm 1 on dense arrays", *results["dense"].values()],
        ["tonmf, solver='paper'", *results["tonmf"].values()],
    ]
    title = f"Reuters, 5,868 × 18,933 counts, {TOPICS} topics, {options.outer} × {options.inner} iterations, float64"
    print_table(title, columns, [*rows, ["ratio", *ratio.values()]])
    save("dense", {**results, "ratio": ratio})


if __name__ == "__main__":
    main()
