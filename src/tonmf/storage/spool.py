"""Records that do not fit into memory: they are written to a temporary file in any order, and read by their numbers."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path

import numpy as np

from tonmf.errors import InputError


class Spool:
    """Records of bytes, by number. Nobody else sees the file, and it is gone when this object is.

    Parameters
    ----------
    n_records : int
    folder : str or Path, optional
        Where the file is; by default where the system has its temporary files.

    Examples
    --------
    >>> spool = Spool(2)
    >>> spool.put(1, b"second"), spool.put(0, b"first")
    (None, None)
    >>> spool.get(0), spool.get(1)
    (b'first', b'second')
    """

    def __init__(self, n_records: int, folder: str | Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(prefix="tonmf-", dir=folder)  # noqa: SIM115 (it is gone when this is)
        self._ends = np.zeros((n_records, 2), np.int64)
        self._written = 0
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return len(self._ends)

    def put(self, number: int, record: bytes) -> None:
        """Write a record."""
        try:
            self._file.write(record)
        except OSError as error:
            raise InputError(f"A temporary file for the report cannot be written: {error.strerror}.") from error
        self._ends[number] = self._written, self._written + len(record)
        self._written += len(record)

    def get(self, number: int) -> bytes:
        """Read a record; one that was never written is empty."""
        self._file.flush()
        start, end = self._ends[number].tolist()
        return os.pread(self._file.fileno(), end - start, start)
