"""The command ``tonmf``; the only part of tonmf that prints.

========== ======================================================================
`app`      which commands there are
`options`  options that several commands have; `reading` those of files
`errors`   from exceptions to one line and an exit code
`screen`   what goes where: answers, notes, progress
`tables`   what answers look like
========== ======================================================================

and a file for each command. Nothing heavy is imported before a command runs, so that help comes at once.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    _prepare_streams()
    try:
        try:
            import typer  # noqa: F401
        except ImportError:
            print("tonmf: the command line needs typer, rich and pyarrow: pip install 'tonmf[cli]'", file=sys.stderr)
            raise SystemExit(1) from None
        from tonmf.cli.app import app

        app(prog_name="tonmf")
    except KeyboardInterrupt:  # before a command has begun
        raise SystemExit(130) from None


def _prepare_streams() -> None:
    """What a stream cannot take is replaced, never an error; a stream that is closed is one that nobody reads."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
