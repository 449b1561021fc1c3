"""Read plain text: a document a line, a transaction a line, or a document a file."""

from __future__ import annotations

import os
from itertools import chain, islice
from typing import BinaryIO

from tonmf.errors import Message, Param
from tonmf.io.decoding import TRY_ENCODINGS, DecodedLines, is_binary, without_line_end
from tonmf.io.formats import FORMAT_OF, split_name
from tonmf.io.inputs import Input
from tonmf.io.notes import Occurrences
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.separators import SPACE, called, items_on, separator_from, separator_of
from tonmf.io.streams import Opened, Sink, opened
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.wording import number_of

FIRST_LINES = 1_000
"""Lines that tell what separates items."""


def read_lines(source: Opened, options: ReadOptions) -> Part:
    """Read a document a line."""
    part, lines = Part(source.name, "lines", TEXTS, source.sink), DecodedLines(source, options)
    for number, line in enumerate(lines, 1):
        part.add(number, without_line_end(line))
    part.notes += lines.notes()
    return part


def read_baskets(source: Opened, options: ReadOptions) -> Part:
    """Read the items of one transaction a line. If the user does not say what separates them, the first lines do."""
    part, lines = Part(source.name, "baskets", ITEMS, source.sink), DecodedLines(source, options)
    every = iter(lines)
    first = list(islice(every, FIRST_LINES))
    if options.separator is not None:
        separator = separator_from(options.separator)
    else:
        separator = separator_of(first)
        if separator != SPACE:
            taken = (
                f"{part.name} has {called(separator)} between its items, and was read that way; if that is wrong, give "
            )
            part.notes.append(Message(taken, Param("separator"), "."))
    for number, line in enumerate(chain(first, every), 1):
        if number > 1 or not options.header:
            part.add(number, items_on(line, separator))
    part.notes += lines.notes()
    return part


def read_files(source: Input, options: ReadOptions, stdin: BinaryIO | None = None, sink: Sink = None) -> Part:
    """Read each file as a document. In a folder, leave out files that are not plain text; a file that is named must be text."""
    part, replaced = Part(source.name, "files", TEXTS, sink), Occurrences()
    is_folder = source.path is not None
    for name, path in source.members:
        if is_folder and path is not None and (_holds_many(path) or not os.path.isfile(path)):
            part.left_out.add(name)
            continue
        with opened(path, name, stdin) as file:
            if is_folder and is_binary(file.head, options.encoding):
                part.left_out.add(name)
                continue
            lines = DecodedLines(file, options)
            part.add(name, "".join(lines).replace("\r\n", "\n"))
            if lines.replaced:
                replaced.add(f"{name}, {lines.replaced.first}")
    if replaced:
        of_folder = f" of {source.name}" if is_folder else ""
        part.notes.append(
            Message(
                f"In {replaced.count:,} of {number_of(part.n_seen, 'file')}{of_folder} bytes that are not {options.encoding} "
                f"were replaced by U+FFFD (first: {replaced.first}). ",
                TRY_ENCODINGS,
            )
        )
    return part


def _holds_many(path: str) -> bool:
    """Return whether the extension of a file says that it holds many documents."""
    return FORMAT_OF.get(split_name(path)[1], "lines") not in ("lines", "baskets")
