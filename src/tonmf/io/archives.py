"""Files in zip archives: list them, and open them where they are. Nothing is extracted, so no name can lead astray."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from tonmf.errors import InputError
from tonmf.wording import cannot, one_line, path_shown

ARCHIVES = (".zip",)
"""Extensions of archives."""

LARGE, LARGEST_RATIO = 1 << 30, 200
"""An archive of more bytes than the first is refused if it is packed more than this many times smaller: text never is."""

UNPACK = "Unpack it, and give the folder"


def is_archive(path: str) -> bool:
    """Return whether a file is an archive, by its name."""
    return os.path.splitext(path)[1].lower() in ARCHIVES


class ZipArchive:
    """A zip archive, which stays open until it is no longer needed."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
            raise InputError(
                f"{name}: expected a zip archive, but it cannot be read as one ({one_line(error)}). Get or make it again."
            ) from error
        except OSError as error:
            raise InputError(cannot("read", path, error)) from error
        self._check_size()

    def _check_size(self) -> None:
        packed, size = os.path.getsize(self.path), sum(info.file_size for info in self._zip.infolist())
        if size > LARGE and size > LARGEST_RATIO * packed:
            raise InputError(
                f"{self.name} would grow from {packed:,} to {size:,} bytes, as no documents do. If you trust it, unpack it, "
                "and give the folder."
            )

    def members(self) -> list[ArchiveMember]:
        """Return the files in the archive, by name."""
        found = {info.filename: ArchiveMember(self, info) for info in self._zip.infolist() if not info.is_dir()}
        return [found[name] for name in sorted(found)]

    @contextmanager
    def open(self, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
        """Open a file of the archive; raise `InputError` if that cannot be done."""
        inside = f"{path_shown(info.filename)} in {self.name}"
        if info.flag_bits & 0x1:
            raise InputError(f"{inside} is encrypted. Unpack the archive with its password, and give the folder.")
        try:
            file = self._zip.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
            raise InputError(f"{inside} cannot be read ({one_line(error)}). {UNPACK}, or make it again.") from error
        with file:
            yield file


@dataclass(frozen=True)
class ArchiveMember:
    """A file in an archive."""

    archive: ZipArchive
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """Return its path within the archive."""
        return self.info.filename


Place = str | ArchiveMember | None
"""Where an input is: a path, a file in an archive, or standard input."""


def name_in(place: Place) -> str:
    """Return the name that tells the format of an input, which may be empty."""
    return place.name if isinstance(place, ArchiveMember) else place or ""


def file_of(place: Place) -> str | None:
    """Return the path of the file that an input is read from, None for standard input."""
    return place.archive.path if isinstance(place, ArchiveMember) else place
