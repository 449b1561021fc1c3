"""Check what an agent asks to read: only files in the folders that the user allows, after following links, and of bounded size.

Paths are compared after all links in them are resolved. What a folder or an archive holds is checked file by file, by the same
list of inputs that is read afterwards.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tonmf.errors import InputError
from tonmf.io.archives import ArchiveMember, Place, file_of, is_archive
from tonmf.io.arrow_files import size_of_arrow
from tonmf.io.contents import is_clutter
from tonmf.io.document_files import DocumentFiles
from tonmf.io.formats import FORMAT_OF, split_name
from tonmf.io.inputs import Input, find_inputs
from tonmf.io.options import ReadOptions
from tonmf.io.parquet import size_of_parquet
from tonmf.io.streams import opened
from tonmf.text.batches import size_of
from tonmf.wording import path_shown

NOT_READ = {"matrix": "a matrix", "database": "a database"}
"""Formats that refer to other files, or are opened in place, which agents have no business with."""

PER_DOCUMENT = 100
"""Size of a document beside its characters."""

MOST_FILES = 10_000
"""Files that a folder may hold."""

CHUNK = 1 << 20


@dataclass(frozen=True)
class Found:
    """A file or folder that may be read."""

    path: str
    is_folder: bool
    n_bytes: int | None


@dataclass(frozen=True)
class ReadFiles:
    """The documents of files, their ids, and notes on how they were read."""

    content: list[Any]
    ids: list[str]
    notes: list[str]


class Allowed:
    """The folders that an agent may read from.

    Parameters
    ----------
    folders : sequence of str
    max_size : int
        The most bytes to read at once, after decompression.
    """

    def __init__(self, folders: Sequence[str], max_size: int) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.max_size = max_size

    def resolve(self, path: str) -> str:
        """Return where a path really leads; raise `InputError` if that is not in an allowed folder.

        A path that does not begin with / is looked for in each of the folders. What lies outside and what does not exist get
        the same answer, so that nobody learns which files there are.
        """
        for folder in self.folders:
            try:
                real = os.path.realpath(os.path.join(folder, path), strict=True)
                mode = os.stat(real).st_mode
            except (OSError, ValueError):
                continue
            if self._contains(real) and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                return real
        raise InputError(
            f"{path_shown(path)} is not a file or folder in {self._named()}. Call list_files to see what can be read."
        )

    def entries(self, folder: str | None, most: int) -> tuple[list[Found], bool]:
        """Return what can be read in a folder, or in all allowed ones, folders first; and whether there is more."""
        roots = self.folders if folder is None else [self.resolve(folder)]
        found: list[Found] = []
        for root in roots:
            if not os.path.isdir(root):
                raise InputError(f"{path_shown(folder or root)} is a file, not a folder. Give it to detect or score.")
            for entry in sorted(os.scandir(root), key=lambda entry: (entry.is_file(), entry.name)):
                if is_clutter(entry.name) or not self._contains(os.path.realpath(entry.path)):
                    continue
                if entry.is_dir():
                    found.append(Found(entry.path, True, None))
                elif entry.is_file() and self._is_readable(entry.name):
                    found.append(Found(entry.path, False, entry.stat().st_size))
        return found[:most], len(found) > most

    def read(self, paths: Sequence[str], options: ReadOptions) -> ReadFiles:
        """Read files and folders; raise `InputError` if one is not allowed, or if they hold too much."""
        real = [self.resolve(path) for path in paths]
        for path in real:
            if os.path.isdir(path):
                self._check_number(path)
        inputs = find_inputs(real, None)
        self._check(inputs)
        content: list[Any] = []
        ids: list[str] = []
        files, size = DocumentFiles(real, options), 0
        for batch in files:
            size += sum(map(size_of, batch.content)) + PER_DOCUMENT * len(batch.ids)
            if size > self.max_size:
                raise self._too_much()
            content += batch.content
            ids += batch.ids
        return ReadFiles(content, ids, list(map(str, files.notes)))

    def _check(self, inputs: Sequence[Input]) -> None:
        """Reject inputs with a file that lies elsewhere, of a format that is not read here, or that is too large unpacked."""
        size = 0
        for source in inputs:
            if source.format in NOT_READ:
                raise InputError(
                    f"{source.name} is {NOT_READ[source.format]}, which is not read here. Give text, CSV, JSON lines, Parquet, "
                    "a workbook, mails or baskets."
                )
            for place in _places(source):
                path = file_of(place)
                if path is None or not self._contains(os.path.realpath(path)):
                    raise InputError(f"{source.name} holds a link that leads out of {self._named()}. Leave it out.")
                size += self._unpacked(place, source, self.max_size - size)
                if size > self.max_size:
                    raise self._too_much()

    def _unpacked(self, place: Place, source: Input, left: int) -> int:
        """Return the size of a file after decompression, as far as it is below what is left."""
        if isinstance(place, ArchiveMember):
            size = place.info.file_size
        elif place is None or not os.path.isfile(place):
            return 0
        elif zipfile.is_zipfile(place):  # a workbook
            with zipfile.ZipFile(place) as archive:
                size = sum(info.file_size for info in archive.infolist())
        else:
            size = os.path.getsize(place)
        if size > left:
            return size
        with opened(place, source.name) as file:
            if file.compression is not None:
                size = 0
                while size <= left and (chunk := file.stream.read(CHUNK)):
                    size += len(chunk)
        if size > left or source.format not in ("parquet", "arrow"):
            return size
        with opened(place, source.name) as file:  # which store once what many rows have
            of_values = size_of_parquet(file, left) if source.format == "parquet" else size_of_arrow(file, size, left)
        return max(size, of_values)

    def _check_number(self, folder: str) -> None:
        count = 0
        for _, _, files in os.walk(folder):
            count += len(files)
            if count > MOST_FILES:
                raise InputError(f"{path_shown(folder)} holds more than {MOST_FILES:,} files. Give a folder within it.")

    def _contains(self, real: str) -> bool:
        return any(real == folder or Path(real).is_relative_to(folder) for folder in self.folders)

    def _is_readable(self, name: str) -> bool:
        form = FORMAT_OF.get(split_name(name)[1])
        return is_archive(name) or (form is not None and form not in NOT_READ)

    def _named(self) -> str:
        return " or ".join(map(path_shown, self.folders))

    def _too_much(self) -> InputError:
        return InputError(
            f"These files hold more than the {self.max_size / 1e6:g} MB that may be read at once. Give fewer, or ask the user "
            "to start tonmf mcp with a larger --max-size."
        )


def _places(source: Input) -> Iterator[Place]:
    if source.members:
        yield from (place for _, place in source.members)
    else:
        yield source.path
