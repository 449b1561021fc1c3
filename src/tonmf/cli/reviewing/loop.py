"""The loop of a review: show a document, take a key, do what it says."""

from __future__ import annotations

from collections.abc import Callable

from tonmf.cli.reviewing.dialogue import END, RESIZED, Dialogue
from tonmf.cli.reviewing.review import FINE, SKIPPED, STRANGE, Review
from tonmf.cli.reviewing.view import document_view, help_view, last_view, whole_text
from tonmf.wording import shown

QUIT, HELP = "q", "?"

SAME_AS = {"y": "s", "n": "f", " ": "k"}
"""Other keys for the same thing."""


class Loop:
    """A review in a dialogue.

    Parameters
    ----------
    review : Review
    dialogue : Dialogue
    path : str
        Where marks are kept, for the help.
    message : str
        What to say first.
    """

    def __init__(self, review: Review, dialogue: Dialogue, path: str, message: str) -> None:
        self._review, self._dialogue, self._path, self._message = review, dialogue, path, message
        self._actions: dict[str, Callable[[], str]] = {
            "s": lambda: self._mark(STRANGE),
            "f": lambda: self._mark(FINE),
            "k": self._skip,
            "u": self._undo,
            "o": self._open,
            HELP: self._help,
        }

    def run(self) -> None:
        """Run until the reader quits, or no more keys come."""
        key = ""
        while True:
            self._show(again=key == RESIZED)
            key = self._dialogue.key()
            wanted = SAME_AS.get(key.lower(), key.lower())
            if key == END or wanted == QUIT:
                return
            if key != RESIZED:
                self._message = self._actions[wanted]() if wanted in self._actions else _unknown(key)

    def _show(self, again: bool) -> None:
        review, size = self._review, self._dialogue.size()
        if review.current is None:
            lines = last_view(review, self._message, size)
        else:
            lines = document_view(review, review.current, self._message, size)
        self._dialogue.show(lines, again)

    def _mark(self, mark: str) -> str:
        row = self._review.current
        if row is None:
            return "No document is left to mark."
        self._review.mark(mark)
        return f"Marked {self._review.pile.ids[row]} as {mark}."

    def _skip(self) -> str:
        row = self._review.current
        if row is None:
            return "No document is left to skip."
        self._review.skip()
        return f"Skipped {self._review.pile.ids[row]}."

    def _undo(self) -> str:
        step = self._review.undo()
        if step is None:
            return "Nothing to undo."
        name = self._review.pile.ids[step.row]
        return f"{name} is no longer {'' if step.what == SKIPPED else 'marked as '}{step.what}."

    def _open(self) -> str:
        if self._review.current is not None:
            self._dialogue.page(whole_text(self._review, self._review.current))
        return ""

    def _help(self) -> str:
        while True:
            self._dialogue.show(help_view(self._path, self._dialogue.size()))
            if self._dialogue.has_read():
                return ""


def _unknown(key: str) -> str:
    return f"{shown(key)} is no key here; ? lists them." if key.isprintable() else ""
