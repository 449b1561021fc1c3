"""Snapshots of a watch: the detector and how far it has read, together, whole or not at all.

::

    FOLDER/latest                 the name of the last snapshot that is whole
    FOLDER/snapshot-000007/model  the detector, as `tonmf.bundles` writes it
    FOLDER/snapshot-000007/place.json
    FOLDER/lock                   held while a watch uses the folder

A snapshot is written under a new number and brought to the disk; then ``latest`` is replaced by rename, which is all or
nothing; then the others go. Whatever stops the process on the way, ``latest`` names a whole snapshot: the new one or the old.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from tonmf.detector import TextOutlierDetector
from tonmf.errors import InputError, TonmfError
from tonmf.io.atomic import replacing, to_disk
from tonmf.io.wording import cannot, path_shown
from tonmf.locks import hold
from tonmf.persist import load_detector
from tonmf.watching.following import HEAD, Place

LATEST, LOCK, MODEL, PLACE = "latest", "lock", "model", "place.json"
NAME = re.compile(r"snapshot-(\d{6,12})")


class Snapshots:
    """The snapshots in a folder, which is made if it is not there, and is this process's alone while it runs."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._lock = self._locked()

    def _locked(self) -> IO[str]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            strangers = [path.name for path in self.folder.iterdir() if not _is_ours(path.name)]
            if strangers:
                raise InputError(
                    f"{path_shown(str(self.folder))} is a folder with other things in it than snapshots, such as "
                    f"{path_shown(strangers[0])}. Give another name."
                )
            return hold(self.folder / LOCK)
        except BlockingIOError as error:
            raise InputError(
                f"Another watch keeps its snapshots in {path_shown(str(self.folder))}. Stop it, or give another folder."
            ) from error
        except OSError as error:
            raise InputError(cannot("written", str(self.folder), error)) from error

    def last(self) -> tuple[TextOutlierDetector, Place] | None:
        """The last snapshot, or None if there is none yet."""
        name = self._latest()
        if name is None:
            return None
        try:
            return load_detector(self.folder / name / MODEL), _read_place(self.folder / name / PLACE)
        except TonmfError as error:
            raise InputError(
                f"The snapshot in {path_shown(str(self.folder / name))} cannot be used: {error} To begin anew, remove "
                f"{path_shown(str(self.folder))}."
            ) from error

    def _latest(self) -> str | None:
        try:
            name = (self.folder / LATEST).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(f"{path_shown(str(self.folder / LATEST))} cannot be read: {error}.") from error
        if NAME.fullmatch(name) is None:
            raise InputError(
                f"{path_shown(str(self.folder / LATEST))} names no snapshot: {name!r:.60}. Remove the folder."
            )
        return name

    def write(self, detector: TextOutlierDetector, place: Place) -> None:
        """Keep detector and place; `InputError` if that cannot be, and then the last snapshot is still there."""
        before = self._latest()
        numbers = [int(found[1]) for path in self._all() if (found := NAME.fullmatch(path.name))]
        target = self.folder / f"snapshot-{max(numbers, default=0) + 1:06d}"
        try:
            target.mkdir()
            detector.save(target / MODEL)
            (target / PLACE).write_text(json.dumps(asdict(place)), encoding="utf-8")
            for path in (target / MODEL).iterdir():
                to_disk(path)
            for path in (target / PLACE, target / MODEL, target, self.folder):
                to_disk(path)
            with replacing(self.folder / LATEST) as temporary:
                temporary.write_text(target.name, encoding="utf-8")
            to_disk(self.folder)
        except OSError as error:
            self._remove_all_but(before)
            raise InputError(cannot("written", str(target), error)) from error
        except BaseException:
            self._remove_all_but(self._latest())
            raise
        self._remove_all_but(target.name)

    def _all(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if NAME.fullmatch(path.name)]

    def _remove_all_but(self, name: str | None) -> None:
        for path in self._all():
            if path.name != name:
                shutil.rmtree(path, ignore_errors=True)
        for unfinished in self.folder.glob(".*"):  # left by a process that was killed while it replaced the latest
            unfinished.unlink(missing_ok=True)

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.close()


def _is_ours(name: str) -> bool:
    return name in (LATEST, LOCK) or NAME.fullmatch(name) is not None or name.startswith(".")


def _read_place(path: Path) -> Place:
    try:
        fields: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path_shown(str(path))} cannot be read: {error}.") from error
    numbers = {"offset": 2**62, "lines": 2**62, "n_head": HEAD}
    fits = isinstance(fields, dict) and fields.keys() == {*numbers, "head"} and isinstance(fields["head"], str)
    if not fits or not all(type(fields[name]) is int and 0 <= fields[name] <= most for name, most in numbers.items()):
        raise InputError(f"{path_shown(str(path))} does not say where to go on.")
    return Place(**fields)
