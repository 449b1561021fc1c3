"""Embeddings on disk, so that no text is embedded twice by the same model.

One SQLite file holds, for each text and model, a digest of the text and its row, never the text itself. Every write is a
transaction, so several processes can use the file at once, and a kill costs only the rows not yet written. The file is
opened for each read and write, so an `EmbeddingCache` can be copied to other threads and processes. Beyond `LARGEST` bytes
the rows that were written first go. The journal is SQLite's default, since the faster one does not work on network drives.

A model is known by its name and its probe (`tonmf.embed.probe`): another model under the same name gets rows of its own.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from tonmf.embed.probe import same_model
from tonmf.wording import one_line, path_shown

if TYPE_CHECKING:
    import sqlite3

FILE = "embeddings-1.sqlite"
"""The name of the file, with the version of its tables."""

LARGEST = 4 * 2**30
"""Bytes beyond which the oldest tenth of the rows goes."""

AT_ONCE = 500
"""Texts that are looked up by one query; SQLite allows 999 values in one."""

PATIENCE = 60
"""Seconds to wait for another process that writes."""

TABLES = """
CREATE TABLE IF NOT EXISTS models (id TEXT PRIMARY KEY, name TEXT NOT NULL, probe BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY, model TEXT NOT NULL, text BLOB NOT NULL, cut INTEGER, vector BLOB NOT NULL, UNIQUE (model, text)
);
"""

Known = dict[str, tuple[NDArray[np.float32], bool | None]]
"""For each text its row, and whether the model read only its beginning; None if that is unknown."""

Result = TypeVar("Result")


class EmbeddingCache:
    """The embeddings of one model in the file of a folder. A file that cannot be used costs a warning, never an error."""

    def __init__(self, folder: Path, name: str, probe: NDArray[np.float32]) -> None:
        self.path = folder / FILE
        self._name = name
        self._probe = np.ascontiguousarray(probe, np.float32)
        self._usable = True
        self._id = secrets.token_hex(8)
        self._id = self._run(self._own_id) or self._id

    def read(self, texts: Sequence[str]) -> Known:
        """Return what is known of texts."""
        return self._run(lambda file: dict(self._select(file, texts))) or {}

    def write(self, known: Known) -> None:
        """Add rows."""
        self._run(lambda file: self._insert(file, known))

    def _own_id(self, file: sqlite3.Connection) -> str:
        """Return the id under which the model is known, or make a random one known.

        Random, so that rows can never be taken for those of another model, even if the file is deleted in between.
        """
        if found := self._find_model(file):
            return found
        file.execute("BEGIN IMMEDIATE")  # of several processes that come to this point, one goes on
        with file:
            found = self._find_model(file)
            if not found:
                self._register(file)
        return found or self._id

    def _find_model(self, file: sqlite3.Connection) -> str | None:
        shape, size = self._probe.shape, self._probe.nbytes
        for number, probe in file.execute("SELECT id, probe FROM models WHERE name = ?", (self._name,)):
            if len(probe) == size and same_model(np.frombuffer(probe, np.float32).reshape(shape), self._probe):
                return str(number)
        return None

    def _register(self, file: sqlite3.Connection) -> None:
        file.execute("INSERT OR IGNORE INTO models VALUES (?, ?, ?)", (self._id, self._name, self._probe.tobytes()))

    def _select(
        self, file: sqlite3.Connection, texts: Sequence[str]
    ) -> Iterator[tuple[str, tuple[NDArray[np.float32], bool | None]]]:
        by_digest = {_digest(text): text for text in texts}
        digests = list(by_digest)
        for start in range(0, len(digests), AT_ONCE):
            wanted = digests[start : start + AT_ONCE]
            query = (
                f"SELECT text, cut, vector FROM vectors WHERE model = ? AND text IN ({', '.join('?' * len(wanted))})"  # noqa: S608
            )
            for digest, cut, vector in file.execute(query, (self._id, *wanted)):
                if len(vector) == self._probe[0].nbytes and np.isfinite(row := np.frombuffer(vector, np.float32)).all():
                    yield by_digest[digest], (row, None if cut is None else bool(cut))

    def _insert(self, file: sqlite3.Connection, known: Known) -> None:
        rows = [(self._id, _digest(text), cut, row.tobytes()) for text, (row, cut) in known.items()]
        with file:
            self._register(file)  # again, should the file have been deleted
            file.executemany("INSERT OR REPLACE INTO vectors (model, text, cut, vector) VALUES (?, ?, ?, ?)", rows)
            while _size(file) > LARGEST:
                first, last = file.execute("SELECT min(number), max(number) FROM vectors").fetchone()
                if first is None:
                    break
                file.execute("DELETE FROM vectors WHERE number <= ?", (first + (last - first) // 10,))

    def _run(self, use: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Return the result of `use`; None if the file cannot be used."""
        import sqlite3

        if not self._usable:
            return None
        try:
            return self._opened(use)
        except (sqlite3.OperationalError, OSError) as error:  # locked, read-only, a full disk
            self._usable = False
            self._warn(f"cannot be used: {one_line(error)}. Embeddings are not kept.")
        except sqlite3.DatabaseError as error:
            self._warn(f"is damaged: {one_line(error)}. It is begun anew, and texts are embedded again.")
            self._delete()
        return None

    def _opened(self, use: Callable[[sqlite3.Connection], Result]) -> Result:
        import sqlite3

        self.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # embeddings tell something about private texts
        with closing(sqlite3.connect(self.path, timeout=PATIENCE)) as file:
            file.executescript(f"PRAGMA synchronous = NORMAL; {TABLES}")
            return use(file)

    def _delete(self) -> None:
        try:
            for path in (self.path, self.path.with_name(FILE + "-journal")):
                path.unlink(missing_ok=True)
        except OSError:
            self._usable = False

    def _warn(self, what: str) -> None:
        warnings.warn(f"The cache of embeddings {path_shown(str(self.path))} {what}", stacklevel=5)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8"), digest_size=16).digest()


def _size(file: sqlite3.Connection) -> int:
    """Return the bytes in use."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(file.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size
