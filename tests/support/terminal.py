"""``tonmf`` in a terminal: press keys, and see what is on its screen."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from contextlib import contextmanager

from command import environment, server
from waiting import PATIENCE

CLEAR, ENTER, LEAVE = "\x1b[H\x1b[2J", "\x1b[?1049h", "\x1b[?1049l"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """The terminal that a command runs in."""

    def __init__(self, fd, its_end, process):
        self.process, self._fd, self._its_end, self._shown = process, fd, its_end, b""

    @property
    def is_open(self):
        return self._fd is not None

    @property
    def shown(self):
        """All that was ever shown."""
        return self._shown.decode("utf-8", "ignore")

    @property
    def screen(self):
        """The lines on the screen of the review now, with their styles."""
        return self.shown.rsplit(CLEAR, 1)[-1].replace("\r\n", "\n").split("\n")

    @property
    def lines(self):
        """The same without styles."""
        return [STYLE.sub("", line).rstrip() for line in self.screen]

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def heading(self):
        """The id of the document on the screen."""
        return self.lines[0].split("  ")[0]

    @property
    def modes(self):
        """The modes of the terminal."""
        return termios.tcgetattr(self._fd)

    def until(self, happened):
        """Read until a text is on the screen, or a function is true of the terminal."""
        end = time.monotonic() + PATIENCE
        while not (happened(self) if callable(happened) else happened in self.text):
            assert time.monotonic() < end, self.shown[-3000:]
            assert self._read(), self.shown[-3000:]
        return self

    def until_drawn(self):
        """Read until a document is on the screen, with the keys below it."""
        return self.until(lambda here: here.lines[-1].endswith("? help"))

    def press(self, key):
        """Press a key, and wait until the screen has been drawn again after it."""
        n_drawn = self.shown.count(CLEAR)
        self.type(key)
        return self.until(
            lambda here: here.shown.count(CLEAR) > n_drawn and here.lines[-1].endswith(("? help", "back.", "q quit"))
        )

    def type(self, keys):
        """Press keys, and wait for nothing."""
        os.write(self._fd, keys.encode())

    def resize(self, columns, rows):
        """Give the terminal another size."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end_of_process(self):
        """Read until the command has ended; return its exit code."""
        while self.process.poll() is None:
            self._read(0.01)
        while self._read(0):
            pass
        return self.process.wait()

    def hang_up(self):
        """Close the terminal."""
        for fd in (self._its_end, self._fd):
            os.close(fd)
        self._its_end = self._fd = None

    def _read(self, patience=PATIENCE):
        """Read what there is; return False if there is nothing, or nothing will follow."""
        if not select.select([self._fd], [], [], patience)[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # the other end is closed
            return False
        self._shown += data
        return bool(data)


@contextmanager
def in_terminal(*args, cwd, columns=80, rows=24, stdin=None, **changes):
    """Run ``tonmf`` in a terminal of this size; it is killed at the end of the with-block, if it has not ended.

    Our own copy of its end of the terminal stays open, so that the modes can be asked for after its end.
    """
    fd, its_end = pty.openpty()
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    files = [its_end if stdin is None else stdin, its_end, its_end]
    process = server().start(*args, cwd=cwd, env=environment(**changes), files=files, terminal=True)
    terminal = Terminal(fd, its_end, process)
    with process:
        yield terminal
    if terminal.is_open:
        terminal.hang_up()
