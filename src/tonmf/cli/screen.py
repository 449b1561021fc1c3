"""Print answers to standard output, notes to standard error, and progress there if it is a terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tonmf.cli.run import CURRENT

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


class Screen:
    """Where a command writes.

    Parameters
    ----------
    quiet : bool
        Print nothing but errors and JSON.
    as_json : bool
        Print the answer as one JSON object, and nothing else to standard output.
    """

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json

    @cached_property
    def _out(self) -> Console:
        from tonmf.cli.consoles import console  # takes a moment, and an error of usage does without

        return console(sys.stdout)

    @cached_property
    def _err(self) -> Console:
        from tonmf.cli.consoles import Beside, console

        return console(sys.stderr, Beside)

    @property
    def width(self) -> int:
        """Return the number of characters in a line of an answer."""
        return self._out.width

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and height of the terminal in characters."""
        return self._out.size

    def rendered(self, text: Text) -> str:
        """Return text as it would be printed, with its styles if answers go to a terminal; its lines must be short enough."""
        with self._out.capture() as captured:
            self._out.print(_plain(text, isolates=True), end="", soft_wrap=True)
        return captured.get()

    @property
    def is_terminal(self) -> bool:
        """Return True if answers go to a terminal, and not to a file or another program."""
        return self._out.is_terminal

    def show(self, what: RenderableType = "", wrap: bool = True, isolates: bool = False) -> None:
        """Print a part of the answer for people; lines with commands to copy must not wrap.

        `isolates` keeps the marks around right-to-left words in a text that has no others (`tonmf.detector.explain.quotes`).
        """
        if not (self.quiet or self.as_json):
            self._out.print(_plain(what, isolates), soft_wrap=not wrap)

    def show_json(self, answer: Mapping[str, Any], **ending: Any) -> None:
        """Print the answer for programs, and what there is to say of the run; `ending` as in `CommandRun.to_dict`."""
        if self.as_json:
            run = CURRENT.get()
            print_json(answer if run is None else {**answer, "run": run.to_dict(**ending)})

    def note(self, sentence: str) -> None:
        """Print a note, beside the answer."""
        if not self.quiet:
            from rich.text import Text

            self._err.print(Text(printable(f"note: {sentence}"), style="dim"), soft_wrap=True)

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """Show a progress bar with the time left; the function that it yields takes the share that is done."""
        if self.quiet or not self._err.is_terminal:
            yield lambda share: None
            return
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self._err, transient=True) as bar:
            task = bar.add_task(what, total=1.0)
            yield lambda share: bar.update(task, completed=share)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Show that work of unknown length goes on."""
        if self.quiet or not self._err.is_terminal:
            yield
            return
        with self._err.status(f"{what} …"):
            yield


def _plain(what: RenderableType, isolates: bool) -> RenderableType:
    """Return text that cannot steer the terminal; tables see to that themselves."""
    from rich.text import Text

    if isinstance(what, str):
        return printable(what, isolates)
    if isinstance(what, Text) and printable(what.plain, isolates) != what.plain:
        what.plain = printable(what.plain, isolates)  # of the same length, so that styles stay in place
    return what


def _is_unicode(stream: Any) -> bool:
    return (stream.encoding or "").lower().startswith("utf")


def print_json(answer: Mapping[str, Any]) -> None:
    """Print an object to standard output, on one line."""
    sys.stdout.write(json_line(answer, ensure_ascii=not _is_unicode(sys.stdout)) + "\n")


def json_line(value: Any, ensure_ascii: bool = False) -> str:
    r"""Return a value as JSON on one line that cannot steer a terminal: what could is escaped, which JSON reads as the same.

    >>> json_line({"text": "naïve\x9b31m\u202e"})
    '{"text": "naïve\\u009b31m\\u202e"}'
    """
    line = json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=False)
    return ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", line)


ESCAPED = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON leaves as they are though a terminal would act on them, or take them for the end of a line."""


def printable(text: str, isolates: bool = False) -> str:
    """Replace control characters, and marks that change the direction of writing; keep isolates if they are ours.

    >>> printable("a\\x1b[31mb\\u202ec")
    'a�[31mb�c'
    """
    kept = "\u2068\u2069" if isolates else ""
    return "".join("\ufffd" if _steers(character) and character not in kept else character for character in text)


def _steers(character: str) -> bool:
    code = ord(character)
    return (
        (code < 32 and character not in "\n\t")
        or 127 <= code < 160
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )
