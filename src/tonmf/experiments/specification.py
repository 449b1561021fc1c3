"""The specification of an experiment: what it varies, what it measures, and how it reports the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Config = dict[str, Any]
"""The configuration of one measurement: names, numbers and None, as in JSON."""

Result = dict[str, Any]
"""A line of the log: experiment, config, result, seconds, peak_mb (peak memory of the run so far), date, versions."""


@dataclass(frozen=True)
class Figure:
    """A plot: its caption, and a function that draws it into a new matplotlib figure."""

    name: str
    caption: str
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Section:
    """The section of a page about an experiment: Markdown in which ``{name}`` stands for the figure of that name."""

    title: str
    text: str
    figures: Sequence[Figure] = ()


@dataclass(frozen=True)
class Experiment:
    """A grid of measurements.

    Attributes
    ----------
    name : str
        Its name on the command line.
    question : str
        The question that it answers, in one line.
    axes : mapping of str to sequence
        Values of each part of a configuration. All combinations are measured; the last axis varies fastest.
    quick : mapping of str to sequence
        Axes that are shorter in a quick run.
    measure : function of a configuration
        Return the result, as JSON values.
    report : function of the results
        Return the section of the page.
    applies : function of a configuration
        Tell whether a combination makes sense.
    """

    name: str
    question: str
    axes: Mapping[str, Sequence[Any]]
    quick: Mapping[str, Sequence[Any]]
    measure: Callable[[Config], Mapping[str, Any]]
    report: Callable[[Sequence[Result]], Section]
    applies: Callable[[Config], bool] = field(default=lambda config: True)

    @property
    def n_consecutive(self) -> int:
        """Return the length of the last axis: consecutive measurements on the same documents."""
        return len(list(self.axes.values())[-1])

    def configs(self, quick: bool = False) -> Iterator[Config]:
        """Yield all configurations, marked as quick or full so that neither is taken for the other."""
        axes = {**self.axes, **(self.quick if quick else {}), "quick": (quick,)}
        for values in product(*axes.values()):
            config = dict(zip(axes, values, strict=True))
            if self.applies(config):
                yield config
