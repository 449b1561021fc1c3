"""The plots of the paper's page, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tonmf.experiments.specification import Figure
from tonmf.plots.drawing import SETTINGS, require_matplotlib, save_canvas

STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def save_figure(figure: Figure, folder: Path) -> None:
    """Write ``NAME.svg``, whole or not at all; the same figure gives the same bytes."""
    mpl = require_matplotlib("paper")
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(SETTINGS):
        canvas = Canvas(layout="constrained")
        figure.draw(canvas)
        save_canvas(canvas, folder / f"{figure.name}.svg")


def panels(canvas: Any, titles: Sequence[str], columns: int, size: tuple[float, float] = (3.3, 2.6)) -> list[Any]:
    """Return titled axes for small plots side by side; `size` is the (width, height) of one in inches."""
    n_rows = -(-len(titles) // columns)
    canvas.set_size_inches(columns * size[0], n_rows * size[1])
    grid = canvas.subplots(n_rows, columns, squeeze=False).ravel()
    for axes in grid[len(titles) :]:
        axes.set_axis_off()
    for axes, title in zip(grid, titles, strict=False):
        axes.set_title(title, fontsize=10)
    return list(grid[: len(titles)])


@dataclass(frozen=True)
class Line:
    """A line in every panel: its label, and its heights at the ticks."""

    label: str
    areas: Callable[[str], Sequence[float]]
    colour: str
    marker: str
    style: str = "-"


def draw_areas(
    canvas: Any, tasks: Mapping[str, str], ticks: Sequence[str], xlabel: str, lines: Sequence[Line], columns: int
) -> None:
    """Draw areas under curves: a panel for each data set, titled by `tasks`, and one legend."""
    grid = panels(canvas, list(tasks.values()), columns=3)
    for axes, task in zip(grid, tasks, strict=True):
        for line in lines:
            look = {"marker": line.marker, "markersize": 3.5, "linestyle": line.style, "color": line.colour}
            axes.plot(range(len(ticks)), line.areas(task), label=line.label, **look)
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel(xlabel)
        axes.set_ylabel("AUC")
    legend_beside(canvas, grid[0], columns)


def legend_beside(canvas: Any, axes: Any, columns: int = 3) -> None:
    """Draw one legend for all panels, above them."""
    handles, labels = axes.get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=columns)
