"""The consoles of rich that answers and notes are printed on."""

from __future__ import annotations

import os
from typing import Any

from rich.console import Console

from tonmf.cli.pipes import discard

PIPED_WIDTH = 120
"""Characters in a line where the output is no terminal."""


class Beside(Console):
    """A console for what is said beside the answer: if nobody reads it, the work goes on."""

    def on_broken_pipe(self) -> None:
        """Discard what is still to be said."""
        discard(self.file)


def console(stream: Any, kind: type[Console] = Console) -> Console:
    """Return a console that prints text as it is."""
    wide = None if stream.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH
    return kind(file=stream, width=wide, highlight=False, markup=False, emoji=False)
