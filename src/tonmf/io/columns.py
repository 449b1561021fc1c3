"""Find the column of the text and that of the ids, in tables and in the keys of JSON lines.

If the user names none, guess from the first rows as they come from the file: strings, numbers, lists, None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tonmf.errors import InputError, Message, Param
from tonmf.io.options import ReadOptions
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.wording import listed, shown

SAMPLE = 10_000
"""Rows that a guess is based on."""

TEXT_NAMES = (
    "text", "body", "content", "document", "message", "article", "review", "comment", "description", "abstract", "post",
    "tweet", "transcript", "summary", "note",
)  # fmt: skip
"""Usual names of a text column, the surest first."""


def is_text_name(name: str) -> bool:
    """Return whether this is a usual name of a text column.

    >>> is_text_name("Text"), is_text_name("title")
    (True, False)
    """
    return name.lower() in TEXT_NAMES


LONG_TEXT, MUCH_LONGER = 20, 4
"""A column is taken for the text by its length alone if its median is at least the first, and this many times any other's."""

NUMBER = re.compile(r"[-+]?(?:[\d.,]*\d[.,]?(?:e[-+]?\d+)?\s?%?|nan|inf)", re.IGNORECASE)

NUMBERS, NOTHING, OTHER = "numbers", "nothing", "something else"


@dataclass(frozen=True)
class Columns:
    """The columns to read, and the kind of the documents in the text column."""

    text: str
    id: str | None
    kind: str
    label: str | None = None
    time: str | None = None
    kept: tuple[str, ...] = ()
    """All columns, if they are to be kept."""

    @property
    def names(self) -> list[str]:
        """Return the names of all columns to read."""
        return list(dict.fromkeys([*self.chosen, *self.kept]))

    @property
    def chosen(self) -> list[str]:
        """Return the names of the columns that say something of the documents."""
        return [self.text, *(column for column in (self.id, self.label, self.time) if column is not None)]


@dataclass
class Chooser:
    """Chooses columns: by the content of the first file of each format, then the same text column for the others."""

    options: ReadOptions
    chosen: dict[str, tuple[str, str]] = field(default_factory=dict)

    def choose(self, sample: Mapping[str, Sequence[Any]], format: str, name: str) -> tuple[Columns, list[str]]:  # noqa: A002
        """Return the columns of file `name`, and notes on the choice."""
        contents = {column: content_of(values) for column, values in sample.items()}
        for param in ("label_column", "time_column"):
            column = self.options.columns.get(param)
            if column is not None:
                _check_given(param, column, sample, name)
                contents[column] = OTHER  # neither the text nor the ids
        ids = self._id_column(sample, contents, name)
        notes = []
        if self.options.text_column is not None:
            text = self.options.text_column
            _check_given("text_column", text, sample, name)
        elif format in self.chosen:
            text, first = self.chosen[format]
            if text not in sample:
                raise InputError(
                    f"{name} has no column {shown(text)}, which holds the text in {first}; it has {listed(sample)}. Read it by "
                    "itself, or rename the column."
                )
        else:
            text = _guess(sample, contents, ids, name)
            self.chosen[format] = text, name
            notes.append(f"The text was taken from column {shown(text)} of {name}.")
        self._check_holds_text(text, sample, contents, name)
        ids = None if ids == text else ids
        if ids is not None and self.options.id_column is None:
            notes.append(f"The ids were taken from column {shown(ids)} of {name}.")
        kind = ITEMS if contents[text] == ITEMS else TEXTS
        kept = tuple(sample) if self.options.keep_columns else ()
        return Columns(text, ids, kind, self.options.label_column, self.options.time_column, kept=kept), notes

    def check_called_once(self, names: Sequence[str], name: str) -> None:
        """Raise `InputError` if several columns of file `name` have a name that the user gave."""
        for column in self.options.columns.values():
            if names.count(column) > 1:
                raise InputError(
                    f"{name}: {names.count(column)} columns are called {shown(column)}. Rename all but one."
                )

    def _id_column(self, sample: Mapping[str, Sequence[Any]], contents: Mapping[str, str], name: str) -> str | None:
        if self.options.id_column is not None:
            _check_given("id_column", self.options.id_column, sample, name)
            values = sample[self.options.id_column]
            if any(not is_missing(value) for value in values) and all(id_from(value) is None for value in values):
                raise InputError(
                    f"{name}: expected ids in column {shown(self.options.id_column)} (",
                    Param("id_column"),
                    "), but it holds neither strings nor numbers. Give another column.",
                )
            return self.options.id_column
        called_id = sorted((column for column in sample if column.lower() == "id"), key=lambda column: column != "id")
        return next((column for column in called_id if contents[column] not in (NOTHING, OTHER)), None)

    @staticmethod
    def _check_holds_text(
        text: str, sample: Mapping[str, Sequence[Any]], contents: Mapping[str, str], name: str
    ) -> None:
        if contents[text] in (TEXTS, ITEMS, NOTHING):
            return
        example = next(value for value in sample[text] if not is_missing(value))
        others = [column for column, content in contents.items() if content == TEXTS]
        advice = (
            Message("Give ", Param("text_column"), f", one of {listed(others)}") if others else "No column holds text"
        )
        raise InputError(
            f"{name}: expected text in column {shown(text)}, but it holds {contents[text]}, such as {shown(example)}. ",
            advice,
            ".",
        )


def _check_given(param: str, column: str, sample: Mapping[str, Sequence[Any]], name: str) -> None:
    if column not in sample:
        raise InputError(
            f"{name} has no column {shown(column)} (", Param(param), f"); it has {listed(sample) or 'none'}."
        )


def _guess(sample: Mapping[str, Sequence[Any]], contents: Mapping[str, str], ids: str | None, name: str) -> str:
    """Return the text column; raise `InputError` unless only one column can be it."""
    candidates = [column for column in sample if contents[column] in (TEXTS, ITEMS) and column != ids]
    if not candidates and ids is not None and contents[ids] == TEXTS:
        return ids
    if len(candidates) == 1:
        return candidates[0]
    for text_name in TEXT_NAMES:
        for column in candidates:
            if column.lower() == text_name:
                return column
    lengths = sorted(((_median_length(sample[column]), column) for column in candidates), reverse=True)
    all_texts = all(contents[column] == TEXTS for column in candidates)  # a list has no length in characters
    if lengths and all_texts and lengths[0][0] >= LONG_TEXT and lengths[0][0] >= MUCH_LONGER * lengths[1][0]:
        return lengths[0][1]
    if candidates:
        raise InputError(
            f"{name}: several columns may hold the text: {listed(candidates)}. Give ", Param("text_column"), "."
        )
    seen = listed(f"{column} ({content})" for column, content in contents.items())
    raise InputError(
        f"{name}: expected a column of text, found {seen or 'no columns'}. Give ", Param("text_column"), "."
    )


def _median_length(values: Iterable[Any]) -> float:
    return median(len(value) for value in values if isinstance(value, str | list) and not is_missing(value))


def content_of(values: Iterable[Any]) -> str:
    """Return what most values of a column are.

    >>> content_of(["a text", None, "another"]), content_of(["1", "2.5", ""]), content_of([3, 4])
    ('texts', 'numbers', 'numbers')
    """
    present = [value for value in values if not is_missing(value)]
    if not present:
        return NOTHING
    n_texts = sum(isinstance(value, str) for value in present)
    if 2 * n_texts >= len(present):
        return NUMBERS if all(_is_number(value) for value in present) else TEXTS
    if 2 * sum(is_list_of_items(value) for value in present) >= len(present):
        return ITEMS
    return NUMBERS if any(_is_number(value) for value in present) else OTHER


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= 40 and NUMBER.fullmatch(value.strip()) is not None
    return isinstance(value, int | float)


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN, white space, an empty list."""
    if isinstance(value, str):
        return not value or value.isspace()
    return value is None or value == [] or (isinstance(value, float) and value != value)


def is_list_of_items(value: Any) -> bool:
    """Return whether a value is a list of strings or numbers; None among them does not matter."""
    return isinstance(value, list) and all(item is None or isinstance(item, str | int | float) for item in value)


def items_in(values: Sequence[Any]) -> list[str]:
    """Return the items of a list by name, without those that are missing."""
    return [str(value) for value in values if not is_missing(value)]


LABELS = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0}
"""Values of a label column: 1 for an outlier, 0 for an ordinary document."""


def label_from(value: Any) -> int | None:
    """Return 1 for an outlier, 0 for an ordinary document, None for any other value.

    >>> label_from(True), label_from("no"), label_from(1.0), label_from("-1")
    (1, 0, 1, None)
    """
    return LABELS.get(str(value).strip().lower())


def id_from(value: Any) -> str | None:
    """Return an id as a string; None if the value cannot be one."""
    if is_missing(value) or isinstance(value, bool | list | dict | bytes):
        return None
    return str(value)
