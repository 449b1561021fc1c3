"""A Dask cluster: its workers, sending and fetching values. `tonmf.nmf.cluster.watch` looks after every wait."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import pickle
import socket
import threading
import time
import uuid
import weakref
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tonmf.errors import ClusterError, MissingExtraError, Param, ParameterError
from tonmf.nmf.cluster import watch
from tonmf.nmf.cluster.failures import explain
from tonmf.nmf.cluster.partitions import PartitionSource
from tonmf.nmf.cluster.watch import Census, Heartbeats, LivenessCheck, Transient
from tonmf.nmf.cluster.worker import forget_family

T = TypeVar("T")

ATTEMPTS = 8
"""How often an operation is tried while workers are lost."""

RECOVERY = 600.0
"""Seconds after the first failure of an operation in which it is tried again."""

FIRST_PAUSE = 0.1
"""Seconds before the second attempt; the pause doubles before each further one."""

FAREWELL = 5.0
"""Seconds that workers have to drop what they keep for a fit; those that are stopped drop it when they go on."""


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
        self._heartbeats = Heartbeats()
        self._had_workers = False
        self._check_running()
        workers = self.workers()
        self.persist(self._check_versions)
        self.direct = _reaches(workers[0]) if client.direct_to_workers is None else bool(client.direct_to_workers)

    @property
    def address(self) -> str:
        """Return the address of the scheduler, or its last known one."""
        scheduler = self.client.scheduler
        return str(getattr(scheduler, "address", None) or "its address")

    # ------------------------------------------------------------------ who is there

    def census(self) -> Census:
        """Ask the scheduler for its workers."""
        return self._heartbeats.census(self._ask(self.client.scheduler.identity)["workers"])

    def _ask(self, question: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        """Return the scheduler's answer."""
        try:
            return self.client.sync(question, callback_timeout=watch.ANSWER, **arguments)
        except TimeoutError as error:
            raise ClusterError(
                f"The Dask scheduler at {self.address} has not answered for {watch.ANSWER:.0f} seconds. The work has ended, "
                "and the model is as it was before. Restart the scheduler, connect, and try again."
            ) from error

    def workers(self) -> list[str]:
        """Return the addresses of the workers that accept tasks; wait up to `watch.PATIENCE` for one."""
        deadline = time.monotonic() + watch.PATIENCE
        while True:
            self._check_running()
            census = Census([], [], [], False)
            try:
                census = self.census()
            except BaseException as error:
                self.explain(error)
            if census.running:
                return census.running
            if time.monotonic() > deadline or not (census.n_workers or self._had_workers):
                raise ClusterError(census.shortage(self.address))
            time.sleep(0.2)

    def holders(self, references: Sequence[Any]) -> list[tuple[str, ...]]:
        """Return the addresses of the workers that hold each value."""
        known = self._ask(self.client.scheduler.who_has, keys=[reference.key for reference in references])
        return [tuple(known.get(reference.key, ())) for reference in references]

    def _check_running(self, error: BaseException | None = None) -> None:
        """Raise `ClusterError` if the scheduler is gone."""
        if self.client.status != "running":
            raise ClusterError(
                f"The Dask scheduler at {self.address} does not answer any more (the client is {self.client.status}). The work "
                "has ended, and the model is as it was before. Start a scheduler, connect, and try again."
            ) from error

    def _check_versions(self) -> None:
        """Raise `ClusterError` if a worker has another version of tonmf."""

        def version_there() -> str | None:  # defined here, so that a worker without tonmf can run it
            try:
                return importlib.metadata.version("tonmf")
            except importlib.metadata.PackageNotFoundError:
                return None

        found, ours = self._run_on(self.workers(), watch.PATIENCE, version_there), version_there()
        self._had_workers = True
        for address, version in found.items():
            if version != ours:
                has = "no tonmf" if version is None else f"tonmf {version}"
                raise ClusterError(
                    f"The worker at {address} has {has}, and this is tonmf {ours}. Install the same everywhere."
                )

    def _run_on(self, workers: list[str], seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the processes of workers, which must answer within so many seconds."""
        results: list[Any] = []

        def run() -> None:
            try:
                results.append(self.client.run(function, *arguments, workers=workers, on_error="ignore"))
            except Exception as error:  # said below, in the thread that waits
                results.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds)
        if not results:
            raise Transient(f"workers have not answered for {seconds:.0f} seconds")
        if isinstance(results[0], Exception):
            raise results[0]
        return results[0]

    # ------------------------------------------------------------------ values there

    def send_to(self, value: Any, address: str) -> Any:
        """Send a value to the worker at `address` and return a reference to it."""
        key = f"tonmf-sent-{self.new_token()}"
        sending = self.client.scatter({key: value}, workers=[address], direct=self.direct, asynchronous=True)
        return self._ours(self._finish(sending, needed=[address])[key])

    def constant(self, name: str, value: Any) -> Any:
        """Return a reference to a value that travels inside a task, so that Dask can make it again; not for many values."""
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return self.task(name, pickle.loads, pickle.dumps(value, protocol=5))

    def task(self, name: str, function: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
        """Submit a task whose key contains `name`, for the worker `at` alone if given; return a reference to its result."""
        key = f"tonmf-{name}-{self.new_token()}"
        where = {} if at is None else {"workers": [at], "allow_other_workers": False}
        return self._ours(self.client.submit(function, *arguments, key=key, pure=False, **where))

    def computed(self, lazy: Any) -> Any:
        """Compute a delayed object and return a reference to the result."""
        return self._ours(self.client.compute(lazy))

    def _ours(self, reference: Any) -> Any:
        self._made[id(reference)] = reference
        return reference

    def new_token(self) -> str:
        """Return a token that makes a task's key unique."""
        return uuid.uuid4().hex

    # ------------------------------------------------------------------ waiting and fetching

    def made(self, references: Sequence[Any]) -> None:
        """Wait for values that are made from one partition each; errors name the partition."""
        from concurrent.futures import CancelledError

        self.wait(references)
        for number, reference in enumerate(references):
            if reference.status == "error":
                self.explain(reference.exception(), references)
            elif reference.status == "cancelled":  # one that is lost is made again by Dask
                raise CancelledError(f"what was made of partition {number} was lost")

    def read(self, references: Sequence[Any]) -> list[Any]:
        """Fetch values that are made from one partition each; errors name the partition."""
        self.made(references)
        return self.results(references)

    def result(self, reference: Any) -> Any:
        """Fetch one value."""
        return self.results([reference])[0]

    def results(self, references: Sequence[Any], needed: Collection[str] = ()) -> list[Any]:
        """Fetch values; the workers `needed` must stay until then."""
        self.wait(references, needed)
        gathering = self.client.gather(list(references), direct=self.direct, asynchronous=True)
        values: list[Any] = self._finish(gathering, needed)
        return values

    def wait(self, references: Sequence[Any], needed: Collection[str] = ()) -> None:
        """Wait until all values are finished or have failed."""
        from distributed import wait

        waiting = LivenessCheck(self.address, needed)
        while True:
            try:
                with self.client.as_current():
                    wait(list(references), timeout=watch.LOOK_EVERY)
                return
            except TimeoutError:
                self._check_running()
            waiting.look(self.census())

    def _finish(self, operation: Any, needed: Collection[str] = ()) -> Any:
        """Wait for an operation of the client."""
        running = asyncio.run_coroutine_threadsafe(operation, self.client.loop.asyncio_loop)
        waiting = LivenessCheck(self.address, needed)
        try:
            while True:
                try:
                    return running.result(watch.LOOK_EVERY)
                except TimeoutError:
                    if running.done():
                        raise
                self._check_running()
                waiting.look(self.census())
        finally:
            running.cancel()

    # ------------------------------------------------------------------ when something is lost

    def persist(self, attempt: Callable[[], T], references: Sequence[Any] = ()) -> T:
        """Call `attempt` again while it fails because workers were lost; `references` are to partitions."""
        number, first_failure = 0, 0.0
        while True:
            try:
                return attempt()
            except BaseException as error:
                self.explain(error, references)
                number, now = number + 1, time.monotonic()
                first_failure = first_failure or now
                if number == ATTEMPTS or now - first_failure > RECOVERY:
                    raise ClusterError(
                        f"Workers of the cluster at {self.address} were lost so often that a step could not be finished: "
                        f"{error}"
                    ) from error
            time.sleep(FIRST_PAUSE * 2 ** (number - 1))

    def explain(self, error: BaseException, references: Sequence[Any] = ()) -> None:
        """Raise an error in plain words, or return if trying again may help."""
        if isinstance(error, Exception):
            self._check_running(error)
        explain(error, references)

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
                self._say_farewell(source.fits.family)

    def _say_farewell(self, family: str) -> None:
        """Let workers drop what they keep for the fits over the same documents; one that is gone keeps nothing."""
        try:
            census = self.census()
            self._run_on([*census.running, *census.paused], FAREWELL, forget_family, family)
        except (OSError, TimeoutError, ValueError, ClusterError, Transient):
            return


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
