"""Show what is to be read, and take the reader's keys: on a whole screen, or line by line where there is no terminal.

On a screen, a key counts as soon as it is pressed, and a key that was pressed before its document was shown does not count at
all. Whatever ends the review, the terminal is left as it was.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Any, Protocol

from rich.text import Text

from tonmf.cli.reviewing.view import Size
from tonmf.cli.screen import Screen

try:
    import termios
    import tty
except ImportError:  # Windows: there, a key counts once its line has ended
    termios = None  # type: ignore[assignment]

END, RESIZED = "", "resized"
"""In place of a key: no more keys will come; the screen has another size."""

TERMINAL = "/dev/tty"

ENTER, LEAVE, CLEAR = "\x1b[?1049h", "\x1b[?1049l", "\x1b[H\x1b[2J"
"""Switch to a screen of our own and back; empty it."""

ESCAPE_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What keys such as the arrows send."""

END_OF_FILE = "\x04"

LINES = 24
"""Height of what is shown where there is no screen."""


class Dialogue(Protocol):
    """Shows lines, and takes keys."""

    def size(self) -> Size:
        """Return the room that there is."""

    def show(self, lines: Sequence[Text], again: bool = False) -> None:
        """Show lines in place of those before; `again` if only their layout has changed."""

    def key(self) -> str:
        """Wait for a key and return it, or `END` or `RESIZED`."""

    def has_read(self) -> bool:
        """Wait for any key; return False if the screen has another size instead."""

    def page(self, text: Text) -> None:
        """Show a text of any length, and return when the reader has read it."""


class WholeScreen:
    """A dialogue on the whole screen of a terminal; use it as a context."""

    def __init__(self, screen: Screen, keys: int) -> None:
        self._screen, self._keys = screen, keys
        self._usual: Any = None
        self._is_ours, self._changed, self._stop_wanted = False, False, False

    def __enter__(self) -> WholeScreen:
        self._usual = termios.tcgetattr(self._keys)
        self._wake, self._woken = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._woken, False)
        self._wakeup = signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        handlers = {signal.SIGWINCH: self._on_resize, signal.SIGTSTP: self._on_stop}
        self._handlers = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        self._take()
        return self

    def __exit__(self, *raised: object) -> None:
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._wake)
        os.close(self._woken)

    def _take(self) -> None:
        self._is_ours = True
        tty.setcbreak(self._keys, termios.TCSAFLUSH)
        _write(ENTER)

    def _give_back(self) -> None:
        if self._is_ours:
            with suppress(OSError, termios.error):  # the terminal may be gone
                _write(LEAVE)
                termios.tcsetattr(self._keys, termios.TCSADRAIN, self._usual)
            self._is_ours = False
        if self._stop_wanted:
            self._stop()

    @contextmanager
    def _given_back(self) -> Iterator[None]:
        """Leave the terminal to somebody else in this context."""
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def _on_resize(self, number: int, frame: FrameType | None) -> None:
        self._changed = True

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        """Stop at once if somebody else has the terminal, else once it is given back.

        A handler may run in the middle of a write, so it must not write.
        """
        self._stop_wanted = True
        if not self._is_ours:
            self._stop()

    def _stop(self) -> None:
        """Stop as Ctrl-Z does; once continued, show everything again."""
        self._stop_wanted = False
        usual = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, usual)
        self._changed = True

    def size(self) -> Size:
        """Return the size of the terminal."""
        return Size(*self._screen.size)

    def show(self, lines: Sequence[Text], again: bool = False) -> None:
        """Show lines in place of those before, and forget keys that were pressed before."""
        if not again:
            termios.tcflush(self._keys, termios.TCIFLUSH)
        _write(CLEAR + "\n".join(map(self._screen.rendered, lines)))

    def key(self) -> str:
        """Wait for a key, or for another size."""
        while not self._changed:
            if self._stop_wanted:
                self._give_back()  # and stop, with the terminal as the shell expects it
                self._take()
                continue
            ready = select.select([self._keys, self._wake], [], [])[0]
            if self._wake in ready:
                os.read(self._wake, 4096)
            elif key := self._pressed():
                return END if key == END_OF_FILE else key
        self._changed = False
        return RESIZED

    def has_read(self) -> bool:
        """Wait for any key."""
        return self.key() != RESIZED

    def _pressed(self) -> str:
        """Return the first of the keys that were pressed; nothing if it is none that has a letter."""
        try:
            data = os.read(self._keys, 1024)
        except OSError:  # the terminal is gone
            data = b""
        return ESCAPE_SEQUENCE.sub("", data.decode("utf-8", "ignore"))[:1] if data else END_OF_FILE

    def page(self, text: Text) -> None:
        """Show a text in the reader's pager, or in less or more."""
        command, styles = _pager()
        with self._given_back():
            if command is None:
                _write(f"{self._screen.rendered(text)}\n")
                self._wait_for_enter()
                return
            content = (self._screen.rendered(text) if styles else text.plain) + "\n"
            environment = {**os.environ, **({"LESS": "R"} if styles else {})}
            ours = signal.signal(signal.SIGINT, lambda number, frame: None)  # Ctrl-C is for the pager
            try:
                subprocess.run(  # noqa: S603 (the reader's own program)
                    command, input=content.encode("utf-8", "replace"), env=environment, check=False
                )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) and error.strerror else error
                _write(f"{shlex.join(command)} cannot be run: {why}. Set PAGER to another program.\n")
                self._wait_for_enter()
            finally:
                signal.signal(signal.SIGINT, ours)

    def _wait_for_enter(self) -> None:
        _write("Enter goes back. ")
        os.read(self._keys, 1024)


def _pager() -> tuple[list[str] | None, bool]:
    """Return the command of the pager, and whether it shows styles; None if there is no pager."""
    try:
        chosen = shlex.split(os.environ.get("PAGER", ""))
    except ValueError:
        chosen = []
    if chosen:
        return chosen, False
    if found := shutil.which("less"):
        return [found], "R" in os.environ.get("LESS", "R")
    found = shutil.which("more")
    return (None if found is None else [found]), False


WORDS = {
    "strange": "s",
    "yes": "y",
    "fine": "f",
    "no": "n",
    "skip": "k",
    "undo": "u",
    "open": "o",
    "quit": "q",
    "help": "?",
}
"""Words that stand for keys."""


class ByLines:
    """A dialogue by lines: what is shown goes to standard output, and each line of input is a key, or a word for one."""

    def __init__(self, screen: Screen, keys: IO[str]) -> None:
        self._screen, self._keys = screen, keys

    def __enter__(self) -> ByLines:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def size(self) -> Size:
        """Return the width of lines, and the usual height."""
        return Size(self._screen.width, LINES, fills=False)

    def show(self, lines: Sequence[Text], again: bool = False) -> None:
        """Print lines below those before."""
        self.page(Text("\n").join(lines))
        _write("\n")

    def key(self) -> str:
        """Read the next line that is not blank."""
        for line in iter(self._keys.readline, ""):
            if typed := line.strip().lower():
                return WORDS.get(typed, typed)
        return END

    def has_read(self) -> bool:
        """Return True: who reads lines needs no key to go on."""
        return True

    def page(self, text: Text) -> None:
        """Print a text of any length."""
        _write(self._screen.rendered(text) + "\n")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def takes_the_whole_screen(keys: int | None) -> bool:
    """Check whether keys and what is shown are on a terminal that can do more than print lines."""
    return (
        termios is not None
        and keys is not None
        and os.isatty(keys)
        and sys.stdout.isatty()
        and os.environ.get("TERM", "dumb") != "dumb"
    )
