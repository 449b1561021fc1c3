"""Parse a line into a document, or say what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tonmf.cli.errors import in_flags
from tonmf.cli.watching.lines import LONGEST_LINE, InputLine
from tonmf.errors import InputError
from tonmf.io.columns import Chooser, Columns, id_from, is_missing, is_text_name
from tonmf.io.jsonlines import content_from, parse_line, sample_of, value_at
from tonmf.io.options import ReadOptions
from tonmf.io.separators import SPACE, called, items_on, separator_from, separator_of
from tonmf.stream.times import EXPECTED, moment_of
from tonmf.text.documents import ITEMS, TEXTS, without_surrogates
from tonmf.wording import shown

JSON, PLAIN = "jsonl", "lines"


@dataclass(frozen=True)
class WatchedDocument:
    """A document: its id, its text or items, its time as given (None if it was not), and in seconds since 1970."""

    id: str
    content: str | list[str]
    given_time: Any
    seconds: float


class ScoredDocument(NamedTuple):
    """A document, and the score that was written out for it."""

    document: WatchedDocument
    score: float


class DocumentParser:
    """Parses lines into documents.

    Parameters
    ----------
    name : str
        Name of the input, for the ids of documents without one.
    form : str
        JSON lines or plain lines.
    kind : str
        Kind of documents that the detector was fitted on.
    options : ReadOptions
        The user's columns and separator, if any were given.
    time_column : str, optional
        Key of the documents' times; by default, a document has the time at which it came.
    note : callable
        Called with a sentence on the columns that were chosen.
    columns : Columns, optional
        Columns chosen before, when a watch resumes; the user's come first.

    Attributes
    ----------
    columns : Columns or None
        The columns, once the first object has come.
    """

    def __init__(
        self,
        name: str,
        form: str,
        kind: str,
        options: ReadOptions,
        time_column: str | None,
        note: Callable[[str], None],
        columns: Columns | None = None,
    ) -> None:
        self.name, self._form, self._kind, self._note = name, form, kind, note
        self._options, self._time_column = options, time_column
        self._separator = None if options.separator is None else separator_from(options.separator)
        self._with_zone: bool | None = None
        self.columns = columns if columns is not None and self._may_take(columns) else None

    def parse(self, line: InputLine) -> WatchedDocument | None:
        """Return the document on a line, None for a blank one; `ValueError` says why there is none."""
        if line.content is None:
            raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
        text = line.content.decode("utf-8-sig" if line.number == 1 else "utf-8", "replace").removesuffix("\r")
        if not text or text.isspace():
            return None
        place = f"{self.name}:{line.number}"
        if self._form == PLAIN:
            content = self._items(text) if self._kind == ITEMS else text
            return WatchedDocument(place, content, None, time.time())
        value = parse_line(text)
        if not isinstance(value, dict):
            return WatchedDocument(place, self._content({"the line": value}), None, time.time())
        if self.columns is None or self._is_better(value):
            self.columns = self._choose(value)
        columns = self.columns
        given_id = None if columns.id is None else id_from(value_at(value, columns.id))
        content = self._content({f"its {shown(column)}": value_at(value, column) for column in columns.text})
        when, seconds = None, time.time()
        if self._time_column is not None:
            when = value_at(value, self._time_column)
            seconds = self._seconds(when)
        return WatchedDocument(without_surrogates(given_id or place), content, when, seconds)

    def _may_take(self, columns: Columns) -> bool:
        """Check that columns chosen before agree with those that the user gives now."""
        given = self._options
        return (
            given.text_columns in ((), columns.text)
            and given.id_column in (None, columns.id)
            and self._time_column not in (*columns.text, columns.id)
        )

    def _is_better(self, value: dict[str, Any]) -> bool:
        """Check whether an object has a key with a usual name for texts, and the one chosen so far has none."""
        if self._options.text_column is not None or self.columns is None or any(map(is_text_name, self.columns.text)):
            return False
        return any(is_text_name(key) and not is_missing(item) for key, item in value.items())

    def _choose(self, value: dict[str, Any]) -> Columns:
        """Choose columns by an object; if the user's own do not fit, that ends the watch, and is no fault of the line."""
        sample, nested = sample_of([{key: item for key, item in value.items() if key != self._time_column}])
        nested = {key: items for key, items in nested.items() if key != self._time_column}
        try:
            columns, notes = Chooser(self._options).choose(sample, "jsonl", self.name, nested=nested)
        except InputError as error:
            if self._options.columns:
                raise
            raise ValueError(f"no key holds a text ({in_flags(error.message)})") from error
        if columns.text[0].lower() == "id" and self._options.text_column is None:
            raise ValueError("no key holds a text, only an id")
        if columns != self.columns:  # a key such as "text" that holds no text makes us choose again by every line
            for note in notes:
                self._note(note)
        return columns

    def _content(self, values: dict[str, Any]) -> str | list[str]:
        content = content_from(values, self._kind)
        if content is None:
            raise ValueError(f"expected {' or '.join(values)} to hold a text, got nothing")
        return content

    def _items(self, text: str) -> list[str]:
        """Return the items of a basket, by the user's separator or by that of the first line that has commas or the like."""
        if self._separator is None and (separator := separator_of([text])) != SPACE:
            self._separator = separator
            self._note(f"{self.name} has {called(separator)} between its items; if that is wrong, give --separator.")
        return items_on(text, self._separator or SPACE)

    def _seconds(self, when: Any) -> float:
        moment = moment_of(when)
        if moment is None:
            what = "nothing" if when is None else shown(when)
            column = shown(self._time_column)
            raise ValueError(f"expected {EXPECTED} in its {column}, got {what}")
        if moment.with_zone is not None:
            if self._with_zone is None:
                self._with_zone = moment.with_zone
            elif self._with_zone != moment.with_zone:
                one, those = ("has a zone", "have none") if moment.with_zone else ("has no zone", "have one")
                raise ValueError(f"its time, {shown(when)}, {one}, and those before it {those}")
        return moment.seconds


def check_kind(kind: str) -> None:
    """Reject a model that was fitted on rows of counts, which lines do not hold."""
    if kind not in (TEXTS, ITEMS):
        raise InputError(f"The model was fitted on {kind}; watch reads texts or lists of items. Fit a model on these.")
