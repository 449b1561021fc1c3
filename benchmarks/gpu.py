"""The GPU beside the CPU of the same machine and other libraries: passes, operations, whole fits and the detector.

Needs an NVIDIA GPU and CuPy; PyTorch is compared with if it is installed. Writes docs/evidence/gpu.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit, prange

from benchmarks.gpu_counters import counters
from benchmarks.gpu_report import PAGE, page_text
from benchmarks.harness import RESULTS, data_folder, describe_machine, write_whole
from tonmf import TONMF, TextOutlierDetector
from tonmf.datasets.archives import read_newsgroups
from tonmf.metrics import area_under_curve
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.in_memory import MatrixSource, default_block_size
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.ops import Ops
from tonmf.nmf.solver import Options, Problem, Progress, converge
from tonmf.nmf.starts import at_unit_norm, random_start
from tonmf.nmf.threads import make_ops, one_blas_thread

WORDS = 100
"""Different words of a document."""

TERMS = 100_000
GROUPS = 64
"""Topics that the documents are made of."""

STRANGE = 0.01
"""Share of documents whose words are drawn evenly from all terms."""


@njit(parallel=True, cache=True)
def _draw(cumulative: Any, n_docs: int, indices: Any, data: Any) -> None:
    """Draw each document's words: half from all, half from one of the topics, which are the same law in another order."""
    n_terms = len(cumulative)
    for i in prange(n_docs):
        state = np.uint64(i) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(12345)
        group, strange, n = np.uint64(i % GROUPS), i % 100 == 99, 0
        seen = np.empty(WORDS, np.int32)
        while n < WORDS:
            state += np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
            uniform = np.float64(z >> np.uint64(11)) / 9007199254740992.0
            rank = int(uniform * n_terms) if strange else np.searchsorted(cumulative, uniform)
            if not strange and z & np.uint64(1):
                rank = int((np.uint64(rank) * np.uint64(7919) + group * np.uint64(104729)) % np.uint64(n_terms))
            place = n
            while place > 0 and seen[place - 1] > rank:
                place -= 1
            if place > 0 and seen[place - 1] == rank:
                continue
            for p in range(n, place, -1):
                seen[p] = seen[p - 1]
            seen[place] = rank
            n += 1
        norm = 0.0
        for p in range(WORDS):
            weight = 1.0 + np.log((1.0 + seen[p]) ** 0.5)  # rarer terms have higher numbers, and weigh more
            indices[i * WORDS + p], data[i * WORDS + p] = seen[p], weight
            norm += weight * weight
        for p in range(WORDS):
            data[i * WORDS + p] /= np.sqrt(norm)


def corpus(n_docs: int) -> tuple[sp.csr_matrix, Any]:
    """Return unit rows of `WORDS` terms by Zipf's law, and which of them are strange."""
    weights = 1 / (np.arange(TERMS) + 5.0)
    indices, data = np.empty(n_docs * WORDS, np.int32), np.empty(n_docs * WORDS, np.float32)
    _draw(np.cumsum(weights / weights.sum()), n_docs, indices, data)
    X = sp.csr_matrix((n_docs, TERMS), dtype=np.float32)
    wide = np.int64 if n_docs * WORDS >= 2**31 else np.int32
    X.indptr = np.arange(0, n_docs * WORDS + 1, WORDS, dtype=wide)
    X.indices, X.data = indices.astype(wide, copy=False), data
    X.has_canonical_format = True
    return X, np.arange(n_docs) % 100 == 99


PASSES = 50
"""Passes of a whole fit."""

MEASURED, MEASURED_ON_CPU = 12, 1
"""Passes that are timed, after those in which α follows the residuals."""


def options(n_passes: int) -> Options:
    """Return the options of a fit of so many passes, with α given so that every pass is alike."""
    return Options("reweighted", INNER_METHODS["hals"], 0.9, 0.0, None, n_passes, 0.0, 1, 0.0)


def milliseconds_per_pass(X: sp.csr_matrix, n_topics: int, ops: Ops, n_passes: int) -> float:
    """Return the median milliseconds of a pass, after the first two."""
    ticks: list[float] = []

    def tick(progress: Progress) -> None:
        ticks.append(time.perf_counter())

    executor = SerialExecutor()
    with one_blas_thread():
        source = MatrixSource(X, np.ones(X.shape[0]), default_block_size(X, n_topics, ops.bytes_of_work), ops)
        _, W = at_unit_norm(random_start(source, n_topics, np.random.RandomState(0), ops, executor), source.dtype)
        source.start_from(None, n_topics)
        converge(Problem(source, options(n_passes + 3), ops, executor, tick), W)
    return 1e3 * float(np.median(np.diff(ticks)[2:]))


def passes(n_docs: int, ranks: list[int]) -> list[dict[str, Any]]:
    """Time passes over documents that stay on the GPU, on the CPU, and the two sparse products of a pass by other libraries."""
    X, _ = corpus(n_docs)
    gpu, cpu = make_ops("numba", None, "cuda"), make_ops("numba", None)
    rows = []
    for n_topics in ranks:
        row = {
            "topics": n_topics,
            "GPU": milliseconds_per_pass(X, n_topics, gpu, MEASURED),
            "CPU": milliseconds_per_pass(X, n_topics, cpu, MEASURED_ON_CPU),
            **products(X, n_topics),
        }
        rows.append(row)
        print(row, flush=True)
    return rows


def products(X: sp.csr_matrix, n_topics: int) -> dict[str, float]:
    """Time X W and Xᵀ H on the GPU: by our kernels, by cuSPARSE through CuPy, and by torch.sparse."""
    import cupy as cp
    import cupyx.scipy.sparse as csp

    ops, rng = make_ops("numba", None, "cuda"), np.random.default_rng(0)
    prepared = ops.prepare(X)
    W = ops.place(rng.random((X.shape[1], n_topics), dtype=np.float32))
    H = ops.place(rng.random((X.shape[0], n_topics), dtype=np.float32))
    P = ops.zeros(W.shape)
    times = {
        "X W": timed(lambda: ops.project(prepared, W)),
        "Xᵀ H": timed(lambda: ops.collect(prepared, H, P)),
    }
    S = csp.csr_matrix(X)
    T = S.T.tocsr()
    times["cuSPARSE, both"] = timed(lambda: (S @ W, T @ H), 3)
    with suppress(ImportError):
        import torch

        def of_torch(M: Any) -> Any:
            parts = (
                torch.as_tensor(part.astype(kind), device="cuda")
                for part, kind in zip((M.indptr, M.indices), ("i4", "i4"), strict=True)
            )
            return torch.sparse_csr_tensor(*parts, torch.as_tensor(M.data, device="cuda"), size=M.shape)

        rows, columns, w, h = (
            of_torch(S),
            of_torch(T),
            torch.as_tensor(W, device="cuda"),
            torch.as_tensor(H, device="cuda"),
        )
        times["torch.sparse, both"] = timed(lambda: (rows @ w, columns @ h), 3)
    cp.get_default_memory_pool().free_all_blocks()
    return times


def timed(job: Callable[[], Any], n: int = 10) -> float:
    """Return the median milliseconds of a job on the GPU, by its own clock."""
    import cupy as cp

    job()
    times = []
    for _ in range(n):
        began, ended = cp.cuda.Event(), cp.cuda.Event()
        cp.cuda.Device().synchronize()
        began.record()
        job()
        ended.record()
        ended.synchronize()
        times.append(cp.cuda.get_elapsed_time(began, ended))
    return float(np.median(times))


def operations(n_docs: int) -> dict[str, Any]:
    """Time the operations of the detector on the GPU and on the CPU, the CPU's in proportion from a tenth of the documents."""
    X, _ = corpus(n_docs)
    rng = np.random.default_rng(0)
    gpu, cpu, tenth = make_ops("numba", None, "cuda"), make_ops("numba", None), X[: n_docs // 10]
    ratios = (rng.random((X.shape[1], 25)) * (rng.random((X.shape[1], 25)) < 0.3)).astype(np.float32)
    prior, sample, weights = np.ones(26), gpu.prepare(X[:2000]), rng.random(2000)
    on_gpu, on_cpu, placed = gpu.prepare(X), cpu.prepare(tenth), gpu.place(ratios)
    times = {
        "mixtures": [
            timed(lambda: gpu.mixtures(on_gpu, placed, prior, 20), 3),
            10 * on_clock(lambda: cpu.mixtures(on_cpu, ratios, prior, 20)),
        ],
        "nearest ordinary documents": [
            timed(lambda: gpu.strongest(on_gpu, sample, weights, 10), 3),
            10 * on_clock(lambda: cpu.strongest(on_cpu, sample, weights, 10)),
        ],
    }
    print(times, flush=True)
    return times


def on_clock(job: Callable[[], Any]) -> float:
    """Return the milliseconds of the second of two calls."""
    job()
    began = time.perf_counter()
    job()
    return 1e3 * (time.perf_counter() - began)


def bandwidth() -> float:
    """Return what a copy within the GPU's memory reads and writes, GB/s."""
    import cupy as cp

    a, b = cp.zeros(2**29, cp.float32), cp.empty(2**29, cp.float32)
    return float(2 * a.nbytes / timed(lambda: cp.copyto(b, a)) / 1e6)


def fits(sizes: list[int], cpu_up_to: int, n_topics: int = 64) -> list[dict[str, Any]]:
    """Time whole fits, from a matrix in host memory to scores in host memory."""
    for device in ("cuda", "cpu"):  # compile the kernels, or load them
        TONMF(n_topics, max_iter=3, tol=0, device=device).fit(corpus(5_000)[0])
    rows = []
    for n_docs in sizes:
        X, strange = corpus(n_docs)
        row: dict[str, Any] = {"documents": n_docs}
        for device in ("cpu", "cuda") if n_docs <= cpu_up_to else ("cuda",):
            began = time.perf_counter()
            model = TONMF(n_topics, max_iter=PASSES, tol=0, device=device, random_state=0).fit(X)
            row[device] = time.perf_counter() - began
        row["AUC"] = area_under_curve(strange, model.outlier_scores_)
        rows.append(row)
        print(row, flush=True)
    return rows


def agreement(n_docs: int, n_topics: int = 64) -> dict[str, Any]:
    """Compare scores of the GPU with those of the CPU."""
    X, _ = corpus(n_docs)
    cpu, gpu = (
        TONMF(n_topics, max_iter=PASSES, tol=0, random_state=0, device=device).fit(X).outlier_scores_
        for device in ("cpu", "cuda")
    )
    first, second = (np.argsort(-scores, kind="stable")[:1000] for scores in (cpu, gpu))
    found = {
        "documents": n_docs,
        "largest relative difference": float(np.abs(gpu / cpu - 1).max()),
        "the first 1,000 in the same order": bool((first == second).all()),
    }
    print(found, flush=True)
    return found


def real_texts(n_docs: int) -> list[str]:
    """Return stretches of the posts of 20 Newsgroups, from random places, so that they are no copies."""
    posts = [document.text for document in read_newsgroups(data_folder() / "20news-bydate.tar.gz")]
    places = np.random.default_rng(0).random(n_docs)
    return [
        text[(low := int(place * max(len(text) - 800, 0))) : low + 800]
        for text, place in zip((posts[i % len(posts)] for i in range(n_docs)), places.tolist(), strict=True)
    ]


def detector(sizes: list[int], cpu_up_to: int) -> list[dict[str, Any]]:
    """Time the detector on real texts, and what of it counts words."""
    from tonmf.detector.options import options_of
    from tonmf.text.choose import make_counter

    rows = []
    TextOutlierDetector(device="cuda").fit(real_texts(20_000))  # compiles the kernels
    for n_docs in sizes:
        texts = real_texts(n_docs)
        row: dict[str, Any] = {"documents": n_docs}
        for device in ("cuda", "cpu") if n_docs <= cpu_up_to else ("cuda",):
            began = time.perf_counter()
            TextOutlierDetector(device=device).fit(texts)
            row[device] = time.perf_counter() - began
        began = time.perf_counter()
        make_counter(options_of(TextOutlierDetector()), "texts", None).learn(texts, len(os.sched_getaffinity(0)))
        row["counting"] = time.perf_counter() - began
        rows.append(row)
        print(row, flush=True)
    return rows


def kernels() -> dict[str, Any]:
    """Run every kernel on little data, for compute-sanitizer, and compare it with the reference."""
    from tonmf.nmf.ops.cuda import rows
    from tonmf.nmf.ops.reference import ReferenceOps

    X, _ = corpus(300)
    X = sp.csr_matrix(X[:, :2000])
    gpu, reference, rng, worst = make_ops("numba", None, "cuda"), ReferenceOps(), np.random.default_rng(0), 0.0

    def compare(a: Any, b: Any) -> None:
        nonlocal worst
        a, b = gpu.fetch(a), gpu.fetch(b)
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))

    rows.STRETCH, rows.PIECE, rows.WORTH_CUTTING = 64, 16, 2  # so that little data takes every way through the kernels

    for n_topics in (1, 7, 33, 64, 130):
        W, H = rng.random((X.shape[1], n_topics), np.float32), rng.random((X.shape[0], n_topics), np.float32)
        on_gpu, on_cpu, weight = gpu.prepare(X), reference.prepare(X), rng.random(X.shape[0])
        rhs, G = reference.project(on_cpu, W), reference.gram(W, np.ones(len(W)), W)
        compare(gpu.project(on_gpu, W), rhs)
        P, Q = np.zeros(W.shape), np.zeros(W.shape)
        gpu.collect(on_gpu, H, P)
        reference.collect(on_cpu, H, Q)
        compare(P, Q)
        compare(gpu.quadratic(H, rhs, G), reference.quadratic(H, rhs, G))
        compare(gpu.gram(H, weight, H), reference.gram(H, weight, H))
        compare(gpu.column_sums(weight, H), reference.column_sums(weight, H))
        H *= rhs.max() / G.max()  # a start as far off as H is now would cancel most digits of float32
        for method in ("hals", "greedy"):
            a, b = H.copy(), H.copy()
            getattr(gpu, method)(a, rhs, G, 1)
            getattr(reference, method)(b, rhs, G, 1)
            compare(a, b)
        read = [ops.mixtures(ops.prepare(X), W, np.ones(n_topics + 1), 5) for ops in (gpu, reference)]
        for a, b in zip(*read, strict=True):
            compare(a, b)
        compare(*(ops.mixed(ops.prepare(X), W, read[1][0]) for ops in (gpu, reference)))
    others = X[:40]
    compare(
        gpu.nearest(gpu.prepare(X), gpu.prepare(others), 5), reference.nearest(on_cpu, reference.prepare(others), 5)
    )
    compare(*(ops.strongest(ops.prepare(X), ops.prepare(others), weight[:40], 5) for ops in (gpu, reference)))
    compare(gpu.squared_norms(gpu.prepare(X)), reference.squared_norms(on_cpu))
    values = rng.integers(0, 2**32, (X.shape[1], 40), dtype=np.uint32)
    compare(*(ops.smallest(ops.prepare(X), values).astype(float) for ops in (gpu, reference)))
    print(f"every kernel ran; largest difference from the reference, relative: {worst:.1e}", flush=True)
    if worst > 1e-4:
        sys.exit("That is more than rounding.")
    return {"largest difference": worst}


SIZED = ("fits", "detector")
"""Parts with a row for each number of documents."""


def main(arguments: list[str] | None = None) -> None:
    """Measure the parts, and write the page from all that have been measured."""
    parts = ("passes", "counters", "operations", "fits", "agreement", "detector")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--part", nargs="*", default=parts, choices=(*parts, "kernels"), help="what to measure; all if not given"
    )
    parser.add_argument("--docs", type=int, default=2_000_000, help="documents of 100 words for passes and operations")
    parser.add_argument("--topics", type=int, nargs="*", default=[16, 64, 128])
    parser.add_argument(
        "--fits",
        type=int,
        nargs="*",
        default=[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000],
        help="sizes of whole fits",
    )
    parser.add_argument("--cpu-fits", type=int, default=100_000, help="size up to which fits run on the CPU, too")
    parser.add_argument("--texts", type=int, nargs="*", default=[300_000, 1_000_000], help="texts for the detector")
    parser.add_argument(
        "--cpu-texts", type=int, default=300_000, help="texts up to which the detector runs on the CPU, too"
    )
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    measure: dict[str, Callable[[], Any]] = {
        "passes": lambda: {"documents": given.docs, "GB/s": bandwidth(), "rows": passes(given.docs, given.topics)},
        "counters": lambda: counters(given.docs // 4),
        "operations": lambda: {"documents": given.docs, **operations(given.docs)},
        "fits": lambda: fits(given.fits, given.cpu_fits),
        "agreement": lambda: agreement(200_000),
        "detector": lambda: detector(given.texts, given.cpu_texts),
        "kernels": kernels,
    }
    path = RESULTS / "gpu.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    RESULTS.mkdir(exist_ok=True)
    for part in given.part:
        measured = measure[part]()
        results[part] = _of_all_sizes(results.get(part, []), measured) if part in SIZED else measured
        results["machine"] = describe_machine() | gpu_name()
        write_whole(path, json.dumps(results, indent=1))
    write_whole(PAGE, page_text(results))
    print(page_text(results))


def _of_all_sizes(earlier: list[dict[str, Any]], measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what was measured, and of an earlier run the rows of other sizes."""
    rows = {row["documents"]: row for row in (*earlier, *measured)}
    return [rows[n_docs] for n_docs in sorted(rows)]


def gpu_name() -> dict[str, Any]:
    """Return the GPU and the version of CuPy."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return {
        "gpu": properties["name"].decode(),
        "gpu_gb": round(properties["totalGlobalMem"] / 1e9),
        "cupy": cupy.__version__,
    }


if __name__ == "__main__":
    main()
