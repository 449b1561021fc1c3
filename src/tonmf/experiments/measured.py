"""Look up the results of an experiment by configuration, and format them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any

from tonmf.experiments.specification import Result
from tonmf.experiments.tasks import TASKS


class Measured:
    """The results of an experiment."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = results
        self.tasks = [name for name in TASKS if any(line["config"]["task"] == name for line in results)]

    @property
    def titles(self) -> dict[str, str]:
        """Return the titles of the data sets, by name."""
        return {task: TASKS[task].title for task in self.tasks}

    def options(self, name: str) -> list[Any]:
        """Return the values of a part of the configuration, in the order of the runs."""
        return list(dict.fromkeys(line["config"][name] for line in self._results))

    def all(self, what: str = "auc", **config: Any) -> list[Any]:
        """Return one value for each result whose configuration includes `config`: for each draw, say."""
        return [line["result"][what] for line in self._results if config.items() <= line["config"].items()]

    def mean(self, what: str = "auc", **config: Any) -> float:
        """Return the mean of these values."""
        return fmean(self.all(what, **config))

    @property
    def draws(self) -> str:
        """Return the draws, in words."""
        seeds = sorted(self.options("seed"))
        return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"


def markdown_table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format a table to read well both in a terminal and as Markdown.

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
    """Format a number from 0 to 1 with three digits, as areas under curves are written.

    >>> share(0.9341), share(1.0)
    ('.934', '1.000')
    """
    text = f"{value:.3f}"
    return text.removeprefix("0")


def mean_and_spread(values: Sequence[float]) -> str:
    """Format mean ± standard deviation of shares, or a single share.

    >>> mean_and_spread([0.9, 0.92]), mean_and_spread([0.9])
    ('.910 ± .014', '.900')
    """
    return share(fmean(values)) + (f" ± {share(stdev(values))}" if len(values) > 1 else "")
