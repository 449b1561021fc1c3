"""Marks that are given while a watch runs, in a file that grows (`tonmf.io.marks`), and the documents that they may be of.

A mark counts from the next document on. It may be of a document that the detector has a mark on already, of one that was
watched lately, or of one that is still to come: that one is marked as soon as it was answered. The file need not exist yet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tonmf.cli.watching.documents import WatchedDocument
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.quotes import listed
from tonmf.io.marks import MARKS, TAKEN_BACK, marks_so_far
from tonmf.text.batches import size_of
from tonmf.text.documents import without_surrogates
from tonmf.wording import cannot, number_of, path_shown

MOST_RECENT, MOST_CHARACTERS = 1000, 4 * 2**20
"""Latest documents that can still be marked, of the flagged ones and of the others, and how long they may be together."""

NAMED = 3
"""Ids that a note names."""

Content = str | list[str]


class Shelf:
    """The latest documents, as many as fit."""

    def __init__(self, documents: Iterable[tuple[str, Content]] = ()) -> None:
        self._documents: dict[str, Content] = {}
        self._size = 0
        for name, content in documents:
            self.add(name, content)

    def add(self, name: str, content: Content) -> None:
        """Add a document in place of one of the same id, and drop the oldest if there are too many."""
        self.remove(name)
        self._documents[name] = content
        self._size += size_of(content)
        while len(self._documents) > MOST_RECENT or (self._size > MOST_CHARACTERS and len(self._documents) > 1):
            self.remove(next(iter(self._documents)))

    def remove(self, name: str) -> None:
        """Remove a document, if it is here."""
        if name in self._documents:
            self._size -= size_of(self._documents.pop(name))

    def get(self, name: str) -> Content | None:
        """Return a document; None if it is not here."""
        return self._documents.get(name)

    def listed(self) -> list[tuple[str, Content]]:
        """Return all documents, the oldest first."""
        return list(self._documents.items())


@dataclass(frozen=True)
class MarksMemory:
    """Hold what is known of marks, for snapshots too.

    ======= ===========================================================================================
    field   what
    ======= ===========================================================================================
    heard   the last mark on each document that the file had so far; an empty one if it was taken back
    flagged the latest documents that were flagged: those are what readers mark
    others  the latest other documents
    ======= ===========================================================================================
    """

    heard: dict[str, str] = field(default_factory=dict)
    flagged: Shelf = field(default_factory=Shelf)
    others: Shelf = field(default_factory=Shelf)

    def remember(self, document: WatchedDocument, flagged: bool) -> None:
        """Take in a document that was answered."""
        for shelf, wanted in ((self.flagged, flagged), (self.others, not flagged)):
            if wanted:
                shelf.add(document.id, document.content)
            else:
                shelf.remove(document.id)

    def content(self, name: str) -> Content | None:
        """Return a document that was answered lately; None if it is not known."""
        content = self.flagged.get(name)
        return self.others.get(name) if content is None else content

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        return {"heard": self.heard, "flagged": self.flagged.listed(), "others": self.others.listed()}

    @classmethod
    def from_dict(cls, fields: Any, is_content: Callable[[Any], bool]) -> MarksMemory:
        """Return what `to_dict` returned; `ValueError` if it cannot have."""
        if not isinstance(fields, dict) or fields.keys() != {"heard", "flagged", "others"}:
            raise ValueError("keys")
        heard, shelves = fields["heard"], (fields["flagged"], fields["others"])
        if not isinstance(heard, dict) or not all(mark in (*MARKS, TAKEN_BACK) for mark in heard.values()):
            raise ValueError("marks")
        if not all(isinstance(shelf, list) and all(_is_pair(one, is_content) for one in shelf) for shelf in shelves):
            raise ValueError("documents")
        if any(name != without_surrogates(name) for name in heard):
            raise ValueError("ids")
        return cls(heard, *(Shelf((name, content) for name, content in shelf) for shelf in shelves))


def _is_pair(value: Any, is_content: Callable[[Any], bool]) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        return False
    return value[0] == without_surrogates(value[0]) and is_content(value[1])


class MarksFile:
    """Follows a file of marks, and marks the documents of a watch.

    Parameters
    ----------
    path : str
        The file; it may not exist yet.
    memory : MarksMemory
        What is known from before.
    note, warn : callable
        Called with a sentence on what marks do, and on what is wrong with some.
    """

    def __init__(
        self, path: str, memory: MarksMemory, note: Callable[[str], None], warn: Callable[[str], None]
    ) -> None:
        self.memory = memory
        self._path, self._note, self._warn = path, note, warn
        self._seen: tuple[int, ...] = ()
        self._said: set[str] = set()

    def look(self, detector: TextOutlierDetector) -> bool:
        """Let the detector take on the marks that are new in the file; return whether there were any.

        A mark whose line has gone from the file stays: only an empty mark takes it back.
        """
        heard = self.memory.heard
        new = {name: mark for name, mark in self._read().items() if heard.get(name, TAKEN_BACK) != mark}
        for name, mark in new.items():
            heard.pop(name, None)
            heard[name] = mark
        self._apply(detector, new)
        return bool(new)

    def is_waited_for(self, name: str, detector: TextOutlierDetector) -> bool:
        """Return whether a document that comes now has a mark already that does not count yet."""
        return self.memory.heard.get(name, TAKEN_BACK) != TAKEN_BACK and name not in detector.marks_

    def mark(self, name: str, detector: TextOutlierDetector) -> None:
        """Let the detector take on the mark that a document had before it came."""
        self._apply(detector, {name: self.memory.heard[name]})

    def _read(self) -> dict[str, str]:
        """Return all marks in the file if it has changed since; none if there is no file, or it cannot be read now."""
        try:
            before = os.stat(self._path)
            seen = (before.st_ino, before.st_size, before.st_mtime_ns)
            if seen == self._seen:
                return {}
            with open(self._path, "rb") as file:
                marks, wrong = marks_so_far(file.read())
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._warn_once(f"{cannot('read', self._path, error)} The marks so far stay.")
            return {}
        self._seen = seen
        for what in wrong:
            self._warn_once(f"{path_shown(os.path.basename(self._path))}, {what}. The line was left out.")
        return {without_surrogates(name): mark for name, mark in marks.items()}

    def _warn_once(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._warn(sentence)

    def _apply(self, detector: TextOutlierDetector, marks: Mapping[str, str]) -> None:
        """Mark the documents that are known, and say what becomes of the other marks."""
        has = detector.marks_
        changed = {name: mark for name, mark in marks.items() if has.get(name, TAKEN_BACK) != mark}
        gone = [name for name, mark in changed.items() if mark == TAKEN_BACK]
        contents = {name: self.memory.content(name) for name in changed if name not in gone}
        given = {name: content for name, content in contents.items() if content is not None}
        if gone:
            detector.unmark(gone)
        if given:
            chosen = {mark: [name for name in given if changed[name] == mark] for mark in MARKS}
            detector.mark(**chosen, documents=list(given.values()), names=list(given))
        if done := [*given, *gone]:
            detector.forget_training_rows()
            self._note(f"{_counted(done, 'counts', 'count')} from here on: {_named(done)}.")
        others = [name for name in changed if name not in done]
        if unknown := [name for name in others if name not in has]:
            wait = _counted(
                unknown,
                "is of a document that is not known, and counts once it comes",
                "are of documents that are not known, and count once they come",
            )
            self._note(f"{wait}: {_named(unknown)}.")
        if fixed := [name for name in others if name in has]:
            self._warn(
                f"The mark on {_named(fixed)} cannot be changed, since the text is not known any more. An empty mark takes it "
                "back."
            )


def _counted(names: Sequence[str], one: str, several: str) -> str:
    return f"{number_of(len(names), 'mark')} {one if len(names) == 1 else several}"


def _named(names: Sequence[str]) -> str:
    return listed(names[:NAMED]) + (", …" if len(names) > NAMED else "")
