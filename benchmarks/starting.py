"""What short commands load and how long they compute: modules and CPU seconds of a new process each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import print_table, save
from tonmf import TextOutlierDetector
from tonmf.datasets import load_noticeboard

RUNS = 5

COMMANDS = {
    "python -c pass": None,
    "tonmf --help": ["--help"],
    "tonmf detekt, which there is not": ["detekt"],
    "tonmf topics model": ["topics", "model"],
    "tonmf explain model one.txt": ["explain", "model", "one.txt"],
    "tonmf score model one.txt": ["score", "model", "one.txt"],
}

PROGRAM = """
import os, resource, sys
sys.argv = ["tonmf", *sys.argv[1:]]
try:
    if len(sys.argv) > 1:
        from tonmf.cli import main
        main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    os.write(3, f"{len(sys.modules)} {used.ru_utime + used.ru_stime}".encode())
"""


def main(arguments: list[str]) -> None:
    """Print and save the table."""
    board = load_noticeboard()
    with tempfile.TemporaryDirectory() as folder:
        TextOutlierDetector().fit(board.texts, names=board.ids).save(Path(folder, "model"))
        Path(folder, "one.txt").write_text(board.texts[0].replace("\n", " "), encoding="utf-8")
        measured = {name: [_run(command or [], folder) for _ in range(RUNS)] for name, command in COMMANDS.items()}
    rows = [[name, *np.median(runs, axis=0).tolist()] for name, runs in measured.items()]
    columns = ["command", "modules", "CPU (s)"]
    print_table(f"Start-up, median of {RUNS} new processes", columns, rows)
    save("starting", [dict(zip(columns, row, strict=True)) for row in rows])


def _run(command: list[str], folder: str) -> tuple[int, float]:
    """Return the modules that a command has loaded in the end, and its CPU seconds."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as answer:
        program = f"import os; os.dup2({writing}, 3)\n{PROGRAM}"
        subprocess.run([sys.executable, "-c", program, *command], cwd=folder, pass_fds=[writing], capture_output=True)
        os.close(writing)
        modules, seconds = answer.read().split()
    return int(modules), float(seconds)
