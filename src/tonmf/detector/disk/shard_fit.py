"""What a fit keeps of documents on disk: H in a file of which the current block is mapped, ρ and ω in memory."""

from __future__ import annotations

import mmap
import os
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.blocks import Block
from tonmf.storage.array_file import ArrayFile, write_arrays
from tonmf.storage.atomic import part_name, whole_or_nothing

DTYPE = np.dtype(np.float32)

ZEROS = 2**20
"""Bytes that are read or written at a time."""


class FitOnDisk:
    """H, ρ and ω of all documents.

    Parameters
    ----------
    path : Path
        The file of H.
    n_docs : int
    """

    def __init__(self, path: Path, n_docs: int) -> None:
        self._path, self._n_docs, self._n_topics = path, n_docs, 0
        self._rho = self._omega = np.zeros(0)
        self._n_measured = 0

    def begin(self, n_topics: int) -> None:
        """Set H to zero, and forget ρ and ω."""
        self._n_topics, self._n_measured = n_topics, 0
        self._rho, self._omega = np.zeros(self._n_docs), np.zeros(self._n_docs)
        _reserve(self._path, self._n_docs * n_topics * DTYPE.itemsize)

    @contextmanager
    def opened(self, block: Block) -> Iterator[None]:
        """Load H, ρ and ω into a block, and store them when it is done."""
        n_docs = len(block.squared_norms)
        here = slice(block.first, block.first + n_docs)
        mapped = block.H = self._map(self._path, self._n_topics, block.first, n_docs)
        known = here.stop <= self._n_measured
        if known:
            block.rho, block.omega, block.measured = self._rho[here], self._omega[here], True
        yield
        if block.H is not mapped:
            mapped[:] = block.H
        if block.measured and (not known or block.rho.base is not self._rho):
            self._rho[here], self._omega[here] = block.rho, block.omega
            self._n_measured = max(self._n_measured, here.stop)

    def keep_topics(self, kept: NDArray[np.bool_], stretches: Sequence[tuple[int, int]]) -> None:
        """Forget the other topics, some documents at a time: `stretches` are pairs of a first document and a number."""
        n_topics = int(kept.sum())
        with whole_or_nothing(self._path, part_name(self._path)) as narrower:
            _reserve(narrower, self._n_docs * n_topics * DTYPE.itemsize)
            for first, n_docs in stretches:
                rows = self._map(self._path, self._n_topics, first, n_docs)
                self._map(narrower, n_topics, first, n_docs)[:] = rows[:, kept]
        self._n_topics = n_topics

    def save(self, folder: Path) -> None:
        """Copy all of it to a folder."""
        shutil.copyfile(self._path, folder / "H")
        checksum = np.array([_checksum(folder / "H")])
        write_arrays(folder / "residuals", {"rho": self._rho, "omega": self._omega, "H": checksum})

    def restore(self, folder: Path, n_topics: int) -> None:
        """Load all of it from a folder."""
        residuals = ArrayFile(folder / "residuals")
        self._rho, self._omega = residuals.map("rho").copy(), residuals.map("omega").copy()
        H = folder / "H"
        of_one_size = H.exists() and H.stat().st_size == self._n_docs * n_topics * DTYPE.itemsize
        if not of_one_size or len(self._rho) != self._n_docs or _checksum(H) != int(residuals.map("H")[0]):
            raise residuals.damaged("H beside it is not what was written")
        shutil.copyfile(folder / "H", self._path)
        self._n_topics, self._n_measured = n_topics, self._n_docs

    def _map(self, path: Path, n_topics: int, first: int, n_docs: int) -> Array:
        """Map H of some documents; writing to it writes to the file."""
        shape = (n_docs, n_topics)
        if 0 in shape:
            return np.zeros(shape, DTYPE)
        start, length = (number * n_topics * DTYPE.itemsize for number in (first, n_docs))
        aside = start % mmap.ALLOCATIONGRANULARITY
        with path.open("rb+") as file:
            mapped = mmap.mmap(file.fileno(), length + aside, offset=start - aside)
        return np.frombuffer(mapped, DTYPE, n_docs * n_topics, aside).reshape(shape)


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(ZEROS):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def _reserve(path: Path, n_bytes: int) -> None:
    """Make a file of zeros with all its blocks allocated: writing to a mapped file on a full disk would end the process."""
    with path.open("wb") as file:
        if n_bytes and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
            return
        for start in range(0, n_bytes, ZEROS):
            file.write(bytes(min(ZEROS, n_bytes - start)))
