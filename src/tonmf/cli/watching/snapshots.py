"""Snapshots of a watch, to resume from: detector, new topics, pending documents and place together, whole or not at all.

::

    FOLDER/latest                        name of the last complete snapshot
    FOLDER/lock                          held while a watch uses the folder
    FOLDER/snapshot-000007/model         the detector, as a bundle (`tonmf.storage.bundles`)
    FOLDER/snapshot-000007/nursery       strange documents among which new topics are searched for, also as a bundle
    FOLDER/snapshot-000007/pending.json  documents that were answered, and wait for their batch to be complete
    FOLDER/snapshot-000007/marks.json    marks that were heard of, and the documents that others may be of, if there are marks
    FOLDER/snapshot-000007/place.json    how far the input has been read, and its columns

A snapshot is written under a new number and flushed to the disk; then ``latest`` is replaced by a rename, which is atomic; then
the others are removed. Wherever the process is stopped, ``latest`` names a complete snapshot, the new one or the old.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from tonmf.cli.watching.documents import ScoredDocument, WatchedDocument
from tonmf.cli.watching.following import HEAD, Place
from tonmf.cli.watching.marks import MarksMemory
from tonmf.cli.watching.new_topics import NewTopics
from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError, TonmfError
from tonmf.io.columns import Columns
from tonmf.persist import load_detector
from tonmf.storage.atomic import part_name, remove, replacing, whole_or_nothing
from tonmf.storage.locks import hold
from tonmf.stream.times import moment_of
from tonmf.text.documents import TEXTS, without_surrogates
from tonmf.wording import cannot, path_shown

LATEST, LOCK, MODEL, NURSERY = "latest", "lock", "model", "nursery"
PENDING, MARKS, PLACE = "pending.json", "marks.json", "place.json"
NAME = re.compile(r"snapshot-(\d{6,12})")
UNFINISHED = re.compile(r"\.[0-9a-f]{16}|snapshot-\d{6,12}\.part")
"""Leftovers of a process that was killed while it wrote a snapshot or replaced ``latest``."""


@dataclass(frozen=True)
class Snapshot:
    """A point to resume from.

    `columns` is None if none were chosen yet, `new_topics` if none were searched for, `marks` if there was no file of them.
    """

    detector: TextOutlierDetector
    place: Place
    columns: Columns | None
    new_topics: NewTopics | None
    pending: Sequence[ScoredDocument] = ()
    marks: MarksMemory | None = None


class Snapshots:
    """The snapshots in a folder, which is created if need be and locked while this process runs."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._lock = self._locked_folder()

    def _locked_folder(self) -> IO[str]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            strangers = [path.name for path in self.folder.iterdir() if not _is_ours(path.name)]
            if strangers:
                raise InputError(
                    f"{path_shown(str(self.folder))} has other things in it than snapshots, such as "
                    f"{path_shown(strangers[0])}. Give another folder."
                )
            return hold(self.folder / LOCK)
        except BlockingIOError as error:
            raise InputError(
                f"Another watch uses {path_shown(str(self.folder))} for its snapshots. Stop it, or give another folder."
            ) from error
        except OSError as error:
            raise InputError(cannot("written", str(self.folder), error)) from error

    def last(self, new_topics: bool) -> Snapshot | None:
        """Read the last snapshot, None if there is none yet; `new_topics` says whether to read the nursery, too."""
        name = self._latest()
        if name is None:
            return None
        snapshot, what = self.folder / name, "start over"
        try:
            detector = load_detector(snapshot / MODEL)
            place, columns, has_nursery = _read_place(snapshot / PLACE, detector.kind_)
            pending = _read_pending(snapshot / PENDING, detector.kind_)
            marks = _read_marks(snapshot / MARKS, detector.kind_)
            what = "go on without new topics, give --no-new-topics; to start over"
            found = NewTopics.load(snapshot / NURSERY, detector) if new_topics and has_nursery else None
        except TonmfError as error:
            raise InputError(
                f"The snapshot in {path_shown(str(snapshot))} cannot be used: ",
                error.message,
                f" To {what}, remove {path_shown(str(self.folder))}.",
            ) from error
        return Snapshot(detector, place, columns, found, pending, marks)

    @property
    def exist(self) -> bool:
        """Return whether there is a snapshot to resume from."""
        return (self.folder / LATEST).exists()

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

    def write(self, snapshot: Snapshot) -> None:
        """Write a snapshot; if that fails, raise `InputError` and leave the last one as it was."""
        numbers = [int(found[1]) for path in self._all() if (found := NAME.fullmatch(path.name))]
        target = self.folder / f"snapshot-{max(numbers, default=0) + 1:06d}"
        try:
            with whole_or_nothing(target, part_name(target), durable=True) as here:
                here.mkdir()
                snapshot.detector.save(here / MODEL)
                if snapshot.new_topics is not None:
                    snapshot.new_topics.save(here / NURSERY)
                (here / PENDING).write_text(json.dumps(_pending_fields(snapshot)), encoding="utf-8")
                if snapshot.marks is not None:
                    (here / MARKS).write_text(json.dumps(snapshot.marks.to_dict()), encoding="utf-8")
                (here / PLACE).write_text(json.dumps(_place_fields(snapshot)), encoding="utf-8")
            with replacing(self.folder / LATEST) as temporary:
                temporary.write_text(target.name, encoding="utf-8")
        except BaseException as error:
            self._remove_all_but(self._latest())
            if isinstance(error, OSError):
                raise InputError(cannot("written", str(target), error)) from error
            raise
        self._remove_all_but(target.name)

    def _all(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if NAME.fullmatch(path.name)]

    def _remove_all_but(self, name: str | None) -> None:
        for path in self._all():
            if path.name != name:
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.iterdir():
            if UNFINISHED.fullmatch(path.name):
                remove(path)

    def close(self) -> None:
        """Unlock the folder."""
        self._lock.close()


def _is_ours(name: str) -> bool:
    return name in (LATEST, LOCK) or NAME.fullmatch(name) is not None or UNFINISHED.fullmatch(name) is not None


def _place_fields(snapshot: Snapshot) -> dict[str, Any]:
    columns = snapshot.columns
    return {
        **asdict(snapshot.place),
        "columns": None if columns is None else _columns_fields(columns),
        "nursery": snapshot.new_topics is not None,
    }


def _read_place(path: Path, kind: str) -> tuple[Place, Columns | None, bool]:
    """Read the place, the columns, and whether there is a nursery."""
    fields = _read_json(path)
    numbers = {"offset": 2**62, "lines": 2**62, "n_head": HEAD}
    names = {*numbers, "head", "columns", "nursery"}
    fits = isinstance(fields, dict) and fields.keys() == names and isinstance(fields["head"], str)
    if not fits or not all(type(fields[name]) is int and 0 <= fields[name] <= most for name, most in numbers.items()):
        raise InputError(f"{path_shown(str(path))} does not say where to resume.")
    columns, has_nursery = fields.pop("columns"), fields.pop("nursery")
    if not _is_columns(columns) or type(has_nursery) is not bool:
        raise InputError(f"{path_shown(str(path))} does not say which columns were read.")
    return Place(**fields), None if columns is None else _columns(columns, kind), has_nursery


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path_shown(str(path))} cannot be read: {error}.") from error


def _pending_fields(snapshot: Snapshot) -> list[dict[str, Any]]:
    return [
        {"id": document.id, "content": document.content, "seconds": document.seconds, "score": score}
        for document, score in snapshot.pending
    ]


def _read_pending(path: Path, kind: str) -> list[ScoredDocument]:
    """Read the documents that were answered, and wait for their batch to be complete."""
    fields = _read_json(path)
    if not isinstance(fields, list) or not all(_is_pending(one, kind) for one in fields):
        raise InputError(f"{path_shown(str(path))} does not hold documents ({kind}) with ids, times and scores.")
    return [
        ScoredDocument(WatchedDocument(one["id"], one["content"], None, one["seconds"]), one["score"]) for one in fields
    ]


def _is_pending(value: Any, kind: str) -> bool:
    if not isinstance(value, dict) or value.keys() != {"id", "content", "seconds", "score"}:
        return False
    if not _are_texts([value["id"]]) or not _is_content(value["content"], kind):
        return False
    seconds, score = value["seconds"], value["score"]
    numbers = all(type(number) in (int, float) and math.isfinite(number) for number in (seconds, score))
    return numbers and moment_of(seconds) is not None


def _is_content(value: Any, kind: str) -> bool:
    return _are_texts([value] if kind == TEXTS else value)


def _are_texts(values: Any) -> bool:
    if not isinstance(values, list):
        return False
    return all(isinstance(text, str) and text == without_surrogates(text) for text in values)


def _read_marks(path: Path, kind: str) -> MarksMemory | None:
    """Read what is known of marks; None if the watch had none."""
    if not path.exists():
        return None
    try:
        return MarksMemory.from_dict(_read_json(path), lambda content: _is_content(content, kind))
    except ValueError as error:
        raise InputError(f"{path_shown(str(path))} does not hold marks, and documents ({kind}) with ids.") from error


def _columns_fields(columns: Columns) -> dict[str, Any]:
    """Return the columns as JSON; a single text column by its name, as in snapshots of earlier versions."""
    return {"text": columns.text[0] if len(columns.text) == 1 else list(columns.text), "id": columns.id}


def _columns(fields: dict[str, Any], kind: str) -> Columns:
    text = fields["text"]
    return Columns((text,) if isinstance(text, str) else tuple(text), fields["id"], kind)


def _is_columns(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or value.keys() != {"text", "id"} or not isinstance(value["id"], str | None):
        return False
    texts = value["text"] if isinstance(value["text"], list) else [value["text"]]
    return bool(texts) and all(isinstance(text, str) for text in texts)
