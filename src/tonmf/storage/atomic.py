"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tonmf.errors import InputError
from tonmf.wording import cannot, path_shown


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a place that cannot be written, before any work is done for it."""
    if not os.fspath(path):
        raise InputError("Expected the name of a file to write, got an empty one.")
    target = Path(os.path.realpath(path))
    try:
        _mode_of(target)
        folder = target.parent.stat()
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, OSError) else OSError(str(error))
        raise InputError(cannot("written", os.fspath(path), reason)) from error
    if not stat.S_ISDIR(folder.st_mode) or not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(cannot("written", os.fspath(path), PermissionError(13, "Permission denied")))


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to, in the same folder and with the same extensions; at the end it takes the place of `path`.

    If anything goes wrong before, what was at `path` is untouched and the temporary file is gone. An `OSError` on the way,
    such as a full disk, becomes an `InputError`.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "scores.csv")
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("score")
    >>> target.read_text()
    'score'
    """
    try:
        target = Path(os.path.realpath(path))  # a link stays a link
        mode = _mode_of(target)
        temporary = target.with_name(f".{secrets.token_hex(8)}{''.join(target.suffixes[-2:])}")
        temporary.open("xb").close()
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, OSError) else OSError(str(error))
        raise InputError(cannot("written", os.fspath(path), reason)) from error
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    except OSError as error:
        raise InputError(cannot("written", os.fspath(path), error)) from error
    finally:
        temporary.unlink(missing_ok=True)


def to_disk(path: Path) -> None:
    """Have a file, or a folder's entries, outlive a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode_of(target: Path) -> int | None:
    """Access rights of the file to be replaced, None if there is none; a folder or a device is not to be replaced."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
        raise InputError(f"{path_shown(str(target))} cannot be written: it is {what}. Give the name of a file.")
    return stat.S_IMODE(found.st_mode)
