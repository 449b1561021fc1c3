"""The detector on a Dask cluster and in one process; time and traffic of passes; a cost model and its predictions.

``--detector`` compares only fits of the detector, on as many cores, in turn. The rest is about passes:

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
    cluster        T = (s·Nk + h·nk²)/(pc) + w·mk² + v·mk + L + D·4mk/b
                   D = q + ⌈log₂⌈p/8⌉⌉ + 2q·max(1, ⌈log₈ p⌉), q = min(p, 8)

s is for the sparse products, h for the sweeps over H, w for those over W, v for copying the topics and adding up the sums, L
for the messages of a pass. This process sends W to q workers, and those send it on; sums, in float64, travel up through a tree
of q branches, so D copies of W lie on the longest path. In total, n_workers × n_terms × n_topics × (4 + 8) bytes move.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.harness import print_table, save
from benchmarks.outofcore import make
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

DETECTOR_DOCS = 200_000
"""Documents of a fit of the detector."""

DOCUMENTS = (1e6, 1e7, 1e8, 1e9)
STORED_PER_DOCUMENT = 85
MOST_TERMS = 1e6
DETECTOR_PASSES = 9 * 5
"""Passes over all documents in a fit of `TextOutlierDetector`: nine fits of 3, and the final solve of each, counted as two."""


N_FITS = 3
"""Fits of the detector in each mode, of which the median counts."""


def compare_detectors(n_docs: int, n_fits: int) -> dict[str, Any]:
    """Fit the detector in one process on two threads, and on two workers of one thread, in turn; return medians."""
    import dask.bag
    from distributed import Client, LocalCluster

    from tonmf import TextOutlierDetector
    from tonmf.dask import fit_detector

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        corpus, _ = make(Path(folder), n_docs)
        n_bytes = corpus.stat().st_size
        texts = dask.bag.read_text(str(corpus), blocksize=n_bytes // 8 + 1).map(json.loads).pluck("text")

        def in_memory() -> Any:
            return TextOutlierDetector(n_jobs=2).fit([json.loads(line)["text"] for line in corpus.open()])

        def on_cluster() -> Any:
            return fit_detector(client, texts, n_jobs=2)

        ways = {"memory": in_memory, "cluster": on_cluster}
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        scores = {}
        for name in [*ways] * n_fits:
            began = time.perf_counter(), cpu_seconds(client)
            scores[name] = ways[name]().outlier_scores_
            measured[name].append((time.perf_counter() - began[0], cpu_seconds(client) - began[1]))
            print(f"{name}: {measured[name][-1][0]:.1f} s, {measured[name][-1][1]:.1f} CPU-s", flush=True)
    medians = {name: np.median(of_fits, axis=0).tolist() for name, of_fits in measured.items()}
    ratios = np.array(medians["cluster"]) / np.array(medians["memory"])
    return {
        "documents": n_docs,
        **{
            f"{name}, {unit}": value for name in ways for unit, value in zip(("s", "CPU-s"), medians[name], strict=True)
        },
        "ratio of s": float(ratios[0]),
        "ratio of CPU-s": float(ratios[1]),
        "largest difference of scores": float(np.abs(scores["memory"] - scores["cluster"]).max()),
    }


def cpu_seconds(client: Any) -> float:
    """Return the CPU-seconds so far of this process, in which the scheduler is, and of the workers."""
    return time.process_time() + sum(client.run(time.process_time).values())


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
    q = min(p, 8)
    copies = q + np.ceil(np.log2(np.ceil(p / 8))) + 2 * q * max(np.ceil(np.log(p) / np.log(8)), 1)
    way = copies * 4 * m * k if far else 0.0
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
    parser.add_argument("--docs", type=int, default=DETECTOR_DOCS, help="documents of the fits of the detector")
    parser.add_argument("--fits", type=int, default=N_FITS, help="fits of the detector in each mode")
    parser.add_argument("--detector", action="store_true", help="only fits of the detector")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    compared = compare_detectors(options.docs, options.fits)
    print_table("The detector in one process and on two workers, two cores each", list(compared), [compared.values()])
    save("dask-detector", compared)
    if not options.detector:
        measure_passes(options.quick)


def measure_passes(quick: bool) -> None:
    """Measure passes, fit the model, check it, predict; print and save."""
    fitted, checked = (FITTED[:4], CHECKED[:1]) if quick else (FITTED, CHECKED)
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
    checks = [
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
    print_table("Measured and predicted ms", ["stored", "topics", "mode", "measured", "predicted", "held out"], checks)
    for title, held_out in (("fitted", False), ("held out", True)):
        errors = [abs(line[4] / line[3] - 1) for line in checks if line[5] == held_out]
        print(f"mean relative error, {title}: {100 * float(np.mean(errors)):.0f} %")
    forecasts = [prediction(model, n, 25, cluster) for n in DOCUMENTS for cluster in CLUSTERS]
    print_table("Predictions, 25 topics", list(forecasts[0]), (row.values() for row in forecasts))
    save("dask", {"measured": rows, "model": dict(zip(NAMES, values, strict=True)), "predictions": forecasts})


if __name__ == "__main__":
    main()
