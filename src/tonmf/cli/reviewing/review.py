"""A review: which document is next, what was marked or skipped, and what can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from tonmf.cli.reviewing.estimate import expected_strange
from tonmf.cli.reviewing.pile import Pile

STRANGE, FINE, NO_MARK = "strange", "fine", ""

SKIPPED = "skipped"

ENOUGH = 5
"""Documents to be read before the number of those that are left is estimated."""

SMALLEST_UNIT = 1e-6
"""Threshold from which on scores are measured in thresholds."""


class Step(NamedTuple):
    """Say what was done with a document."""

    row: int
    what: str


class Review:
    """The documents of a pile, one after the other: always the strangest of those that are neither marked nor skipped.

    Exact copies are one reading: the first that is shown gets the mark.

    Parameters
    ----------
    pile : Pile
        With the marks of earlier reviews.
    keep : callable
        Called with an id and a mark, before the mark counts; an empty mark takes back the last one.
    earlier : mapping of str to str
        The marks of earlier reviews by id, in the order in which they were made; they can be undone, too.

    Attributes
    ----------
    n_earlier : int
        How many of the earlier marks are on documents of the pile.
    current : int or None
        Number of the document to show; None if there is none left.
    """

    def __init__(self, pile: Pile, keep: Callable[[str, str], None], earlier: Mapping[str, str]) -> None:
        self.pile, self._keep = pile, keep
        self._closed: dict[int, str] = {}  # what was done with all copies of a document, by the first of them
        self._steps = _steps_before(pile, earlier)
        self.n_earlier = len(self._steps)
        for row, name in enumerate(pile.ids):
            if name in pile.detector.marks_ and pile.judged[row]:
                self._closed[int(pile.firsts[row])] = pile.detector.marks_[name]
        self.n_docs = len(np.unique(pile.firsts[pile.judged]))
        self._open = pile.judged & ~np.isin(pile.firsts, list(self._closed))
        self.current = self._next()

    @property
    def n_strange(self) -> int:
        """Return the number of documents marked as strange; copies count once."""
        return list(self._closed.values()).count(STRANGE)

    @property
    def n_fine(self) -> int:
        """Return the number of documents marked as fine; copies count once."""
        return list(self._closed.values()).count(FINE)

    @property
    def n_skipped(self) -> int:
        """Return the number of documents that were skipped."""
        return list(self._closed.values()).count(SKIPPED)

    def n_copies(self, row: int) -> int:
        """Return how many documents are the same, this one included."""
        return int((self.pile.firsts == self.pile.firsts[row]).sum())

    def found(self) -> list[int]:
        """Return the numbers of the strange documents, all copies included."""
        firsts = [first for first, what in self._closed.items() if what == STRANGE]
        found: list[int] = np.flatnonzero(np.isin(self.pile.firsts, firsts) & self.pile.judged).tolist()
        return found

    def n_left(self) -> float | None:
        """Estimate how many of the documents that are not marked are strange; None if too few were read."""
        if self.n_strange + self.n_fine < ENOUGH:
            return None
        pile, marks = self.pile, self.pile.detector.marks_
        rows = {name: row for row, name in enumerate(pile.ids)}
        threshold = pile.detector.threshold_
        unit = threshold if threshold >= SMALLEST_UNIT else 1.0
        others = {name: value for name, value in pile.detector.effects_of_other_marks().items() if name in rows}
        read = np.array([pile.unmarked[rows[name]] + value for name, value in others.items()])
        strange = np.array([marks[name] == STRANGE for name in others], bool)
        marked = [first for first, what in self._closed.items() if what != SKIPPED]
        unread = pile.judged & ~np.isin(pile.firsts, marked) & (pile.firsts == np.arange(len(pile.firsts)))
        return expected_strange(read / unit, strange, pile.scores()[unread] / unit)

    def mark(self, mark: str) -> None:
        """Mark the current document as strange or fine, and go on to the next."""
        row = self._row()
        self._keep(self.pile.ids[row], mark)
        self.pile.mark(row, mark)
        self._close(row, mark)

    def skip(self) -> None:
        """Go on to the next document without a mark."""
        self._close(self._row(), SKIPPED)

    def undo(self) -> Step | None:
        """Take back the last mark or skip, and return to its document; None if there is nothing to take back."""
        if not self._steps:
            return None
        step = self._steps.pop()
        if step.what != SKIPPED:
            self._keep(self.pile.ids[step.row], NO_MARK)
            self.pile.unmark(step.row)
        self._reopen(step.row)
        return step

    def _reopen(self, row: int) -> None:
        """Return to a document; its copies are open again, too, unless one of them has a mark of its own."""
        copies, marks = self.pile.firsts == self.pile.firsts[row], self.pile.detector.marks_
        names = [self.pile.ids[copy] for copy in np.flatnonzero(copies).tolist()]
        left = [marks[name] for name in names if name in marks]
        if left:
            self._closed[int(self.pile.firsts[row])] = left[-1]
        else:
            del self._closed[int(self.pile.firsts[row])]
            self._open |= self.pile.judged & copies
        self.current = row

    def _row(self) -> int:
        if self.current is None:
            raise ValueError("There is no document left.")
        return self.current

    def _close(self, row: int, what: str) -> None:
        self._steps.append(Step(row, what))
        self._closed[int(self.pile.firsts[row])] = what
        self._open &= self.pile.firsts != self.pile.firsts[row]
        self.current = self._next()

    def _next(self) -> int | None:
        """Return the strangest open document, the first of those with the same score."""
        if not self._open.any():
            return None
        return int(np.where(self._open, self.pile.scores(), -np.inf).argmax())


def _steps_before(pile: Pile, earlier: Mapping[str, str]) -> list[Step]:
    """Return the marks of earlier reviews that count, as steps; a file of marks has no spaces around ids."""
    rows = {pile.ids[row].strip(): row for row in reversed(range(len(pile.ids)))}
    steps = [Step(rows[name], mark) for name, mark in earlier.items() if name in rows]
    return [step for step in steps if pile.ids[step.row] in pile.detector.marks_]
