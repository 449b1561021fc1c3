"""The colours of the pages, for pictures that are drawn elsewhere."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_COLOUR = re.compile(r"--([\w-]+):\s*(?:light-dark\((#\w+),\s*(#\w+)\)|(#\w+));")


@cache
def palette(dark: bool = False) -> dict[str, str]:
    """Return the colours of light pages, or of dark ones, by the names that they have in ``shared/colours.css``.

    >>> palette()["accent"], palette(dark=True)["accent"]
    ('#c4321c', '#ff7d5e')
    """
    sheet = files(__package__).joinpath("shared/colours.css").read_text(encoding="utf-8")
    return {name: both or (on_dark if dark else on_light) for name, on_light, on_dark, both in _COLOUR.findall(sheet)}
