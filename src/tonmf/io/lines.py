"""Read plain text: a document a line, a transaction a line, or a document a file."""

from __future__ import annotations

import os
from itertools import chain, islice
from typing import BinaryIO

from tonmf.errors import Message, Param
from tonmf.io.archives import Place, name_in
from tonmf.io.basket_tables import BasketLayout
from tonmf.io.decoding import TRY_ENCODINGS, DecodedLines, Encodings, is_binary, without_line_end
from tonmf.io.formats import holds_many, split_name
from tonmf.io.inputs import Input
from tonmf.io.mails import add_mail
from tonmf.io.notes import Occurrences
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.separators import SPACE, called, cells_on, separator_from, separator_of
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
    full = (number for number, line in enumerate(first, 1) if not line.isspace())
    layout = BasketLayout.of([cells_on(line, separator) for line in first if not line.isspace()], options.header)
    part.notes += layout.notes(part.name, was_given=options.header is not None)
    n_header = 0 if layout.header is None else next(full)
    for number, line in enumerate(chain(first, every), 1):
        if number > n_header:
            layout.add(part, number, line, separator)
    part.notes += lines.notes()
    return part


def read_files(source: Input, options: ReadOptions, stdin: BinaryIO | None = None, sink: Sink = None) -> Part:
    """Read each file as a document. In a folder, leave out files that are not plain text; a file that is named must be text."""
    part, encodings = Part(source.name, source.format or "files", TEXTS, sink), Encodings()
    replaced: dict[str, Occurrences] = {}
    is_folder = source.path is not None
    for name, place in source.members:
        if is_folder and place is not None and (holds_many(name_in(place)) or _leads_nowhere(place)):
            part.left_out.add(name)
            continue
        with opened(place, name, stdin) as file:
            if is_folder and is_binary(file.head, options.encoding):
                part.left_out.add(name)
            elif source.format == "mail" or split_name(name_in(place))[1] == ".eml":
                add_mail(part, name, file.stream.read(), options)
            else:
                lines = DecodedLines(file, options)
                part.add(name, "".join(lines).replace("\r\n", "\n"))
                if lines.was_chosen:
                    encodings.add(name, lines.encoding)
                if lines.replaced:
                    place_of_first = f"{name}, {lines.replaced.first}"
                    replaced.setdefault(lines.encoding.removesuffix("-sig"), Occurrences()).add(place_of_first)
    files = number_of(part.n_seen, "file") + (f" of {source.name}" if is_folder else "")
    part.notes += encodings.notes(files)
    for encoding, places in replaced.items():
        said = f"In {places.count:,} of {files} bytes that are not {encoding} were replaced by U+FFFD (first: {places.first}). "
        part.notes.append(Message(said, TRY_ENCODINGS))
    return part


def _leads_nowhere(place: Place) -> bool:
    return isinstance(place, str) and not os.path.isfile(place)
