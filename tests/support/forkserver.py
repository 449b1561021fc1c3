"""A process that has imported everything and forks a child for each command, so that no test pays for the imports again.

A child is a process of its own with the arguments, folder, environment and files that it is given. It can be stopped and
killed like any other, and ends as an interpreter ends. Requests come over a Unix socket: a line of JSON with the files
attached. The answers are the child's process id and, once it has ended, its exit code, or minus the signal that killed it.
Signals are sent by the server too, which alone knows whether the process id is still that of the child: one byte each.
"""

import atexit
import fcntl
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

COMMAND = "tonmf.cli:main"


class Process:
    """A child of the server, much like `subprocess.Popen`; leaving a with-block closes its pipes and kills it."""

    stdout = stderr = None

    def __init__(self, connection):
        self._connection = connection
        self._answers = connection.makefile("r")
        self._code = None
        self.pid = json.loads(self._answers.readline())["pid"]

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        for pipe in filter(None, (self.stdout, self.stderr)):
            pipe.close()
        self.stop(signal.SIGKILL)

    def wait(self, timeout=None):
        """Wait for its end; return the exit code, or minus the signal that killed it."""
        if self._code is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self._code = json.loads(self._answers.readline())["code"]
            self._answers.close()
            self._connection.close()
        return self._code

    def poll(self):
        """Return the exit code, or None if it still runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def send_signal(self, number):
        """Send a signal, unless it has ended."""
        if self._code is None:
            with suppress(BrokenPipeError):
                self._connection.send(bytes([number]))

    def kill(self):
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def stop(self, number=signal.SIGTERM):
        """Send a signal and wait for the end."""
        self.send_signal(number)
        return self.wait()


class ForkServer:
    """Ask a server for children.

    Parameters
    ----------
    path : str
        Where it listens.
    """

    def __init__(self, path):
        self.path = path

    def start(self, *args, cwd, env, files, entry=COMMAND, uid=0, terminal=False):
        """Start a child that calls a function.

        Parameters
        ----------
        args : str
            Arguments of the command.
        files : three int or None
            Standard input, output and error; None is closed.
        entry : str
            Module and function, with a colon between them.
        uid : int
            Who it runs as, if not as we do.
        terminal : bool
            Make standard output its controlling terminal.
        """
        request = {
            "args": [str(arg) for arg in args],
            "cwd": str(cwd),
            "env": env,
            "open": [fd is not None for fd in files],
            "entry": entry,
            "uid": uid,
            "terminal": terminal,
        }
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        message = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(connection, [message], [fd for fd in files if fd is not None])
        connection.sendall(message[sent:])
        return Process(connection)

    def run(self, *args, stdin=b"", **options):
        """Run a child to its end with pipes as its standard files: (exit code, output, errors)."""
        ours, theirs = [], []
        for write in (True, False, False):
            read_end, write_end = os.pipe()
            ours.append(open(write_end if write else read_end, "wb" if write else "rb"))  # noqa: SIM115
            theirs.append(read_end if write else write_end)
        process = self.start(*args, files=theirs, **options)
        for fd in theirs:
            os.close(fd)
        out, err = [], []
        threads = [
            threading.Thread(target=_feed, args=(ours[0], stdin)),
            threading.Thread(target=_drain, args=(ours[1], out)),
            threading.Thread(target=_drain, args=(ours[2], err)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return process.wait(), out[0], err[0]


def _feed(file, content):
    with suppress(BrokenPipeError), file:  # whoever does not read all of it has seen enough
        file.write(content)


def _drain(file, contents):
    with file:
        contents.append(file.read())


@contextmanager
def forkserver(env):
    """A server that runs until the end of the with-block."""
    env = {**env, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # threads do not survive a fork
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "socket")
        with subprocess.Popen(
            [sys.executable, "-P", __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            yield ForkServer(path)
            process.stdin.close()


CLIENT = """\
#!{python} -IS
import json, os, signal, socket, sys

def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True

fds = [fd for fd in range(3) if is_open(fd)]
connection = socket.socket(socket.AF_UNIX)
connection.connect({path!r})
request = dict(args=sys.argv[1:], cwd=os.getcwd(), env=dict(os.environ), open=[fd in fds for fd in range(3)],
               entry={entry!r}, uid=0, terminal=False)
message = json.dumps(request).encode() + b"\\n"
connection.sendall(message[socket.send_fds(connection, [message], fds):])
answers = connection.makefile("r")
answers.readline()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: connection.send(bytes([number])))
code = json.loads(answers.readline())["code"]
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def write_client(path, server):
    """Write a program that does as ``tonmf`` does, by asking the server; for shells."""
    path.write_text(CLIENT.format(python=sys.executable, path=server.path, entry=COMMAND))
    path.chmod(0o755)


# ---------------------------------------------------------------------------------------------------------- in the server


class Server:
    """Forks children and says how they end, until its standard input is closed."""

    def __init__(self, path):
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(64)
        self._running = {}
        self._ended, write_end = os.pipe()
        os.set_blocking(write_end, False)
        os.set_blocking(self._ended, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)

    def request(self):
        """Serve; return a request and its files in the child that is to fulfil it, and None at the end."""
        while True:
            ready = select.select([0, self._listening, self._ended, *self._running.values()], [], [])[0]
            if 0 in ready:
                return None
            if self._ended in ready:
                self._tell_ends()
            for pid, connection in self._running.items():
                if connection in ready:
                    self._send_signals(pid, connection)
            if self._listening in ready and (found := self._fork()):
                return found

    def _send_signals(self, pid, connection):
        try:
            numbers = connection.recv(512) or [signal.SIGKILL]  # whoever asked for it is gone
        except ConnectionResetError:
            numbers = [signal.SIGKILL]
        for number in numbers:
            os.kill(pid, number)  # it is there, if only as a zombie, since nobody else waits for it

    def _tell_ends(self):
        with suppress(BlockingIOError):
            while os.read(self._ended, 512):
                pass
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with self._running.pop(ended[0]) as connection, suppress(OSError):
                    connection.sendall(json.dumps({"code": os.waitstatus_to_exitcode(ended[1])}).encode() + b"\n")

    def _fork(self):
        connection, _ = self._listening.accept()
        message, fds, *_ = socket.recv_fds(connection, 1 << 16, 3)
        while not message.endswith(b"\n"):
            message += connection.recv(1 << 16)
        if pid := os.fork():
            self._running[pid] = connection
            connection.sendall(json.dumps({"pid": pid}).encode() + b"\n")
            for fd in fds:
                os.close(fd)
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for other in (connection, self._listening, *self._running.values()):
            other.close()
        return json.loads(message), fds


def become(request, fds):
    """Be the process that was asked for."""
    os.environ.clear()
    os.environ.update(request["env"])
    given = iter(fds)
    for fd, is_open in enumerate(request["open"]):
        if is_open:
            received = next(given)
            os.dup2(received, fd)
            os.close(received)
        else:
            os.close(fd)
    if request["terminal"]:
        os.setsid()
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    if request["uid"]:
        os.setgid(request["uid"])
        os.setuid(request["uid"])
    encoding = os.environ.get("PYTHONIOENCODING")
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        as_it_was = getattr(sys, f"__{name}__")
        stream = None
        if request["open"][fd]:
            stream = open(  # noqa: SIM115
                fd,
                "w" if fd else "r",
                encoding=encoding or as_it_was.encoding,
                errors=as_it_was.errors,
                closefd=False,
            )
            if fd == 2:
                stream.reconfigure(line_buffering=True)
        setattr(sys, name, stream)
    sys.argv = ["tonmf", *request["args"]]


def import_everything():
    """Import all of tonmf and all that commands import when they are called, and load the compiled kernels."""
    import tonmf

    ours = [module.name for module in walk_packages(tonmf.__path__, "tonmf.") if not module.name.endswith("__main__")]
    for name in (
        "distributed.cli.dask_scheduler",
        "distributed.cli.dask_worker",
        "matplotlib.figure",
        "pandas",
        "pyarrow.csv",
        "pyarrow.parquet",
        "rich.progress",
        "scipy.io",
        *ours,
        "uvicorn",
    ):
        import_module(name)
    texts = ["a few words here", "some words here"] * 3
    detector = tonmf.TextOutlierDetector(max_topics=2, n_restarts=1, n_jobs=1).fit(texts)
    with tempfile.TemporaryDirectory() as folder:
        detector.save(f"{folder}/model")
        detector = tonmf.load(f"{folder}/model")
    detector.partial_fit(["more words"])
    detector.explain(["words"])


def call(entry):
    """Call a function and end the process as an interpreter ends, but without taking down all that was imported."""
    module, function = entry.split(":")
    code = 0
    try:
        getattr(import_module(module), function)()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)  # noqa: T201
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = 120
    os._exit(code)


def serve(path):
    import_everything()
    gc.collect()
    gc.freeze()  # what children do not go through they do not copy
    server = Server(path)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if found := server.request():
        request, fds = found
        become(request, fds)
        call(request["entry"])


if __name__ == "__main__":
    serve(sys.argv[1])
