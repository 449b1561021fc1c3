"""The command ``tonmf``; the only part of tonmf that prints.

================== ===========================================================
`app`              all commands, with a sentence on each and an example
`group`            import a command when it is asked for; help as plain text
`arguments`        check arguments as they were typed, before typer converts them
`commands/`        a file for each command
`watching/`        the loop of ``tonmf watch``
`reviewing/`       the loop of ``tonmf review``
`agents/`          the server of ``tonmf mcp``
`options`          options that several commands share
`reading`          options for reading files; files to documents
`learning`         checks of options and models; fit or load a detector
`embedding`        ``--embed`` and ``--embeddings``: the embeddings of documents, made or read
`marks`            ``--marks``: the marks in a file, and the documents that they are of
`large`            ``--memory``: documents that do not fit into memory; `sampling`: ``--sample``
`errors`           exceptions to one line and an exit code; parameters to flags
`run`              what ``--json`` says of a run: how it ended, what it wrote and warned of
`output`           tables of results, to files or standard output
`pipes`            what to do when nobody reads our output any more
`screen`           where answers, notes and progress go; `consoles` of rich, which print them
`answer`, `tables` what an answer looks like; `timeline_tables` for ``timeline``
`annotations`      flagged documents as lines that build servers know, for ``check``
`report_files`     reports; `against`: what they are compared with
================== ===========================================================

A command checks everything that it can before it imports anything heavy, so that help and errors come at once.
"""

from __future__ import annotations

import gc
import os
import sys

from tonmf.cli.pipes import discard, flush, reader_is_gone

COLLECT_AFTER = 50_000
"""New objects after which Python looks for cycles among them: documents and results are many, and have none."""


def main() -> None:
    """Run the command line."""
    _prepare_streams()
    gc.set_threshold(COLLECT_AFTER)
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
    except (OSError, SystemExit) as ending:
        # rich and typer end with exit code 1 while they handle the error.
        if not reader_is_gone(ending) and not reader_is_gone(ending.__context__):
            raise
        discard(sys.stdout)
    finally:
        flush()


def _prepare_streams() -> None:
    """Replace characters that a stream cannot encode, and closed streams by ones that discard."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
