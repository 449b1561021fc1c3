"""Run ``tonmf`` as users run it, in a process of its own: forked from one that has imported everything, or as installed."""

import os
import pty
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forkserver import forkserver, write_client

TONMF = str(Path(sys.executable).with_name("tonmf"))
"""The installed command. Few tests need it: to start an interpreter and import everything takes seconds."""

_open = ExitStack()


@cache
def server():
    """Start the process from which commands are forked, when the first of them is."""
    return _open.enter_context(forkserver(environment()))


@cache
def folder_of_client():
    """Make a folder with a program ``tonmf`` that shells can call in place of the installed one."""
    folder = Path(_open.enter_context(tempfile.TemporaryDirectory()))
    write_client(folder / "tonmf", server())
    return folder


def close():
    """End the process from which commands are forked, if there is one."""
    _open.close()


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
    ours = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PAGER", "LESS")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "TERM": "xterm-256color", **changes}


def run(*args, cwd, stdin=b"", **changes):
    """Run ``tonmf`` with its standard files piped; `changes` are those of the environment."""
    code, out, err = server().run(*args, cwd=cwd, stdin=stdin, env=environment(**changes))
    return Ran(code, out.decode(), err.decode())


def run_installed(*args, cwd, **changes):
    """Run the installed ``tonmf`` in an interpreter of its own."""
    done = subprocess.run([TONMF, *map(str, args)], cwd=cwd, capture_output=True, env=environment(**changes))
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


PIPE = object()


def start(*args, cwd, stdin=os.devnull, stdout=os.devnull, stderr=os.devnull, uid=0, **changes):
    """Start ``tonmf`` and return its process.

    Its standard files are at these paths, output being appended; PIPE in place of a path is a pipe, to be read at `stdout`
    or `stderr` of the process.
    """
    with ExitStack() as ours:
        files, pipes = [ours.enter_context(open(stdin, "rb"))], {}
        for name, path in (("stdout", stdout), ("stderr", stderr)):
            if path is PIPE:
                read_end, write_end = os.pipe()
                pipes[name], path = open(read_end, encoding="utf-8"), write_end  # noqa: SIM115
            files.append(ours.enter_context(open(path, "ab")))
        fds = [file.fileno() for file in files]
        process = server().start(*args, cwd=cwd, env=environment(**changes), files=fds, uid=uid)
    process.stdout, process.stderr = pipes.get("stdout"), pipes.get("stderr")
    return process


def run_into_files(*args, **options):
    """Start ``tonmf`` with its standard files at these paths, wait for its end, and return the exit code."""
    return start(*args, **options).wait()


def run_in_terminal(*args, cwd, signal_number=None, once_shown="", columns=100):
    """Run ``tonmf`` in a pseudo-terminal of so many columns; its exit code, and all that it showed there.

    A signal, if there is one, is sent as soon as a text has been shown.
    """
    terminal, its_end = pty.openpty()
    process = server().start(*args, cwd=cwd, env=environment(COLUMNS=str(columns)), files=[its_end] * 3, terminal=True)
    os.close(its_end)
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
            process.send_signal(signal_number)
            signal_number = None
    os.close(terminal)
    return process.wait(), shown.decode()
