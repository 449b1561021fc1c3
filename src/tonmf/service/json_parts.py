"""Parse large JSON in parts, so that the thread of requests never waits for Python's lock for more than some milliseconds."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tonmf.service.bodies import parse
from tonmf.service.documents import too_many
from tonmf.service.errors import ServiceError
from tonmf.service.json_outline import IN_A_PART, Outline, outline_of
from tonmf.service.limits import Limits
from tonmf.wording import number_of

AT_ONCE = 65_536
"""Bytes of JSON that are parsed where they are received; more go to a thread."""

BESIDES = 10_000
"""Values of a document besides its words, such as those of keys that nobody asked for; and lists and objects in it."""

Take = Callable[[str, list[Any]], list[Any]]
"""What to make of some elements of the list under a key, as soon as they are parsed."""


def parse_in_parts(body: bytes | bytearray, limits: Limits, take: Take = lambda key, elements: elements) -> Any:
    """Parse an object; of a long list in it, `take` gets some elements at a time, and what it returns stands for them.

    Raises `ValueError` with the reason if it is no JSON, and `ServiceError` if it has more values than a request may have. A
    list that is not long enough to be parsed in parts stays as it is.
    """
    outline = outline_of(body)
    if outline.n_elements > max(limits.batch, IN_A_PART):
        raise too_many(limits.batch)
    _check(outline, limits, "A document")
    if not outline.cuts:
        return parse(body)
    if body.lstrip()[:1] != b"{":
        raise ServiceError(422, 'Expected an object such as {"documents": […]}; got something else.')
    end = secrets.token_hex()  # after the last element before the first cut, to know which list that is
    whole = parse(body, 0, outline.cuts[0], closed=b',"%s"]}' % end.encode())
    key = next(key for key, value in whole.items() if isinstance(value, list) and value[-1:] == [end])
    elements = take(key, whole[key][:-1])
    for last, cut in pairwise(outline.cuts):
        elements += take(key, _some(body, last + 1, parse(body, last + 1, cut, b"[", b"]")))
    start = outline.cuts[-1] + 1
    rest = parse(body, start, None, b'{"%s":[' % end.encode())
    whole[key] = elements + take(key, _some(body, start, rest.pop(end)))
    return {**whole, **rest}


def _some(body: bytes | bytearray, start: int, elements: list[Any]) -> list[Any]:
    """Return the elements after a comma, of which there must be some."""
    if not elements:
        raise ValueError(f"Expecting value at character {len(body[:start].decode())}")
    return elements


def parse_line(line: bytes, limits: Limits, where: str) -> Any:
    """Parse a line with one document; raise the same errors."""
    if len(line) > AT_ONCE:
        _check(outline_of(line, len(line)), limits, where)
    return parse(line)


def _check(outline: Outline, limits: Limits, where: str) -> None:
    """Refuse a document that the model would not take, before a parser is busy with it."""
    if outline.deepest > sys.getrecursionlimit():
        raise ValueError("it is nested too deeply")
    found = max(outline.most_values - 2 * limits.words, outline.most_containers)
    if found > IN_A_PART + BESIDES:
        raise ServiceError(
            413,
            f"{where} has far more values than {number_of(limits.words, 'word')}, which is the most. Shorten it, or start the "
            "server with a higher --max-words.",
        )
