"""``tonmf generate``: write documents with known outliers, to try things on."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any

import typer

from tonmf.cli import options as opt
from tonmf.cli.errors import answering
from tonmf.cli.group import PLAIN, Command
from tonmf.cli.screen import Screen
from tonmf.errors import InputError

app = typer.Typer(**PLAIN, help="Write documents with known outliers, to try things on.", no_args_is_help=True)

Documents = Annotated[int, typer.Option("--documents", min=1, help="Number of documents, outliers included.")]
Outliers = Annotated[int, typer.Option("--outliers", min=0, help="Number of outliers among them.")]
Target = Annotated[
    str,
    typer.Option(
        "--output", "-o", help="File to write, .jsonl, .csv, .tsv or .parquet; its column 'planted' marks outliers."
    ),
]


def corpus(output: Target, documents: Documents = 500, outliers: Outliers = 10, seed: opt.Seed = 0) -> None:
    """Generate short reports on four subjects, and outliers on other subjects."""
    from tonmf.datasets import make_corpus
    from tonmf.io import check_output, write_table

    check_output(output)
    made = make_corpus(documents, outliers, seed)
    write_table(output, {"id": made.ids, "planted": _planted(made), "text": made.texts or []})
    _tell(output, documents, outliers)


def noticeboard(output: Target) -> None:
    """Write the 260 posts of the demo to a file."""
    from tonmf.datasets.noticeboard import read_noticeboard
    from tonmf.io import check_output, write_table

    check_output(output)
    posts = read_noticeboard()
    columns = {name: [getattr(post, name) for post in posts] for name in ("id", "subject", "planted", "text")}
    write_table(output, columns)
    _tell(output, len(posts), sum(post.planted is not None for post in posts))


def baskets(
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .dat with one basket per line, or .jsonl or .parquet, which also mark outliers.",
        ),
    ],
    documents: Documents = 1000,
    outliers: Outliers = 20,
    groups: Annotated[
        int, typer.Option(min=1, help="Number of groups of ordinary customers, each with its own patterns.")
    ] = 4,
    length: Annotated[float, typer.Option(help="Mean number of items in a basket.")] = 20,
    items: Annotated[int, typer.Option(help="Number of different items.")] = 1000,
    patterns: Annotated[
        int, typer.Option(help="Number of patterns of each group: sets of items bought together.")
    ] = 100,
    pattern_length: Annotated[float, typer.Option(help="Mean number of items in a pattern.")] = 4,
    correlation: Annotated[
        float, typer.Option(help="Share of its items that a pattern takes from the previous one.")
    ] = 0.25,
    confidence: Annotated[float, typer.Option(help="Mean share of a pattern that a basket keeps.")] = 0.75,
    seed: opt.Seed = 0,
) -> None:
    """Generate market baskets as the IBM Quest generator does, and outliers: customers who buy other things."""
    from tonmf.datasets import QuestOptions, make_baskets
    from tonmf.storage.atomic import check_writable

    if not output.endswith((".dat", ".jsonl", ".parquet")):
        raise InputError(f"Baskets are written to .dat, .jsonl or .parquet files; got {output}.")
    check_writable(output)
    options = QuestOptions(
        mean_length=length,
        n_items=items,
        n_patterns=patterns,
        mean_pattern_length=pattern_length,
        correlation=correlation,
        confidence=confidence,
    )
    made = make_baskets(documents, outliers, n_groups=groups, options=options, random_state=seed)
    rows = [[str(item) for item in made.X.indices[start:end]] for start, end in pairwise(made.X.indptr)]
    if output.endswith(".dat"):
        from tonmf.storage.atomic import replacing

        with replacing(output) as temporary:
            temporary.write_text("".join(" ".join(row) + "\n" for row in rows), encoding="ascii")
    else:
        from tonmf.io import write_table

        write_table(output, {"id": made.ids, "planted": _planted(made), "items": rows})
    _tell(output, documents, outliers)


def _planted(made: Any) -> list[bool]:
    return [bool(label) for label in made.labels]


def _tell(output: str, documents: int, outliers: int) -> None:
    Screen().show(
        f"{documents:,} documents in {output}, {outliers:,} of them outliers. Next: tonmf detect {shlex.quote(output)}",
        wrap=False,
    )


EXAMPLES: dict[Callable[..., None], str] = {
    corpus: "corpus.jsonl",
    baskets: "baskets.dat",
    noticeboard: "noticeboard.csv",
}

for _command, _file in EXAMPLES.items():
    _name = _command.__name__
    app.command(_name, cls=Command, epilog=f"Example: tonmf generate {_name} --output {_file}")(answering(_command))
