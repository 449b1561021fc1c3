"""``tonmf mcp``: tools for agents, by the Model Context Protocol."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.arguments import TO_READ
from tonmf.errors import InputError, MissingExtraError, ParameterError

MEGABYTE = 10**6


def mcp(
    allow: Annotated[
        list[str],
        typer.Option(
            "--allow",
            metavar="FOLDER",
            help="Folder whose files may be read; can be repeated.",
            show_default=False,
        ),
        TO_READ,
    ],
    models: Annotated[
        str | None,
        typer.Option("--models", metavar="FOLDER", help="Folder of saved models. (Default: none.)"),
    ] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Let models, with their marks, be saved in --models. Nothing else is written."),
    ] = False,
    max_size: Annotated[
        int, typer.Option("--max-size", min=1, help="Megabytes of documents to read at once, after decompression.")
    ] = 200,
    jobs: opt.Jobs = None,
) -> None:
    """Give agents tools to find strange documents: a server of the Model Context Protocol on standard input and output."""
    from tonmf.cli.learning import check_jobs

    check_jobs(jobs)
    for folder in (*allow, *([] if models is None or write else [models])):
        if not os.path.isdir(folder):
            raise InputError(f"{folder} is not a folder. Give one that exists.")
    if write and models is None:
        raise ParameterError("--write saves models, so it needs a folder for them. Give --models FOLDER, too.")
    if models is not None and os.path.exists(models) and not os.path.isdir(models):
        raise InputError(f"{models} is not a folder. Give one for saved models.")
    try:
        import mcp as _  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError("tonmf mcp needs the SDK of the protocol: pip install 'tonmf[mcp]'.") from error
    from tonmf.cli.agents.allowed import Allowed
    from tonmf.cli.agents.server import make_server
    from tonmf.cli.agents.shelf import ModelShelf

    server = make_server(Allowed(allow, max_size * MEGABYTE), ModelShelf(models, jobs), jobs, write)
    server.run("stdio")
