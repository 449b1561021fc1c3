"""A process that has loaded everything and waits to become ``tonmf``: tests that start the command fifty times stay quick.

Each child is a process of its own, with files for its standard streams, and can be killed like any other.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from command import environment


class Zygote:
    """Talks to the process."""

    def __init__(self, process):
        self._process = process

    def _ask(self, **request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, *args, cwd, stdin="/dev/null", stdout="/dev/null", stderr="/dev/null", uid=0):
        """Start ``tonmf`` with these arguments; output is appended to files. Its process id."""
        streams = [str(stdin), str(stdout), str(stderr)]
        return self._ask(args=list(map(str, args)), cwd=str(cwd), streams=streams, uid=uid)

    def wait(self, pid):
        """Its exit code, or minus the signal that ended it."""
        return self._ask(wait=pid)

    def run(self, *args, **options):
        """Start it, and wait for its end."""
        return self.wait(self.start(*args, **options))

    def stop(self, pid, number=signal.SIGTERM):
        """Ask it to end, or make it."""
        os.kill(pid, number)
        return self.wait(pid)


@contextmanager
def zygote():
    env = environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        yield Zygote(process)
        process.stdin.close()


def eventually(holds, seconds=30):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def become(request):
    os.chdir(request["cwd"])
    flags = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_APPEND, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if request["uid"]:
        os.setgid(request["uid"])
        os.setuid(request["uid"])
    for fd, (path, how) in enumerate(zip(request["streams"], flags, strict=True)):
        opened = os.open(path, how, 0o644)
        os.dup2(opened, fd)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(os.dup(fd), mode) for fd, mode in enumerate("rww"))
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.argv = ["tonmf", *request["args"]]
    from tonmf.cli import main

    code = 1
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code or 0
    sys.stderr.flush()
    os._exit(code)


def serve():
    import tonmf.cli.app  # noqa: F401
    from tonmf import TextOutlierDetector
    from tonmf.cli.watching import watch  # noqa: F401

    warm = TextOutlierDetector(backend="numpy", max_topics=2, n_restarts=1).fit(
        ["a few words here", "some words here"] * 3
    )
    warm.partial_fit(["more words"])
    warm.explain(["words"])
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                become(request)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
