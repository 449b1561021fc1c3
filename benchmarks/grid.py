"""The command line that `robustness`, `new_documents` and `feedback` share: measure the cells of a grid, and report."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.harness import RESULTS, write_whole
from tonmf.experiments.log import ResultLog
from tonmf.experiments.plotting import save_figure
from tonmf.experiments.running import run, todo
from tonmf.experiments.specification import Config, Experiment, Result


def measure_and_report(
    experiment: Experiment,
    arguments: Sequence[str],
    filters: Mapping[str, str],
    load: Callable[[Config], Any],
    page: Path,
    always: Mapping[str, str] | None = None,
) -> None:
    """Measure what is not in benchmarks/results/NAME.jsonl yet, print all figures, and write the page.

    Parameters
    ----------
    experiment : Experiment
        Its last axis is ``method``.
    arguments : sequence of str
        From the command line.
    filters : mapping of str to str
        Options that measure part of the grid, such as ``--only``, by the axis whose value they name.
    load : function of a configuration
        Load its documents.
    page : Path
        The page to write, with its pictures beside it; a partial run leaves both alone.
    always : mapping of str to str, optional
        A value of an axis that is measured whatever the filters say, since the others are compared with it.
    """
    methods = list(experiment.axes["method"])
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {experiment.name}", description=experiment.question)
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument(
        "--again", metavar="METHOD", choices=methods, help=f"measure a method again: {', '.join(methods)}"
    )
    for axis, option in filters.items():
        parser.add_argument(
            option, dest=axis, action="append", metavar=axis.upper(), choices=list(experiment.axes[axis]),
            help=f"measure and print only this {axis}; may be repeated",
        )  # fmt: skip
    parser.add_argument("--report", action="store_true", help="measure nothing, only print and write the page")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes, with one thread each")
    options = parser.parse_args(arguments)
    chosen = {axis: values for axis in filters if (values := getattr(options, axis))}
    for axis, value in (always or {}).items():
        if axis in chosen:
            chosen[axis].append(value)
    configs = [c for c in experiment.configs() if all(c[axis] in values for axis, values in chosen.items())]
    RESULTS.mkdir(exist_ok=True)
    log = ResultLog(RESULTS / f"{experiment.name}.jsonl")
    if not options.report:
        missing = todo(experiment, log, fresh=options.fresh)
        measure_all(
            experiment, log, [c for c in configs if c in missing or c["method"] == options.again], load, options.jobs
        )
    results = [result for config in configs if (result := log.result(experiment.name, config)) is not None]
    section = experiment.report(results)
    print(section.text)
    if all(getattr(options, axis) is None for axis in filters):
        write_whole(page, f"# {section.title}\n\n{section.text}")
        for figure in section.figures:
            save_figure(figure, page.parent)


def measure_all(
    experiment: Experiment, log: ResultLog, configs: list[Config], load: Callable[[Config], Any], n_processes: int
) -> None:
    """Measure configurations in several processes, and say which tasks were left out."""
    peers.quiet()
    left_out = run(
        experiment,
        log,
        configs,
        lambda share: print(f"\r{share:.1%}", end="", flush=True),
        load=load,
        n_processes=min(n_processes, max(1, len(configs) // 8)),
    )
    print()
    for task, why in left_out.items():
        print(f"Left out {task}: {why}")


def means(results: Sequence[Result], field: str) -> float | None:
    """Return the mean of a figure over results that have it, None if none has."""
    values = [result["result"][field] for result in results if result["result"].get(field) is not None]
    return sum(values) / len(values) if values else None
