"""Measure what has not been measured yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from tonmf.errors import InputError, MissingExtraError
from tonmf.experiments.log import ResultLog
from tonmf.experiments.specification import Config, Experiment
from tonmf.experiments.tasks import draw

CANNOT_BE_HAD = (InputError, MissingExtraError)
"""What loading a data set raises where its file, or a library that it needs, is missing."""


def todo(experiment: Experiment, log: ResultLog, quick: bool, fresh: bool = False) -> list[Config]:
    """The configurations that are not in the log; if `fresh`, all of them."""
    return [config for config in experiment.configs(quick) if fresh or log.result(experiment.name, config) is None]


def run(
    experiment: Experiment,
    log: ResultLog,
    configs: Collection[Config],
    on_progress: Callable[[float], None],
    without: Collection[str] = (),
) -> dict[str, str]:
    """Run some configurations of an experiment.

    Parameters
    ----------
    experiment : Experiment
    log : ResultLog
        Each result is kept as soon as it is there.
    configs : collection of configurations
        What to measure (`todo`).
    on_progress : callable
        Called with the share that is done.
    without : collection of str
        Data sets that are known not to be had.

    Returns
    -------
    left_out : dict of str to str
        Other data sets that cannot be had, and why.
    """
    left_out: dict[str, str] = {}
    for number, config in enumerate(configs):
        on_progress(number / len(configs))
        if config["task"] in without or config["task"] in left_out:
            continue
        try:
            draw(config)
        except CANNOT_BE_HAD as error:
            left_out[config["task"]] = str(error)
            continue
        begin = time.perf_counter()
        result = experiment.measure(config)
        log.add(experiment.name, config, result, time.perf_counter() - begin)
    on_progress(1.0)
    return left_out
