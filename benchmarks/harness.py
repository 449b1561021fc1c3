"""Shared parts of the benchmarks: the machine's description, tables, result files, and memory of a new process."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.datasets.archives import read_newsgroups
from tonmf.experiments import processes
from tonmf.experiments.log import versions
from tonmf.experiments.measured import markdown_table
from tonmf.experiments.processes import memory_now, memory_peak, reset_peak
from tonmf.storage.atomic import replacing

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory and versions."""
    cpu = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        cpu = names[0] if names else cpu
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        **versions(),
    }


def print_table(title: str, columns: list[str], rows: Iterable[Iterable[Any]]) -> None:
    """Print a table under its title."""
    print(f"\n{title}\n\n{markdown_table(columns, rows)}", flush=True)


def save(name: str, results: Any) -> None:
    """Write results with the machine's description to benchmarks/results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    write_whole(RESULTS / f"{name}.json", json.dumps({"machine": describe_machine(), "results": results}, indent=1))
    print(f"\nwritten to benchmarks/results/{name}.json")


def write_whole(path: Path, text: str) -> None:
    """Write a file whole, or leave it as it was."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def in_new_process(module: str, *arguments: Any, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Call `tonmf.experiments.processes.in_new_process` for a module of the benchmarks, which are not installed."""
    return processes.in_new_process(module, *arguments, environment={"PYTHONPATH": str(ROOT), **(environment or {})})


def peak_of(job: Callable[[], Any]) -> tuple[float, float]:
    """Run a job; return (memory before, peak during) in MB."""
    before = memory_now()
    reset_peak()
    job()
    return before, memory_peak()


def data_folder() -> Path:
    """Return the folder with the real data, named by TONMF_DATA."""
    folder = os.environ.get("TONMF_DATA", "")
    if not folder or not Path(folder).is_dir():
        sys.exit("This benchmark needs the real data: set TONMF_DATA (see benchmarks/README.md).")
    return Path(folder)


def newsgroups_tfidf() -> sp.csr_matrix:
    """Return 20 Newsgroups as tf-idf rows: min_df=2, no English stop words, float32."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [document.text for document in read_newsgroups(data_folder() / "20news-bydate.tar.gz")]
    return TfidfVectorizer(min_df=2, stop_words="english", dtype=np.float32).fit_transform(texts)
