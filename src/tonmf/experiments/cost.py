"""Experiment (g): seconds and memory of every method, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from tonmf.experiments.facts import AUTHORS_CODE_GB, AUTHORS_CODE_SECONDS
from tonmf.experiments.markdown import markdown_table
from tonmf.experiments.measured import Measured
from tonmf.experiments.memory import memory_now, memory_peak, reset_peak
from tonmf.experiments.methods import METHODS, OURS
from tonmf.experiments.specification import Config, Experiment, Result, Section
from tonmf.experiments.tasks import ROWS, TASKS, draw

WARM_UP = 200
"""Documents of a first run that is not measured: it compiles and loads what the second one needs."""


def measure(config: Config) -> dict[str, Any]:
    """Run one method in a new process, so that its memory is its own."""
    command = [sys.executable, "-m", __name__, json.dumps(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Measuring {config} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure_here(config: Config) -> dict[str, float]:
    """Seconds of one method on one draw, and the memory it needs beyond the documents and the program."""
    method, drawn = METHODS[config["method"]], draw(config)
    rows = drawn.documents if config["rows"] is None else drawn.rows(config["rows"])
    method.score(rows[:WARM_UP], drawn.labels[:WARM_UP], config["seed"])
    reset_peak()
    before = memory_now()
    begin = time.perf_counter()
    method.run(drawn, config["rows"], config["seed"])
    seconds = time.perf_counter() - begin
    return {
        "seconds": round(seconds, 3),
        "mb": round(max(memory_peak() - before, 0.0), 1),
        "peak_mb": round(memory_peak()),
    }


def _applies(config: Config) -> bool:
    return (config["rows"] is None) == METHODS[config["method"]].own_rows


def table(measured: Measured, task: str) -> str:
    """A line for each method and kind of rows."""
    rows = []
    for name in measured.options("method"):
        method = METHODS[name]
        for kind in measured.options("rows"):
            config = {"task": task, "method": name, "rows": kind}
            if not measured.all("seconds", **config):
                continue
            cells = [measured.mean(what, **config) for what in ("seconds", "mb", "peak_mb")]
            rows.append([method.title, kind or "its own", f"{cells[0]:.2f}", f"{cells[1]:,.0f}", f"{cells[2]:,.0f}"])
    return markdown_table(["method", "rows", "seconds", "MB beyond the data", "MB in all"], rows)


def report(results: Sequence[Result]) -> Section:
    """The section of the page."""
    measured = Measured(results)
    tables = "\n\n".join(f"{TASKS[task].title}:\n\n{table(measured, task)}" for task in measured.tasks)
    text = f"""\
Each method in a process of its own, {measured.draws}. Seconds are of the second run in that process, from documents or rows to
scores; for k-NN all k from 1 to 50 come from one run. The first is on {WARM_UP} documents, so that nothing is compiled while
the clock runs. Memory is the most that was in use during the run, beyond what was in use before it, and in all. The authors'
published code took {AUTHORS_CODE_SECONDS} s of processor time and {AUTHORS_CODE_GB} GB for the rank, α, β and iterations that
"{METHODS["tonmf-authors"].title}" has here, on the same Reuters matrix but another machine.

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
    applies=_applies,
)

if __name__ == "__main__":
    print(json.dumps(measure_here(json.loads(sys.argv[1]))))  # the answer to the process that asked
