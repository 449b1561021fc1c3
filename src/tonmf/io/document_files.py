"""Read the documents of files in batches, as they are wanted and as often."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Full, Queue
from typing import Any, BinaryIO

from tonmf.errors import InputError, Param
from tonmf.io.archives import file_of
from tonmf.io.formats import ONE_EACH
from tonmf.io.inputs import Input, find_inputs
from tonmf.io.notes import SeenBefore
from tonmf.io.options import ReadOptions, check_options
from tonmf.io.part import Part
from tonmf.io.parts import read_parts
from tonmf.io.reading import AS_USUAL
from tonmf.io.streams import opened
from tonmf.text.batches import Batch
from tonmf.text.documents import TEXTS, note_on_copies

SOON = 5.0
"""Seconds to wait for the reading thread when nobody wants more; it may be stuck on input that never comes."""

AHEAD = 4
"""The most batches to read before they are wanted."""


class DocumentFiles:
    """`tonmf.text.batches.Batches` of files, folders, patterns and standard input (``-``).

    Parameters
    ----------
    paths : sequence of str
        All must give documents of one kind, and none a matrix.
    options : ReadOptions
        How to read them.
    stdin : binary file, optional
        What to read in place of the process's standard input. It is copied to a temporary file, to be read again.

    Attributes
    ----------
    notes : list of str
        Sentences for the user, once the documents have been read: which column was taken, what was left out, and so on.
    column_names : list of str or None
        Names of all columns and keys of the files, once the documents have been read, if they are to be kept.
    """

    def __init__(self, paths: Sequence[str], options: ReadOptions = AS_USUAL, stdin: BinaryIO | None = None) -> None:
        check_options(options)
        self._options, self.notes = options, list[str]()
        self.column_names: list[str] | None = None
        self._copies: list[Any] = []
        self._was_read = False
        self._inputs = [
            self._copied(source, stdin)
            for source in find_inputs([paths] if isinstance(paths, str) else paths, options.format)
        ]
        for source in self._inputs:
            if source.format == "matrix":
                raise InputError(
                    f"{source.name} is a matrix, which is read as a whole. Leave ", Param("memory"), " out."
                )

    @property
    def fingerprint(self) -> Any:
        """Return names, sizes and times of change; None if standard input was read."""
        if self._copies:
            return None
        paths = [
            path
            for source in self._inputs
            for path in ([member for _, member in source.members] if source.members else [source.path])
        ]
        files = [path for path in map(file_of, paths) if path is not None]
        try:
            found = [(path, os.stat(path)) for path in dict.fromkeys(files)]
        except OSError as error:
            raise InputError(f"{error.filename} has gone since the run began: {error.strerror}.") from error
        return [repr(self._options), *([path, stat.st_size, stat.st_mtime_ns] for path, stat in found)]

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches from the first on, read by a thread that stays a few of them ahead."""
        queue: Queue[Batch | BaseException | None] = Queue(AHEAD)
        stopped = threading.Event()

        def put(item: Batch | BaseException | None) -> None:
            while not stopped.is_set():
                try:
                    queue.put(item, timeout=0.1)
                except Full:
                    continue
                return
            raise _NoLongerWanted

        def read() -> None:
            try:
                self._read(put)
                put(None)
            except _NoLongerWanted:
                pass
            except BaseException as error:
                with suppress(_NoLongerWanted):
                    put(error)

        reader = threading.Thread(target=read, name="tonmf-reader", daemon=True)
        reader.start()
        try:
            while (item := _next(queue, reader)) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stopped.set()
            reader.join(SOON)

    def _read(self, put: Any) -> None:
        texts, n_copies = SeenBefore(), 0
        names: dict[str, None] = {}
        again = self._was_read

        def take(part: Part) -> None:
            nonlocal n_copies
            for row in part.rows:
                if not row.keys() <= names.keys():
                    names.update(dict.fromkeys(row))
            if part.kind == TEXTS and not again:
                n_copies += int(texts.add(part.content).sum())
            put(Batch(part.ids, part.content, part.rows or None))

        notes, _ = read_parts(self._inputs, self._options, take, in_batches=True, look_for_repeats=not again)
        if not again:  # what was noted the first time is not looked for again
            self.notes, self._was_read = [*notes, *note_on_copies(n_copies)], True
        self.column_names = list(names) if self._options.keep_columns else None

    def _copied(self, source: Input, stdin: BinaryIO | None) -> Input:
        """Return the input, or a copy of it if it can be read only once."""
        path = file_of(source.path)
        if source.format in ONE_EACH or (path is not None and (source.members or os.path.isfile(path))):
            return source
        copy = tempfile.NamedTemporaryFile(prefix="tonmf-stdin-")  # noqa: SIM115 (it is gone when the files are)
        if path is None:
            shutil.copyfileobj(stdin or sys.stdin.buffer, copy)
        else:  # a pipe, which can be read only once
            with opened(path, source.name) as pipe:
                shutil.copyfileobj(pipe.stream, copy)
        copy.flush()
        self._copies.append(copy)
        return replace(source, path=copy.name, members=())


class _NoLongerWanted(BaseException):
    """Ends the reading thread when nobody wants more. No reader takes a `BaseException` for an error of the file."""


def _next(queue: Queue[Any], reader: threading.Thread) -> Any:
    """Return the next item; raise an error if the thread has died without one."""
    while True:
        try:
            return queue.get(timeout=1.0)
        except Empty:
            if not reader.is_alive() and queue.empty():
                raise RuntimeError("The thread that reads is gone.") from None
