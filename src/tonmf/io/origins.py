"""Where documents come from: the file of each, and its line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from tonmf.io.archives import file_of
from tonmf.io.inputs import Input
from tonmf.io.part import Part


class Origin(NamedTuple):
    """The file that a document was read from, None for standard input; and its line from 1, None if a file has no lines."""

    path: str | None
    line: int | None


class Origins:
    """The origins of documents that were read from inputs.

    Parameters
    ----------
    inputs : sequence of Input
    parts : sequence of Part
        What was read of each.
    """

    def __init__(self, inputs: Sequence[Input], parts: Sequence[Part]) -> None:
        self._inputs, self._parts = inputs, parts
        self._ends = list(accumulate(len(part.ids) for part in parts))
        self._members: dict[int, dict[str, str | None]] = {}

    def __getitem__(self, row: int) -> Origin:
        """Return the origin of a document, given by its number."""
        number = bisect_right(self._ends, row)
        source, part = self._inputs[number], self._parts[number]
        within = row - (self._ends[number] - len(part.ids))
        where = part.origins[within] if part.origins else None
        if isinstance(where, str):
            if number not in self._members:
                self._members[number] = {name: file_of(place) for name, place in source.members}
            return Origin(self._members[number].get(where), None)
        return Origin(file_of(source.path), where)
