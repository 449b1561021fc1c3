"""``tonmf serve``: serve a saved model over HTTP, with a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding
from tonmf.cli.learning import check_model
from tonmf.cli.marks import marks_in
from tonmf.cli.screen import Screen
from tonmf.errors import MissingExtraError, ParameterError

LIMITS, ACCESS = "Limits", "Access"

MEGABYTE = 2**20


def serve(
    model: opt.Model,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Any that others can reach needs a token.", rich_help_panel=ACCESS),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.", rich_help_panel=ACCESS)
    ] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="TONMF_TOKEN",
            help="Token that requests must send. Better set the variable: others on the machine can see a command's options.",
            rich_help_panel=ACCESS,
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Another host name of the server, such as that of a proxy in front of it; can be repeated.",
            rich_help_panel=ACCESS,
        ),
    ] = None,
    jobs_folder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder for uploads and results. (Default: tonmf/jobs in the user's data folder.)",
        ),
    ] = None,
    models_folder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder of further saved models, each at /v1/models/NAME, loaded again when it changes. Models that are named "
            "on the page are kept there. (Default: models in the jobs folder.)",
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="CSV file with an id and a mark, strange or fine, on each line, of documents that are sent by these ids.",
        ),
    ] = None,
    embed: Annotated[
        str | None,
        typer.Option(
            "--embed",
            metavar="MODEL",
            help="The embedding model that the saved model was fitted with, such as https://host/v1#NAME, if it does not name "
            "it; and what fits on the page may embed texts with.",
        ),
    ] = None,
    watch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File into which a running tonmf watch writes its answers; the page shows them as they come.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Number of threads of the model, and of each job. (Default: all cores.)")
    ] = None,
    max_body: Annotated[
        float,
        typer.Option(
            min=0.001, help="Maximum size of a request to score or explain, in megabytes.", rich_help_panel=LIMITS
        ),
    ] = 16,
    max_batch: Annotated[
        int, typer.Option(min=1, help="Maximum number of documents in a request.", rich_help_panel=LIMITS)
    ] = 10_000,
    max_text: Annotated[
        int, typer.Option(min=1, help="Maximum number of characters of a document.", rich_help_panel=LIMITS)
    ] = 1_000_000,
    max_words: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of words of a text, of items of a basket or of terms of a row of counts.",
            rich_help_panel=LIMITS,
        ),
    ] = 100_000,
    max_requests: Annotated[
        int, typer.Option(min=1, help="Maximum number of requests to score or explain at once.", rich_help_panel=LIMITS)
    ] = 512,
    max_upload: Annotated[
        float, typer.Option(min=0.001, help="Maximum size of a file to fit on, in megabytes.", rich_help_panel=LIMITS)
    ] = 256,
    max_jobs: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of jobs to keep. Of those that are over, the oldest make room for new ones.",
            rich_help_panel=LIMITS,
        ),
    ] = 100,
    max_waiting_jobs: Annotated[
        int, typer.Option(min=1, help="Maximum number of jobs in the queue.", rich_help_panel=LIMITS)
    ] = 10,
    jobs_at_once: Annotated[
        int, typer.Option(min=1, help="Number of jobs that run at once.", rich_help_panel=LIMITS)
    ] = 1,
    job_time: Annotated[int, typer.Option(min=1, help="Seconds that a job may take.", rich_help_panel=LIMITS)] = 3600,
    job_memory: Annotated[
        int | None,
        typer.Option(
            min=512,
            help="Megabytes of memory that a job may use. (Default: three quarters of the machine's, or of the container's, "
            "shared by the jobs that run at once.)",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    idle_time: Annotated[
        int, typer.Option(min=1, help="Seconds that a client may keep the server waiting.", rich_help_panel=LIMITS)
    ] = 60,
    max_connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of connections from one address. (Default: 128, and any number from this machine, where a "
            "proxy may run. Raise it for a proxy on another machine.)",
            rich_help_panel=LIMITS,
            show_default=False,
        ),
    ] = None,
    grace: Annotated[
        int,
        typer.Option(min=1, help="Seconds that requests have to finish when the server stops.", rich_help_panel=LIMITS),
    ] = 30,
    access_log: Annotated[bool, typer.Option("--access-log", help="Log every request.")] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Serve a saved MODEL over HTTP: an API to score and explain documents, and a page that also fits models on files.

    The page is at the address that is printed. docs/guide/service.md describes the API. Ctrl-C stops the server when the
    requests in progress are answered.
    """
    screen = Screen(quiet)
    if threads is not None and threads == 0:
        raise ParameterError("--threads must not be 0; leave it out for all cores.")
    check_model(model)
    Embedding.of(embed, None)
    known = marks_in(marks)
    with screen.step("Loading"):
        try:
            from tonmf.service.limits import Limits
            from tonmf.service.security import access_for

            access_for(host, token or None, allow_host or ())  # what is wrong with it is said before the rest is loaded
            from tonmf.service.server import serve as run
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("tonmf"):
                raise
            raise MissingExtraError(
                f"tonmf serve needs {error.name}, which is not installed: pip install 'tonmf[serve]'."
            ) from error
    limits = Limits(
        body=int(max_body * MEGABYTE),
        batch=max_batch,
        text=max_text,
        words=max_words,
        waiting=max_requests,
        upload=int(max_upload * MEGABYTE),
        jobs=max_jobs,
        queued_jobs=max_waiting_jobs,
        running_jobs=jobs_at_once,
        job_seconds=job_time,
        job_memory=None if job_memory is None else job_memory * MEGABYTE,
        idle_seconds=idle_time,
        connections=max_connections,
        grace=grace,
    )

    def on_ready(address: str) -> None:
        screen.show(f"Serving {model} on {address}", wrap=False)
        screen.show("Ctrl-C stops the server.")
        sys.stdout.flush()

    run(
        model,
        host=host,
        port=port,
        token=token or None,
        allowed_hosts=allow_host or (),
        limits=limits,
        jobs_folder=_jobs_folder(jobs_folder),
        models_folder=Path(models_folder) if models_folder else None,
        marks=known,
        threads=threads,
        embedder=embed,
        watch=Path(watch) if watch else None,
        access_log=access_log,
        on_ready=on_ready,
    )


def _jobs_folder(given: str | None) -> Path:
    """Return the given folder, or one in the user's data folder; caches may be cleared, and results must stay."""
    if given:
        return Path(given)
    from platformdirs import user_data_path

    return user_data_path("tonmf", appauthor=False) / "jobs"
