"""Axes to draw on: the user's, or new ones that a notebook shows; and the colours of the report for them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from tonmf.plots.drawing import SETTINGS, require_matplotlib
from tonmf.report.web.palette import palette

SHARP = 192
"""Dots per inch of what a notebook shows, which draws it at half the size."""

_UNDRAWN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
"""Blanks, control characters and marks of direction, which fonts do not have."""


@contextmanager
def canvas(ax: Any, width: float, height: float) -> Iterator[Any]:
    """Context in which to draw on given axes, with the settings in force; or on new ones, in our style.

    New axes are on a figure of their own, which pyplot does not know.
    """
    mpl = require_matplotlib()
    if ax is not None:
        yield ax
        return
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure: Any = Figure(figsize=(width, height), layout="constrained")
        axes: Any = figure.add_subplot(axes_class=_shown_axes())
        axes.set_axisbelow(True)
        yield axes


@cache
def _shown_axes() -> Any:
    """Return the class of new axes, which matplotlib must be there for."""
    from matplotlib.axes import Axes

    class ShownAxes(Axes):
        """Axes that a notebook shows with the whole figure, as it shows no figure that pyplot does not know."""

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            file = io.BytesIO()
            whole: Any = self.get_figure()
            whole.savefig(file, format="png", dpi=SHARP)
            width, height = whole.get_size_inches() * SHARP / 2
            return file.getvalue(), {"width": round(width), "height": round(height)}

    return ShownAxes


def colours_for(ax: Any) -> dict[str, str]:
    """Return the colours of the report for light axes, or for dark ones."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.get_figure().get_facecolor()):
        red, green, blue, opacity = to_rgba(face)
        if opacity > 0.5:
            return palette(0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4)
    red, green, blue, _ = to_rgba(rcParams["text.color"])
    return palette(red + green + blue > 1.5)


def label(text: Any, longest: int = 28) -> str:
    """Return a user's words for a plot: on one line, cut if they are long.

    >>> label("one" + chr(10) + "line"), label("z" * 40, 5)
    ('one line', 'zzzz…')
    """
    words = _UNDRAWN.sub(" ", str(text)).strip()
    return words if len(words) <= longest else words[: longest - 1] + "…"
