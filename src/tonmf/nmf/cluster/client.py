"""A Dask cluster: its workers, sending and fetching values, and its failures in plain words."""

from __future__ import annotations

import errno
import importlib.metadata
import logging
import socket
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from tonmf.errors import ClusterError, InputError, MissingExtraError, Param, ParameterError, TonmfError
from tonmf.nmf.cluster.partitions import PartitionSource
from tonmf.nmf.cluster.worker import forget_family, is_at_work

T = TypeVar("T")

ATTEMPTS = 6
"""How often an operation is tried while workers are lost."""

FIRST_PAUSE = 0.1
"""Seconds before the second attempt; the pause doubles before each further one."""

LOOK_EVERY = 2.0
"""Seconds between checks that the cluster is still there while waiting for it."""

PATIENCE = 60.0
"""Seconds for which a cluster may be without a working worker."""


class Transient(Exception):  # noqa: N818 (never seen outside)
    """A value was lost on the way; trying again should work."""


def require_dask() -> None:
    """Raise `MissingExtraError` if Dask is not installed."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Work on a cluster needs Dask: pip install 'tonmf[dask]'") from error


def connect(address: str, timeout: float = 5.0) -> Any:
    """Return a client of the scheduler at an address, such as tcp://127.0.0.1:8786."""
    require_dask()
    from distributed import Client
    from distributed.comm.addressing import parse_address, parse_host_port

    try:
        protocol, location = parse_address(address)
        if protocol == "tcp":  # a client that finds nobody takes long to give up, and leaves a traceback behind
            socket.create_connection(parse_host_port(location, default_port=8786), timeout).close()
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address!r}. Start one (dask scheduler, dask worker ADDRESS), and give the address "
            "that it prints, such as tcp://127.0.0.1:8786."
        ) from error


def be_silent() -> None:
    """Silence Dask's log, where we word its failures ourselves; call it once Dask is loaded."""
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


class Cluster:
    """A `distributed.Client` that is connected and whose workers have this version of tonmf."""

    def __init__(self, client: Any) -> None:
        require_dask()
        from distributed import Client

        if not isinstance(client, Client) or client.asynchronous:
            raise ParameterError(
                Param("executor"),
                " must be a dask.distributed Client that is not asynchronous, or None for this process; got "
                f"{type(client).__name__}.",
            )
        self.client = client
        self._made = weakref.WeakValueDictionary[int, Any]()
        self._check_running()
        workers = self.workers()
        self.persist(self._check_versions)
        self.direct = _reaches(workers[0]) if client.direct_to_workers is None else bool(client.direct_to_workers)

    @property
    def address(self) -> str:
        """Return the address of the scheduler, or its last known one."""
        scheduler = self.client.scheduler
        return str(getattr(scheduler, "address", None) or "its address")

    def workers(self) -> list[str]:
        """Return the addresses of the workers that accept tasks; wait up to `PATIENCE` for one."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if running := self._running():
                    return running
                n_there = len(self.client.nthreads())
            except BaseException as error:
                self.explain(error)
                n_there = 0
            if time.monotonic() > deadline or not (n_there or self._had_workers):
                raise ClusterError(self._nobody_works(n_there, n_there))
            time.sleep(0.2)

    def _running(self) -> list[str]:
        """Return the addresses of the workers that accept tasks, which paused ones do not."""
        return list(self.client.sync(self.client.scheduler.ncores_running))

    def _nobody_works(self, n_paused: int, n_there: int) -> str:
        """Return the message for a cluster without workers, or with so many paused that no task runs."""
        if not n_there:
            return (
                f"The cluster at {self.address} has no workers. Start some, and try again: dask worker {self.address}"
            )
        return (
            f"The memory of workers is full: {n_paused} of {n_there} at {self.address} are paused, and nothing has gone on for "
            f"{PATIENCE:.0f} seconds. Dask pauses a worker that has used most of its memory, and what a fit holds there cannot "
            "be put on disk. Give workers more (dask worker --memory-limit), or start more of them, and try again."
        )

    _had_workers = False

    def _check_versions(self) -> None:
        """Raise `ClusterError` if a worker has another version of tonmf."""

        def version_there() -> str | None:  # defined here, so that a worker without tonmf can run it
            try:
                return importlib.metadata.version("tonmf")
            except importlib.metadata.PackageNotFoundError:
                return None

        found, ours = self.client.run(version_there), version_there()
        self._had_workers = True
        for address, version in found.items():
            if version != ours:
                has = "no tonmf" if version is None else f"tonmf {version}"
                raise ClusterError(
                    f"The worker at {address} has {has}, and this is tonmf {ours}. Install the same everywhere."
                )

    def send_to_all(self, value: Any) -> Any:
        """Send a value to every worker and return a reference to it."""
        try:
            return self._sent(value, "payload", broadcast=True)
        except ValueError as error:  # Dask's, if workers are paused or lost while they pass it on
            raise Transient(f"what all workers need did not get to them: {error}") from error

    def send_to(self, value: Any, address: str | None = None) -> Any:
        """Send a value to the worker at `address`, or to any, and return a reference to it."""
        return self._sent(value, "sent", workers=None if address is None else [address])

    def _sent(self, value: Any, name: str, **to: Any) -> Any:
        self.workers()  # Dask would wait for half a minute, and not say for what
        key = f"tonmf-{name}-{self.new_token()}"
        return self._ours(self.client.scatter({key: value}, direct=self.direct, **to)[key])

    def task(self, name: str, function: Callable[..., Any], *arguments: Any, near: str | None = None) -> Any:
        """Submit a task whose key contains `name`, preferably to the worker `near`; return a reference to its result."""
        key = f"tonmf-{name}-{self.new_token()}"
        where = {} if near is None else {"workers": [near], "allow_other_workers": True}
        return self._ours(self.client.submit(function, *arguments, key=key, pure=False, **where))

    def computed(self, lazy: Any) -> Any:
        """Compute a delayed object and return a reference to the result."""
        return self._ours(self.client.compute(lazy))

    def _ours(self, reference: Any) -> Any:
        self._made[id(reference)] = reference
        return reference

    def persist(self, attempt: Callable[[], T], references: Sequence[Any] = ()) -> T:
        """Call `attempt` again while it fails because workers were lost; `references` are to partitions."""
        for number in range(ATTEMPTS - 1):
            try:
                return attempt()
            except BaseException as error:
                self.explain(error, references)
            time.sleep(FIRST_PAUSE * 2**number)
        try:
            return attempt()
        except BaseException as error:
            self.explain(error, references)
            raise ClusterError(
                f"Workers of the cluster at {self.address} were lost so often that a step could not be finished: {error}"
            ) from error

    @contextmanager
    def freeing(self) -> Iterator[None]:
        """Release all that was sent or made on workers if an error occurs, even if the caller keeps the exception."""
        try:
            yield
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        for reference in list(self._made.values()):
            reference.release()

    @contextmanager
    def releasing(self, source: PartitionSource) -> Iterator[None]:
        """Release on exit the documents of a source on the workers, and the state of fits over them."""
        try:
            yield
        finally:
            self._let_go()
            if self.client.status == "running":
                with suppress(OSError, TimeoutError):  # a cluster that is gone remembers nothing
                    self.client.run(forget_family, source.fits.family, on_error="ignore")

    def new_token(self) -> str:
        """Return a token that makes a task's key unique."""
        return uuid.uuid4().hex

    def made(self, references: Sequence[Any]) -> None:
        """Wait for values that are made from one partition each; errors name the partition."""
        from concurrent.futures import CancelledError

        self.wait(references)
        for number, reference in enumerate(references):
            if reference.status == "error":
                self.explain(reference.exception(), references)
            elif reference.status != "finished":
                raise CancelledError(f"what was made of partition {number} was lost")

    def read(self, references: Sequence[Any]) -> list[Any]:
        """Fetch values that are made from one partition each; errors name the partition."""
        self.made(references)
        return self.results(references)

    def holders(self, references: Sequence[Any]) -> list[tuple[str, ...]]:
        """Return the addresses of the workers that hold each value."""
        known = self.client.who_has(list(references))
        return [tuple(known.get(reference.key, ())) for reference in references]

    def result(self, reference: Any) -> Any:
        """Fetch one value."""
        return self.results([reference])[0]

    def results(self, references: Sequence[Any]) -> list[Any]:
        """Fetch values."""
        self.wait(references)
        values: list[Any] = self.client.gather(list(references), direct=self.direct)
        return values

    def wait(self, references: Sequence[Any]) -> None:
        """Wait until all values are finished or have failed."""
        from distributed import wait

        idle_since = None
        while True:
            try:
                with self.client.as_current():
                    wait(list(references), timeout=LOOK_EVERY)
                return
            except TimeoutError:
                self._check_running()
            running, there = self._running(), list(self.client.nthreads())
            if self._goes_on(running, there):
                idle_since = None
                continue
            idle_since = idle_since or time.monotonic()
            if time.monotonic() - idle_since > PATIENCE:
                message = self._nobody_works(len(there) - len(running), len(there))
                raise Transient(message) if running else ClusterError(message)  # those that run may do it

    def _goes_on(self, running: Sequence[str], there: Sequence[str]) -> bool:
        """Return whether any worker may still work on our tasks; paused ones finish running tasks and start none."""
        paused = sorted(set(there) - set(running))
        if not paused:
            return bool(running)
        given = self.client.processing()
        if any(given.get(address) for address in running):
            return True
        return any(self.client.run(is_at_work, workers=paused, on_error="ignore").values())

    def explain(self, error: BaseException, references: Sequence[Any] = ()) -> None:
        """Raise an error in plain words, or return if trying again may help."""
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        if isinstance(error, TonmfError) or not isinstance(error, Exception):
            raise error
        self._check_running(error)
        for number, reference in enumerate(references):
            if reference.status == "error" and not isinstance(reference.exception(), KilledWorker):
                self.blame(number, reference.exception())
        if isinstance(error, KilledWorker):
            raise ClusterError(
                f"Workers died again and again while they worked on the same documents ({error.task}): most likely they ran "
                "out of memory. Give them more, or cut the documents into more partitions."
            ) from error
        _raise_shortage(error, "")
        if not isinstance(error, CancelledError | OSError | TimeoutError | KeyError | Transient):
            raise error

    def blame(self, number: int, error: BaseException) -> NoReturn:
        """Raise an error that says why a partition cannot be read."""
        if isinstance(error, InputError):
            raise error
        _raise_shortage(error, f" over partition {number}")
        raise InputError(
            f"Partition {number} cannot be read: {type(error).__name__}: {error}. Fix it or leave it out, and try again."
        ) from error

    def _check_running(self, error: BaseException | None = None) -> None:
        """Raise `ClusterError` if the scheduler is gone."""
        if self.client.status != "running":
            raise ClusterError(
                f"The Dask scheduler at {self.address} does not answer any more (the client is {self.client.status}). The work "
                "has ended, and the model is as it was before. Start a scheduler, connect, and try again."
            ) from error


def _raise_shortage(error: BaseException, where: str) -> None:
    """Raise `ClusterError` if a worker ran out of memory or disk."""
    if isinstance(error, MemoryError):
        raise ClusterError(
            f"A worker ran out of memory{where}. Give workers more, or cut the documents into more partitions."
        ) from error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        raise ClusterError(
            f"A worker has no room left on its disk{where}. Dask puts there what does not fit into memory: make room, or give "
            "workers another --local-directory."
        ) from error


def _reaches(address: str) -> bool:
    """Return whether this process can connect to a worker directly."""
    parts = urlsplit(address)
    if parts.scheme != "tcp" or parts.hostname is None or parts.port is None:
        return False
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=2):
            return True
    except OSError:
        return False
