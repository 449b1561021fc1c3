"""Find the column of the text and that of the ids, in tables and in the keys of JSON lines.

If the user names none, guess from the first rows as they come from the file: strings, numbers, lists, None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

from tonmf.errors import InputError, Message, Param
from tonmf.io.options import ReadOptions, check_all_differ
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
    """The columns to read, the kind of the documents in the text columns, and the labels of outliers if they are words."""

    text: tuple[str, ...]
    id: str | None
    kind: str
    label: str | None = None
    time: str | None = None
    outlier_labels: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """All columns, if they are to be kept."""

    @property
    def names(self) -> list[str]:
        """Return the names of all columns to read."""
        return list(dict.fromkeys([*self.chosen, *self.kept]))

    @property
    def chosen(self) -> list[str]:
        """Return the names of the columns that say something of the documents."""
        return [*self.text, *(column for column in (self.id, self.label, self.time) if column is not None)]

    @cached_property
    def in_ours(self) -> frozenset[str]:
        """Return the names of the columns to leave out of what is kept, as columns of ours have the same in them."""
        ours = {"id"} if self.id == "id" else set()
        if self.text == ("text",) and self.kind == TEXTS:
            ours.add("text")
        return frozenset(ours | (set(self.chosen) - set(self.kept)))  # a key within another is kept there

    def content_of(self, row: Mapping[str, Any]) -> Any:
        """Return the document of a row: the value of its text column, or those of several put together.

        Texts get line breaks between them, lists become one. Missing values are left out; None if all are missing.

        >>> Columns(("title", "body"), None, "texts").content_of({"title": "One", "body": "two"})
        'One\\ntwo'
        """
        if len(self.text) == 1:
            return row.get(self.text[0])
        values: list[Any] = [row[column] for column in self.text if not is_missing(row.get(column))]
        if not values:
            return None
        if self.kind == ITEMS:
            return [item for value in values for item in value]
        return "\n".join(map(str, values))


@dataclass
class Chooser:
    """Chooses columns: by the content of the first file of each format, then the same text columns for the others."""

    options: ReadOptions
    chosen: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    headers: dict[str, list[str] | None] = field(default_factory=dict)
    """For tables, the names of the columns of the first file by format; None if it has no header."""
    baskets: dict[str, bool] = field(default_factory=dict)
    """Whether the rows of tables are baskets, by format."""

    def choose(
        self,
        sample: Mapping[str, Sequence[Any]],
        format: str,  # noqa: A002
        name: str,
        names: Sequence[str] | None = None,
        nested: Mapping[str, Sequence[Any]] | None = None,
    ) -> tuple[Columns, list[str]]:
        """Return the columns of file `name`, and notes on the choice.

        Parameters
        ----------
        sample : mapping
            The first values of each column.
        format, name : str
            Of the file.
        names : sequence of str, optional
            The names of all columns in order, if they can be given by number. Only these are guessed.
        nested : mapping, optional
            The first values of keys within other keys, which are guessed only if no column of the sample will do.
        """
        values = {**(nested or {}), **sample}
        given = self._given(values, names, name)
        contents = {column: content_of(some) for column, some in values.items()}
        for param, column in given:
            if param in ("label_column", "time_column"):
                contents[column] = OTHER  # neither the text nor the ids
        single = {param: column for param, column in given if param != "text_column"}
        text = tuple(column for param, column in given if param == "text_column")
        ids = self._id_column(single.get("id_column"), values, contents, name)
        notes = []
        if not text and format in self.chosen:
            text, first = self.chosen[format]
            for column in text:
                if column not in values:
                    raise InputError(
                        f"{name} has no column {shown(column)}, which holds the text in {first}; it has {listed(values)}. "
                        "Read it by itself, or rename the column."
                    )
        elif not text:
            called = dict.fromkeys(sample) if names is None else dict(zip(keys_of(names), names, strict=True))
            alone = [column for column in sample if called.get(column, column) in (None, column)]
            shared = {column: f"{column} ({called[column]})" for column in sample if column not in alone}
            text = (_guess(values, [alone, list(nested or {}), list(shared)], contents, ids, name, shared),)
            self.chosen[format] = text, name
            notes.append(f"The text was taken from column {shown(text[0])} of {name}.")
        for column in text:
            self._check_holds_text(column, values, contents, name)
        kinds = {ITEMS if contents[column] == ITEMS else TEXTS for column in text}
        if len(kinds) > 1:
            raise InputError(
                f"{name}: of {listed(text)} (", Param("text_column"), ") some hold texts and some lists. Give one kind."
            )
        ids = None if ids in text else ids
        if ids is not None and self.options.id_column is None:
            notes.append(f"The ids were taken from column {shown(ids)} of {name}.")
        label, time = single.get("label_column"), single.get("time_column")
        kept = tuple(sample) if self.options.keep_columns else ()
        return Columns(text, ids, kinds.pop(), label, time, self.options.outlier_labels, kept), notes

    def _given(
        self, values: Mapping[str, Sequence[Any]], names: Sequence[str] | None, name: str
    ) -> list[tuple[str, str]]:
        """Return the columns that the user names, each after its parameter, and by name if it was given by number."""
        given = [(param, _by_number(column, values, names or ())) for param, column in self.options.columns]
        for param, column in given:
            _check_given(param, column, values, name)
        check_all_differ(given)
        return given

    def check_called_once(self, names: Sequence[str], name: str) -> None:
        """Raise `InputError` if several columns of file `name` have a name that the user gave."""
        for _, column in self.options.columns:
            if names.count(column) > 1:
                number = len(names) - list(reversed(names)).index(column)
                raise InputError(
                    f"{name}: {names.count(column)} columns are called {shown(column)}. Give the number of the one that is "
                    f"meant, such as {number}."
                )

    @staticmethod
    def _id_column(
        given: str | None, values: Mapping[str, Sequence[Any]], contents: Mapping[str, str], name: str
    ) -> str | None:
        if given is not None:
            some = values[given]
            if any(not is_missing(value) for value in some) and all(id_from(value) is None for value in some):
                raise InputError(
                    f"{name}: expected ids in column {shown(given)} (",
                    Param("id_column"),
                    "), but it holds neither strings nor numbers. Give another column.",
                )
            return given
        called_id = sorted((column for column in values if column.lower() == "id"), key=lambda column: column != "id")
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


def keys_of(names: Sequence[str]) -> list[str]:
    """Return a name for each column that no other has; of several columns with one name, the numbers.

    >>> keys_of(["id", "text", "text"])
    ['id', '2', '3']
    """
    n_called = Counter(names)
    return [name if n_called[name] == 1 else str(number) for number, name in enumerate(names, 1)]


def _by_number(column: str, values: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the name of a column that is given by its number from 1; a column that has the number for a name comes first."""
    if column in values or not (column.isascii() and column.isdecimal() and 1 <= int(column) <= len(names)):
        return column
    return names[int(column) - 1]


def _guess(
    sample: Mapping[str, Sequence[Any]],
    columns: Iterable[Sequence[str]],
    contents: Mapping[str, str],
    ids: str | None,
    name: str,
    shown_as: Mapping[str, str],
) -> str:
    """Return the text column; raise `InputError` unless only one column can be it.

    Of the groups of `columns`, each counts only if those before it hold no texts.
    """
    candidates: list[str] = []
    for some in columns:
        candidates = candidates or [column for column in some if contents[column] in (TEXTS, ITEMS) and column != ids]
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
        several = listed(shown_as.get(column, column) for column in candidates)
        raise InputError(f"{name}: several columns may hold the text: {several}. Give ", Param("text_column"), ".")
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


def label_from(value: Any, outlier_labels: Sequence[str] = ()) -> int | None:
    """Return 1 for an outlier, 0 for an ordinary document, None for any other value.

    If there are labels of outliers, every other label is that of an ordinary document.

    >>> label_from(True), label_from("no"), label_from(1.0), label_from("-1")
    (1, 0, 1, None)
    >>> label_from("Spam", ["spam"]), label_from("ham", ["spam"]), label_from("", ["spam"])
    (1, 0, None)
    """
    if outlier_labels:
        if is_missing(value):
            return None
        return int(str(value).strip().casefold() in {label.strip().casefold() for label in outlier_labels})
    return LABELS.get(str(value).strip().lower())


def id_from(value: Any) -> str | None:
    """Return an id as a string; None if the value cannot be one."""
    if is_missing(value) or isinstance(value, bool | list | dict | bytes):
        return None
    return str(value)
