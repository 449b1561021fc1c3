"""Time per document of ``tonmf detect --memory``, from ten thousand documents to millions, beside the floor of the machine.

The floor is what no program that does the same can avoid on this machine, on all cores: reading the bytes of the file, cutting
the texts into words with our kernel, and fetching a row of topic weights for each stored count as often as the recipe does. The
plot goes to docs/images/growth.svg. It has the sizes of earlier runs too, if they were on this machine with the same versions.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import RESULTS, ROOT, describe_machine, print_table, save
from benchmarks.machine import gather_bandwidth
from benchmarks.outofcore import MEMORY, kept, measure
from tonmf import TextOutlierDetector
from tonmf.detector.scores.ladder import PASSES_OVER_ALL
from tonmf.text.choose import make_counter
from tonmf.text.counts import OwnCounts

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
PLOT = ROOT / "docs" / "images" / "growth.svg"

LOOKED_AT = 20_000
"""Documents that the floor is measured on."""

N_FITS, N_TOPICS = 8, 12
"""Fits of the ladder over all documents, and topics that they keep on this corpus."""

GATHERS = N_FITS * (2 * PASSES_OVER_ALL + 1) + N_FITS + 1
"""How often a fit over many documents fetches a row for each stored count: two products a pass, the final one, the mixtures."""


def main(arguments: list[str]) -> None:
    """Measure, print, draw and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", help="folder that keeps the corpora for later runs (default: a temporary one)")
    options = parser.parse_args(arguments)
    measured = earlier()
    with tempfile.TemporaryDirectory() as temporary:
        for n_docs in options.docs:
            corpus, labels = kept(Path(options.folder or temporary), n_docs)
            row = {"documents": n_docs, **floor(corpus, n_docs), "load": os.getloadavg()[0]}
            found = measure(corpus, labels, n_docs, ["--memory", MEMORY])
            measured[n_docs] = {**row, "whole": 1e6 * found["seconds"] / n_docs, "peak_mb": found["peak_mb"]}
            print(json.dumps(measured[n_docs]), flush=True)
            save("growth", list(measured.values()))
            if not options.folder:
                corpus.unlink()
    rows = [measured[n_docs] for n_docs in sorted(measured)]
    columns = ["documents", "whole", "read", "cut", "gather", "peak_mb", "load"]
    print_table(
        f"tonmf detect --memory {MEMORY}: µs per document, the floor of the machine, peak (MB), and load before",
        ["documents", "µs", "reading", "cutting words", "gathers", "peak (MB)", "load"],
        [[f"{row['documents']:,}", *(row[name] for name in columns[1:])] for row in rows],
    )
    draw(rows)


def earlier() -> dict[int, dict[str, Any]]:
    """Return what earlier runs have measured on this machine, by the number of documents."""
    path = RESULTS / "growth.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if found.get("machine") != describe_machine():
        return {}
    return {row["documents"]: row for row in found["results"]}


def floor(corpus: Path, n_docs: int) -> dict[str, float]:
    """Return the µs per document of what cannot be avoided, with the work shared by all cores."""
    cores = describe_machine()["cores"]
    began = time.perf_counter()
    with corpus.open("rb", buffering=0) as file:
        while file.read(2**23):
            pass
    reading = time.perf_counter() - began
    with corpus.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line, _ in zip(lines, range(LOOKED_AT), strict=False)]
    analyze = make_counter(TextOutlierDetector().get_params(), "texts", None).analyze
    OwnCounts.of(texts, analyze)  # compile, and learn the words
    began = time.perf_counter()
    own = OwnCounts.of(texts, analyze)
    cutting = (time.perf_counter() - began) / len(texts) / cores
    stored = len(own.counts.numbers) / len(texts)
    rate = gather_bandwidth(cores, own.counts.numbers.astype(np.int32), int(own.counts.numbers.max()) + 1, N_TOPICS)
    gathers = GATHERS * stored * 4 * N_TOPICS / (1e9 * rate)
    return {"read": 1e6 * reading / n_docs, "cut": 1e6 * cutting, "gather": 1e6 * gathers}


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw the time per document over the number of documents, above the floor."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from tonmf.plots.drawing import SETTINGS, save_canvas

    sizes, parts = [row["documents"] for row in rows], ("read", "cut", "gather")
    with mpl.rc_context(SETTINGS):
        canvas = Figure(layout="constrained", figsize=(6, 3.4))
        axes = canvas.subplots()
        axes.plot(sizes, [row["whole"] for row in rows], marker="o", color="C0", label="tonmf detect --memory 2GB")
        stacked = np.cumsum([[row[part] for row in rows] for part in parts], axis=0)
        below = np.zeros(len(rows))
        for heights, label, shade in zip(stacked, ("read", "cut words", "gather"), (0.75, 0.6, 0.45), strict=True):
            axes.fill_between(sizes, below, heights, color=str(shade), label=f"floor: {label}", linewidth=0)
            below = heights
        axes.set_xscale("log")
        axes.set_ylim(0)
        axes.set_xlabel("documents")
        axes.set_ylabel("µs per document")
        axes.legend()
        save_canvas(canvas, PLOT)
