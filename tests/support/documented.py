"""Console sessions in the documents: ``$ command`` lines and what they print.

``python tests/support/documented.py README.md docs/guide/cli.md`` runs them, and writes what they print into the documents.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from command import TONMF, environment, folder_of_client
from repository import ROOT


def sessions(document):
    """The console blocks of a document, each as a list of (command, shown output)."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        yield list(zip(parts[::2], parts[1::2], strict=True))


def printed(command, folder):
    """Return what a command prints, run by a shell that finds ``tonmf`` and ``python``."""
    path = os.pathsep.join([str(folder_of_client()), str(Path(TONMF).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, capture_output=True, env=environment(PATH=path), timeout=600
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def without_trailing_space(text):
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def renew(document):
    """Run the sessions of a document, and replace what it shows by what they print; blank lines at the end of one stay."""
    text = (ROOT / document).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for session in sessions(document):
            before = "".join(f"$ {command}\n{shown}" for command, shown in session)
            after = ""
            for command, shown in session:
                lines = without_trailing_space(printed(command, folder))
                after += f"$ {command}\n" + (f"{lines}\n" if lines else "") + shown[len(shown.rstrip("\n")) + 1 :]
            text = text.replace(before, after)
    (ROOT / document).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        renew(name)
