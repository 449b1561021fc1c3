"""What an experiment is: what is varied, what is measured, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Config = dict[str, Any]
"""What one measurement is of: names, numbers and None, as JSON has them."""

Result = dict[str, Any]
"""A line of the log: experiment, config, result, seconds, peak_mb (most memory of the run so far), date, versions."""


@dataclass(frozen=True)
class Figure:
    """A plot: what to draw into a new matplotlib figure, and what it shows in words."""

    name: str
    caption: str
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Section:
    """What a page says about an experiment: Markdown in which ``{name}`` stands for the figure of that name."""

    title: str
    text: str
    figures: Sequence[Figure] = ()


@dataclass(frozen=True)
class Experiment:
    """A grid of measurements.

    Attributes
    ----------
    name : str
        What it is called on the command line.
    question : str
        What it is to answer, in a line.
    axes : mapping of str to sequence
        Values of each part of a configuration; all combinations are measured, those of the last axis one after the other.
    quick : mapping of str to sequence
        Axes that are shorter in a quick run.
    measure : function of a configuration
        What is found, as JSON has it.
    report : function of the results
        The section of the page.
    applies : function of a configuration
        Whether a combination makes sense.
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
        """Length of the last axis: measurements that follow one another on the same documents."""
        return len(list(self.axes.values())[-1])

    def configs(self, quick: bool = False) -> Iterator[Config]:
        """All configurations; those of a quick run are marked, so that they are never taken for those of a full one."""
        axes = {**self.axes, **(self.quick if quick else {}), "quick": (quick,)}
        for values in product(*axes.values()):
            config = dict(zip(axes, values, strict=True))
            if self.applies(config):
                yield config
