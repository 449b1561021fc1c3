"""Run the server: bind a socket, handle signals, and let running requests finish at the end."""

from __future__ import annotations

import asyncio
import logging
import logging.config
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from threading import Event
from typing import Any

import uvicorn

from tonmf.errors import InputError, Param
from tonmf.service.app import Settings, make_app
from tonmf.service.connections import Connections, allow_open_files
from tonmf.service.job_store import JobStore
from tonmf.service.limits import Limits
from tonmf.service.live import check_file
from tonmf.service.models import Models, check_folder
from tonmf.service.protocol import BoundedConnection
from tonmf.service.security import access_for
from tonmf.wording import number_of

log = logging.getLogger("tonmf.service")

SWITCH_SECONDS = 0.001
"""How long the model may hold Python's lock while requests wait to be read; Python's default of 5 ms would be noticeable."""

TICKS = 10
"""Ticks of uvicorn, ten a second, after which to look for connections that are overdue."""

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
    "loggers": {
        "tonmf.service": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "uvicorn.error": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "uvicorn.access": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    },
}


def serve(
    model_path: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    allowed_hosts: Sequence[str] = (),
    limits: Limits | None = None,
    jobs_folder: Path,
    models_folder: Path | None = None,
    marks: Mapping[str, str] | None = None,
    threads: int | None = None,
    embedder: str | None = None,
    watch: Path | None = None,
    access_log: bool = False,
    on_ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a saved model until stopped.

    Parameters
    ----------
    model_path : str
        Folder of a saved model of documents.
    host, port : str, int
        Where to listen; port 0 takes any that is free.
    token : str, optional
        What requests must show; needed to listen elsewhere than on this machine.
    allowed_hosts : sequence of str
        Further names that the server goes by, such as that of a proxy before it.
    limits : Limits, optional
    jobs_folder : Path
        Where jobs are kept, and marks.
    models_folder : Path, optional
        Further saved models, each served by its folder's name, and the models that are named on the page; ``models`` in the
        jobs folder if not given.
    marks : mapping of str to str, optional
        Marks by id. Those on documents that the model does not have wait until a document of that id is sent.
    threads : int, optional
        For the model and for each job; all cores if not given.
    embedder : str, optional
        The embedding model of the served model, if that does not name it, and of jobs that ask for embeddings.
    watch : Path, optional
        The file that a running ``tonmf watch`` writes, to follow on the page.
    access_log : bool
        Whether to log each request.
    on_ready : callable
        Called with the server's address when it takes requests.
    """
    limits = limits or Limits()
    if watch is not None:
        check_file(watch)
    access = access_for(host, token, allowed_hosts)
    with _bound(host, port) as listening, JobStore(jobs_folder) as store:
        folder = models_folder or jobs_folder / "models"
        check_folder(folder)
        models = Models(Path(model_path), folder, store.marks_of, threads, embedder)
        kept = models.find(models.first).kept
        kept.expect(marks or {})
        settings = Settings(models, store, access, limits, threads, embedder, watch)
        logging.config.dictConfig(LOGGING)
        allow_open_files()
        if marks:
            log.info(_about_marks(len(marks), len(kept.model.waiting)))
        connections = Connections(limits.connections, limits.idle_seconds)
        config = uvicorn.Config(
            make_app(settings),
            http=partial(BoundedConnection, connections),  # type: ignore[arg-type]  # a class, or what makes its objects
            ws="none",
            log_config=None,
            access_log=access_log,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=ceil(connections.kept_seconds),
            timeout_graceful_shutdown=limits.grace,
        )
        server = _Server(config, connections, lambda: on_ready(_address(host, listening)), settings.stopping)
        with _signals_for(server), _switching():
            server.run(sockets=[listening])


def _about_marks(n_marks: int, n_waiting: int) -> str:
    """Say how many marks were read, and how many of them wait.

    >>> _about_marks(12, 12)
    '12 marks read from the file of --marks; they count once their documents are sent.'
    >>> _about_marks(12, 1)
    '12 marks read from the file of --marks; 1 of them counts once its document is sent.'
    """
    read = f"{number_of(n_marks, 'mark')} read from the file of --marks"
    if n_waiting == 0:
        return f"{read}."
    which = f"{n_waiting} of them" if n_waiting < n_marks else "it" if n_marks == 1 else "they"
    return f"{read}; {which} " + (
        "counts once its document is sent." if n_waiting == 1 else "count once their documents are sent."
    )


class _Server(uvicorn.Server):
    """A server that announces when it is ready and, by an event, when it stops; it closes connections that are overdue."""

    def __init__(
        self, config: uvicorn.Config, connections: Connections, on_ready: Callable[[], None], stopping: Event
    ) -> None:
        super().__init__(config)
        self._connections, self._on_ready, self._stopping = connections, on_ready, stopping

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Handle a signal that asks to stop."""
        self._stopping.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        """Look through the connections once a second."""
        if counter % TICKS == 0:
            now = asyncio.get_running_loop().time()
            self._connections.sweep(list(self.server_state.connections), now)  # type: ignore[arg-type]  # they are ours
        return await super().on_tick(counter)


WAITING = 2048
"""Connections that may wait to be accepted."""


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """Bind a socket before the model is loaded; connections wait until it is."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError(f"There is no place called {host} to listen on. Check ", Param("host"), ".") from error
    with listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(WAITING)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"Cannot listen on {host}, port {port}: {reason}. Give another ", Param("port"), "."
            ) from error
        yield listening


def _address(host: str, listening: socket.socket) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}"


@contextmanager
def _signals_for(server: uvicorn.Server) -> Iterator[None]:
    """Let signals end the server, and nothing else.

    uvicorn raises a signal again after it has ended, for earlier handlers; those must not end us with an error.
    """

    def stop(number: int, frame: Any) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
