"""The documents of one input, and what there is to tell about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tonmf.errors import InputError, Message, Param
from tonmf.io.columns import Columns, id_from, is_missing, label_from
from tonmf.io.notes import Occurrences
from tonmf.io.streams import Sink
from tonmf.stream.times import EXPECTED as EXPECTED_TIME
from tonmf.stream.times import Moment, moment_of
from tonmf.text.batches import is_enough, size_of
from tonmf.text.documents import take, without_surrogates
from tonmf.wording import number_of, shown

EXPECTED = {
    "lines": "a document a line",
    "files": "a file for each document",
    "jsonl": "a JSON object a line",
    "json": "an array of JSON objects or strings",
    "csv": "a header, and a row for each document",
    "tsv": "a header, and a row for each document",
    "parquet": "a row for each document",
    "arrow": "a row for each document",
    "spreadsheet": "a row for each document",
    "database": "a row for each document",
    "mail": "a mail in each file",
    "mbox": "mails, each after a line that begins with From",
    "baskets": "the items of one transaction a line",
    "matrix": "a row for each document",
}
"""The content of a file, by format."""

MOST_LABELS = 10
"""The most different labels to remember, for an error that lists them."""


class DocumentFacts(NamedTuple):
    """Everything that a row or line says of its document beside the text; `has_label` if there is a column of labels."""

    id: str | None = None
    label: int | None = None
    has_label: bool = False
    time: Moment | None = None
    row: Mapping[str, Any] | None = None


UNKNOWN = DocumentFacts()
"""Nothing."""

WITH_LINES = frozenset({"lines", "jsonl", "baskets"})
"""Formats whose documents have the numbers of their lines."""


class Part:
    """The documents of one input, gathered one by one.

    Parameters
    ----------
    name : str
        Of the input, in messages and in the ids of documents that bring none.
    format : str
        One of `FORMATS`.
    kind : str
        Of the documents, one of those in `tonmf.text.documents`.
    sink : callable, optional
        Called with the part whenever it holds a batch of documents, which are then dropped from it.
    """

    def __init__(self, name: str, format: str, kind: str, sink: Sink = None) -> None:  # noqa: A002
        self.name, self.format, self.kind, self._sink = name, format, kind, sink
        self.content: Any = []
        self.ids: list[str] = []
        self.places: list[int] = []  # of the documents among all that were seen, blank ones included
        self.origins: list[int | str | None] = []  # the line of each, or the member of the input that it is
        self.brings_ids = True
        self.labels: list[int | None] = []
        self.times: list[Moment] = []
        self.rows: list[Mapping[str, Any]] = []
        self.terms: list[str] | None = None
        self.notes: list[str] = []
        self.label_words: dict[str, None] = {}  # the first different labels, as they are in the file
        self.n_seen, self._size = 0, 0
        self.without_text, self.bad, self.left_out = Occurrences(), Occurrences(), Occurrences()
        self.unlabelled = Occurrences()

    def add(
        self,
        where: int | str,
        content: str | list[str] | None,
        facts: DocumentFacts = UNKNOWN,
        line: int | None = None,
    ) -> None:
        """Add a document, unless it is blank, from line or row number `where`, or from the file of that name.

        `line` is where a row begins, if that is known.
        """
        place = f"{self.name}:{where}" if isinstance(where, int) else where
        self.n_seen += 1
        if not content or (isinstance(content, str) and content.isspace()):
            self.without_text.add(place)
            return
        self.content.append(content)
        self.ids.append(facts.id or place)
        self.places.append(self.n_seen - 1)
        is_line = isinstance(where, str) or self.format in WITH_LINES
        self.origins.append(where if is_line else line)
        self.brings_ids &= bool(facts.id)
        if facts.has_label:
            self.labels.append(facts.label)
            if facts.label is None:
                self.unlabelled.add(self.ids[-1])
        if facts.time is not None:
            self.times.append(facts.time)
        if facts.row is not None:
            self.rows.append(facts.row)
        self._size += size_of(content)
        if self._sink is not None and is_enough(len(self.ids), self._size):
            self.hand_over()

    def hand_over(self) -> None:
        """Pass the documents to the sink, if there is one, and drop them."""
        if self._sink is not None and self.ids:
            self._sink(self)
            self.content, self.ids, self.places, self.labels, self.times, self.rows = [], [], [], [], [], []
            self.origins = []
            self._size = 0

    def keep(self, rows: Sequence[int]) -> None:
        """Keep only these documents, given by their positions."""
        self.content = take(self.content, rows)
        self.ids = [self.ids[row] for row in rows]
        self.places = [self.places[row] for row in rows]
        self.origins = [self.origins[row] for row in rows] if self.origins else []
        self.labels = [self.labels[row] for row in rows] if self.labels else []
        self.times = [self.times[row] for row in rows] if self.times else []
        self.rows = [self.rows[row] for row in rows] if self.rows else []

    def facts(self, place: str, columns: Columns, row: Mapping[str, Any], skip: bool) -> DocumentFacts | None:
        """Read what a row says of its document beside the text; None if its label or its time cannot be read."""
        label, time = None, None
        if columns.label is not None and not is_missing(row.get(columns.label)):
            label = label_from(row[columns.label], columns.outlier_labels)
            if len(self.label_words) < MOST_LABELS:
                self.label_words[str(row[columns.label]).strip()] = None
            if label is None:
                wrong = Message(
                    "expected a label such as 1 or 0 (", Param("label_column"), f"), got {shown(row[columns.label])}"
                )
                advice = Message("; for labels in words, name those of outliers (", Param("label_outlier"), ")")
                self.add_bad(place, Message(wrong, advice), skip)
                return None
        if columns.time is not None:
            time = moment_of(row.get(columns.time))
            if time is None:
                got = _what(row.get(columns.time))
                expected = Message(f"expected {EXPECTED_TIME} (", Param("time_column"), f"), got {got}")
                self.add_bad(place, expected, skip)
                return None
        given_id = None if columns.id is None else id_from(row.get(columns.id))
        kept = _kept(columns, row) if columns.kept else None
        known_id = None if given_id is None else without_surrogates(given_id)
        return DocumentFacts(known_id, label, columns.label is not None, time, kept)

    def add_bad(self, place: str, reason: str, skip: bool) -> None:
        """Count a line or row that cannot be read if such are to be skipped; otherwise raise `InputError`."""
        if not skip:
            noun = place.split()[0]
            advice = Message(f". Fix it, or skip such {noun}s with ", Param("skip_bad", True), ".")
            raise InputError(f"{self.name}, {place}: ", reason, advice)
        self.bad.add(Message(f"{place}, ", reason))

    def is_empty(self) -> bool:
        """Return whether there was nothing to read at all, not even blank documents."""
        return self.n_seen == 0 and not self.bad and not self.left_out

    def all_notes(self) -> list[str]:
        """Return all notes for the user."""
        notes = list(self.notes)
        if self.is_empty():
            notes.append(f"{self.name} is empty: expected {EXPECTED[self.format]}.")
        if self.without_text:
            have, were = ("has", "was") if self.without_text.count == 1 else ("have", "were")
            notes.append(
                f"{self.without_text.count:,} of {number_of(self.n_seen, 'document')} in {self.name} {have} no "
                f"{'text' if self.format != 'baskets' else 'items'} and {were} left out (first: {self.without_text.first})."
            )
        if self.unlabelled:
            have, count = ("has", "counts") if self.unlabelled.count == 1 else ("have", "count")
            notes.append(
                f"{self.unlabelled.count:,} of {number_of(self.n_seen, 'document')} in {self.name} {have} no label and {count} "
                f"neither as outliers nor as ordinary (first: {self.unlabelled.first})."
            )
        if self.bad:
            noun = self.bad.first.split()[0]
            were = "was" if self.bad.count == 1 else "were"
            notes.append(
                Message(
                    f"{number_of(self.bad.count, noun)} of {self.name} could not be read and {were} left out (first: ",
                    self.bad.first,
                    ").",
                )
            )
        if self.left_out:
            were = "is not plain text and was" if self.left_out.count == 1 else "are not plain text and were"
            notes.append(
                f"{number_of(self.left_out.count, 'file')} in {self.name} {were} left out (first: {self.left_out.first}). "
                "Tables, JSON lines and matrices are read if the files themselves are given."
            )
        return notes


def _kept(columns: Columns, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row in the order of its file, without the id and the text that are in our columns of these names as they are."""
    ours = columns.in_ours
    names = row if tuple(row) == columns.kept else dict.fromkeys([*filter(row.__contains__, columns.kept), *row])
    return {without_surrogates(name): row[name] for name in names if name not in ours}


def _what(value: Any) -> str:
    return "nothing" if is_missing(value) else shown(value)
