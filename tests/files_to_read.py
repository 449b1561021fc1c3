"""What the tests of reading share: files with given bytes, and the one-line message with which reading is refused."""

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
