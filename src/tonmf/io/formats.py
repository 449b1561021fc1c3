"""Tell the format of a file by its name."""

from __future__ import annotations

import os

from tonmf.errors import InputError, Param
from tonmf.wording import path_shown

FORMATS = (
    "lines", "files", "jsonl", "json", "csv", "tsv", "parquet", "arrow", "spreadsheet", "database", "mail", "mbox", "baskets",
    "matrix",
)  # fmt: skip
"""A document a line, a document a file, JSON lines, a JSON array, six kinds of tables, mails, the items of a transaction a
line, counts."""

ONE_EACH = ("files", "mail")
"""Formats in which a file is one document."""

FORMAT_OF = {
    ".txt": "lines",
    ".text": "lines",
    ".log": "lines",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".xlsx": "spreadsheet",
    ".xlsm": "spreadsheet",
    ".xlsb": "spreadsheet",
    ".xls": "spreadsheet",
    ".ods": "spreadsheet",
    ".db": "database",
    ".sqlite": "database",
    ".sqlite3": "database",
    ".duckdb": "database",
    ".html": "files",
    ".htm": "files",
    ".xhtml": "files",
    ".eml": "mail",
    ".mbox": "mbox",
    ".dat": "baskets",
    ".basket": "baskets",
    ".npz": "matrix",
    ".mtx": "matrix",
}
"""Formats by extension."""

COMPRESSION_OF = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""Compressions by extension."""


TO_DO = {
    ".msg": "Save it as .eml",
    ".tar": "Unpack it, and give the folder or the files",
    ".tgz": "Unpack it, and give the folder or the files",
    ".zip": "Unpack the archive that holds it, and give it itself",
    ".7z": "Unpack it, and give the folder or the files",
    ".pdf": "Turn it into plain text, .txt",
    ".doc": "Turn it into plain text, .txt",
    ".docx": "Turn it into plain text, .txt",
    ".pkl": "Save it as .parquet; pickles can execute code when they are read",
    ".pickle": "Save it as .parquet; pickles can execute code when they are read",
}
"""Advice for common kinds of files that are not read."""


def split_name(path: str) -> tuple[str, str, str]:
    """Split a path into what precedes the extensions, the extension of the format, and that of the compression.

    >>> split_name("data/reviews.CSV.gz")
    ('data/reviews', '.csv', '.gz')
    """
    stem, last = os.path.splitext(path)
    if last.lower() not in COMPRESSION_OF:
        return stem, last.lower(), ""
    stem, inner = os.path.splitext(stem)
    return stem, inner.lower(), last.lower()


def holds_many(path: str) -> bool:
    """Return whether the extension of a file says that it is a table, or another file of many documents.

    >>> holds_many("reviews.csv.gz"), holds_many("page.html"), holds_many("thread")
    (True, False, False)
    """
    return FORMAT_OF.get(split_name(path)[1], "lines") not in ("lines", "baskets", *ONE_EACH)


def format_of(path: str) -> str:
    """Return the format that the extension stands for."""
    extension = split_name(path)[1]
    if extension not in FORMAT_OF:
        if extension in TO_DO:
            where = " within an archive" if extension == ".zip" else ""
            raise InputError(f"{path_shown(path)}: {extension} files{where} are not read. {TO_DO[extension]}.")
        what = f"the extension {extension} is not known" if extension else "the name has no extension"
        raise InputError(
            f"{path_shown(path)}: cannot tell the format, since {what}. Give ",
            Param("format"),
            f", one of {', '.join(FORMATS)}.",
        )
    return FORMAT_OF[extension]
