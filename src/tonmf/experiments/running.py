"""Run an experiment: measure what the log does not have yet."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from tonmf.errors import InputError, MissingExtraError
from tonmf.experiments.log import ResultLog
from tonmf.experiments.specification import Config, Experiment
from tonmf.experiments.tasks import draw

UNAVAILABLE = (InputError, MissingExtraError)
"""Errors from loading a data set when its file, or a library that it needs, is missing."""

Outcome = tuple[dict[str, Any], float] | str
"""A result and the seconds it took, or the reason why the data set is not available."""


def todo(experiment: Experiment, log: ResultLog, quick: bool = False, fresh: bool = False) -> list[Config]:
    """Return the configurations that are not in the log; all of them if `fresh`."""
    return [config for config in experiment.configs(quick) if fresh or log.result(experiment.name, config) is None]


def run(
    experiment: Experiment,
    log: ResultLog,
    configs: Collection[Config],
    on_progress: Callable[[float], None],
    without: Collection[str] = (),
    load: Callable[[Config], Any] = draw,
    n_processes: int = 1,
) -> dict[str, str]:
    """Run some configurations of an experiment.

    Parameters
    ----------
    experiment : Experiment
    log : ResultLog
        Each result is written as soon as it is known.
    configs : collection of configurations
        The configurations to measure (`todo`).
    on_progress : callable
        Called with the share done.
    without : collection of str
        Data sets that are known to be unavailable.
    load : callable
        Loads the documents of a configuration, before its time is taken.
    n_processes : int
        Number of parallel processes. Each measures the configurations of one draw together.

    Returns
    -------
    left_out : dict of str to str
        Further data sets that are unavailable, with the reasons.
    """
    left_out: dict[str, str] = {}
    measure = partial(measure_one, experiment.measure, load)
    wanted = [config for config in configs if config["task"] not in without]
    if n_processes > 1:
        outcomes = _side_by_side(measure, wanted, n_processes, experiment.n_consecutive)
    else:
        outcomes = (left_out.get(config["task"]) or measure(config) for config in wanted)
    on_progress(0.0)
    for number, (config, outcome) in enumerate(zip(wanted, outcomes, strict=True), start=1):
        if isinstance(outcome, str):
            left_out[config["task"]] = outcome
        else:
            log.add(experiment.name, config, *outcome)
        on_progress(number / len(wanted))
    on_progress(1.0)
    return left_out


def measure_one(measure: Callable[[Config], Any], load: Callable[[Config], Any], config: Config) -> Outcome:
    """Load the documents of a configuration, then measure it."""
    try:
        load(config)
    except UNAVAILABLE as error:
        return str(error)
    begin = time.perf_counter()
    result = dict(measure(config))
    return result, time.perf_counter() - begin


def _side_by_side(
    measure: Callable[[Config], Outcome], configs: Iterable[Config], n_processes: int, together: int
) -> Iterator[Outcome]:
    with ProcessPoolExecutor(n_processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(measure, configs, chunksize=together)
