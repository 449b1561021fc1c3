"""Documents of files in batches, read as they are wanted and as often."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from queue import Empty, Full, Queue
from typing import Any, BinaryIO

from tonmf.errors import InputError, Param, sentences
from tonmf.io.columns import Chooser
from tonmf.io.inputs import Input, find_inputs
from tonmf.io.notes import Seen, Tally, note_on_repeated_ids
from tonmf.io.options import ReadOptions, check_options, check_options_fit
from tonmf.io.part import Part
from tonmf.io.reading import AS_USUAL, notes_of, read_input
from tonmf.io.streams import opened
from tonmf.text.batches import Batch
from tonmf.text.documents import TEXTS, note_on_copies

SOON = 5.0
"""Seconds to wait for the thread that reads when nobody wants more; what holds it up may never come."""

AHEAD = 4
"""Batches that are read before they are wanted."""


class DocumentFiles:
    """`tonmf.text.batches.Batches` of files, folders, patterns and standard input (``-``), read by `tonmf.io.reading`.

    Parameters
    ----------
    paths : sequence of str
        All must give documents of one kind, and none a matrix.
    options : ReadOptions
        How to read them.
    stdin : binary file, optional
        What to read in place of the process's standard input, which is copied to a temporary file to be read again.

    Attributes
    ----------
    notes : list of str
        What there is to tell the user, once the documents have been gone through.
    """

    def __init__(self, paths: Sequence[str], options: ReadOptions = AS_USUAL, stdin: BinaryIO | None = None) -> None:
        check_options(options)
        self._options, self.notes = options, list[str]()
        self._copies: list[Any] = []
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
        """Names, sizes and times of change; None if there was a standard input."""
        if self._copies:
            return None
        paths = [
            path
            for source in self._inputs
            for path in ([member for _, member in source.members] if source.members else [source.path])
        ]
        try:
            found = [(path, os.stat(path)) for path in paths if path is not None]
        except OSError as error:
            raise InputError(f"{error.filename} was there, and is no longer: {error.strerror}.") from error
        return [repr(self._options), *([path, stat.st_size, stat.st_mtime_ns] for path, stat in found)]

    def __iter__(self) -> Iterator[Batch]:
        """Batches from the first on, read by a thread that is a few of them ahead."""
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
        chooser, parts = Chooser(self._options), list[Part]()
        kinds: dict[str, str] = {}
        n_read = too_short = n_copies = 0
        ids_seen, texts_seen, repeated = Seen(), Seen(), Tally()

        def take(part: Part) -> None:
            nonlocal n_read, too_short, n_copies
            kinds.setdefault(part.kind, part.name)
            if len(kinds) > 1:
                (one, first), (other, second) = kinds.items()
                raise InputError(
                    f"Inputs must all be of one kind: {first} holds {one}, {second} {other}. Read them apart."
                )
            repeated.add_all(compress(part.ids, ids_seen.add(part.ids)))
            pairs = list(zip(part.ids, part.content, strict=True))
            least = self._options.min_words
            kept = [(i, d) for i, d in pairs if not least or len(d.split() if isinstance(d, str) else d) >= least]
            n_read, too_short = n_read + len(pairs), too_short + len(pairs) - len(kept)
            if part.kind == TEXTS:
                n_copies += int(texts_seen.add([document for _, document in kept]).sum())
            if kept:
                put(Batch([document_id for document_id, _ in kept], [document for _, document in kept]))

        for source in self._inputs:
            part = read_input(source, self._options, chooser, sink=take)
            part.hand_over()
            parts.append(part)
        check_options_fit(self._options, {part.format for part in parts})
        notes = [*notes_of(parts), *note_on_repeated_ids(repeated)]
        if not kinds:
            raise InputError(sentences(["Found no document.", *notes] if len(notes) > 1 else notes))
        if too_short == n_read:
            raise InputError(
                f"None of {n_read:,} documents has {self._options.min_words} words or more (", Param("min_words"), ")."
            )
        if too_short:
            notes.append(f"{too_short:,} documents have fewer than {self._options.min_words} words and were left out.")
        self.notes = [*notes, *note_on_copies(n_copies)]

    def _copied(self, source: Input, stdin: BinaryIO | None) -> Input:
        """The input, or a copy of it if it can be read only once."""
        if source.format == "files" or (source.path is not None and os.path.isfile(source.path)):
            return source
        copy = tempfile.NamedTemporaryFile(prefix="tonmf-stdin-")  # noqa: SIM115 (it is gone when the files are)
        if source.path is None:
            shutil.copyfileobj(stdin or sys.stdin.buffer, copy)
        else:  # a pipe, which can be read only once
            with opened(source.path, source.name) as pipe:
                shutil.copyfileobj(pipe.stream, copy)
        copy.flush()
        self._copies.append(copy)
        return replace(source, path=copy.name, members=())


class _NoLongerWanted(BaseException):
    """Ends a thread that reads documents nobody asks for; readers take no error of this kind for one of the file's."""


def _next(queue: Queue[Any], reader: threading.Thread) -> Any:
    """What comes next; a thread that is gone without a word is an error."""
    while True:
        try:
            return queue.get(timeout=1.0)
        except Empty:
            if not reader.is_alive() and queue.empty():
                raise RuntimeError("The thread that reads is gone.") from None
