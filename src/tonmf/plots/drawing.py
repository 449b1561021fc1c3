"""The style of plots, with colours that colour-blind readers can tell apart, and how plots are written, as SVG or PNG."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, MissingExtraError
from tonmf.storage.atomic import check_writable, replacing
from tonmf.wording import path_shown

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's colours, the strongest first, without yellow, which is too light for lines on white."""

SETTINGS = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "tonmf",
}
DOTS_PER_INCH = 110

WRITTEN: Mapping[str, Mapping[str, Any]] = {"svg": {"Date": None}, "png": {"Software": None}}
"""File formats, with the metadata that keeps the bytes of a plot the same."""


def require_matplotlib(extra: str = "plot") -> Any:
    """Return matplotlib; raise an error that says how to install it if it is missing."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtraError(
            f"Plots need matplotlib, which is not installed. Install it with: pip install 'tonmf[{extra}]'"
        ) from error
    return mpl


def check_plot(path: str | os.PathLike[str]) -> None:
    """Check that a plot can be made, before any work is done for it."""
    _format_of(path)
    check_writable(path)
    require_matplotlib()


def _format_of(path: str | os.PathLike[str]) -> str:
    extension = Path(path).suffix.lower().lstrip(".")
    if extension not in WRITTEN:
        raise InputError(f"{path_shown(os.fspath(path))}: expected a name that ends in .png or .svg.")
    return extension


def save_canvas(canvas: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure, whole or not at all; a figure always gives the same bytes."""
    extension, mpl = _format_of(path), require_matplotlib()
    of_svg = {name: value for name, value in SETTINGS.items() if name.startswith("svg.")}
    with mpl.rc_context(of_svg), replacing(Path(path)) as temporary:
        canvas.savefig(temporary, format=extension, dpi=DOTS_PER_INCH, metadata=WRITTEN[extension])
