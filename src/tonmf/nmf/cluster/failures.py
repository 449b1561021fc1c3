"""The failures of a cluster in plain words."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any, NoReturn

from tonmf.errors import ClusterError, InputError, TonmfError
from tonmf.nmf.cluster.watch import Transient


def explain(error: BaseException, references: Sequence[Any] = ()) -> None:
    """Raise an error in plain words, or return if trying again may help; `references` are to partitions."""
    from concurrent.futures import CancelledError

    from distributed.scheduler import KilledWorker

    if isinstance(error, TonmfError) or not isinstance(error, Exception):
        raise error
    for number, reference in enumerate(references):
        if reference.status == "error" and not isinstance(reference.exception(), KilledWorker):
            _blame(number, reference.exception())
    if isinstance(error, KilledWorker):
        raise ClusterError(
            f"Workers died again and again while they worked on the same documents ({error.task}): most likely they ran "
            "out of memory. Give them more, or cut the documents into more partitions."
        ) from error
    _raise_shortage(error, "")
    if not isinstance(error, CancelledError | OSError | TimeoutError | KeyError | Transient):
        raise error


def _blame(number: int, error: BaseException) -> NoReturn:
    """Raise an error that says why a partition cannot be read."""
    if isinstance(error, InputError):
        raise error
    _raise_shortage(error, f" over partition {number}")
    raise InputError(
        f"Partition {number} cannot be read: {type(error).__name__}: {error}. Fix it or leave it out, and try again."
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
