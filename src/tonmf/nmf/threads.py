"""Backends and threads: which operations run, and on how many cores."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.reference import ReferenceOps

BACKENDS = ("numba", "numpy")

CPU = "cpu"
"""The device that is always there."""


def make_ops(backend: str, n_jobs: int | None, device: str = CPU) -> Ops:
    """Return the operations of a backend, on the number of threads that `n_jobs` asks for; or those of a GPU."""
    if device != CPU:
        from tonmf.nmf.ops.cuda.operations import CudaOps

        return CudaOps(device, n_threads_of(n_jobs))
    if backend == "numpy":
        return ReferenceOps()
    from tonmf.nmf.ops.compiled import CompiledOps  # numba takes a moment to import

    return CompiledOps(n_threads_of(n_jobs))


def n_threads_of(n_jobs: int | None) -> int:
    """Return the number of threads by joblib's convention: all cores for None or -1, all but one for -2, and so on.

    >>> n_threads_of(3)
    3
    """
    n_jobs = -1 if n_jobs is None else n_jobs
    return n_jobs if n_jobs > 0 else max(1, available_cores() + 1 + n_jobs)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_lock = threading.Lock()
_users = 0
_limit: Any = None
_found: tuple[int, ThreadpoolController] | None = None


def _libraries() -> ThreadpoolController:
    """Return the libraries of BLAS in this process; they are looked for again only if modules were imported since.

    To look for them takes milliseconds, much longer than to score a document.
    """
    global _found
    if _found is None or _found[0] != len(sys.modules):
        controller = ThreadpoolController().select(user_api="blas")
        _found = len(sys.modules), controller
    return _found[1]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the with-block."""
    global _users, _limit
    with _lock:
        if _users == 0:
            _limit = _libraries().limit(limits=1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _limit is not None:
                _limit.restore_original_limits()
                _limit = None
