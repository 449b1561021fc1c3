"""Look at what a folder or an archive holds: documents, tables, mails, or clutter."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tonmf.errors import InputError
from tonmf.io.archives import Place, name_in
from tonmf.io.decoding import is_binary
from tonmf.io.encodings import AUTO
from tonmf.io.formats import holds_many, split_name
from tonmf.io.streams import opened

Member = tuple[str, Place]
"""A file of a folder or an archive: its id, and where it is."""

ABOUT = ("readme", "license", "licence", "copying", "notice", "citation", "changelog", "changes", "contents")
"""Names of files about the data, which are no documents."""


def is_clutter(name: str) -> bool:
    """Return whether a file or folder is hidden, or something that macOS or Windows leaves behind."""
    return (name.startswith(".") and name not in (".", "..")) or name in ("__MACOSX", "Thumbs.db", "desktop.ini")


def all_mails(members: Sequence[Member]) -> bool:
    """Return whether all files are mails, by their names."""
    return bool(members) and all(split_name(name_in(place))[1] == ".eml" for _, place in members)


def read_as_tables(members: Sequence[Member]) -> list[Member]:
    """Return the tables if there is no other document among the files, else none."""
    tables = [member for member in members if holds_many(name_in(member[1]))]
    others = [member for member in members if not holds_many(name_in(member[1]))]
    return [] if any(map(_is_document, others)) else tables if tables else []


def _is_document(member: Member) -> bool:
    inside, place = member
    if os.path.basename(inside).split(".")[0].lower() in ABOUT or (
        isinstance(place, str) and not os.path.isfile(place)
    ):
        return False
    try:
        with opened(place, inside) as file:
            return not is_binary(file.head, AUTO)
    except InputError:  # whoever reads it will say why
        return True
