"""Read JSON lines: an object, a string or a list of items on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from tonmf.errors import InputError
from tonmf.io.columns import SAMPLE, Chooser, is_list_of_items, is_missing, items_in
from tonmf.io.decoding import DecodedLines, without_line_end
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened
from tonmf.text.documents import ITEMS, TEXTS, without_surrogates
from tonmf.wording import listed, one_line, shown

NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
"""JSON's names of types."""


def read_jsonl(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document a line. All lines must be what the first is: objects, strings or lists."""
    part, lines = Part(source.name, "jsonl", TEXTS, source.sink), DecodedLines(source, options)
    read_values(_parsed(lines, part, options.skip_bad), "line", part, options, chooser)
    part.notes += lines.notes()
    return part


def read_values(
    values: Iterator[tuple[int, Any]], noun: str, part: Part, options: ReadOptions, chooser: Chooser
) -> None:
    """Add a document for each value; `noun` is what has the numbers that come with them, lines or elements."""
    first = list(islice(values, SAMPLE))
    shape = next((type(value) for _, value in first if isinstance(value, dict | str | list)), dict)
    everything = chain(first, values)
    if shape is dict:
        sample = [value for _, value in first if isinstance(value, dict)]
        _read_objects(everything, sample, noun, part, options, chooser)
        return
    _check_no_columns(part.name, options, shape, noun)
    part.kind = TEXTS if shape is str else ITEMS
    for number, value in everything:
        content = _content(part, number, noun, {f"the {noun}": value}, options.skip_bad)
        if content is not BAD:
            part.add(number, content)


BAD = object()
"""Stands for a value that cannot be read."""


def _parsed(lines: Iterable[str], part: Part, skip_bad: bool) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            value = parse_line(line)
        except ValueError as error:
            part.add_bad(f"line {number}", str(error), skip_bad)
        else:
            yield number, value


def parse_line(line: str) -> Any:
    """Return the value on a line; raise `ValueError` that says what is wrong with it."""
    try:
        return json.loads(without_line_end(line))
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        reason = f"{what} at column {error.colno}; expected a whole JSON value on each line"
    except ValueError as error:  # a number of too many digits
        reason = one_line(error)
    except RecursionError:
        reason = "nested too deeply"
    raise ValueError(f"not valid JSON ({reason})")


def _read_objects(
    values: Iterable[tuple[int, Any]],
    sample: list[dict[str, Any]],
    noun: str,
    part: Part,
    options: ReadOptions,
    chooser: Chooser,
) -> None:
    if not sample:
        for number, value in values:
            expected = f"expected an object, a string or a list, got {NAMES[type(value)]}"
            part.add_bad(f"{noun} {number}", expected, options.skip_bad)
        return
    values_of_keys, nested = sample_of(sample)
    columns, notes = chooser.choose(values_of_keys, "jsonl", part.name, nested=nested)
    part.kind = columns.kind
    part.notes += notes
    within = [column for column in columns.chosen if "." in column]
    texts = [(f"its {shown(column)}", column) for column in columns.text]
    for number, value in values:
        if not isinstance(value, dict):
            part.add_bad(f"{noun} {number}", f"expected an object, got {NAMES[type(value)]}", options.skip_bad)
            continue
        row = value | {column: value_at(value, column) for column in within} if within else value
        facts = part.facts(f"{noun} {number}", columns, row, options.skip_bad)
        if facts is None:
            continue
        found = {what: row.get(column) for what, column in texts}
        content = _content(part, number, noun, found, options.skip_bad)
        if content is not BAD:
            part.add(number, content, facts)


def sample_of(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return the values of each key, and those of each key within another, such as ``user.bio``.

    >>> sample_of([{"id": 1, "user": {"bio": "one"}}])
    ({'id': [1], 'user': [{'bio': 'one'}]}, {'user.bio': ['one']})
    """
    values: dict[str, list[Any]] = {}
    nested: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            values.setdefault(key, []).append(value)
            if isinstance(value, dict):
                _add_nested(nested, f"{key}.", value, DEEPEST)
    return values, nested


DEEPEST = 5
"""The most keys within keys that are looked at to find the text."""


def _add_nested(nested: dict[str, list[Any]], prefix: str, row: Mapping[str, Any], depth: int) -> None:
    for key, value in row.items():
        if not isinstance(value, dict):
            nested.setdefault(prefix + key, []).append(value)
        elif depth > 1:
            _add_nested(nested, f"{prefix}{key}.", value, depth - 1)


def value_at(row: Mapping[str, Any], column: str) -> Any:
    """Return the value of a key, or of a key within others; None if there is none. A key that holds the dot comes first.

    >>> value_at({"user": {"bio": "one"}}, "user.bio"), value_at({"user.bio": "two", "user": {"bio": "one"}}, "user.bio")
    ('one', 'two')
    """
    if column in row:
        return row[column]
    start = column.find(".")
    while start >= 0:
        inner = row.get(column[:start])
        if isinstance(inner, Mapping):
            found = value_at(inner, column[start + 1 :])
            if found is not None:
                return found
        start = column.find(".", start + 1)
    return None


def content_from(values: Mapping[str, Any], kind: str) -> str | list[str] | None:
    """Return a document of one or several values, which go by what to call them in an error; None if all are missing.

    Raise `ValueError` for a value of another kind.
    """
    present = {what: value for what, value in values.items() if not is_missing(value)}
    for what, value in present.items():
        if not (isinstance(value, str) if kind == TEXTS else is_list_of_items(value)):
            expected = "a string" if kind == TEXTS else "a list of strings or numbers"
            raise ValueError(f"expected {what} to be {expected}, got {NAMES[type(value)]} ({shown(value)})")
    if not present:
        return None
    if kind == TEXTS:
        return without_surrogates("\n".join(present.values()))
    return [without_surrogates(item) for value in present.values() for item in items_in(value)]


def _content(part: Part, number: int, noun: str, values: Mapping[str, Any], skip_bad: bool) -> Any:
    """Return the document, or `BAD` for a line that cannot be read if such are skipped."""
    try:
        return content_from(values, part.kind)
    except ValueError as error:
        part.add_bad(f"{noun} {number}", str(error), skip_bad)
        return BAD


def _check_no_columns(name: str, options: ReadOptions, shape: type, noun: str) -> None:
    if options.columns:
        columns = listed(column for _, column in options.columns)
        raise InputError(
            f"{name}: expected objects with {columns}, but each {noun} is {NAMES[shape]}. Leave the columns out."
        )
