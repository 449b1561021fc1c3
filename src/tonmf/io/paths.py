"""Paths as the user gives them: files and folders, patterns, standard input.

It loads nothing heavy, so that the command line can tell that a file is missing before it loads anything that is.
"""

from __future__ import annotations

import glob
import os

from tonmf.errors import InputError
from tonmf.wording import cannot, path_shown

STDIN = "-"
"""The path that stands for standard input."""


def matches(path: str) -> list[str]:
    """Return the path itself if there is such a file, else the files that match it as a pattern."""
    if path == STDIN or os.path.lexists(path):
        return [path]
    if not glob.has_magic(path):
        raise InputError(cannot("read", path, _why_missing(path)))
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise InputError(
            f"{path_shown(path)}: expected files that match this pattern, found none. Check the folder and the pattern."
        )
    # "**" also matches the folders, whose files it matches anyway.
    return [match for match in found if not os.path.isdir(match)] or found


def _why_missing(path: str) -> OSError:
    try:
        os.stat(path)
    except OSError as error:
        return error
    except ValueError as error:
        return OSError(str(error))
    return FileNotFoundError(2, "No such file or directory")
