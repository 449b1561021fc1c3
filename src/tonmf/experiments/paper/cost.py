"""Experiment (g): time and memory of every method, each in its own process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from tonmf.experiments.facts import AUTHORS_CODE_GB, AUTHORS_CODE_SECONDS
from tonmf.experiments.measured import Measured, markdown_table
from tonmf.experiments.methods import METHODS, OURS, applies
from tonmf.experiments.processes import in_json, in_new_process, memory_now, memory_peak, reset_peak
from tonmf.experiments.specification import Config, Experiment, Result, Section
from tonmf.experiments.tasks import ROWS, TASKS, Draw, chosen, draw

WARM_UP = 200
"""Documents in a first run that is not measured: it compiles and loads what the second run needs."""


def measure(config: Config) -> dict[str, Any]:
    """Run one method in a new process."""
    return in_new_process(__name__, json.dumps(config))


def measure_here(config: Config) -> dict[str, float | None]:
    """Measure the seconds that one method takes on one draw, and its memory beyond the documents and the program."""
    method, drawn = METHODS[config["method"]], draw(config)
    few = np.union1d(np.arange(WARM_UP), np.flatnonzero(drawn.labels)[:2])
    method.run(Draw(chosen(drawn.dataset, few.tolist())), config["rows"], config["seed"])
    if config["rows"] is not None:
        drawn.rows(config["rows"])  # made before the clock runs
    reset_peak()
    before = memory_now()
    begin = time.perf_counter()
    method.run(drawn, config["rows"], config["seed"])
    seconds = time.perf_counter() - begin
    peak = memory_peak()
    return {"seconds": round(seconds, 3), "mb": in_json(max(peak - before, 0.0)), "peak_mb": in_json(peak)}


def table(measured: Measured, task: str) -> str:
    """Tabulate one line for each method and kind of rows."""
    rows = []
    for name in measured.options("method"):
        method = METHODS[name]
        for kind in measured.options("rows"):
            config = {"task": task, "method": name, "rows": kind}
            if not measured.all("seconds", **config):
                continue
            memory = [_memory(measured, what, config) for what in ("mb", "peak_mb")]
            rows.append([method.title, kind or "its own", f"{measured.mean('seconds', **config):.2f}", *memory])
    return markdown_table(["method", "rows", "seconds", "MB beyond the data", "MB in total"], rows)


def _memory(measured: Measured, what: str, config: Config) -> str:
    known = [mb for mb in measured.all(what, **config) if mb is not None]
    return f"{fmean(known):,.0f}" if known else "not known"


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    tables = "\n\n".join(f"{TASKS[task].title}:\n\n{table(measured, task)}" for task in measured.tasks)
    text = f"""\
Each method in its own process, {measured.draws}. Seconds are those of the second run in that process, from documents or
rows to scores; k-NN computes all k from 1 to 50 in one run. The first run is on {WARM_UP} documents, so that the second
compiles nothing. Memory is the peak of the second run, beyond what was in use before it, and in total; 0 means that the run
fitted into memory left over from the first. The authors' published code took {AUTHORS_CODE_SECONDS} s of processor time and
{AUTHORS_CODE_GB} GB with the rank, α, β and iterations of "{METHODS["tonmf-authors"].title}", on the same Reuters matrix
but another machine.

{tables}
"""
    return Section("Speed and memory", text)


COST = Experiment(
    name="cost",
    question="How long does each method take, and how much memory?",
    axes={"task": ("reuters", "baskets"), "seed": (0,), "method": tuple(METHODS), "rows": (*ROWS, None)},
    quick={"task": ("reuters",), "method": ("knn", "rpca", "tonmf", OURS), "rows": ("tf-idf", None)},
    measure=measure,
    report=report,
    applies=applies,
)

if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure_here(json.loads(sys.argv[1]))) + "\n")  # the answer to the process that asked
