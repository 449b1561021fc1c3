"""A Dask cluster: who is there, how things get to and fro, and what its failures mean in plain words."""

from __future__ import annotations

import errno
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from tonmf.errors import ClusterError, InputError, MissingExtraError, ParameterError, TonmfError
from tonmf.executors.worker import forget_family
from tonmf.sources.partitions import PartitionSource

T = TypeVar("T")

ATTEMPTS = 6
"""How often something is tried when workers are lost on the way."""

FIRST_PAUSE = 0.1
"""Seconds before the second time; before each further one twice as many."""

LOOK_EVERY = 2.0
"""Seconds after which one looks whether a cluster that is waited for is still there."""

PATIENCE = 60.0
"""Seconds for which a cluster may be without any worker."""


class Unlucky(Exception):  # noqa: N818 (never seen outside)
    """Something was lost on the way; the same again should work."""


def require_dask() -> None:
    """Dask must be installed."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Work on a cluster needs Dask: pip install 'tonmf[dask]'") from error


def connect(address: str, timeout: float = 5.0) -> Any:
    """A client of the scheduler at an address, such as tcp://127.0.0.1:8786."""
    require_dask()
    from distributed import Client

    try:
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address!r}. Start one (dask scheduler, dask worker ADDRESS), and give the address "
            "that it prints, such as tcp://127.0.0.1:8786."
        ) from error


class Cluster:
    """A `distributed.Client`, checked: it is connected, has workers, and these have this version of tonmf."""

    def __init__(self, client: Any) -> None:
        require_dask()
        from distributed import Client

        if not isinstance(client, Client) or client.asynchronous:
            raise ParameterError(
                "executor must be a dask.distributed Client that is not asynchronous, or None for this process; got "
                f"{type(client).__name__}."
            )
        self.client = client
        self._check_running()
        workers = self.workers()
        self._check_versions()
        self.direct = _reaches(workers[0]) if client.direct_to_workers is None else bool(client.direct_to_workers)

    @property
    def address(self) -> str:
        """Where the scheduler is, or was."""
        scheduler = self.client.scheduler
        return str(getattr(scheduler, "address", None) or "its address")

    def workers(self) -> list[str]:
        """Addresses of the workers; waits a while if there are none."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                there = list(self.client.nthreads())
            except BaseException as error:
                self.explain(error)
                there = []
            if there:
                return there
            if time.monotonic() > deadline or not self._had_workers:
                raise ClusterError(
                    f"The cluster at {self.address} has no workers. Start some: dask worker {self.address}"
                )
            time.sleep(0.2)

    _had_workers = False

    def _check_versions(self) -> None:
        """Workers must have what we have."""
        from importlib import metadata

        def version_there() -> str | None:
            from importlib import metadata

            try:
                return metadata.version("tonmf")
            except metadata.PackageNotFoundError:
                return None

        ours = metadata.version("tonmf")
        found = self.client.run(version_there)
        self._had_workers = True
        for address, version in found.items():
            if version != ours:
                has = "no tonmf" if version is None else f"tonmf {version}"
                raise ClusterError(
                    f"The worker at {address} has {has}, and this is tonmf {ours}. Install the same everywhere."
                )

    def send_to_all(self, value: Any, key: str) -> Any:
        """A reference to a value that every worker has got."""
        return self.client.scatter({key: value}, broadcast=True, direct=self.direct)[key]

    def send_to(self, value: Any, address: str | None = None) -> Any:
        """A reference to a value that a worker has got, any if none is named."""
        there = None if address is None else [address]
        key = f"tonmf-sent-{self.new_token()}"
        return self.client.scatter({key: value}, workers=there, direct=self.direct)[key]

    def task(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """A reference to what a function makes of some arguments, called after the name."""
        return self.client.submit(function, *arguments, key=f"tonmf-{name}-{self.new_token()}", pure=False)

    def persist(self, attempt: Callable[[], T], references: Sequence[Any] = ()) -> T:
        """Try until it works, as long as what goes wrong is that workers are lost; `references` are to partitions."""
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
    def forgetting(self, source: PartitionSource) -> Iterator[None]:
        """In the end workers drop what fits over the documents of a source remember."""
        try:
            yield
        finally:
            if self.client.status == "running":
                self.client.run(forget_family, source.fits.family, on_error="ignore")

    def new_token(self) -> str:
        """What makes names of tasks unique."""
        return uuid.uuid4().hex

    def made(self, references: Sequence[Any]) -> None:
        """Wait for values that are made from one partition each; an error tells which partition is to blame."""
        from concurrent.futures import CancelledError

        self.wait(references)
        for number, reference in enumerate(references):
            if reference.status == "error":
                self.explain(reference.exception(), references)
            elif reference.status != "finished":
                raise CancelledError(f"what was made of partition {number} was lost")

    def read(self, references: Sequence[Any]) -> list[Any]:
        """Values made from one partition each, brought here; an error tells which partition is to blame."""
        self.made(references)
        return self.results(references)

    def holders(self, references: Sequence[Any]) -> list[tuple[str, ...]]:
        """Which workers have each of some values."""
        known = self.client.who_has(list(references))
        return [tuple(known.get(reference.key, ())) for reference in references]

    def result(self, reference: Any) -> Any:
        """One value, brought here."""
        return self.results([reference])[0]

    def results(self, references: Sequence[Any]) -> list[Any]:
        """Values, brought here."""
        self.wait(references)
        values: list[Any] = self.client.gather(list(references), direct=self.direct)
        return values

    def wait(self, references: Sequence[Any]) -> None:
        """Until values are there, or it is known that they will not be."""
        from distributed import wait

        without_workers = None
        while True:
            try:
                with self.client.as_current():
                    wait(list(references), timeout=LOOK_EVERY)
                return
            except TimeoutError:
                self._check_running()
            if self.client.nthreads():
                without_workers = None
                continue
            without_workers = without_workers or time.monotonic()
            if time.monotonic() - without_workers > PATIENCE:
                raise ClusterError(
                    f"The cluster at {self.address} has had no workers for {PATIENCE:.0f} seconds. Start some, and fit again."
                )

    def explain(self, error: BaseException, references: Sequence[Any] = ()) -> None:
        """Raise what an error means in plain words; return if it may go away by itself."""
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
        if not isinstance(error, CancelledError | OSError | TimeoutError | KeyError | Unlucky):
            raise error

    def blame(self, number: int, error: BaseException) -> NoReturn:
        """Raise that a partition cannot be had."""
        if isinstance(error, InputError):
            raise error
        _raise_shortage(error, f" over partition {number}")
        raise InputError(
            f"Partition {number} cannot be read: {type(error).__name__}: {error}. Mend or leave it out, and fit again."
        ) from error

    def _check_running(self, error: BaseException | None = None) -> None:
        """The scheduler must be there."""
        if self.client.status != "running":
            raise ClusterError(
                f"The Dask scheduler at {self.address} does not answer any more (the client is {self.client.status}). The fit "
                "has ended, and the model is as it was before. Start a scheduler, connect, and fit again."
            ) from error


def _raise_shortage(error: BaseException, where: str) -> None:
    """Say what a worker ran out of, if that is what an error means."""
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
    """Whether this process can talk to a worker itself."""
    parts = urlsplit(address)
    if parts.scheme != "tcp" or parts.hostname is None or parts.port is None:
        return False
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=2):
            return True
    except OSError:
        return False
