"""``tonmf paper``: run the paper's experiments, and write a page about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rich.table import Table

NAMES = (
    "roc", "rpca-lambda", "baseline-ranks", "threads", "sensitivity", "beta", "own-topic", "bbc", "insights", "convergence",
    "cost",
)  # fmt: skip
"""Names of the experiments, for help and for errors, which load none of them."""


def paper(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Run a small version of everything, in about three minutes, to see that it works."
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help=f"Run only this experiment; repeat for several. (Names: {', '.join(NAMES)}.)",
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option("--out", metavar="DIR", help="Folder for the page, figures and results; created if missing."),
    ] = "tonmf-paper",
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Measure again instead of resuming."),
    ] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Reproduce the experiments of the paper, and write a page with tables and figures.

    This takes over an hour on two cores, with --quick about three minutes.
    An interrupted run resumes. The data sets are read from the folder that TONMF_DATA names, or downloaded;
    docs/guide/datasets.md says from where.
    """
    screen = Screen(quiet, as_json)
    unknown = sorted(set(only or []) - set(NAMES))
    if unknown:
        raise ParameterError(f"--only must be one of {', '.join(NAMES)}; got {', '.join(unknown)}.")
    from tonmf.experiments.log import ResultLog, page_name

    log = ResultLog(_folder(out, page_name(quick)) / "results.jsonl")
    with screen.step("Loading"):
        from tonmf.experiments.page import finished, write_page
        from tonmf.experiments.paper import EXPERIMENTS
        from tonmf.experiments.paper.roc import Areas, summary
        from tonmf.experiments.running import run, todo
        from tonmf.plots import require_matplotlib

    require_matplotlib("paper")
    chosen = [experiment for name, experiment in EXPERIMENTS.items() if not only or name in only]
    jobs = {experiment.name: todo(experiment, log, quick, fresh) for experiment in chosen}
    n_there = sum(len(list(experiment.configs(quick))) - len(jobs[experiment.name]) for experiment in chosen)
    if n_there:
        screen.note(f"{n_there:,} results are there already; {sum(map(len, jobs.values())):,} are left to measure.")
    left_out = _fetch({config["task"] for configs in jobs.values() for config in configs}, screen)
    for experiment in chosen:
        with screen.progress(experiment.name) as on_progress:
            left_out |= run(experiment, log, jobs[experiment.name], on_progress, without=left_out)
        if n_measured := sum(config["task"] not in left_out for config in jobs[experiment.name]):
            screen.note(f"{experiment.name} is done: measured {n_measured:,}.")
    if not any(finished(experiment, log, quick) for experiment in chosen):
        raise InputError(f"None of the data sets is available. The first: {next(iter(left_out.values()))}")
    for task, why in left_out.items():
        screen.note(f"{task} was left out: {why}")
    page = write_page(Path(out), log, quick)
    areas = Areas(finished(EXPERIMENTS["roc"], log, quick))
    screen.show_json(
        {"quick": quick, "page": str(page), "results": str(log.path), "auc": summary(areas), "left_out": left_out}
    )
    if areas.tasks:
        screen.show(_table(summary(areas)))
        screen.show("A quick run on a part of the data: do not compare it with the paper.\n" if quick else "")
    screen.show(f"The page is {page}, with its figures and results in {log.path.parent}.", wrap=False)


def _folder(out: str, name: str) -> Path:
    """Create and return the folder for figures and results, and check that the page beside it can be written."""
    from tonmf.storage.atomic import check_writable

    if not out:
        raise InputError("--out must be the name of a folder; got an empty one.")
    folder = Path(out, name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"The folder {out} cannot be created: {reason}. Give another with --out.") from error
    page, results = Path(out, f"{name}.md"), folder / "results.jsonl"
    if page.exists() and not results.exists():
        raise InputError(f"{page} is there, but not the results that it was made from, {results}. Give another --out.")
    check_writable(page)
    check_writable(results)
    return folder


def _fetch(tasks: set[str], screen: Screen) -> dict[str, str]:
    """Download missing archives, once each; return why data sets are not available, by name."""
    from tonmf.datasets import fetch_archive
    from tonmf.experiments.running import UNAVAILABLE
    from tonmf.experiments.tasks import TASKS

    failed: dict[str, str] = {}
    archives = {TASKS[name].archive for name in tasks} - {None}
    for archive in sorted((archive for archive in archives if archive), key=lambda archive: archive.file):
        try:
            with screen.progress(f"Fetching {archive.file}") as on_progress:
                fetch_archive(archive, on_progress)
        except UNAVAILABLE as error:
            failed[archive.file] = str(error)
    return {
        name: failed[task.archive.file]
        for name, task in TASKS.items()
        if name in tasks and task.archive is not None and task.archive.file in failed
    }


def _table(summary: dict[str, dict[str, float | str | None]]) -> Table:
    """Return a table of areas by data set: the paper's, ours, and the best baseline's."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("data set", "paper", "tonmf", "best baseline", "baseline"):
        table.add_column(column, justify="left" if column in ("data set", "baseline") else "right")
    for task, areas in summary.items():
        figures = [f"{value:.3f}" if isinstance(value, float) else "" for value in list(areas.values())[:3]]
        table.add_row(task, *figures, str(areas["which"]))
    return table
