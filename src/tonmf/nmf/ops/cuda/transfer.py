"""Copies from host memory to the GPU through pinned memory, several times as fast as the driver's copies of pageable memory.

Several threads fill pinned buffers in turn, while the GPU fetches from those already filled.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

BUFFER = 64 * 2**20
"""Bytes of a pinned buffer."""

BUFFERS = 3

PIECES = 8
"""Pieces of a buffer, which threads fill side by side."""


class Uploader:
    """Copies arrays to one GPU; one call at a time."""

    def __init__(self, cupy: Any, n_threads: int) -> None:
        self._cupy, self._n_threads = cupy, n_threads
        self._buffers: list[NDArray[np.uint8]] = []
        self._events: list[Any] = []
        self._pool: ThreadPoolExecutor | None = None

    def __call__(self, array: NDArray[Any], dtype: Any = None) -> Any:
        """Return a copy on the GPU, on the current stream, as `dtype`."""
        dtype = np.dtype(array.dtype if dtype is None else dtype)
        flat, on_device = array.reshape(-1), self._cupy.empty(array.shape, dtype)
        if on_device.nbytes < BUFFER // 4:
            on_device.set(np.ascontiguousarray(array, dtype))
            return on_device
        self._open()
        target, stream = on_device.reshape(-1), self._cupy.cuda.get_current_stream()
        per_buffer = BUFFER // dtype.itemsize
        for turn, low in enumerate(range(0, len(flat), per_buffer)):
            part = flat[low : low + per_buffer]
            event, buffer = self._events[turn % BUFFERS], self._buffers[turn % BUFFERS]
            event.synchronize()  # until the GPU has fetched what was in it
            staged = buffer[: len(part) * dtype.itemsize].view(dtype)
            self._fill(staged, part)
            target[low : low + len(part)].set(staged, stream)
            event.record(stream)
        return on_device

    def _fill(self, staged: NDArray[Any], part: NDArray[Any]) -> None:
        cuts = np.linspace(0, len(part), PIECES + 1).astype(int)
        assert self._pool is not None  # noqa: S101 (it is open)
        for _ in self._pool.map(lambda a, b: np.copyto(staged[a:b], part[a:b], casting="same_kind"), cuts, cuts[1:]):
            pass

    def _open(self) -> None:
        if self._pool is None:
            cuda = self._cupy.cuda
            for _ in range(BUFFERS):
                memory = cuda.alloc_pinned_memory(BUFFER)
                self._buffers.append(np.frombuffer(memory, np.uint8, BUFFER))
                self._events.append(cuda.Event(block=True, disable_timing=True))
            self._pool = ThreadPoolExecutor(min(self._n_threads, PIECES), thread_name_prefix="tonmf-upload")
