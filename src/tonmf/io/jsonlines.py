"""Read JSON lines: an object, a string or a list of items on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from tonmf.errors import InputError
from tonmf.io.columns import SAMPLE, Chooser, Columns, is_list_of_items, is_missing, items_in
from tonmf.io.decoding import DecodedLines, without_line_end
from tonmf.io.options import ReadOptions
from tonmf.io.part import UNKNOWN, DocumentFacts, Part
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
    values = _parsed(lines, part, options.skip_bad)
    first = list(islice(values, SAMPLE))
    shape = next((type(value) for _, value in first if isinstance(value, dict | str | list)), dict)
    everything = chain(first, values)
    if shape is dict:
        _read_objects(everything, [value for _, value in first if isinstance(value, dict)], part, options, chooser)
    else:
        _check_no_columns(source.name, options, shape)
        part.kind = TEXTS if shape is str else ITEMS
        for number, value in everything:
            _add(part, number, value, "the line", UNKNOWN, options.skip_bad)
    part.notes += lines.notes()
    return part


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
    values: Iterable[tuple[int, Any]], sample: list[dict[str, Any]], part: Part, options: ReadOptions, chooser: Chooser
) -> None:
    if not sample:
        for number, value in values:
            part.add_bad(
                f"line {number}", f"expected an object, a string or a list, got {NAMES[type(value)]}", options.skip_bad
            )
        return
    columns, notes = _choose(sample, part.name, chooser)
    part.kind = columns.kind
    part.notes += notes
    for number, value in values:
        if not isinstance(value, dict):
            part.add_bad(f"line {number}", f"expected an object, got {NAMES[type(value)]}", options.skip_bad)
            continue
        facts = part.facts(f"line {number}", columns, value, options.skip_bad)
        if facts is not None:
            _add(part, number, value.get(columns.text), f"its {shown(columns.text)}", facts, options.skip_bad)


def _choose(sample: list[dict[str, Any]], name: str, chooser: Chooser) -> tuple[Columns, list[str]]:
    values: dict[str, list[Any]] = {}
    for row in sample:
        for key, value in row.items():
            values.setdefault(key, []).append(value)
    return chooser.choose(values, "jsonl", name)


def _add(part: Part, number: int, value: Any, what: str, facts: DocumentFacts, skip_bad: bool) -> None:
    """Add a text or a list of items, whichever kind the part has."""
    if is_missing(value):
        part.add(number, None)
    elif part.kind == TEXTS and isinstance(value, str):
        part.add(number, without_surrogates(value), facts)
    elif part.kind == ITEMS and is_list_of_items(value):
        part.add(number, [without_surrogates(item) for item in items_in(value)], facts)
    else:
        expected = "a string" if part.kind == TEXTS else "a list of strings or numbers"
        part.add_bad(
            f"line {number}", f"expected {what} to be {expected}, got {NAMES[type(value)]} ({shown(value)})", skip_bad
        )


def _check_no_columns(name: str, options: ReadOptions, shape: type) -> None:
    if options.columns:
        raise InputError(
            f"{name}: expected objects with {listed(options.columns.values())}, but each line is {NAMES[shape]}. Leave the "
            "columns out."
        )
