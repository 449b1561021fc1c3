"""Find the files that the user means: files, folders, patterns, standard input."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tonmf.errors import InputError, Param
from tonmf.io.formats import format_of
from tonmf.wording import cannot, path_shown

STDIN = "-"
"""The path that stands for standard input."""


@dataclass(frozen=True)
class Input:
    """One thing to read.

    ``path`` is None for standard input. ``format`` is None if the content is to decide. For a folder, or for several files that
    are a document each, ``members`` are the files, as pairs of id and path (None again for standard input).
    """

    name: str
    path: str | None
    format: str | None
    members: tuple[tuple[str, str | None], ...] = ()


def find_inputs(paths: Sequence[str], given_format: str | None) -> list[Input]:
    """Return the inputs in the order of `paths`; the files of a pattern or a folder by name."""
    if not paths:
        raise InputError("Expected files to read, got none. Give files, folders, or - for standard input.")
    matches = [path for given in paths for path in _matches(os.fspath(given))]
    found = list({path if path == STDIN else os.path.realpath(path): path for path in reversed(matches)}.values())[::-1]
    folders = [path for path in found if path != STDIN and os.path.isdir(path)]
    base_names = Counter(map(os.path.basename, found))
    inputs: list[Input] = []
    single: list[tuple[str, str | None]] = []
    position = 0
    for path in found:
        name = path_shown(os.path.basename(path) if base_names[os.path.basename(path)] == 1 else path)
        if path == STDIN:
            inputs.append(Input("stdin", None, given_format, (("stdin", None),)))
        elif path in folders:
            inputs.append(_folder(path, given_format, several=len(folders) > 1))
        elif given_format == "files":
            position = position if single else len(inputs)
            single.append((name, path))
        else:
            inputs.append(Input(name, path, given_format or format_of(path)))
    if single:
        name = single[0][0] if len(single) == 1 else f"the {len(single):,} files"
        inputs.insert(position, Input(name, None, "files", tuple(single)))
    return inputs


def _matches(path: str) -> list[str]:
    """Return the path itself if there is such a file, else the files that match it as a pattern."""
    if path == STDIN or os.path.lexists(path):
        return [path]
    if not glob.has_magic(path):
        raise InputError(cannot("read", path, _why_missing(path)))
    matches = sorted(glob.glob(path, recursive=True))
    if not matches:
        raise InputError(
            f"{path_shown(path)}: expected files that match this pattern, found none. Check the folder and the pattern."
        )
    # "**" also matches the folders, whose files it matches anyway.
    return [match for match in matches if not os.path.isdir(match)] or matches


def _why_missing(path: str) -> OSError:
    try:
        os.stat(path)
    except OSError as error:
        return error
    except ValueError as error:
        return OSError(str(error))
    return FileNotFoundError(2, "No such file or directory")


def _folder(folder: str, given_format: str | None, several: bool) -> Input:
    """List all files beneath a folder, except hidden ones and the clutter that macOS leaves in archives."""
    name = path_shown(folder.rstrip("/" + os.sep) or folder)
    if given_format not in (None, "files"):
        raise InputError(
            f"{name} is a folder, which is read as one document a file. For ",
            Param("format", given_format),
            f" give the files, such as '{name}/*'.",
        )
    members: list[tuple[str, str | None]] = []
    for root, subfolders, files in os.walk(folder, onerror=_stop):
        subfolders[:] = [sub for sub in subfolders if not sub.startswith(".") and sub != "__MACOSX"]
        for file in files:
            path = os.path.join(root, file)
            if not file.startswith(".") and (os.path.isfile(path) or os.path.islink(path)):
                inside = path_shown(os.path.relpath(path, folder).replace(os.sep, "/"))
                members.append((f"{name}/{inside}" if several else inside, path))
    return Input(name, folder, "files", tuple(sorted(members, key=lambda member: member[0])))


def _stop(error: OSError) -> None:
    raise InputError(cannot("read", str(error.filename), error)) from error
