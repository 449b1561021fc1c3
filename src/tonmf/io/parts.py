"""Read inputs part by part: the one way from files to documents.

`tonmf.io.read_documents` keeps all parts in memory, `tonmf.io.DocumentFiles` takes them in batches; both get the same
documents, ids, notes and errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, BinaryIO

from tonmf.errors import InputError, Message, Param, sentences
from tonmf.io.archives import name_in
from tonmf.io.arrow_files import read_arrow, read_saved
from tonmf.io.columns import Chooser, label_from
from tonmf.io.decoding import EncodingNote, Encodings, encoding_of
from tonmf.io.formats import ONE_EACH, split_name
from tonmf.io.inputs import Input
from tonmf.io.json_arrays import read_json
from tonmf.io.jsonlines import read_jsonl
from tonmf.io.lines import read_baskets, read_files, read_lines
from tonmf.io.mails import read_mbox
from tonmf.io.notes import Occurrences, SeenBefore, note_on_repeated_ids
from tonmf.io.options import ReadOptions, check_options_fit
from tonmf.io.parquet import read_parquet
from tonmf.io.part import MOST_LABELS, Part
from tonmf.io.streams import Opened, Sink, opened
from tonmf.io.tables import read_csv, read_tsv
from tonmf.stream.times import check_zones
from tonmf.text.documents import COUNTS, ITEMS, TEXTS
from tonmf.wording import listed, number_of, shown

FEW = 3
"""The most files that get a note each on documents without text, or on their encoding."""

ARRAY = re.compile(r"\[\s*[{\"]")
"""The start of a JSON array of objects or strings. A line of a log may start with [ as well."""

MANY_FILES = 20
"""Beyond this number of .txt files, each may be meant as one document."""


def _read_matrix(source: Opened, options: ReadOptions) -> Part:
    from tonmf.io.matrices import read_matrix  # needs scipy, which other formats do not

    return read_matrix(source, options)


def _read_workbook(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    from tonmf.io.spreadsheets import read_spreadsheet

    return read_spreadsheet(source, options, chooser)


def _read_database(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    from tonmf.io.databases import read_database

    return read_database(source, options, chooser)


READERS: dict[str, Callable[[Opened, ReadOptions], Part]] = {
    "lines": read_lines,
    "baskets": read_baskets,
    "matrix": _read_matrix,
    "mbox": read_mbox,
}
READERS_OF_COLUMNS: dict[str, Callable[[Opened, ReadOptions, Chooser], Part]] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "spreadsheet": _read_workbook,
    "database": _read_database,
}


def read_parts(
    inputs: Sequence[Input],
    options: ReadOptions,
    take: Callable[[Part], None],
    stdin: BinaryIO | None = None,
    *,
    in_batches: bool = False,
    look_for_repeats: bool = True,
) -> tuple[list[str], list[Part]]:
    """Read inputs one after the other, and hand their documents to `take`.

    Parameters
    ----------
    inputs : sequence of Input
        All must give documents of one kind.
    options : ReadOptions
        How to read them.
    take : callable
        Called with each part that has documents, those with too few words left out.
    stdin : binary file, optional
        What to read in place of the process's standard input.
    in_batches : bool
        Hand over the documents of an input in several parts, each a batch (`tonmf.text.batches`), rather than in one.
    look_for_repeats : bool
        Note which documents share their ids.

    Returns
    -------
    notes : list of str
        Sentences for the user: which column was taken, what was left out, and so on.
    parts : list of Part
        What was read of each input, also of one that has no document left.

    Raises
    ------
    InputError
        If an input cannot be read or understood, or there is no document in any.
    """
    chooser, together, short = Chooser(options), _Together(options), _ShortDocuments(options.min_words)
    ids, repeated = SeenBefore(), Occurrences()

    def hand_over(part: Part) -> None:
        together.check(part)
        if look_for_repeats:
            repeated.add_all(compress(part.ids, ids.add(part.ids)))
        short.leave_out(part)
        if part.ids:
            take(part)

    parts: list[Part] = []
    for source in inputs:
        part = _read(source, options, chooser, stdin, hand_over if in_batches else None)
        if in_batches:
            part.hand_over()  # the last batch
        elif part.ids:
            hand_over(part)
        parts.append(part)
    check_options_fit(options, {part.format for part in parts})
    notes = _notes_of(parts)
    if together.first is None:
        raise InputError(sentences(["Found no document.", *notes] if len(notes) > 1 else notes))
    together.check_all()
    _check_labels(parts, options)
    return [*_note_on_many_files(inputs, options), *notes, *note_on_repeated_ids(repeated), *short.notes()], parts


def _read(source: Input, options: ReadOptions, chooser: Chooser, stdin: BinaryIO | None, sink: Sink) -> Part:
    """Read one input; a `sink` takes documents as they are read."""
    if source.format in ONE_EACH:
        return read_files(source, options, stdin, sink)
    if source.format == "arrow" and source.members and source.path is not None:
        return read_saved(source, options, chooser, sink)
    with opened(source.path, source.name, stdin, sink) as file:
        form = source.format or _format_by_content(file, options)
        read = READERS.get(form)
        part = read(file, options) if read else READERS_OF_COLUMNS[form](file, options, chooser)
        if source.format is None:
            part.notes.insert(
                0, Message(f"Standard input was read as {form}; if that is wrong, give ", Param("format"), ".")
            )
        part.notes[:0] = source.notes
        return part


def _format_by_content(source: Opened, options: ReadOptions) -> str:
    start = source.head.decode(encoding_of(source.head, options.encoding), "replace")
    start = start.lstrip()
    return "jsonl" if start.startswith("{") else "json" if ARRAY.match(start) else "lines"


def _check_labels(parts: Sequence[Part], options: ReadOptions) -> None:
    """Raise `InputError` if no document has a label, or none has one of those that the user names."""
    if options.label_column is None:
        return
    found = {word: None for part in parts for word in part.label_words}
    if not found:
        raise InputError(
            f"No document has a label: column {shown(options.label_column)} (", Param("label_column"), ") is empty."
        )
    if not options.outlier_labels:
        return
    if not any(label_from(word, options.outlier_labels) for word in found) and len(found) < MOST_LABELS:
        raise InputError(
            f"No document is labelled {listed(options.outlier_labels)} (",
            Param("label_outlier"),
            f"); column {shown(options.label_column)} holds {listed(found)}.",
        )


class _Together:
    """Checks that the documents of all parts can be read together."""

    def __init__(self, options: ReadOptions) -> None:
        self._params = {
            what: param
            for what, param, column in (
                ("labels", "label_column", options.label_column),
                ("times", "time_column", options.time_column),
            )
            if column is not None
        }
        self.first: Part | None = None
        self._with_terms: Part | None = None
        self._lacking: dict[str, str] = {}  # what the first part lacks, and the name of that part
        self._zones: dict[bool, str] = {}  # a document whose time has a zone, and one whose time has none

    def check(self, part: Part) -> None:
        """Compare a part with those before it."""
        first = self.first = self.first or part
        if part.kind != first.kind:
            raise InputError(
                f"Inputs must all be of one kind: {first.name} holds {first.kind}, {part.name} {part.kind}. Read them "
                "separately."
            )
        if part.kind == COUNTS:
            self._check_columns(first, part)
        for what in self._params:
            if not getattr(part, what):
                self._lacking.setdefault(what, part.name)
        for document_id, moment in zip(part.ids, part.times, strict=False):
            if moment.with_zone is not None:
                self._zones.setdefault(moment.with_zone, document_id)

    def _check_columns(self, first: Part, part: Part) -> None:
        if part.content.shape[1] != first.content.shape[1]:
            raise InputError(
                f"Matrices must have the same columns: {first.name} has {first.content.shape[1]:,}, {part.name} "
                f"{part.content.shape[1]:,}. Count with one vocabulary, or read them separately."
            )
        if part.terms is None:
            return
        known = self._with_terms = self._with_terms or part
        if part.terms != known.terms:
            raise InputError(
                f"Matrices must have the same columns, but the terms of {known.name} and {part.name} differ. Count with one "
                "vocabulary, or read them separately."
            )

    def check_all(self) -> None:
        """Check what can be told only when all parts are read: labels and times are there for all documents, or none."""
        check_zones(list(self._zones), list(self._zones.values()))
        for what, param in self._params.items():
            if what in self._lacking:
                raise InputError(
                    f"{self._lacking[what]} has no {what} (", Param(param), "); all files must have them, or none."
                )


class _ShortDocuments:
    """Leaves out documents with fewer words, items or counts than wanted, and knows how many they were."""

    def __init__(self, min_words: int) -> None:
        self._min_words, self._kind = min_words, TEXTS
        self._n_docs, self._n_short = 0, 0

    def leave_out(self, part: Part) -> None:
        """Keep the documents of a part that are long enough."""
        self._kind, self._n_docs = part.kind, self._n_docs + len(part.ids)
        if self._min_words == 0:
            return
        kept = [row for row, n in enumerate(_n_words(part)) if n >= self._min_words]
        self._n_short += len(part.ids) - len(kept)
        if len(kept) < len(part.ids):
            part.keep(kept)

    def notes(self) -> list[str]:
        """Return a note on the documents left out; raise `InputError` if none is left."""
        if self._n_short == 0:
            return []
        documents = number_of(self._n_docs, "document")
        have, were = ("has", "was") if self._n_short == 1 else ("have", "were")
        if self._n_short == self._n_docs:
            raise InputError(f"None of {documents} has {self._min_words} words or more (", Param("min_words"), ").")
        words = {TEXTS: "words", ITEMS: "items"}.get(self._kind, "counts")
        return [f"{self._n_short:,} of {documents} {have} fewer than {self._min_words} {words} and {were} left out."]


def _n_words(part: Part) -> list[Any]:
    if part.kind == COUNTS:
        counts: list[Any] = part.content.sum(axis=1).A1.tolist()
        return counts
    return [len(document.split() if isinstance(document, str) else document) for document in part.content]


def _notes_of(parts: Sequence[Part]) -> list[str]:
    """Gather the notes of each part; where many parts have one on the same, say so once for all."""
    encodings = _merge_encodings(parts)
    without_text = [part for part in parts if part.without_text]
    if len(without_text) <= FEW:
        return [*(note for part in parts for note in part.all_notes()), *encodings]
    n_left_out = sum(part.without_text.count for part in parts)
    where = f"{len(without_text):,} files (first: {without_text[0].without_text.first})"
    merged = f"{n_left_out:,} of {sum(p.n_seen for p in parts):,} documents have no text and were left out, in {where}."
    for part in without_text:
        part.without_text = Occurrences()
    return [*(note for part in parts for note in part.all_notes()), *encodings, merged]


def _merge_encodings(parts: Sequence[Part]) -> list[str]:
    """Take the notes on encodings from many parts, and return one in their place."""
    found = [note for part in parts for note in part.notes if isinstance(note, EncodingNote)]
    if len(found) <= FEW:
        return []
    merged = Encodings()
    for note in found:
        merged.add(note.name, note.encoding)
    for part in parts:
        part.notes = [note for note in part.notes if not isinstance(note, EncodingNote)]
    return merged.notes(number_of(len(parts), "file"))


def _note_on_many_files(inputs: Sequence[Input], options: ReadOptions) -> list[str]:
    """Ask whether many .txt files were meant as a document each, unless the user chose the format."""
    read_as_lines = [source.path for source in inputs if source.path is not None and source.format == "lines"]
    n_files = sum(split_name(name_in(path))[1] == ".txt" for path in read_as_lines)
    if options.format is not None or n_files <= MANY_FILES:
        return []
    what_else = Message("if each file is one document, give the folder or ", Param("format", "files"), ".")
    return [Message(f"{n_files:,} .txt files were read as a document a line; ", what_else)]
