"""What keeps each kernel of a pass busy, by the GPU's own counters (Nsight Compute's `ncu`)."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from typing import Any

import numpy as np

from tonmf.nmf.threads import make_ops

KERNELS = ("project", "collect", "hals", "quadratic", "partial_grams", "partial_sums")
"""The kernels of a pass."""

METRICS = {
    "Compute (SM) Throughput": "arithmetic",
    "L1/TEX Cache Throughput": "L1 cache",
    "L2 Cache Throughput": "L2 cache",
    "DRAM Throughput": "memory",
}
"""Percentages of what the GPU could do, as ncu calls them, and as the page does."""


def counters(n_docs: int) -> list[dict[str, Any]]:
    """Return the percentages of each kernel; nothing without `ncu`."""
    ncu = shutil.which("ncu")
    if ncu is None:
        print("Counters need ncu, a part of the CUDA toolkit.", flush=True)
        return []
    names = "regex:^(" + "|".join(KERNELS) + ")$"
    child = [sys.executable, "-c", f"from benchmarks.gpu_counters import steps; steps({n_docs})"]
    options = ["--csv", "--page", "details", "--section", "SpeedOfLight", "--kernel-name", names]
    found = subprocess.run([ncu, *options, *child], capture_output=True, text=True, check=False)
    rows = rows_of(found.stdout)
    if not rows:
        print(f"ncu found nothing: {found.stdout[-2000:]}{found.stderr[-2000:]}", flush=True)
    for row in rows:
        print(row, flush=True)
    return rows


def rows_of(printed: str) -> list[dict[str, Any]]:
    """Return what ncu printed, a row for each kernel: its last launch."""
    lines = printed.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    kernels: dict[str, dict[str, Any]] = {}
    for line in csv.DictReader(lines[first:]):
        name, metric = line["Kernel Name"].split("(")[0], METRICS.get(line["Metric Name"])
        if metric is not None:
            kernels.setdefault(name, {"kernel": name})[metric] = float(line["Metric Value"].replace(",", ""))
    columns = "kernel", *METRICS.values()
    return [{column: kernels[name][column] for column in columns} for name in KERNELS if name in kernels]


def steps(n_docs: int, n_topics: int = 64) -> None:
    """Run each kernel of a pass twice on documents that are on the GPU."""
    from benchmarks.gpu import corpus

    X, _ = corpus(n_docs)
    ops, rng = make_ops("numba", None, "cuda"), np.random.default_rng(0)
    rows = ops.prepare(X)
    W = ops.place(rng.random((X.shape[1], n_topics), dtype=np.float32))
    H = ops.place(rng.random((n_docs, n_topics), dtype=np.float32))
    weight, P = ops.place(np.ones(n_docs)), ops.zeros((X.shape[1], n_topics))
    G = ops.gram(W, ops.place(np.ones(X.shape[1])), W)
    for _ in range(2):
        rhs = ops.project(rows, W)
        ops.hals(H, rhs, G, 1)
        ops.quadratic(H, rhs, G)
        ops.gram(H, weight, H)
        ops.column_sums(weight, H)
        ops.collect(rows, H, P)
