"""Turn the measurements of `benchmarks.gpu` into docs/evidence/gpu.md."""

from __future__ import annotations

from typing import Any

from benchmarks.harness import ROOT
from tonmf.experiments.measured import markdown_table

PAGE = ROOT / "docs" / "evidence" / "gpu.md"
WORDS, TERMS = 100, 100_000

Figures = dict[str, Any]


def page_text(results: Figures) -> str:
    """Return the page about what was measured."""
    machine = results["machine"]
    parts = [
        f"""# The GPU

`python -m benchmarks gpu` writes this page and prints every figure on it. It ran on an {machine["gpu"]} with
{machine["gpu_gb"]} GB, CuPy {machine["cupy"]}, beside {machine["cores"]} cores of an {machine["cpu"]}.
[The guide](../guide/gpu.md) says when a GPU pays off.
"""
    ]
    writers = {
        "passes": _passes,
        "counters": _counters,
        "fits": _fits,
        "operations": _operations,
        "detector": _detector,
        "agreement": _agreement,
    }
    parts += [write(results[name]) for name, write in writers.items() if results.get(name)]
    return "\n".join(parts)


def _passes(passes: Figures) -> str:
    n_docs, speed, rows = passes["documents"], passes["GB/s"], passes["rows"]
    stored = n_docs * WORDS
    libraries = [name for name in ("cuSPARSE, both", "torch.sparse, both") if name in rows[0]]
    columns = [
        "topics",
        "a pass, GPU",
        "a pass, CPU",
        "CPU / GPU",
        "of it X W",
        "of it Xᵀ H",
        *libraries,
        "memory alone",
    ]
    table = [
        [
            row["topics"],
            f"{row['GPU']:.1f}",
            f"{row['CPU']:,.0f}",
            f"{row['CPU'] / row['GPU']:.0f}",
            f"{row['X W']:.1f}",
            f"{row['Xᵀ H']:.1f}",
            *(f"{row[name]:.0f}" for name in libraries),
            f"{1e3 * compulsory_bytes(n_docs, row['topics']) / speed / 1e9:.1f}",
        ]
        for row in rows
    ]
    return f"""## A pass

Milliseconds for {stored / 1e6:.0f} million stored values: {n_docs:,} documents of {WORDS} different words out of
{TERMS:,}, by Zipf's law, float32. A pass of ours multiplies both ways, updates all documents and topics, and measures every
residual; the libraries do the two sparse products alone. *Memory alone* is the time that the bytes of a pass take at the
{speed:,.0f} GB/s of a copy on this GPU, each read or written once: the matrix by rows and by terms, H, and XW.

{markdown_table(columns, table)}
"""


def compulsory_bytes(n_docs: int, n_topics: int) -> float:
    """Return the bytes that a pass must move: X twice; H read, written, and read for Xᵀ H; XW written and read, in double."""
    return n_docs * (2 * WORDS * 8 + n_topics * (3 * 4 + 2 * 8)) + TERMS * n_topics * (2 * 4 + 2 * 8)


def _counters(rows: list[Figures]) -> str:
    columns = list(rows[0])
    table = [[f"`{row['kernel']}`", *(f"{row[name]:.0f} %" for name in columns[1:])] for row in rows]
    return f"""## What limits the kernels

How much of what the GPU could do each kernel of a pass with 64 topics does, by the counters of Nsight Compute
(`python -m benchmarks gpu --part counters`). The kernels are in `src/tonmf/nmf/ops/cuda/kernels.cu`.

{markdown_table(columns, table)}
"""


def _fits(fits: list[Figures]) -> str:
    columns = ["documents", "stored values", "GPU", "CPU", "CPU / GPU", "AUC"]
    table = [
        [
            f"{r['documents']:,}",
            f"{r['documents'] * WORDS:,}",
            f"{r['cuda']:.2f}",
            f"{r['cpu']:.2f}" if "cpu" in r else "–",
            f"{r['cpu'] / r['cuda']:.1f}" if "cpu" in r else "–",
            f"{r['AUC']:.4f}",
        ]
        for r in fits
    ]
    return f"""## A whole fit

Seconds of `TONMF(64, max_iter=50, tol=0, device="cuda").fit(X)`, from a matrix in host memory to scores in host memory:
checks, copies, the copy by terms, start, 50 passes, and the final solve of every document. One document in a hundred is
strange: its words are drawn evenly from all terms. Kernels for 64 topics were compiled before; the first fit on the GPU also
compiled those that a fit needs when it drops topics.

{markdown_table(columns, table)}
"""


def _operations(times: Figures) -> str:
    n_docs = times["documents"]
    table = [
        [name, f"{gpu:.0f}", f"{cpu:,.0f}", f"{cpu / gpu:.0f}"]
        for name, (gpu, cpu) in ((name, pair) for name, pair in times.items() if name != "documents")
    ]
    return f"""## What the detector adds

Milliseconds for {n_docs:,} documents of {WORDS} words: the mixtures of 25 topics, and the comparison with 2,000 ordinary
documents. The CPU's are in proportion from a tenth of the documents.

{markdown_table(["", "GPU", "CPU", "CPU / GPU"], table)}
"""


def _detector(rows: list[Figures]) -> str:
    table = [
        [
            f"{row['documents']:,}",
            f"{row['cuda']:.1f}",
            f"{row['cpu']:.1f}" if "cpu" in row else "–",
            f"{row['counting']:.1f}",
            f"{row['counting'] / row['cuda']:.0%}",
        ]
        for row in rows
    ]
    return f"""## The detector

`TextOutlierDetector(device=…).fit(texts)`, in seconds, on stretches of 800 characters from the posts of 20 Newsgroups. Words
are counted on the CPU either way.

{markdown_table(["texts", "GPU", "CPU", "of it counting words", "share of the GPU's time"], table)}
"""


def _agreement(found: Figures) -> str:
    same = "are" if found["the first 1,000 in the same order"] else "are not"
    return f"""## The same scores

Of {found["documents"]:,} documents and 64 topics, the largest relative difference between a score of the GPU and one of the
CPU is {found["largest relative difference"]:.0e}, and the first 1,000 {same} in the same order. Tests hold every operation, and
fits with all options, to the CPU's (`tests/nmf/test_ops.py`, `tests/nmf/test_cuda.py`, `tests/detector/test_gpu.py`); they
skip where there is no GPU. The kernels add nothing atomically: a seed repeats a fit bit for bit.
"""
