"""Growth of time and memory with stored values and with topics, on synthetic rows with Zipf-distributed terms."""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import in_new_process, peak_of, print_table, save

PER_DOCUMENT = 100
"""Stored values in a document."""


def zipf_rows(n_stored: int, seed: int = 0) -> sp.csr_matrix:
    """Make rows of about n_stored values by Zipf's law; the vocabulary grows with their square root (Heaps' law)."""
    rng = np.random.default_rng(seed)
    n_docs = int(1.2 * n_stored) // PER_DOCUMENT  # words that repeat in a document are stored once
    n_terms = int(30 * np.sqrt(n_stored))
    probability = 1 / np.arange(1, n_terms + 1)
    edges = np.cumsum(probability / probability.sum())
    indices = np.empty(n_docs * PER_DOCUMENT, np.int32)
    for low in range(0, len(indices), 10_000_000):
        high = min(low + 10_000_000, len(indices))
        indices[low:high] = np.minimum(np.searchsorted(edges, rng.random(high - low)), n_terms - 1)
    indptr = np.arange(0, len(indices) + 1, PER_DOCUMENT, dtype=np.int32)
    X = sp.csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(n_docs, n_terms))
    X.sum_duplicates()
    return X


def run(n_stored: int, n_topics: int) -> dict[str, float]:
    """Measure seconds per pass and peak memory of a fit, in this process."""
    from tonmf import TONMF

    warnings.simplefilter("ignore")
    TONMF(n_topics, max_iter=2, tol=0).fit(
        sp.random(n_topics + 50, 300, 0.1, format="csr", dtype=np.float32, random_state=0)
    )
    X = zipf_rows(n_stored)
    ticks: list[float] = []
    model = TONMF(n_topics, max_iter=5, tol=0, random_state=0, callback=lambda _: ticks.append(time.perf_counter()))
    before, peak = peak_of(lambda: model.fit(X))
    csr = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
    factors = 4 * n_topics * sum(X.shape) / 2**20
    return {
        "stored": X.nnz,
        "documents": X.shape[0],
        "terms": X.shape[1],
        "topics": n_topics,
        "ms per pass": 1e3 * float(np.median(np.diff(ticks))),
        "ns per stored value": 1e9 * float(np.median(np.diff(ticks))) / X.nnz,
        "CSR (MB)": csr,
        "factors (MB)": factors,
        # Memory before the fit includes the CSR matrix, which the fit needs too.
        "peak incl. CSR (MB)": peak - before + csr,
        "peak / (CSR + factors)": (peak - before + csr) / (csr + factors),
        "(peak - factors) / CSR": (peak - before + csr - factors) / csr,
    }


def main(arguments: list[str] | None = None) -> None:
    """Print and save both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=float, default=1e8, help="largest number of stored values")
    parser.add_argument(
        "--only",
        nargs=2,
        type=float,
        metavar=("STORED", "TOPICS"),
        help="measure one size in this process, and print JSON",
    )
    options = parser.parse_args(arguments)
    if options.only:
        print(json.dumps(run(int(options.only[0]), int(options.only[1]))))
        return
    sizes = [n for n in (1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8) if n <= options.most]
    by_size = [in_new_process("benchmarks.scaling", "--only", n, 20) for n in sizes]
    by_rank = [
        in_new_process("benchmarks.scaling", "--only", min(1e7, options.most), k) for k in (5, 10, 20, 50, 100, 200)
    ]
    for title, rows in (("By stored values, 20 topics", by_size), ("By topics", by_rank)):
        print_table(title, list(rows[0]), (row.values() for row in rows))
    slope = np.polyfit(np.log([r["stored"] for r in by_size[2:]]), np.log([r["ms per pass"] for r in by_size[2:]]), 1)[
        0
    ]
    print(f"\nFrom 1e6 stored values on, seconds per pass grow as (stored values)^{slope:.2f}")
    save("scaling", {"by_size": by_size, "by_rank": by_rank, "exponent": slope})


if __name__ == "__main__":
    main()
