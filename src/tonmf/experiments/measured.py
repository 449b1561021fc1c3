"""Results of an experiment, by configuration."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from tonmf.experiments.specification import Result
from tonmf.experiments.tasks import TASKS


class Measured:
    """What has been measured, to look things up in."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = results
        self.tasks = [name for name in TASKS if any(line["config"]["task"] == name for line in results)]

    @property
    def titles(self) -> dict[str, str]:
        """The data sets, and what they are called."""
        return {task: TASKS[task].title for task in self.tasks}

    def options(self, name: str) -> list[Any]:
        """The values of a part of the configuration, in the order of the runs."""
        return list(dict.fromkeys(line["config"][name] for line in self._results))

    def all(self, what: str = "auc", **config: Any) -> list[Any]:
        """What was found with this configuration, once for each draw or whatever else it leaves open."""
        return [line["result"][what] for line in self._results if config.items() <= line["config"].items()]

    def mean(self, what: str = "auc", **config: Any) -> float:
        """The mean of these."""
        return fmean(self.all(what, **config))

    @property
    def draws(self) -> str:
        """Which draws there are, in words."""
        seeds = sorted(self.options("seed"))
        return f"the draws of the seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"the draw of seed {seeds[0]}"
