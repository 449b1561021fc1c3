"""Files and folders that appear whole or not at all.

All that tonmf writes goes through `whole_or_nothing`: it is written under a temporary name, optionally synced, and renamed. A
process that is killed on the way may leave the temporary name behind, never half of what it wrote under the final one.
`replacing` is the same for files that a user names.

A rename replaces a file in one step, but not a folder. The two folders are exchanged (`tonmf.storage.exchange`). Where the
system cannot do that, the old one is moved aside under a name by which `standing` finds it until the new one is in its place.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tonmf.errors import InputError
from tonmf.storage.exchange import NOT_SUPPORTED, exchange
from tonmf.wording import cannot, path_shown


@contextmanager
def whole_or_nothing(
    target: Path, temporary: Path, *, durable: bool = False, mode: int | None = None
) -> Iterator[Path]:
    """Yield `temporary`, at which a file or folder is to be made; at the end, rename it to `target`.

    On an error, remove it and leave `target` as it was.

    Parameters
    ----------
    target : Path
        The final name. A file there is replaced; a folder goes when the new one is in its place.
    temporary : Path
        A name in the same folder. What a killed process left there is removed first.
    durable : bool
        Sync before the rename, so that a loss of power cannot leave `target` without its contents, and the rename itself.
    mode : int, optional
        Access rights; as usual for a new file if not given.
    """
    remove(temporary)
    try:
        yield temporary
        if durable:
            for path in (*temporary.rglob("*"), temporary):
                to_disk(path)
        if mode is not None:
            temporary.chmod(mode)
        if temporary.is_dir():
            _replace_folder(temporary, target)
        else:
            temporary.replace(target)
        if durable:
            to_disk(target.parent)
    finally:
        remove(temporary)


def _replace_folder(temporary: Path, target: Path) -> None:
    """Put a folder in the place of another, if there is one; at every moment, `standing` finds the old or the new."""
    aside = _aside(target)
    if not target.exists() and aside.exists():  # a process was killed between the two renames below
        aside.rename(target)
    if not target.exists():
        temporary.rename(target)
        return
    remove(aside)
    if not exchange(temporary, target):
        try:
            target.rename(aside)
            temporary.rename(target)
        finally:  # whatever came between the two, Ctrl-C included
            if aside.exists() and not target.exists():
                aside.rename(target)
            remove(aside)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.replaced")


def standing(target: Path) -> Path:
    """Return where a folder that is replaced as a whole is to be read: at `target`, or aside while it is being replaced."""
    return target if target.exists() or not _aside(target).is_dir() else _aside(target)


def part_name(path: Path) -> Path:
    """Return the temporary name for a path that one process writes at a time: the same, with ``.part`` at its end."""
    return path.with_name(path.name + ".part")


def hidden_name(path: Path) -> Path:
    """Return a random, hidden temporary name in the same folder, for a path that several processes may write at once."""
    return path.with_name(f".{secrets.token_hex(8)}")


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def to_disk(path: Path) -> None:
    """Sync a file, or the entries of a folder where that is possible, so that they outlive a loss of power."""
    if path.is_dir():
        _folder_to_disk(path)
        return
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _folder_to_disk(folder: Path) -> None:
    """Do nothing where a folder cannot be synced: on Windows, on some file systems, and without the right to list it."""
    if os.name == "nt" or not os.access(folder, os.R_OK):
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NOT_SUPPORTED:
            raise
    finally:
        os.close(handle)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a file cannot be written at `path`, before any work is done for it."""
    if not os.fspath(path):
        raise InputError("Expected the name of a file to write, got an empty one.")
    target = Path(os.path.realpath(path))
    try:
        _mode_of(target)
        folder = target.parent.stat()
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from error
    if not stat.S_ISDIR(folder.st_mode) or not os.access(target.parent, os.W_OK | os.X_OK):
        raise _not_written(path, PermissionError(13, "Permission denied"))


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file with the extensions of `path` to write to; at the end, it takes the place of `path`.

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
        hidden = hidden_name(target)
        temporary = hidden.with_name(hidden.name + "".join(target.suffixes[-2:]))
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from error
    try:
        with whole_or_nothing(target, temporary, durable=True, mode=mode):
            # What replaces a private file is private from the beginning.
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else 0o600))
            yield temporary
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: str | os.PathLike[str], error: OSError | ValueError) -> InputError:
    reason = error if isinstance(error, OSError) else OSError(str(error))
    return InputError(cannot("written", os.fspath(path), reason))


def _mode_of(target: Path) -> int | None:
    """Return the access rights of the file to be replaced, None if there is none; refuse a folder or a device."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
        raise InputError(f"{path_shown(str(target))} cannot be written: it is {what}. Give the name of a file.")
    return stat.S_IMODE(found.st_mode)
