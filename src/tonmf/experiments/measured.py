"""Results of an experiment, by configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
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


def markdown_table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table that reads well in a terminal and in Markdown.

    >>> print(markdown_table(["n", "time"], [[10, 0.25], [1000, 12345.6]]))
    |     n |   time |
    | ----: | -----: |
    |    10 |   0.25 |
    | 1,000 | 12,346 |
    """
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max(2, *(len(line[i]) for line in [columns, *cells])) for i in range(len(columns))]
    lines = [list(columns), ["-" * (w - 1) + ":" for w in widths], *cells]
    return "\n".join("| " + " | ".join(v.rjust(w) for v, w in zip(line, widths, strict=True)) + " |" for line in lines)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def share(value: float) -> str:
    """A number from 0 to 1 in three digits, as areas under curves are written.

    >>> share(0.9341), share(1.0)
    ('.934', '1.000')
    """
    text = f"{value:.3f}"
    return text.removeprefix("0")


def mean_and_spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation of shares; of a single one just that.

    >>> mean_and_spread([0.9, 0.92]), mean_and_spread([0.9])
    ('.910 ± .014', '.900')
    """
    return share(fmean(values)) + (f" ± {share(stdev(values))}" if len(values) > 1 else "")
