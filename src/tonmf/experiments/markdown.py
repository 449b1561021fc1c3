"""Tables and numbers as the pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any


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
