"""The first rows of a file, and its columns, so that somebody can say which holds the text before all of it is read.

`first_rows` runs in a process of its own, as jobs do: reading a file that anyone sends may take any time and memory.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tonmf.errors import InputError, Param, TonmfError
from tonmf.service.errors import FAULT, ServiceError
from tonmf.service.job_memory import memory_of_a_job

if TYPE_CHECKING:
    from tonmf.io import ReadOptions

LARGEST = 32 * 2**20
"""Bytes of a file to look at, at most; of a long text file, its beginning will do."""

ROWS, LONGEST_CELL, MOST_COLUMNS = 5, 200, 100
"""Rows to show, characters of a cell, and columns."""

SECONDS = 60
"""Time that a look at a file may take."""


def first_rows(path: Path, options: Mapping[str, Any], called: str) -> dict[str, Any]:
    """Return the columns of a file with their first values, which of them holds the text, and notes on how it is read.

    If it cannot be told which does, or no column does, `text_column` is None, and `message` says why.
    """
    from tonmf.io import read_documents
    from tonmf.service.errors import in_fields
    from tonmf.service.uploads import reading_options, without_paths

    reading, message, documents = reading_options(dict(options)), None, None
    try:
        documents = read_documents([str(path)], reading)
    except InputError as error:
        if not _names_text_column(error):
            raise
        message = without_paths(in_fields(error.message), path, called)
    rows = _rows(path, reading)
    names = list(dict.fromkeys(name for row in rows for name in row))[:MOST_COLUMNS]
    content = [] if documents is None or not isinstance(documents.content, list) else documents.content[:ROWS]
    return {
        "kind": None if documents is None else documents.kind,
        "columns": [{"name": name, "values": [_cell(row.get(name)) for row in rows]} for name in names],
        "documents": [_cell(document) for document in content],
        "text_column": _column_of(content, rows, names),
        "message": message,
        "notes": []
        if documents is None
        else [without_paths(in_fields(note), path, called) for note in documents.notes],
    }


def _rows(path: Path, reading: ReadOptions) -> list[Mapping[str, Any]]:
    """Return the first rows of a table with all their columns; nothing for a file without columns.

    Columns that hold texts and ids are left out of rows, unless they are named.
    """
    from tonmf.io import read_documents

    by_number = replace(reading, text_column="1", id_column=None, keep_columns=True)
    try:
        return (read_documents([str(path)], by_number).rows or [])[:ROWS]
    except TonmfError:
        return []


def _names_text_column(error: InputError) -> bool:
    return any(isinstance(part, Param) and part.name == "text_column" for part in error.message.parts)


def _column_of(content: Sequence[Any], rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    """Return the column whose values are the documents."""
    for name in names:
        if content and all(row.get(name) == document for row, document in zip(rows, content, strict=False)):
            return name
    return None


def _cell(value: Any) -> str:
    shown = value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    shown = "" if value is None else shown
    return shown if len(shown) <= LONGEST_CELL else shown[: LONGEST_CELL - 1] + "…"


async def ask_for_rows(folder: Path, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `first_rows` says of the file in a folder, in the words of the user."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "tonmf.service.job_process", str(folder)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "TONMF_TOKEN"},
        start_new_session=True,
    )
    line = json.dumps({**payload, "preview": True, "memory": memory_of_a_job(1)}).encode() + b"\n"
    try:
        async with asyncio.timeout(SECONDS):
            process.stdin.write(line)  # type: ignore[union-attr]
            said = await process.stdout.read()  # type: ignore[union-attr]
            await process.wait()
    except TimeoutError:
        raise ServiceError(
            422, f"The file could not be looked at in {SECONDS} seconds. Start without a preview."
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        last: dict[str, Any] = json.loads(said.splitlines()[-1])
    except (ValueError, IndexError):
        raise ServiceError(422, "The system stopped the look at the file, perhaps for want of memory.") from None
    if "preview" in last:
        found: dict[str, Any] = last["preview"]
        return found
    raise ServiceError(422, last.get("error", FAULT))
