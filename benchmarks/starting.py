"""What short commands load and how long they compute: modules and CPU seconds of a new process each.

With ``--base PATH``, the same commands of another checkout are measured in turns with ours. Beside them stands the floor: the
CPU seconds of a process that only imports the packages that the command cannot do without, and of one that does nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import ROOT, print_table, save

RUNS = 7

TEXT = "The allotment has too many leeks this year. Swap some for jam, or make soup: leek and potato, with cream."

ARGUMENTS = "import typer, pydantic; pydantic.TypeAdapter(int)"  # by which typer converts arguments
MODEL = f"{ARGUMENTS}; import rich.table, safetensors.numpy, scipy.sparse"
KERNEL = f"{MODEL}, kernel; kernel.add(1.0, 1.0)"

COMMANDS = {
    "tonmf --help": (["--help"], "import typer"),
    "tonmf detekt, which there is not": (["detekt"], "import typer"),
    "tonmf score, without a model": (["score"], "import typer"),
    "tonmf score model one.txt --top few": (["score", "model", "one.txt", "--top", "few"], "import typer"),
    "tonmf score model two.txt, which there is not": (["score", "model", "two.txt"], "import typer"),
    "tonmf topics model": (["topics", "model"], MODEL),
    "tonmf explain model one.txt": (["explain", "model", "one.txt"], KERNEL),
    "tonmf score model one.txt": (["score", "model", "one.txt"], KERNEL),
}
"""Of each command its arguments, and the floor."""

COMMAND = "import sys; sys.argv[0] = 'tonmf'; from tonmf.cli import main; main()"

MEASURED = """
import os, resource, sys
try:
    exec({program!r})
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    os.write({pipe}, f"{{len(sys.modules)}} {{used.ru_utime + used.ru_stime}}".encode())
"""

SMALL_KERNEL = """
from numba import njit

@njit(cache=True)
def add(a, b):
    return a + b
"""


def main(arguments: list[str]) -> None:
    """Print and save the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks starting", description=__doc__)
    parser.add_argument("--base", type=Path, help="Another checkout, to compare with.")
    parser.add_argument("--runs", type=int, default=RUNS, help="Processes of each command.")
    options = parser.parse_args(arguments)
    columns = ["command", "modules", "CPU (s)", "floor (s)"]
    checkouts = [ROOT]
    if options.base is not None:
        checkouts.append(options.base.resolve())
        columns += ["base: modules", "base: CPU (s)", "ours / base"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        prepared = [_prepared(checkout, folder / str(number)) for number, checkout in enumerate(checkouts)]
        rows = [[name, *_measured(*COMMANDS[name], prepared, options.runs)] for name in COMMANDS]
    nothing = f"a process that does nothing takes {rows[0].pop():.3f} s"
    for row in rows[1:]:
        row.pop()
    print_table(f"Start-up, median of {options.runs} new processes; {nothing}", columns, rows)
    save("starting", [dict(zip(columns, row, strict=True)) for row in rows])


def _prepared(checkout: Path, folder: Path) -> tuple[Path, dict[str, str]]:
    """Fit a model by a checkout in a folder; return the folder, and the environment in which the checkout runs.

    Compiled modules are kept in the folder, so that none is compiled anew in a process that is measured.
    """
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{folder}",
        "PYTHONPYCACHEPREFIX": str(folder / "cache"),
    }
    for command in (["generate", "noticeboard", "-o", "board.jsonl"], ["detect", "board.jsonl", "--save", "model"]):
        subprocess.run(
            [sys.executable, "-m", "tonmf", *command], cwd=folder, env=environment, check=True, capture_output=True
        )
    (folder / "one.txt").write_text(TEXT, encoding="utf-8")
    (folder / "kernel.py").write_text(SMALL_KERNEL, encoding="utf-8")
    return folder, environment


def _measured(command: list[str], floor: str, prepared: list[tuple[Path, dict[str, str]]], n_runs: int) -> list[float]:
    """Return the cells of a row, and the CPU seconds of a process that does nothing; all are measured in turns."""
    programs = [(COMMAND, command, *ours_or_base) for ours_or_base in prepared]
    programs += [(floor, [], *prepared[0]), ("pass", [], *prepared[0])]
    runs = [[_run(*program) for program in programs] for _ in range(n_runs + 1)][1:]  # the first fills caches
    medians = np.median(runs, axis=0).tolist()
    (modules, seconds), *base, (_, least), (_, nothing) = medians
    cells = [int(modules), seconds, least]
    for modules_of_base, seconds_of_base in base:
        cells += [int(modules_of_base), seconds_of_base, seconds / seconds_of_base]
    return [*cells, nothing]


def _run(program: str, arguments: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, float]:
    """Return the modules that a program has loaded in the end, and its CPU seconds."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as answer:
        measured = MEASURED.format(program=program, pipe=writing)
        subprocess.run(
            [sys.executable, "-c", measured, *arguments],
            cwd=folder,
            env=environment,
            pass_fds=[writing],
            capture_output=True,
        )
        os.close(writing)
        modules, seconds = answer.read().split()
    return int(modules), float(seconds)
