"""What documents on disk are called, and how they begin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tonmf.sources.array_file import ArrayFile, write_arrays


def write_names(path: Path, ids: Sequence[str], excerpts: Sequence[str]) -> None:
    """Write the names and the beginnings of some documents."""
    arrays = {}
    for name, texts in (("ids", ids), ("excerpts", excerpts)):
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        arrays[f"{name}_ends"] = np.cumsum([0, *map(len, encoded)])
        arrays[name] = np.frombuffer(b"".join(encoded), np.uint8)
    write_arrays(path, arrays)


def ids_and_excerpts(
    folder: Path, files: Sequence[tuple[str, int]], rows: NDArray[np.int64]
) -> tuple[list[str], list[str]]:
    """The names and the beginnings of documents with rising numbers; `files` are pairs of a name and how many it has."""
    found: dict[str, list[str]] = {"ids": [], "excerpts": []}
    first = 0
    for name, n_docs in files:
        low, high = np.searchsorted(rows, [first, first + n_docs])
        if low < high:
            file = ArrayFile(folder / name)
            for part, texts in found.items():
                texts += _texts(file, part, rows[low:high] - first)
        first += n_docs
    return found["ids"], found["excerpts"]


def _texts(file: ArrayFile, part: str, rows: NDArray[np.int64]) -> list[str]:
    ends, encoded = file.map(f"{part}_ends"), file.map(part)
    try:
        return [encoded[ends[row] : ends[row + 1]].tobytes().decode("utf-8", "surrogatepass") for row in rows]
    except UnicodeDecodeError as error:
        raise file.damaged(f"its {part} are no text") from error
