"""Uploaded files: their names, how to read them, and writing them to disk."""

from __future__ import annotations

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.options import DETECTOR_RULES
from tonmf.errors import InputError, Param, ParameterError
from tonmf.io import FORMATS, ReadOptions
from tonmf.io.archives import is_archive
from tonmf.io.formats import COMPRESSION_OF, FORMAT_OF, ONE_EACH, format_of, split_name
from tonmf.io.options import check_options
from tonmf.parameters import boilerplate_of, check_parameters, contamination_of, defaults_of
from tonmf.service.errors import ServiceError
from tonmf.text.choose import make_analysis
from tonmf.text.mask_names import DEFAULT_MASK, mask_of

LONGEST_NAME = 100

AT_ONCE = 2**16
"""Bytes to write at a time; each upload holds as many in memory, however slowly it comes."""

EXTENSION_OF = {form: extension for extension, form in reversed(FORMAT_OF.items())}
"""The usual extension of each format."""

SINGLE = tuple(form for form in FORMATS if form not in ONE_EACH)
"""Formats in which one file is a corpus."""

READING = (
    "format", "text_column", "id_column", "label_column", "label_outlier", "header", "separator", "sheet", "sql", "encoding",
    "skip_bad", "min_words",
)  # fmt: skip


def display_name(name: str) -> str:
    r"""Return the last part of a file's name, with anything unsafe removed.

    >>> display_name("..\\..\\secret/reviews\n.csv")
    'reviews.csv'
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(letter for letter in last if letter.isprintable()).strip(" .")
    if len(kept) > LONGEST_NAME:
        stem, extension, compression = split_name(kept)
        ending = (extension + compression)[-20:]
        kept = stem[: LONGEST_NAME - len(ending)] + ending
    return kept or "upload"


def stored_name(job_id: str, name: str, form: str | None) -> str:
    """Return our own name for a file, with the extensions that say how to read it."""
    if form is not None and form not in SINGLE:
        raise ParameterError(Param("format"), f" must be one of {', '.join(SINGLE)}; got {form!r:.60}.")
    if is_archive(name):
        return f"{job_id}.zip"
    found = form if form is not None else format_of(name)
    if found in ONE_EACH:
        raise InputError(f"{name} is one document, and a model is fitted on many. Upload a .zip of such files.")
    extension = EXTENSION_OF[found]
    compression = split_name(name)[2]
    return f"{job_id}{extension}{compression if compression in COMPRESSION_OF else ''}"


def reading_options(options: dict[str, Any]) -> ReadOptions:
    """Return how to read the file."""
    given = {name: options[name] for name in READING if options.get(name) is not None}
    reading = ReadOptions(**given)
    check_options(reading)
    return reading


def learning_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the detector."""
    learning = {
        "contamination": contamination_of(options["contamination"]),
        "stop_words": None if options["stop_words"] == "none" else options["stop_words"],
        "stemmer": options["stem"],
        "mask": DEFAULT_MASK if options.get("mask") is None else mask_of(options["mask"]),
        "strip_html": options.get("strip_html", True),
        "strip_headers": options.get("strip_headers", True),
        "min_df": options["min_df"],
        "boilerplate": boilerplate_of(options.get("boilerplate", "5%")),  # jobs from before do not name it
        "max_topics": options["topics"],
        "random_state": options["seed"],
    }
    check_parameters(learning, {name: rule for name, rule in DETECTOR_RULES.items() if name in learning})
    make_analysis(defaults_of(TextOutlierDetector) | learning)  # knows which languages there are
    return learning


def embedder_of(options: dict[str, Any], embedder: str | None) -> str | None:
    """Return the server's embedder if a job asks for embeddings, None if it does not; a request never names one itself."""
    if not options.get("embed"):
        return None
    if embedder is None:
        raise InputError("The server has no embedding model: it was started without --embed. Leave out embed.")
    return embedder


async def receive_file(chunks: AsyncIterator[bytes], path: Path) -> int:
    """Write a body to disk as it arrives; return its size."""
    size, waiting = 0, bytearray()
    try:
        with path.open("xb") as file:
            async for chunk in chunks:
                waiting += chunk
                size += len(chunk)
                if len(waiting) >= AT_ONCE:
                    await asyncio.to_thread(file.write, bytes(waiting))
                    waiting.clear()
            file.write(waiting)
            await asyncio.to_thread(_flush, file)
    except OSError as error:
        raise disk_error(error) from error
    return size


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def disk_error(error: BaseException) -> ServiceError:
    """Return the error for a disk that does not take a file."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ServiceError(507, "The server's disk is full. Delete jobs that are no longer needed, and try again.")
    return ServiceError(507, "The server cannot write to its disk. Its log may say more.")


def without_paths(message: str, path: Path, name: str) -> str:
    """Replace the stored path in a message by the user's file name."""
    return message.replace(str(path), name).replace(path.name, name).replace(str(path.parent), "the job")


def check_content(path: Path, name: str) -> None:
    """Reject an empty file."""
    if path.stat().st_size == 0:
        raise InputError(f"{name} is empty: expected a file with documents.")
