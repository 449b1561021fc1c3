"""``tonmf paper``: the paper's experiments, run again, and a page about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tonmf.cli import options as opt
from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError


def paper(
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version of everything, in a few minutes, to see that it works.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help="Run only this experiment; can be given several times. (Names: roc, rpca-lambda, baseline-ranks, threads, "
            "sensitivity, beta, own-topic, bbc, insights, convergence, cost.)",
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option("--out", metavar="DIR", help="Folder for the page, figures and results; made if it is missing."),
    ] = "tonmf-paper",
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Forget what is there of the experiments to run, instead of going on from it."),
    ] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run the experiments of the paper again, and write a page with tables and figures.

    A run that was stopped goes on where it stopped. The data sets are read from the folder that TONMF_DATA names, or are
    downloaded; docs/datasets.md says from where.
    """
    screen = Screen(quiet, as_json)
    with screen.step("Loading"):
        from tonmf.experiments.catalogue import EXPERIMENTS
        from tonmf.experiments.log import ResultLog
        from tonmf.experiments.page import FIGURES, finished, write_page
        from tonmf.experiments.plotting import require_matplotlib
        from tonmf.experiments.roc import Areas, summary
        from tonmf.experiments.running import run

    unknown = sorted(set(only or []) - set(EXPERIMENTS))
    if unknown:
        raise ParameterError(f"--only must be one of {', '.join(EXPERIMENTS)}; got {', '.join(unknown)}.")
    require_matplotlib()
    chosen = [experiment for name, experiment in EXPERIMENTS.items() if not only or name in only]
    log = ResultLog(_folder(out, FIGURES) / "results.jsonl")
    if fresh:
        log.forget([experiment.name for experiment in chosen], quick)
    left_out = _fetch({config["task"] for experiment in chosen for config in experiment.configs(quick)}, screen)
    for experiment in chosen:
        with screen.progress(experiment.name) as on_progress:
            left_out |= run(experiment, log, quick, on_progress, without=left_out)
    for task, why in left_out.items():
        screen.note(f"{task} was left out: {why}")
    if not any(finished(experiment, log, quick) for experiment in chosen):
        raise InputError(f"None of the data sets can be had. The first: {next(iter(left_out.values()))}")
    page = write_page(Path(out), log, quick, left_out)
    areas = Areas(finished(EXPERIMENTS["roc"], log, quick))
    screen.show_json({"page": str(page), "results": str(log.path), "auc": summary(areas), "left_out": left_out})
    if areas.tasks:
        screen.show(_table(summary(areas)))
        screen.show()
    screen.show(f"The page is {page}, with its figures and results in {log.path.parent}.", wrap=False)


def _folder(out: str, inner: str) -> Path:
    folder = Path(out, inner)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {out} cannot be made: {error.strerror or error}. Give another with --out."
        ) from error
    return folder


def _fetch(tasks: set[str], screen: Screen) -> dict[str, str]:
    """Download the archives that are missing; those that cannot be had, by data set."""
    from tonmf.datasets import ARCHIVES, fetch_archive
    from tonmf.experiments.tasks import TASKS

    left_out: dict[str, str] = {}
    for name in (name for name in TASKS if name in tasks):
        archive = TASKS[name].archive
        if archive is None:
            continue
        try:
            with screen.progress(f"Fetching {archive}") as on_progress:
                fetch_archive(ARCHIVES[archive], on_progress)
        except InputError as error:
            left_out[name] = str(error)
    return left_out


def _table(summary: dict[str, dict[str, float | str | None]]) -> Table:
    """Areas by data set: the paper's, ours, and the best baseline's."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("data set", "paper", "tonmf", "best baseline", "which is"):
        table.add_column(column, justify="left" if column in ("data set", "which is") else "right")
    for task, areas in summary.items():
        figures = [f"{value:.3f}" if isinstance(value, float) else "" for value in list(areas.values())[:3]]
        table.add_row(task, *figures, str(areas["which"]))
    return table
