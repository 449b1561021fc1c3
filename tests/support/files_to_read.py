"""What the tests of reading share: files with given bytes, and the one-line message with which reading is refused."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from tonmf.errors import InputError
from tonmf.io import ReadOptions, read_documents


def put(folder, name, content):
    """A file with this content, which may be text; returns its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def read(*paths, stdin=None, **options):
    return read_documents(paths, ReadOptions(**options), stdin)


def refusal(*paths, stdin=None, error=InputError, **options):
    """The message with which these files are refused, which must be one line."""
    with pytest.raises(error) as raised:
        read_documents(paths, ReadOptions(**options), stdin)
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 1000
    return message


@contextmanager
def as_somebody_else():
    """A folder of ours in which everybody may read, while we are somebody who may not do as root may."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)

        @contextmanager
        def without_power():
            if root:
                os.seteuid(65534)
            try:
                yield
            finally:
                if root:
                    os.seteuid(0)

        yield Path(folder), without_power
