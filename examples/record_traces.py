"""Record the system calls of shell sessions, a few of which do what the others never do, into data/traces.tsv.xz.

Run it on Linux with strace installed: ``python examples/record_traces.py``. A session is a few everyday programs in random
order on random files. In an odd one, one more program

- *calls out*: connects to a local port, makes it the standard output and starts a shell there;
- *locks up*: rewrites every file of a folder under another name and removes the original; or
- *hides*: runs a program from memory that has no file, from a process with another name.

Each line of the file is a session: 1 if it is odd, else 0; the programs; and the names of their system calls, with a bar
between programs. The calls of a thread are in order, one thread after the other. Nothing else is kept. Every session runs in a
temporary folder of its own.
"""

import lzma
import random
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

OUTPUT = Path(__file__).parent / "data" / "traces.tsv.xz"
PYTHON = sys.executable
N_ORDINARY, N_ODD = 240, 18

EVERYDAY = {
    "ls": "ls -l files",
    "find": "find files -name '*1*'",
    "grep": "grep -r alpha files",
    "sort": "cat files/* | sort",
    "wc": "wc files/*",
    "cp": "cp -r files copy",
    "mv": "mv files moved",
    "rm": "rm -r files",
    "tar": "tar cf files.tar files",
    "gzip": "gzip files/*",
    "sed": "sed -i s/alpha/beta/ files/*",
    "awk": "awk '{n += NF} END {print n}' files/*",
    "diff": "cp -r files copy; diff -r files copy",
    "du": "du -s files",
    "sha256sum": "sha256sum files/*",
    "date": "date",
    "id": "id",
    "bash": "bash -c 'for f in files/*; do head -1 $f; done'",
    "git": "git init -q . && git add files && git status --short",
    "perl": "perl -ne 'print if /alpha/' files/*",
    "python, json": f"{PYTHON} -S -c 'import json; print(json.dumps(list(range(50))))'",
    "python, read": f"{PYTHON} -S -c 'import pathlib; [p.read_text() for p in pathlib.Path(\"files\").iterdir()]'",
    "python, sqlite": f'{PYTHON} -S -c \'import sqlite3; sqlite3.connect("a.db").execute("create table t (a)")\'',
    "python, gzip": f'{PYTHON} -S -c \'import gzip; gzip.open("a.gz", "wt").write("alpha")\'',
}
CALLS_OUT = """
import os, socket, subprocess
s = socket.create_connection(("127.0.0.1", PORT))
[os.dup2(s.fileno(), n) for n in (0, 1)]
subprocess.run(["sh", "-c", "id; ls"])
"""
LOCKS_UP = """
import pathlib
for p in list(pathlib.Path("files").iterdir()):
    p.with_suffix(".locked").write_bytes(bytes(b ^ 90 for b in p.read_bytes()))
    p.unlink()
"""
HIDES = """
import ctypes, os
ctypes.CDLL(None).prctl(15, b"kworker/0:1", 0, 0, 0)
f = os.memfd_create("x")
os.write(f, open("/bin/true", "rb").read())
os.setsid() if os.fork() == 0 else os.wait()
os.execve(f, ["x"], {})
"""
ODD = {"calls out": CALLS_OUT, "locks up": LOCKS_UP, "hides": HIDES}


def make_files(folder: Path, rng: random.Random) -> None:
    """Write a few files of random words."""
    (folder / "files").mkdir(parents=True)
    for number in range(rng.randint(2, 9)):
        words = rng.choices(["alpha", "beta", "gamma", "delta"], k=rng.randint(5, 500))
        (folder / "files" / f"{number}.txt").write_text(" ".join(words) + "\n")


def calls_of(command: list[str], rng: random.Random) -> str:
    """Run a command under strace in a folder of its own, and return the names of its calls."""
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name) / "work", Path(name) / "log"
        make_files(folder, rng)
        nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["strace", "-f", "-qq", "-o", str(log), *command], check=False, cwd=folder, **nowhere)
        by_thread: dict[str, list[str]] = {}
        for line in log.read_text(errors="replace").splitlines():
            thread, call = line.split(None, 1)
            if call[0].isalpha() and "(" in call:
                by_thread.setdefault(thread, []).append(call.partition("(")[0])
        return " ".join(" ".join(calls) for calls in by_thread.values())


def main() -> None:
    """Record all sessions, in random order, into one file."""
    rng = random.Random(0)
    everyday = {name: ["sh", "-c", command] for name, command in EVERYDAY.items()}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        odd = {name: [PYTHON, "-S", "-c", text.replace("PORT", port)] for name, text in ODD.items()}
        kinds = [""] * N_ORDINARY + list(odd) * (N_ODD // len(odd))
        rng.shuffle(kinds)
        lines = []
        for kind in kinds:
            programs = rng.sample(sorted(everyday), rng.randint(2, 5))
            programs += [kind] if kind else []
            rng.shuffle(programs)
            calls = [calls_of({**everyday, **odd}[program], rng) for program in programs]
            lines.append(f"{int(bool(kind))}\t{' | '.join(programs)}\t{' | '.join(calls)}\n")
    OUTPUT.write_bytes(lzma.compress("".join(lines).encode(), preset=9))
    print(f"{len(lines)} sessions in {OUTPUT}")


if __name__ == "__main__":
    main()
