"""Marks from a file (``--marks``), and the documents that they are of."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tonmf.errors import InputError
from tonmf.wording import cannot, number_of, path_shown

if TYPE_CHECKING:
    from tonmf.arrays import Array
    from tonmf.detector.fitted import FittedDetector

NAMED = 3
"""Ids that a note names."""


def marks_in(path: str | None) -> dict[str, str]:
    """Read the marks in a file, before anything heavy is loaded; none if there is no file."""
    if path is None:
        return {}
    from tonmf.io.marks import read_marks

    marks = read_marks(path)
    if not marks:
        raise InputError(f"{path} has no marks. Expected an id and a mark on each line, such as post-17,strange.")
    return marks


def check_growing_marks(path: str) -> None:
    """Raise `InputError` if a file of marks cannot be read; it need not exist yet."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise InputError(
                f"{path_shown(path)} is no ordinary file, so it cannot be read again as it grows. Give a file."
            )
        with open(path, "rb"):
            pass
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise InputError(cannot("read", path, error if isinstance(error, OSError) else OSError(str(error)))) from error


def apply_marks(
    detector: FittedDetector,
    marks: Mapping[str, str],
    ids: Sequence[str],
    documents: Any = None,
    embeddings: Array | None = None,
) -> list[str]:
    """Mark the documents that are here, and return a note on marks of others; `documents` if these are not training ones."""
    if not marks:
        return []
    here = {name.strip(): name for name in reversed(ids)}  # a file of marks has no spaces around ids
    missing = [name for name in marks if name not in here and name not in detector.marks_]
    chosen = {here[name]: mark for name, mark in marks.items() if name in here}
    if not chosen and missing:
        has = f"one of the {len(missing):,} marked ids, such as" if len(missing) > 1 else "the marked id"
        return [f"No document has {has} {missing[0]}. Give ids as tonmf shows them."]
    strange, fine = ([name for name, mark in chosen.items() if mark == kind] for kind in ("strange", "fine"))
    if documents is None:
        detector.mark(strange=strange, fine=fine)
    else:
        detector.mark(strange=strange, fine=fine, documents=documents, embeddings=embeddings, names=ids)
    if not missing:
        return []
    named = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
    of = "is of a document that was" if len(missing) == 1 else "are of documents that were"
    return [f"{number_of(len(missing), 'mark')} {of} not read: {named}."]
