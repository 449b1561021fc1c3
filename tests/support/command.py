"""The installed command, run as users run it: in a process of its own."""

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TONMF = str(Path(sys.executable).with_name("tonmf"))


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def error_lines(self):
        """Lines of standard error but for notes."""
        return [line for line in self.err.splitlines() if not line.startswith("note: ")]


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
    return {**kept, "TERM": "xterm-256color", **changes}


def run(*args, cwd, stdin=b"", **changes):
    """Run ``tonmf`` with its output piped."""
    done = subprocess.run(
        [TONMF, *map(str, args)], cwd=cwd, input=stdin, capture_output=True, env=environment(**changes)
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def run_in_terminal(*args, cwd, signal_number=None, once_shown=""):
    """Run ``tonmf`` in a pseudo-terminal of 100 columns; its exit code, and all that it showed there.

    A signal, if there is one, is sent as soon as a text has been shown.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(TONMF, [TONMF, *map(str, args)], environment(COLUMNS="100"))  # noqa: S606
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        shown += chunk
        if signal_number is not None and once_shown.encode() in shown:
            os.kill(pid, signal_number)
            signal_number = None
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()
