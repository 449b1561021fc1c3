"""Read a JSON file: an array of objects, strings or lists, value by value; or JSON values one after the other.

Files called .json often are JSON lines, and are read as such. Of a file that is a single object, the documents are those in the
array under its only key that holds one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from tonmf.errors import InputError
from tonmf.io.columns import Chooser
from tonmf.io.decoding import DecodedLines, encoding_of
from tonmf.io.jsonlines import read_jsonl, read_values
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened
from tonmf.text.documents import TEXTS
from tonmf.wording import listed, one_line, shown

SPACES = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()

LONGEST_TOKEN = 32
"""An error that is not so close to the end of what has been read is none of a value cut short; strings aside."""


def read_json(source: Opened, options: ReadOptions, chooser: Chooser) -> Part:
    """Read a document from each value of an array, or from each value of the file."""
    if _is_of_lines(source, options):
        return read_jsonl(source, options, chooser)
    part, lines = Part(source.name, "json", TEXTS, source.sink), DecodedLines(source, options)
    text = JsonText(lines.chunks(), source.name)
    values = text.elements() if text.starts_with("[") else _of_single_object(text.values(), part)
    read_values(enumerate(values, 1), "element", part, options, chooser)
    part.notes += lines.notes()
    return part


def _is_of_lines(source: Opened, options: ReadOptions) -> bool:
    """Return whether the first line is a whole value, and not the only one or the start of an array."""
    start = source.head.decode(encoding_of(source.head, options.encoding), "replace").lstrip()
    line, _, rest = start.partition("\n")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(rest.strip()) or not isinstance(value, dict | list)


def _of_single_object(values: Iterator[Any], part: Part) -> Iterator[Any]:
    """Return the values; for a single object with one array of objects or strings, what that holds."""
    first = list(islice(values, 2))
    if len(first) == 1 and isinstance(first[0], dict):
        arrays = {
            key: value
            for key, value in first[0].items()
            if isinstance(value, list) and value and all(isinstance(element, dict | str) for element in value)
        }
        texts = [value for value in first[0].values() if isinstance(value, str)]
        if len(arrays) == 1 and (
            not texts or any(isinstance(element, dict) for element in next(iter(arrays.values())))
        ):
            ((key, found),) = arrays.items()
            part.notes.append(f"The documents were taken from the array {shown(key)} of {part.name}.")
            return iter(found)
        if first[0] and all(isinstance(value, dict | list) for value in first[0].values()):
            raise InputError(
                f"{part.name}: expected an array of objects or strings, got one object with {listed(first[0])}. Write the "
                "documents as an array (in pandas: to_json(..., orient='records'))."
            )
    return chain(first, values)


class JsonText:
    """JSON that comes in pieces, of which only the value being read is in memory."""

    def __init__(self, pieces: Iterator[str], name: str) -> None:
        self._pieces, self._name = pieces, name
        self._text, self._position, self._line = "", 0, 1

    def starts_with(self, character: str) -> bool:
        """Return whether this is the next character that is not a space."""
        return self._next() == character

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the array that comes next, after which nothing may come."""
        self._position += 1
        number = 0
        if self._next() == "]":
            self._position += 1
        else:
            while True:
                number += 1
                yield self._value(f"element {number}")
                separator = self._next()
                if separator not in (",", "]") or not separator:
                    raise self._error(f"after element {number}", "expected a comma or the end of the array", separator)
                self._position += 1
                if separator == "]":
                    break
        if after := self._next():
            raise self._error("after the array", "expected the end of the file", after)

    def values(self) -> Iterator[Any]:
        """Yield values that come one after the other."""
        number = 0
        while self._next():
            number += 1
            yield self._value(f"value {number}")

    def _next(self) -> str:
        """Return the next character that is not a space; nothing at the end."""
        while True:
            spaces = SPACES.match(self._text, self._position)
            self._position = self._position if spaces is None else spaces.end()
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read(1):
                return ""

    def _value(self, where: str) -> Any:
        """Return the next value, reading on until it is whole."""
        self._next()
        more = 1
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                may_go_on = error.msg.startswith("Unterminated") or error.pos > len(self._text) - LONGEST_TOKEN
                if may_go_on and self._read(more):
                    more *= 2
                    continue
                what = error.msg.removesuffix(" at").removesuffix(" starting")
                self._position = min(error.pos, len(self._text))
                raise self._error(where, what, self._text[self._position : self._position + 1]) from error
            except ValueError as error:  # a number of too many digits
                raise self._error(where, one_line(error), "") from error
            except RecursionError as error:
                raise self._error(where, "nested too deeply", "") from error
            if end < len(self._text) or not isinstance(value, int | float) or not self._read(1):
                self._position = end
                return value

    def _read(self, n_pieces: int) -> bool:
        """Read on, and drop what is done with; return False at the end."""
        pieces = list(islice(self._pieces, n_pieces))
        if pieces:
            self._line += self._text.count("\n", 0, self._position)
            self._text, self._position = self._text[self._position :] + "".join(pieces), 0
        return bool(pieces)

    def _error(self, where: str, what: str, got: str) -> InputError:
        line = self._line + self._text.count("\n", 0, self._position)
        found = (
            f", got {shown(got)}"
            if got
            else ""
            if self._text[self._position :].strip()
            else ", got the end of the file"
        )
        return InputError(
            f"{self._name}, {where} (line {line}): not valid JSON ({what}{found}). Fix it, or write it again."
        )
