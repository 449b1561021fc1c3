"""From files to documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, BinaryIO

import scipy.sparse as sp

from tonmf.errors import InputError, Message, Param, sentences
from tonmf.io.columns import Chooser
from tonmf.io.decoding import encoding_of
from tonmf.io.formats import split_name
from tonmf.io.inputs import Input, find_inputs
from tonmf.io.jsonlines import read_jsonl
from tonmf.io.lines import read_baskets, read_files, read_lines
from tonmf.io.matrices import read_matrix
from tonmf.io.notes import Seen, Tally, note_on_repeated_ids
from tonmf.io.options import ReadOptions, check_options, check_options_fit
from tonmf.io.parquet import read_parquet
from tonmf.io.part import Part
from tonmf.io.streams import Opened, Sink, opened
from tonmf.io.tables import read_csv, read_tsv
from tonmf.stream.times import check_zones
from tonmf.text.documents import COUNTS, ITEMS, TEXTS, take
from tonmf.wording import number_of

READERS: dict[str, Callable[[Opened, ReadOptions], Part]] = {
    "lines": read_lines,
    "baskets": read_baskets,
    "matrix": read_matrix,
}
READERS_OF_COLUMNS: dict[str, Callable[[Opened, ReadOptions, Chooser], Part]] = {
    "jsonl": read_jsonl,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
}

FEW = 3
"""Files up to which each has a note of its own on documents without text."""

MANY_FILES = 20
"""From more .txt files than these on, each is perhaps a document."""

AS_USUAL = ReadOptions()


@dataclass(frozen=True)
class Documents:
    """What was read.

    ======= ===============================================================================
    kind    of the documents: `TEXTS`, `ITEMS` or `COUNTS` of `tonmf.text.documents`
    content list of strings, list of lists of strings, or CSR matrix of documents × terms
    ids     one for each document
    terms   names of a matrix's columns, if known
    notes   sentences for the user: which column was taken, what was left out, and so on
    labels  1 for documents known to be outliers, 0 for the rest; None if no column says so
    times   when each was written, in seconds since 1970, UTC; None if no column says so
    ======= ===============================================================================
    """

    kind: str
    content: Any
    ids: list[str]
    terms: list[str] | None
    notes: list[str]
    labels: list[int] | None = None
    times: list[float] | None = None


def read_documents(paths: Sequence[str], options: ReadOptions = AS_USUAL, stdin: BinaryIO | None = None) -> Documents:
    """Read the documents of files, folders, patterns such as ``data/*.csv``, and of standard input (``-``).

    Parameters
    ----------
    paths : sequence of str
        All must give documents of one kind.
    options : ReadOptions
        How to read them.
    stdin : binary file, optional
        What to read in place of the process's standard input.

    Raises
    ------
    InputError
        If a file cannot be read or understood, or there is no document in any.
    """
    check_options(options)
    inputs = find_inputs([paths] if isinstance(paths, str) else paths, options.format)
    chooser = Chooser(options)
    parts = [read_input(source, options, chooser, stdin) for source in inputs]
    check_options_fit(options, {part.format for part in parts})
    notes = notes_of(parts)
    parts = [part for part in parts if part.ids]
    if not parts:
        raise InputError(sentences(["Found no document.", *notes] if len(notes) > 1 else notes))
    _check_one_kind(parts)
    ids = [document_id for part in parts for document_id in part.ids]
    repeated = Tally()
    repeated.add_all(compress(ids, Seen().add(ids)))
    terms = next((part.terms for part in parts if part.terms is not None), None)
    notes = [*_note_on_many_files(inputs, options), *notes, *note_on_repeated_ids(repeated)]
    labels = None if options.label_column is None else [label for part in parts for label in part.labels]
    times = None if options.time_column is None else _times_of(parts)
    for param, values, what in (("label_column", labels, "labels"), ("time_column", times, "times")):
        if values is not None and len(values) != len(ids):
            without = next(part.name for part in parts if not getattr(part, what))
            raise InputError(f"{without} has no {what} (", Param(param), "); all files must have them, or none.")
    return _long_enough(Documents(parts[0].kind, _joined(parts), ids, terms, notes, labels, times), options.min_words)


def _times_of(parts: Sequence[Part]) -> list[float]:
    """All with a zone, or all without."""
    places = [document_id for part in parts for document_id, _ in zip(part.ids, part.times, strict=False)]
    moments = [moment for part in parts for moment in part.times]
    check_zones([moment.with_zone for moment in moments], places)
    return [moment.seconds for moment in moments]


def read_input(
    source: Input, options: ReadOptions, chooser: Chooser, stdin: BinaryIO | None = None, sink: Sink = None
) -> Part:
    """What one input gave; a `sink` takes documents as they are read."""
    if source.format == "files":
        return read_files(source, options, stdin, sink)
    with opened(source.path, source.name, stdin, sink) as file:
        form = source.format or _format_by_content(file, options)
        read = READERS.get(form)
        part = read(file, options) if read else READERS_OF_COLUMNS[form](file, options, chooser)
        if source.format is None:
            part.notes.insert(
                0, Message(f"Standard input was read as {form}; if that is wrong, give ", Param("format"), ".")
            )
        return part


def _format_by_content(source: Opened, options: ReadOptions) -> str:
    start = source.head.decode(encoding_of(source.head, options.encoding), "replace")
    return "jsonl" if start.lstrip().startswith("{") else "lines"


def _check_one_kind(parts: Sequence[Part]) -> None:
    first = parts[0]
    with_terms = next((part for part in parts if part.terms is not None), first)
    for part in parts:
        if part.kind != first.kind:
            raise InputError(
                f"Inputs must all be of one kind: {first.name} holds {first.kind}, {part.name} {part.kind}. Read them apart."
            )
        if part.kind != COUNTS:
            continue
        if part.content.shape[1] != first.content.shape[1]:
            raise InputError(
                f"Matrices must have the same columns: {first.name} has {first.content.shape[1]:,}, {part.name} "
                f"{part.content.shape[1]:,}. Count with one vocabulary, or read them apart."
            )
        if part.terms is not None and part.terms != with_terms.terms:
            raise InputError(
                f"Matrices must have the same columns, but the terms of {with_terms.name} and {part.name} differ. Count with "
                "one vocabulary, or read them apart."
            )


def _joined(parts: Sequence[Part]) -> Any:
    if len(parts) == 1:
        return parts[0].content
    if parts[0].kind == COUNTS:
        return sp.csr_matrix(sp.vstack([part.content for part in parts]))
    return [document for part in parts for document in part.content]


def notes_of(parts: Sequence[Part]) -> list[str]:
    """What there is to tell about each file; where much the same holds for many, once for all of them."""
    without_text = [part for part in parts if part.without_text]
    if len(without_text) <= FEW:
        return [note for part in parts for note in part.all_notes()]
    n_left_out = sum(part.without_text.count for part in parts)
    where = f"{len(without_text):,} files (first: {without_text[0].without_text.first})"
    merged = f"{n_left_out:,} of {sum(p.n_seen for p in parts):,} documents have no text and were left out, in {where}."
    for part in without_text:
        part.without_text = Tally()
    return [*(note for part in parts for note in part.all_notes()), merged]


def _long_enough(documents: Documents, min_words: int) -> Documents:
    """Those with so many words, items or counts."""
    if min_words == 0:
        return documents
    if documents.kind == COUNTS:
        n_words = documents.content.sum(axis=1).A1.tolist()
    else:
        n_words = [len(d.split() if isinstance(d, str) else d) for d in documents.content]
    kept = [row for row, n in enumerate(n_words) if n >= min_words]
    if not kept:
        none = f"None of {number_of(len(n_words), 'document')} has {min_words} words or more ("
        raise InputError(none, Param("min_words"), ").")
    if len(kept) == len(n_words):
        return documents
    left_out = len(n_words) - len(kept)
    words = {TEXTS: "words", ITEMS: "items"}.get(documents.kind, "counts")
    note = (
        f"{left_out:,} of {number_of(len(n_words), 'document')} have fewer than {min_words} {words} and were left out."
    )
    ids = [documents.ids[row] for row in kept]
    labels = None if documents.labels is None else [documents.labels[row] for row in kept]
    times = None if documents.times is None else [documents.times[row] for row in kept]
    content, notes = take(documents.content, kept), [*documents.notes, note]
    return replace(documents, content=content, ids=ids, notes=notes, labels=labels, times=times)


def _note_on_many_files(inputs: Sequence[Input], options: ReadOptions) -> list[str]:
    """Unless the user asked for lines."""
    read_as_lines = [source.path for source in inputs if source.path is not None and source.format == "lines"]
    n_files = sum(split_name(path)[1] == ".txt" for path in read_as_lines)
    if options.format is not None or n_files <= MANY_FILES:
        return []
    what_else = Message("if each file is one document, give the folder or ", Param("format", "files"), ".")
    return [Message(f"{n_files:,} .txt files were read as a document a line; ", what_else)]
