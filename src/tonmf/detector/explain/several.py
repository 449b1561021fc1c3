"""Several explanations: a list that a notebook can show."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar, overload

from tonmf.attached import Attached

T = TypeVar("T")

SHOWN = 10
"""Explanations that ``repr`` shows, at most."""


class ExplanationList(list[T]):
    """A list of explanations, which is short as text and which a notebook shows as HTML.

    >>> ExplanationList(range(12))[10:]
    [10,
     11]
    """

    _repr_html_ = Attached("html of explanations")

    def __repr__(self) -> str:
        more = [f"… {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return "[" + ",\n ".join([*map(repr, self[:SHOWN]), *more]) + "]"

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> ExplanationList[T]: ...
    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return ExplanationList(found) if isinstance(place, slice) else found
