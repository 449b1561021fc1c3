"""Measure what has not been measured yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from tonmf.errors import InputError
from tonmf.experiments.log import ResultLog
from tonmf.experiments.specification import Experiment
from tonmf.experiments.tasks import draw


def run(
    experiment: Experiment,
    log: ResultLog,
    quick: bool,
    on_progress: Callable[[float], None],
    without: Collection[str] = (),
) -> dict[str, str]:
    """Run an experiment's configurations that are not in the log.

    Parameters
    ----------
    experiment : Experiment
    log : ResultLog
        Each result is kept as soon as it is there.
    quick : bool
        The small version of it.
    on_progress : callable
        Called with the share that is done.
    without : collection of str
        Data sets that are known not to be had.

    Returns
    -------
    left_out : dict of str to str
        Other data sets that cannot be had, and why.
    """
    configs = list(experiment.configs(quick))
    left_out: dict[str, str] = {}
    for number, config in enumerate(configs):
        on_progress(number / len(configs))
        if log.result(experiment.name, config) or config["task"] in without or config["task"] in left_out:
            continue
        try:
            draw(config)
        except InputError as error:
            left_out[config["task"]] = str(error)
            continue
        begin = time.perf_counter()
        result = experiment.measure(config)
        log.add(experiment.name, config, result, time.perf_counter() - begin)
    on_progress(1.0)
    return left_out
