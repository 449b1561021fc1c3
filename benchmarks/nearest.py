"""The search for the nearest embeddings, in a process of its own: ``python -m benchmarks.nearest METHOD N_VECTORS``.

tonmf compares every vector with a sample of ordinary ones. The indices of faiss hold all vectors, and find the nearest of each;
they do so for at most `MOST_QUERIES` of them, and the seconds are those for all in proportion.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import peak_of
from tonmf.detector.scores.meaning import NEAREST, Meaning
from tonmf.detector.scores.ordinary import SAMPLE

WIDTH, SUBJECTS, AT_ONCE = 384, 100, 10_000
"""Width of the vectors, as that of MiniLM; the subjects around which they lie; and how many are made at once."""

MOST_QUERIES = 10_000
"""Vectors whose neighbours faiss looks for, at most."""

PROBED = 8
"""Lists of an inverted file that are searched for each vector; there are √n of them."""

Vectors = NDArray[np.float32]


def made_up_vectors(n_vectors: int) -> Vectors:
    """Return unit vectors around random subjects."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((SUBJECTS, WIDTH), np.float32)
    rows = np.empty((n_vectors, WIDTH), np.float32)
    for start in range(0, n_vectors, AT_ONCE):
        some = rows[start : start + AT_ONCE]
        rng.standard_normal(out=some, dtype=np.float32)
        some += centres[rng.integers(SUBJECTS, size=len(some))]
        some /= np.linalg.norm(some, axis=1, keepdims=True)
    return rows


def with_sample(rows: Vectors) -> tuple[Meaning, Callable[[Meaning], Any], int]:
    """Compare all vectors with a sample, each of which is trusted in another way."""
    rng = np.random.default_rng(1)
    n_sample = min(SAMPLE, len(rows))
    sampled, trust = np.sort(rng.choice(len(rows), n_sample, replace=False)), rng.uniform(0.4, 1, n_sample)
    return Meaning.of(rows, sampled), lambda meaning: meaning.remoteness(rows, trust), len(rows)


def with_flat_index(rows: Vectors) -> tuple[Any, Callable[[Any], Any], int]:
    """Compare vectors with all others by faiss."""
    import faiss

    index = faiss.IndexFlatIP(WIDTH)
    index.add(rows)
    return index, lambda index: index.search(rows[:MOST_QUERIES], NEAREST), min(len(rows), MOST_QUERIES)


def with_inverted_file(rows: Vectors) -> tuple[Any, Callable[[Any], Any], int]:
    """Compare vectors by faiss with those in the nearest cells alone, which may miss some neighbours."""
    import faiss

    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(WIDTH), WIDTH, max(math.isqrt(len(rows)), 1), faiss.METRIC_INNER_PRODUCT
    )
    index.nprobe = PROBED
    index.train(rows)
    index.add(rows)
    return index, lambda index: index.search(rows[:MOST_QUERIES], NEAREST), min(len(rows), MOST_QUERIES)


OURS = "tonmf, sample"
SEARCHES: dict[str, Callable[[Vectors], tuple[Any, Callable[[Any], Any], int]]] = {
    OURS: with_sample,
    "faiss IndexFlatIP": with_flat_index,
    "faiss IndexIVFFlat": with_inverted_file,
}
"""Functions that prepare a search; they return what was prepared, the search, and the number of vectors that it is for."""


def measure(method: str, n_vectors: int) -> dict[str, Any]:
    """Measure one search in this process: seconds to prepare and to search, and memory beside the vectors."""
    rows = made_up_vectors(n_vectors)
    SEARCHES[method](rows[:2000])  # load libraries
    seconds: dict[str, float] = {}

    def job() -> None:
        began = time.perf_counter()
        prepared, search, n_queries = SEARCHES[method](rows)
        ready = time.perf_counter()
        search(prepared)
        ended = time.perf_counter()
        seconds.update(prepare_s=ready - began, search_s=(ended - ready) * n_vectors / n_queries, queries=n_queries)

    before, peak = peak_of(job)
    return {
        "vectors": n_vectors,
        "method": method,
        **seconds,
        "vectors_mb": rows.nbytes / 2**20,
        "added_mb": peak - before,
        "peak_mb": peak,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
