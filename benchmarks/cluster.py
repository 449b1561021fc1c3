"""Time and traffic of passes on a Dask cluster and in one process; a cost model fitted to them, and its predictions.

====== ======================================================================
letter what
====== ======================================================================
N      stored values
n, m   documents, terms
k      topics
p, c   workers, and cores of each
b      bytes a second between two machines
====== ======================================================================

    one process    T = s·Nk/c + h·nk²/c + w·mk² + v·mk
    cluster        T = (s·Nk + h·nk²)/(pc) + w·mk² + v·mk + L + D·4mk/b,   D = 2⌈log₂ 2p⌉

s is for the sparse products, h for the sweeps over H, w for those over W, v for copying the topics and adding up the sums, L
for the messages of a pass. W travels down to the workers through a tree, and the sums travel up through one, so D copies of the
topics lie on the longest path. In total, n_workers × n_terms × n_topics × 4 × 2 bytes move.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.harness import print_table, save
from benchmarks.scaling import zipf_rows
from benchmarks.traffic import Traffic, bytes_of_model

FITTED = ((3e5, 10), (3e5, 40), (1e6, 10), (1e6, 40), (3e6, 10), (3e6, 20))
"""(stored values, topics) that the model is fitted to."""

CHECKED = ((1e6, 20), (3e6, 40), (1e7, 20))
"""(stored values, topics) that the model is checked with."""

CLUSTERS = {
    "this machine, 2 processes": (2, 1, 0.0),
    "1 machine, 16 cores": (1, 16, 1.25e9),
    "8 × 16 cores, 10 Gbit/s": (8, 16, 1.25e9),
    "64 × 16 cores, 10 Gbit/s": (64, 16, 1.25e9),
    "256 × 32 cores, 25 Gbit/s": (256, 32, 3.125e9),
}
"""Workers, cores of each, bytes a second (0: as measured on loopback)."""

DOCUMENTS = (1e6, 1e7, 1e8, 1e9)
STORED_PER_DOCUMENT = 85
MOST_TERMS = 1e6
DETECTOR_PASSES = 9 * 32
"""Passes in a fit of `TextOutlierDetector`: nine fits of 30, and the final solve of each, which counts as two."""


def seconds_per_pass(X: Any, n_topics: int, n_passes: int = 7, **options: Any) -> float:
    """Return the median seconds of a pass; α is given, so that every iteration is one pass."""
    from tonmf import TONMF

    ticks: list[float] = []
    model = TONMF(n_topics, alpha=5.0, max_iter=n_passes, tol=0, random_state=0, **options)
    model.set_params(callback=lambda _: ticks.append(time.perf_counter()))
    model.fit(X)
    return float(np.median(np.diff(ticks)[1:]))


def bytes_per_pass(X: Any, n_topics: int, traffic: Traffic, client: Any) -> float:
    """Return the bytes that a pass moves, from the difference between a longer and a shorter fit."""
    from tonmf import TONMF

    moved = []
    for n_passes in (2, 8):
        with traffic.during() as counted:
            TONMF(n_topics, alpha=5.0, max_iter=n_passes, tol=0, random_state=0, executor=client).fit(X)
        moved.append(counted[0])
    return (moved[1] - moved[0]) / 6


def measure(sizes: tuple[tuple[float, int], ...]) -> list[dict[str, Any]]:
    """Measure every size in one process on 1 and 2 threads, and on clusters of 1 and 2 processes with one thread each."""
    from distributed import Client, LocalCluster

    rows: list[dict[str, Any]] = []
    matrices = {n_stored: zipf_rows(int(n_stored)) for n_stored in {size for size, _ in sizes}}
    for n_stored, n_topics in sizes:
        X = matrices[n_stored]
        row = {"stored": X.nnz, "documents": X.shape[0], "terms": X.shape[1], "topics": n_topics}
        for n_threads in (1, 2):
            row[f"{n_threads} threads"] = seconds_per_pass(X, n_topics, n_jobs=n_threads)
        rows.append(row)
    for n_workers in (1, 2):
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            traffic = Traffic(client)
            seconds_per_pass(matrices[sizes[0][0]], 10, executor=client)  # load the kernels
            for row, (n_stored, n_topics) in zip(rows, sizes, strict=True):
                X = matrices[n_stored]
                row[f"{n_workers} processes"] = seconds_per_pass(X, n_topics, executor=client)
                row[f"bytes, {n_workers}"] = bytes_per_pass(X, n_topics, traffic, client)
                row[f"model bytes, {n_workers}"] = bytes_of_model(n_workers, X.shape[1], n_topics)
    return rows


def terms_of(N: float, n: float, m: float, k: float, p: int, c: int, far: bool) -> list[float]:
    """Return the terms that the coefficients s, h, w, v, L and the seconds per byte multiply."""
    way = 2 * np.ceil(np.log2(2 * p)) * 4 * m * k if far else 0.0
    return [N * k / (p * c), n * k**2 / (p * c), m * k**2, m * k, float(far), way]


NAMES = ("s (ps per value and topic)", "h (ps)", "w (ps)", "v (ps)", "L (ms)", "loopback (GB/s)")


def fit_model(rows: list[dict[str, Any]]) -> np.ndarray:
    """Fit non-negative coefficients by least squares on relative errors."""
    A, t = [], []
    for row in rows:
        size = (row["stored"], row["documents"], row["terms"], row["topics"])
        for name, p, far in (("1 threads", 1, False), ("1 processes", 1, True), ("2 processes", 2, True)):
            A.append(terms_of(*size, p, 1, far))
            t.append(row[name])
    weighted, times = np.array(A) / np.array(t)[:, None], np.ones(len(t))
    scale = weighted.max(axis=0)
    return nnls(weighted / scale, times)[0] / scale


def predicted(model: np.ndarray, row: dict[str, Any], p: int, far: bool) -> float:
    """Return the predicted seconds of a pass for a measured size."""
    size = (row["stored"], row["documents"], row["terms"], row["topics"])
    return float(np.array(terms_of(*size, p, 1, far)) @ model)


def prediction(model: np.ndarray, n: float, k: int, cluster: str) -> dict[str, Any]:
    """Predict a pass, and a fit of the detector, for n documents on a cluster."""
    p, c, bandwidth = CLUSTERS[cluster]
    N = STORED_PER_DOCUMENT * n
    m = min(30 * np.sqrt(N), MOST_TERMS)
    seconds_a_byte = 1 / bandwidth if bandwidth else model[-1]
    seconds = float(np.array(terms_of(N, n, m, k, p, c, True)) @ np.append(model[:-1], seconds_a_byte))
    memory = (24 * N + 2 * 4 * n * k) / p
    return {
        "documents": f"{n:.0e}",
        "cluster": cluster,
        "MB moved by a pass": bytes_of_model(p, int(m), k) / 1e6,
        "s per pass": seconds,
        "hours for the detector": DETECTOR_PASSES * seconds / 3600,
        "GB on a worker": memory / 1e9,
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure, fit, check, predict; print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    fitted, checked = (FITTED[:4], CHECKED[:1]) if options.quick else (FITTED, CHECKED)
    rows = measure((*fitted, *checked))
    ways = ("1 threads", "2 threads", "1 processes", "2 processes")
    sizes = ("stored", "documents", "terms", "topics")
    print_table(
        "Milliseconds of a pass", [*sizes, *ways], ([*(r[s] for s in sizes), *(1e3 * r[w] for w in ways)] for r in rows)
    )
    print_table(
        "MB moved by a pass, measured and by the model",
        ["terms", "topics", "1 process", "model", "2 processes", "model"],
        (
            [r["terms"], r["topics"], *(r[f"{w}{p}"] / 1e6 for p in (1, 2) for w in ("bytes, ", "model bytes, "))]
            for r in rows
        ),
    )
    model = fit_model(rows[: len(fitted)])
    values = [*(1e12 * model[:4]), 1e3 * model[4], 1e-9 / model[5] if model[5] else np.inf]
    print_table("The model, fitted to all but the held-out rows", list(NAMES), [values])
    compared = [
        [
            row["stored"],
            row["topics"],
            name,
            1e3 * row[name],
            1e3 * predicted(model, row, p, far),
            number >= len(fitted),
        ]
        for number, row in enumerate(rows)
        for name, p, far in (("1 threads", 1, False), ("1 processes", 1, True), ("2 processes", 2, True))
    ]
    print_table(
        "Measured and predicted ms", ["stored", "topics", "mode", "measured", "predicted", "held out"], compared
    )
    for title, held_out in (("fitted", False), ("held out", True)):
        errors = [abs(line[4] / line[3] - 1) for line in compared if line[5] == held_out]
        print(f"mean relative error, {title}: {100 * float(np.mean(errors)):.0f} %")
    forecasts = [prediction(model, n, 25, cluster) for n in DOCUMENTS for cluster in CLUSTERS]
    print_table("Predictions, 25 topics", list(forecasts[0]), (row.values() for row in forecasts))
    save("dask", {"measured": rows, "model": dict(zip(NAMES, values, strict=True)), "predictions": forecasts})


if __name__ == "__main__":
    main()
