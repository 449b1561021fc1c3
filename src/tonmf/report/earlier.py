"""Read the summary of a report again, from its page or from its content as JSON.

A report may come from anywhere: what is read are numbers and texts, and nothing of it can run.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from pathlib import Path
from typing import Any

from tonmf.errors import InputError

PAGES = (".html", ".htm")

ABOUT = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.DOTALL)
PART = re.compile(r'<script type="text/plain" class="part" data-name="documents-(\d+)">([A-Za-z0-9+/=]*)</script>')

LARGEST_PART = 1_000_000_000
"""Bytes that a part of a page may be unpacked to."""

GZIP = 16 + zlib.MAX_WBITS
"""Tells zlib that data has the header of gzip."""


def read_summary(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the summary of a report: of a page (``.html``), or of its content (``.json``).

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    summary : dict
        As `summarise` returned it, but for what only a page can use.
    """
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        summary = _of_page(text) if name.lower().endswith(PAGES) else json.loads(text, parse_constant=_no_number)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, RecursionError, zlib.error) as error:
        raise InputError(
            f"{name} is no report of tonmf (a page, .html, or its content, .json), or it is damaged."
        ) from error
    if not isinstance(summary, dict) or not isinstance(summary.get("documents"), list):
        raise InputError(f"{name} is no report of tonmf: it has no list of documents.")
    return summary


def _of_page(text: str) -> dict[str, Any]:
    about = ABOUT.search(text)
    if about is None:
        raise ValueError("no summary")
    summary: dict[str, Any] = json.loads(about[1], parse_constant=_no_number)
    parts = {int(number): packed for number, packed in PART.findall(text)}
    summary["documents"] = [
        document
        for number in range(int(summary.pop("parts")))
        for document in json.loads(_unpacked(parts[number]), parse_constant=_no_number)
    ]
    summary.pop("part_size", None)
    summary.pop("marking", None)
    return summary


def _unpacked(packed: str) -> bytes:
    unpacking = zlib.decompressobj(GZIP)
    content = unpacking.decompress(base64.b64decode(packed, validate=True), LARGEST_PART)
    if not unpacking.eof:
        raise ValueError("a part is cut off, or too large")
    return content


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")
