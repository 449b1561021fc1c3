"""A real server on loopback, in a process of its own, as users run it."""

import json
import re
import signal
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from command import PIPE, start
from forkserver import Process
from waiting import PATIENCE, wait_until

OVER = ("done", "failed", "cancelled", "interrupted")


@dataclass
class Server:
    process: Process
    address: str
    log: Path

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def client(self, **options):
        # There is no TLS here, and to read all certificates takes longer than a request.
        return httpx.Client(base_url=self.address, timeout=PATIENCE, verify=False, **options)  # noqa: S501

    def ask(self, method, path, **options):
        with self.client() as client:
            return client.request(method, path, **options)

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, **options):
        return self.ask("POST", path, **options)

    def upload(self, content, name="docs.csv", **parameters):
        return self.post("/v1/jobs", params={"name": name, **parameters}, content=content)

    def job(self, job_id):
        return self.get(f"/v1/jobs/{job_id}").json()

    def wait_for(self, job_id, reached=lambda job: job["state"] in OVER):
        return wait_until(lambda: (job := self.job(job_id)) and reached(job) and job)

    def signal(self, number):
        self.process.send_signal(number)

    def ended(self):
        """The exit code, when there is one."""
        return self.process.wait(PATIENCE)

    def children(self):
        """The processes of jobs."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except (OSError, ValueError):
                    continue
                if parent == self.process.pid:
                    found.append(int(entry.name))
        return found


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def serving(model, folder, *options, **changes):
    """A server that runs; its jobs and its log are in a folder."""
    folder.mkdir(exist_ok=True)
    log = folder / "log"
    args = ("serve", model, "--port", "0", "--jobs-folder", folder / "jobs", *options)
    with start(*args, cwd=folder, stdout=PIPE, stderr=log, **changes) as process:
        said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, f"the server said {said!r}, and in its log: {log.read_text()}"
        yield Server(process, found.group(), log)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


class Conversation:
    """A request that is sent piece by piece over a socket, and its answer read as it comes."""

    def __init__(self, server, path, *headers, size=None):
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self._file = self._socket.makefile("rb")
        self._chunked = size is None
        length = "Transfer-Encoding: chunked" if size is None else f"Content-Length: {size}"
        lines = (f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", length, *headers, "", "")
        self._socket.sendall("\r\n".join(lines).encode())

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self._file.close()
        self._socket.close()

    def send(self, some):
        self._socket.sendall(b"%x\r\n%s\r\n" % (len(some), some) if self._chunked else some)

    def finish(self):
        self._socket.sendall(b"0\r\n\r\n")

    def object(self):
        """The next line of the answer that is an object; None at the end."""
        while line := self._file.readline():
            if line.startswith(b"{"):
                return json.loads(line)
        return None

    def rest(self):
        return self._file.read()
