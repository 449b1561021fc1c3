"""Marks that come over HTTP: kept in a file, whole or not at all, and applied to a model.

The file has a list of marks, in the order in which they were made: the id, the mark, or null for one that was taken back, and
the document if it was sent, as long as it is marked. What the file says is applied again when the model is loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.io.marks import MARKS
from tonmf.service.errors import ServiceError
from tonmf.service.model import ServedModel
from tonmf.storage.atomic import replacing
from tonmf.text.documents import COUNTS
from tonmf.wording import number_of, path_shown, shown

MOST_MARKS = 10_000
"""Marks on a model, at most."""


@dataclass(frozen=True)
class MarkChange:
    """A mark on a document, or None to take it back; the document may be known by its id, or have none."""

    name: str | None
    mark: str | None
    document: Any = None


class KeptMarks:
    """The marks on a model, and the file that keeps those that came over HTTP. It is used by one thread at a time."""

    def __init__(self, model: ServedModel, path: Path) -> None:
        self.model, self._path = model, path
        self._entries: dict[str, MarkChange] = {change.name or "": change for change in _read(path, model.kind)}
        self.model.detector, _ = _applied(self.model, list(self._entries.values()), self._entries)

    def change(self, changes: Sequence[MarkChange]) -> list[str]:
        """Make marks, or take them back; return the ids of the documents. On an error nothing has changed."""
        detector, names = _applied(self.model, changes, self._entries)
        if len(detector.marks_) > MOST_MARKS:
            raise ServiceError(413, f"There would be more than {number_of(MOST_MARKS, 'mark')}. Take some back first.")
        entries = dict(self._entries)
        for name, change in zip(names, changes, strict=True):
            before = entries.pop(name, None)
            document = before.document if change.document is None and before is not None else change.document
            entries[name] = MarkChange(name, change.mark, None if change.mark is None else document)
        _write(self._path, entries)
        self._entries, self.model.detector = entries, detector
        for name in names:
            self.model.waiting.pop(name, None)
        return names

    def expect(self, marks: Mapping[str, str]) -> None:
        """Take marks from a file of the user's, which keeps them: those on documents that are not known wait for these."""
        for name, mark in marks.items():
            try:
                self.model.detector, _ = _applied(self.model, [MarkChange(name, mark)], self._entries)
            except ServiceError:
                self.model.waiting[name] = mark

    def clear(self) -> None:
        """Take all marks back, those that wait too."""
        self.change([MarkChange(name, None) for name in self.model.detector.marks_])
        self.model.waiting.clear()

    def described(self) -> dict[str, Any]:
        """Return the marks, the threshold with them, and the marks that wait for their documents."""
        marks = dict(self.model.detector.marks_)
        counts = {mark: sum(one == mark for one in marks.values()) for mark in MARKS}
        return {
            "threshold": float(self.model.detector.threshold_),
            **counts,
            "marks": marks,
            "waiting": dict(self.model.waiting),
        }


def _applied(
    model: ServedModel, changes: Sequence[MarkChange], known: Mapping[str, MarkChange]
) -> tuple[TextOutlierDetector, list[str]]:
    """Return a detector with these changes, and the ids of the documents."""
    trial = ServedModel(copy(model.detector), model.provenance, model.columns)
    names: list[str] = []
    for run in _runs(changes, known):
        names += _apply_run(trial, run)
    return trial.detector, names


def _runs(changes: Sequence[MarkChange], known: Mapping[str, MarkChange]) -> list[list[MarkChange]]:
    """Join changes that the detector takes at once: named documents that are given, each once."""
    runs: list[list[MarkChange]] = []
    for asked in changes:
        change, before = asked, known.get(asked.name or "")
        if change.mark is not None and change.document is None and before is not None:
            change = MarkChange(change.name, change.mark, before.document)
        last = runs[-1] if runs else []
        if _joins(change) and last and _joins(last[-1]) and all(other.name != change.name for other in last):
            last.append(change)
        else:
            runs.append([change])
    return runs


def _joins(change: MarkChange) -> bool:
    return change.mark is not None and change.document is not None and change.name is not None


def _apply_run(model: ServedModel, run: Sequence[MarkChange]) -> list[str]:
    first, detector = run[0], model.detector
    if first.document is not None and first.mark is not None:
        return _mark_documents(model, run)
    if first.name is None:
        raise ServiceError(422, "A document without an id has no mark that could be taken back. Give its id.")
    if first.mark is None:
        if first.name in detector.marks_:
            detector.unmark([first.name])
        return [first.name]
    if detector.marks_.get(first.name) != first.mark:
        _mark_known(detector, first.name, first.mark)
    return [first.name]


def _mark_documents(model: ServedModel, run: Sequence[MarkChange]) -> list[str]:
    content = model.content([("", change.document) for change in run])
    for change, is_empty in zip(run, (model.detector.alarms(content)["empty"] > 0).tolist(), strict=True):
        if is_empty:
            which = "A document" if change.name is None else f"The document {shown(change.name)}"
            raise ServiceError(422, f"{which} has nothing that could be judged, so it cannot be marked.")
    if run[0].name is None:  # it is called by its content
        model.detector.mark(**{run[0].mark or "": [0]}, documents=content)
        return [list(model.detector.marks_)[-1]]
    named = [(change.name or "", change.document) for change in run]
    model.detector = model.mark(named, {change.name or "": change.mark or "" for change in run})
    return [name for name, _ in named]


def _mark_known(detector: TextOutlierDetector, name: str, mark: str) -> None:
    """Mark a training document by its id, if the detector has its row."""
    try:
        detector.mark(**{mark: [name]})
    except InputError as error:
        raise ServiceError(
            422, f"The server does not know a document {shown(name)}. Send the document with its id and mark."
        ) from error
    if name not in detector.marks_:
        raise ServiceError(422, f"The document {shown(name)} has nothing that could be judged, so it cannot be marked.")


def fingerprint_of(folder: str | Path) -> str:
    """Return what tells a saved model from any other: a digest of its files."""
    digest = hashlib.sha256()
    for path in sorted(Path(folder).iterdir()):
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def marks_in(path: Path) -> list[tuple[str, str]]:
    """Return the marks in a file that counts, without a model; none if there is no file."""
    return [(change.name, change.mark) for change in _read(path, "") if change.name and change.mark]


def _read(path: Path, kind: str) -> list[MarkChange]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["marks"]
        return [MarkChange(str(one["id"]), _checked(one["mark"]), _document(one["document"], kind)) for one in entries]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"The marks in {path_shown(str(path))} cannot be read. Bring the file back from a copy, or remove it to lose them."
        ) from error


def _checked(mark: Any) -> str | None:
    if mark is not None and mark not in MARKS:
        raise ValueError("no mark")
    found: str | None = mark
    return found


def _document(document: Any, kind: str) -> Any:
    """Return a document as it was; the numbers of columns are strings in JSON."""
    if kind == COUNTS and document is not None:
        return {int(column): float(count) for column, count in document.items()}
    return document


def _write(path: Path, entries: Mapping[str, MarkChange]) -> None:
    listed = [{"id": name, "mark": change.mark, "document": change.document} for name, change in entries.items()]
    with replacing(path) as temporary:
        temporary.write_text(json.dumps({"marks": listed}), encoding="utf-8")
