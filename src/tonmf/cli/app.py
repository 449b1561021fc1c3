"""The commands, with an example for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from tonmf import __version__
from tonmf.cli.commands import (
    bench,
    demo,
    detect,
    explain,
    generate,
    paper,
    report,
    review,
    score,
    serve,
    timeline,
    topics,
    watch,
)
from tonmf.cli.errors import answering

app = typer.Typer(
    help="Find the documents that do not belong, and say why.",
    epilog="Begin with: tonmf demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "demo": (demo.demo, "tonmf demo"),
    "detect": (detect.detect, "tonmf detect reviews.csv --text-column review --output scores.csv --save model"),
    "score": (score.score, "tonmf score model new_reviews.csv --output new_scores.parquet"),
    "explain": (explain.explain, "tonmf explain model reviews.csv --id 17"),
    "report": (report.report, "tonmf report model reviews.csv --output report.html"),
    "review": (review.review, "tonmf review posts.jsonl --marks marks.csv --export found.csv"),
    "watch": (watch.watch, "tonmf watch model posts.jsonl --snapshot watched --only-outliers"),
    "topics": (topics.topics, "tonmf topics model"),
    "timeline": (timeline.timeline, "tonmf timeline news.jsonl --time-column date --window '7 days' --plot topics.png"),
    "serve": (serve.serve, "tonmf serve model --port 8765"),
    "paper": (paper.paper, "tonmf paper --quick --out paper-quick"),
    "bench": (bench.bench, "tonmf bench --documents 2000"),
}

for _name, (_command, _example) in COMMANDS.items():
    app.command(_name, epilog=f"Example: {_example}")(answering(_command))

app.add_typer(generate.app, name="generate")
