"""The commands, with a sentence on each and an example."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from tonmf import __version__
from tonmf.cli.group import PLAIN, CommandGroup, Commands, single

COMMANDS = {
    "demo": (
        "Find the outliers among 260 posts on a neighbourhood's notice board, and compare with the ones planted there.",
        "tonmf demo",
    ),
    "detect": (
        "Find the documents that do not belong among those in FILES, and say why.",
        "tonmf detect reviews.csv --text-column review --output scores.csv --save model",
    ),
    "score": (
        "Score the documents in FILES by a saved MODEL, on the scale of its training documents.",
        "tonmf score model new_reviews.csv --output new_scores.parquet",
    ),
    "explain": (
        "Explain the scores of documents in FILES, by a saved MODEL.",
        "tonmf explain model reviews.csv --id 17",
    ),
    "check": (
        "Check that no more of the documents in FILES are flagged than --max-flagged allows.",
        "tonmf check reviews.csv --max-flagged 2%",
    ),
    "report": (
        "Write a report on the documents in FILES, scored by a saved MODEL: one HTML file to browse, search and share.",
        "tonmf report model reviews.csv --output report.html",
    ),
    "review": (
        "Read the strangest documents one by one and mark each as strange or fine; the others are ranked anew by each mark.",
        "tonmf review posts.jsonl --marks marks.csv --export found.csv",
    ),
    "watch": (
        "Score the documents in FILE by a saved MODEL as they arrive, print a JSON line for each, and learn from them.",
        "tonmf watch model posts.jsonl --snapshot watched --only-outliers",
    ),
    "topics": (
        "Show the topics of a saved MODEL: the share of each, its first words, and typical documents.",
        "tonmf topics model",
    ),
    "timeline": (
        "Score the documents in FILES in order of time, each by the model at its time, and show how topics come and go.",
        "tonmf timeline news.jsonl --time-column date --window '7 days' --plot topics.png",
    ),
    "serve": (
        "Serve a saved MODEL over HTTP: an API to score and explain documents, and a page that also fits models on files.",
        "tonmf serve model --port 8765",
    ),
    "mcp": (
        "Give agents tools to find strange documents: a server of the Model Context Protocol on standard input and output.",
        "tonmf mcp --allow . --models models",
    ),
    "paper": (
        "Reproduce the experiments of the paper, and write a page with tables and figures.",
        "tonmf paper --quick --out paper-quick",
    ),
    "bench": (
        "Compare tonmf with k-NN and NMF on a synthetic corpus: time, and how well they find outliers.",
        "tonmf bench --documents 2000",
    ),
    "generate": (
        "Write documents with known outliers, to try things on.",
        "tonmf generate noticeboard --output noticeboard.csv",
    ),
}
"""Of each command, the first sentence of its help, which is that of its docstring, and an example."""


def command(name: str) -> Any:
    """Import a command of `tonmf.cli.commands`: the function that has its name, or a group of functions."""
    from tonmf.cli.errors import answering

    module = import_module(f"tonmf.cli.commands.{name}")
    _, example = COMMANDS[name]
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    return single(name, answering(getattr(module, name)), example)


class AllCommands(CommandGroup):
    """All commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands({name: summary for name, (summary, _) in COMMANDS.items()}, command)


app = typer.Typer(
    **{**PLAIN, "add_completion": True},
    cls=AllCommands,
    help="Find the documents that do not belong, and say why.",
    epilog="Begin with: tonmf demo. Exit codes: 0 done; 1 the input or the job failed, or tonmf check found too much; 2 wrong "
    "usage; 130 interrupted; 143 terminated.",
    no_args_is_help=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"tonmf {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Find the documents that do not belong, and say why."""
