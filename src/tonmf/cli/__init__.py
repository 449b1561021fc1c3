"""The command ``tonmf``; the only part of tonmf that prints.

========== ======================================================================
`app`      which commands there are
`options`  options that several commands have
`errors`   from exceptions to one line and an exit code
`screen`   what goes where: answers, notes, progress
`tables`   what answers look like
========== ======================================================================

and a file for each command. Nothing heavy is imported before a command runs, so that help comes at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        import typer  # noqa: F401
    except ImportError:
        print("tonmf: the command line needs typer, rich and pyarrow: pip install 'tonmf[cli]'", file=sys.stderr)
        raise SystemExit(1) from None
    from tonmf.cli.app import app

    app(prog_name="tonmf")
