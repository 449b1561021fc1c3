"""Arrays in one file, memory-mapped one by one, with a checksum and no code.

A file has a magic word, the length and CRC-32 of the header, the header as JSON (name, dtype, shape and place of every array,
and the CRC-32 of all that follows), and the arrays.
"""

from __future__ import annotations

import json
import math
import mmap
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.storage.atomic import part_name, whole_or_nothing

MAGIC = b"tonmf-arrays-1\n\x00"
"""The start of every file."""

ALIGNMENT = 64
"""Arrays begin at multiples of this many bytes."""

LONGEST_HEADER = 2**20
KINDS = "biuf"


class DamagedFileError(InputError):
    """A file that tonmf wrote earlier was changed since."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file, whole or not at all."""
    places, checksum, offset = {}, 0, 0
    listed = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for name, array in listed.items():
        places[name] = {"type": array.dtype.str, "shape": list(array.shape), "place": offset}
        for part in _parts_of(array):
            checksum = zlib.crc32(part, checksum)
        offset += array.nbytes + -array.nbytes % ALIGNMENT
    header = json.dumps({"arrays": places, "crc32": checksum, "length": offset}).encode()
    header += b" " * (-(len(MAGIC) + 16 + len(header)) % ALIGNMENT)
    with whole_or_nothing(path, part_name(path)) as temporary, temporary.open("wb") as file:
        file.write(MAGIC + b"".join(n.to_bytes(8, "little") for n in (len(header), zlib.crc32(header))) + header)
        for array in listed.values():
            for part in _parts_of(array):
                file.write(part)


def _parts_of(array: NDArray[Any]) -> Iterator[memoryview | bytes]:
    """Yield the bytes of an array, and the padding up to the next."""
    if array.size:
        yield array.reshape(-1).view(np.uint8).data
    yield bytes(-array.nbytes % ALIGNMENT)


class ArrayFile:
    """A file of arrays. The first access checks the whole file against its checksum."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._header: dict[str, Any] | None = None
        self._start = 0

    def map(self, name: str) -> NDArray[Any]:
        """Map an array into memory, for as long as it is referenced; changes to it are not written to the file."""
        if self._header is None:
            self._header = self._checked()
        found = self._header["arrays"].get(name)
        if found is None:
            raise self.damaged(f"it has no array {name}")
        dtype, shape = np.dtype(found["type"]), tuple(found["shape"])
        if 0 in shape:
            return np.zeros(shape, dtype)
        start, length = self._start + found["place"], math.prod(shape) * dtype.itemsize
        aside = start % mmap.ALLOCATIONGRANULARITY
        try:
            with self.path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), length + aside, access=mmap.ACCESS_COPY, offset=start - aside)
        except (OSError, ValueError) as error:
            raise self.damaged(f"it cannot be read ({error})") from error
        return np.frombuffer(mapped, dtype, math.prod(shape), aside).reshape(shape)

    def damaged(self, what: str) -> DamagedFileError:
        """Return an error that says what is wrong with the file."""
        return DamagedFileError(
            f"{self.path} is damaged: {what}. Remove the folder {self.path.parent} and run again, from the documents."
        )

    def _checked(self) -> dict[str, Any]:
        try:
            with self.path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise self.damaged("it is no file of arrays")
                length, expected = (int.from_bytes(file.read(8), "little") for _ in range(2))
                written = file.read(min(length, LONGEST_HEADER))
                if zlib.crc32(written) != expected:
                    raise self.damaged("its header is not what was written (checksum)")
                header: dict[str, Any] = json.loads(written)
                self._check_header(header)
                self._start, checksum, n_bytes = file.tell(), 0, 0
                while chunk := file.read(2**20):
                    n_bytes += len(chunk)
                    checksum = zlib.crc32(chunk, checksum)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self.damaged(f"it cannot be read ({error})") from error
        if n_bytes != header["length"] or checksum != header["crc32"]:
            raise self.damaged("its contents are not what was written (checksum)")
        return header

    def _check_header(self, header: dict[str, Any]) -> None:
        """Raise an error if an array lies outside the file."""
        for name, found in header["arrays"].items():
            dtype, shape, place = np.dtype(found["type"]), found["shape"], found["place"]
            n_bytes = math.prod(shape) * dtype.itemsize
            sound = dtype.kind in KINDS and min(shape, default=0) >= 0 and place >= 0
            if not sound or place + n_bytes > header["length"]:
                raise self.damaged(f"its array {name} is not where it should be")
