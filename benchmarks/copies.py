"""The search for copies alone: its memory beside that of the signatures, and its time."""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time

import numpy as np

from benchmarks.harness import in_new_process, peak_of, print_table, save
from tonmf.detector.disk.budget import PER_DOCUMENT
from tonmf.detector.disk.release import release_memory
from tonmf.detector.scores.copies import N_HASHES, Copies, Signatures
from tonmf.text.totals import WordTotals

SIZES = (1_000_000,)
"""Default sizes; five million, ``--docs 5000000``, take a minute."""

KINDS = ("mixed", "alike")
"""Documents of which one in twenty is a copy of the one before, and documents that are all copies of one."""

AT_ONCE = 100_000


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, nargs="+", default=SIZES)
    options = parser.parse_args(arguments)
    results = [in_new_process("benchmarks.copies", n_docs, kind) for n_docs in options.docs for kind in KINDS]
    print_table(
        f"Copies.by_signatures; the memory limit has {PER_DOCUMENT} bytes for each document",
        ["documents", "kind", "signatures (MB)", "search (MB)", "bytes a document, both", "CPU (s)"],
        [
            (
                f"{r['documents']:,}",
                r["kind"],
                f"{r['signatures_mb']:.0f}",
                f"{r['search_mb']:.0f}",
                f"{1e6 * (r['signatures_mb'] + r['search_mb']) / r['documents']:.0f}",
                f"{r['cpu']:.1f}",
            )
            for r in results
        ],
    )
    save("copies", results)


def measure(n_docs: int, kind: str) -> dict[str, float | int | str]:
    """Look for copies once."""
    import scipy.sparse.csgraph  # noqa: F401 (loaded once, whatever the number of documents)

    signatures, totals = _signatures(n_docs, kind), _totals(n_docs)
    gc.collect()
    release_memory()
    began = time.process_time()
    before, peak = peak_of(lambda: Copies.by_signatures(signatures, totals))
    found = {"documents": n_docs, "kind": kind, "signatures_mb": signatures.nbytes / 1e6}
    return {**found, "search_mb": peak - before, "cpu": time.process_time() - began}


def _signatures(n_docs: int, kind: str) -> Signatures:
    """Return signatures whose values are those of words, common ones often."""
    signatures = np.full((n_docs, N_HASHES), 7, np.uint16)
    rng = np.random.default_rng(0)
    for low in range(0, n_docs if kind == "mixed" else 0, AT_ONCE):
        some = signatures[low : low + AT_ONCE]
        some[:] = np.minimum(rng.zipf(1.2, some.shape), 60_000) * 40_503
        copied = 1 + np.flatnonzero(rng.random(len(some) - 1) < 0.05)
        some[copied] = some[copied - 1]
    return signatures


def _totals(n_docs: int) -> WordTotals:
    rng = np.random.default_rng(1)
    n_distinct = rng.integers(40, 80, n_docs).astype(np.int32)
    return WordTotals(n_distinct, n_distinct, np.zeros(n_docs, np.int32), np.zeros(n_docs))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), sys.argv[2])))
