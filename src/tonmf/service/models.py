"""The models that are served, each by its name: loaded, and loaded anew when their folders change.

One comes from the command line; the others are the saved models in a folder, each called as its own folder there. One of all
is the served one, which answers where no name is given. Which one that is, is kept in the folder, in ``served.json``, for as
long as the server is started with the same model: whoever starts it with another wants that one to be served.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tonmf.errors import InputError, Param
from tonmf.service.errors import ServiceError
from tonmf.service.job_store import now
from tonmf.service.marks import KeptMarks, fingerprint_of
from tonmf.service.model import ServedModel
from tonmf.storage.atomic import hidden_name, replacing, to_disk, whole_or_nothing
from tonmf.storage.bundles import check_is_model
from tonmf.wording import one_line, path_shown, shown

log = logging.getLogger("tonmf.service")

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a model may be called: a name for a folder, and a part of an address."""

NAMES = "up to 64 letters, digits, dots, dashes and underscores, of which the first is a letter or a digit"

MOST_MODELS = 50
"""Models in the folder that are served, at most; each takes memory."""

SERVED = "served.json"

Signature = tuple[tuple[str, int, int], ...]
"""What changes with the files of a model: their names, sizes and times."""


@dataclass(frozen=True)
class Served:
    """A model at an address of its own, with its marks; `loaded` says when."""

    name: str
    path: Path
    signature: Signature
    fingerprint: str
    kept: KeptMarks
    loaded: str = field(default_factory=now)

    @property
    def model(self) -> ServedModel:
        """Return the model itself."""
        return self.kept.model


class Models:
    """The models by name.

    Parameters
    ----------
    first : Path
        The model of the command line.
    folder : Path
        The folder of the others, which is made once there is one.
    marks_of : callable
        Returns the file of the marks on a model, by its fingerprint.
    threads, embedder : as in `ServedModel.load`
    """

    def __init__(
        self,
        first: Path,
        folder: Path,
        marks_of: Callable[[str], Path],
        threads: int | None = None,
        embedder: str | None = None,
    ) -> None:
        self.folder, self._first_path, self._marks_of = folder, first, marks_of
        self._threads, self._embedder = threads, embedder
        self.problems: dict[str, str] = {}
        self._failed: dict[str, Signature] = {}
        self._seen: dict[str, Signature] = {}
        self._served: dict[str, Served] = {}
        self.default = self.first = name_for(first)
        loaded = self.load(self.first, first)
        self._fingerprint = loaded.fingerprint
        self.take(loaded)
        for name, path in self.paths().items():
            if name != self.first and (other := self.try_to_load(name, path)) is not None:
                self.take(other)
        self.default = self._chosen()

    def __iter__(self) -> Iterator[Served]:
        """Iterate over the models by name."""
        return iter([self._served[name] for name in sorted(self._served)])

    def __contains__(self, name: str) -> bool:
        return name in self._served

    def find(self, name: str | None = None) -> Served:
        """Return the model with a name, or the one that is served."""
        wanted = self.default if name is None else name
        if wanted not in self._served:
            raise ServiceError(404, f"There is no model {shown(wanted)}. GET /v1/models lists those that there are.")
        return self._served[wanted]

    def paths(self) -> dict[str, Path]:
        """Return the folders of the models that there are on disk now."""
        paths = {self.first: self._first_path}
        try:
            entries = sorted(self.folder.iterdir())
        except OSError:
            return paths
        found = [entry for entry in entries if NAME.fullmatch(entry.name) and _is_model(entry)]
        return {entry.name: entry for entry in found[:MOST_MODELS]} | paths

    def load(self, name: str, path: Path) -> Served:
        """Load a model with its marks."""
        check_is_model(path)
        signature = signature_of(path)
        fingerprint = fingerprint_of(path)
        for other in self:
            if other.fingerprint == fingerprint:  # the same model under another name has the same marks
                return Served(name, path, signature, fingerprint, other.kept)
        model = ServedModel.load(str(path), self._threads, self._embedder)
        return Served(name, path, signature, fingerprint, KeptMarks(model, self._marks_of(fingerprint)))

    def try_to_load(self, name: str, path: Path) -> Served | None:
        """Load a model; if it cannot be, say why in the log and in the list, and let an earlier one answer."""
        before = signature_of(path)
        try:
            return self.load(name, path)
        except Exception as error:  # whatever is in the folder, the other models go on
            log.warning("the model %s cannot be loaded: %s", name, one_line(error))
            self._failed[name] = before
            self.problems[name] = "It cannot be loaded. The server's log says why."
            return None

    def take(self, loaded: Served) -> None:
        """Answer by a model that was loaded from now on."""
        self.problems.pop(loaded.name, None)
        self._failed.pop(loaded.name, None)
        self._served[loaded.name] = loaded

    def look(self) -> dict[str, tuple[Path, Signature]]:
        """Return the models that there are on disk, and what changes with their files."""
        return {name: (path, signature_of(path)) for name, path in self.paths().items()}

    def changed(self, found: Mapping[str, tuple[Path, Signature]]) -> list[tuple[str, Path]]:
        """Return the models to load: those whose files changed, and have stayed the same since the last look.

        Forget those whose folders are gone, but for the one that is served and that of the command line.
        """
        for name in [*self._served, *self.problems]:
            if name not in found and name not in (self.first, self.default):
                self.forget(name)
        to_load = []
        for name, (path, signature) in found.items():
            held = self._served.get(name)
            is_settled, is_other = self._seen.get(name) == signature, held is None or held.signature != signature
            if signature and is_settled and is_other and self._failed.get(name) != signature:
                to_load.append((name, path))
        self._seen = {name: signature for name, (_, signature) in found.items()}
        return to_load

    def forget(self, name: str) -> None:
        """Answer by a model no longer."""
        for known in (self._served, self.problems, self._failed):
            known.pop(name, None)
        log.info("the model %s is gone", name)

    def serve(self, name: str) -> Served:
        """Make a model the one that answers where no name is given."""
        chosen = self.find(name)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(self.folder / SERVED) as temporary:
            temporary.write_text(json.dumps({"name": name, "started_with": self._fingerprint}), encoding="utf-8")
        self.default = name
        return chosen

    def add(self, name: str, save: Callable[[Path], None]) -> Path:
        """Write a model that a function saves into the folder, whole or not at all; return where it is."""
        check_name(name)
        target = self.folder / name
        if len(self._served) > MOST_MODELS:
            raise ServiceError(429, f"There are {MOST_MODELS} models in the folder already. Delete one first.")
        if name in self._served or target.exists():
            raise ServiceError(409, f"There is a model {shown(name)} already. Choose another name, or delete that one.")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with whole_or_nothing(target, hidden_name(target), durable=True) as temporary:
            save(temporary)
        to_disk(self.folder)
        return target

    def remove(self, name: str) -> None:
        """Delete a model and its folder, unless it is served or comes from the command line."""
        self.find(name)
        if name == self.first:
            raise ServiceError(409, "The server was started with this model, so it cannot be deleted here.")
        if name == self.default:
            raise ServiceError(409, "This is the served model. Serve another one first.")
        gone = hidden_name(self.folder / name)
        with suppress(FileNotFoundError):
            (self.folder / name).rename(gone)
        self.forget(name)
        shutil.rmtree(gone, ignore_errors=True)

    def _chosen(self) -> str:
        """Return the name of the model that was last made the served one, by a server that was started with the same."""
        try:
            kept: Any = json.loads((self.folder / SERVED).read_text(encoding="utf-8"))
            name, began = kept["name"], kept["started_with"]
        except (OSError, ValueError, TypeError, KeyError):
            return self.first
        return name if began == self._fingerprint and name in self._served else self.first


def check_name(name: str) -> None:
    """Reject a name that is none for a folder and an address."""
    if not NAME.fullmatch(name):
        raise ServiceError(422, f"{shown(name)} cannot be the name of a model: expected {NAMES}.")


def name_for(path: Path) -> str:
    """Return the name of a model in a folder of any name.

    >>> name_for(Path("models/news 2026"))
    'news-2026'
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(os.path.realpath(path)).name).strip("-._")[:64]
    return name or "model"


def signature_of(path: Path) -> Signature:
    """Return what changes with the files of a model; nothing if it is not there."""
    found = []
    try:
        for file in sorted(path.rglob("*")):
            status = file.stat()
            found.append((file.relative_to(path).as_posix(), status.st_size, status.st_mtime_ns))
    except OSError:  # it is being replaced
        return ()
    return tuple(found)


def _is_model(folder: Path) -> bool:
    try:
        check_is_model(folder)
    except (InputError, OSError):
        return False
    return True


def check_folder(folder: Path) -> None:
    """Reject a folder of models that is a file."""
    if folder.exists() and not folder.is_dir():
        raise InputError(
            f"{path_shown(str(folder))} is no folder. Give a folder of models with ", Param("models_folder"), "."
        )
