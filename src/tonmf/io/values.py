"""Values of tables as files can hold them: ours, and whatever a user's column may have."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tonmf.text.documents import without_surrogates


def plain_columns(columns: Mapping[str, Sequence[Any]], of_any_type: Collection[str]) -> dict[str, list[Any]]:
    """Turn NumPy values into Python's own, and text into text that can be encoded.

    Lists become lists of strings; in the columns `of_any_type` they keep what they hold.
    """
    return {
        without_surrogates(name): list(column)
        if is_plain(column)
        else [_any(value) if name in of_any_type else _plain(value) for value in column]
        for name, column in columns.items()
    }


NUMBERS = frozenset((bool, int, float, type(None)))
"""Types whose values every file can hold as they are."""


def is_plain(column: Sequence[Any]) -> bool:
    """Return whether all values can be written as they are: Python's own numbers, and texts in ASCII."""
    types = set(map(type, column))
    return types <= NUMBERS or (types == {str} and all(map(str.isascii, column)))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [without_surrogates(str(item)) for item in value]
    return without_surrogates(value) if isinstance(value, str) else value


def _any(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_any(item) for item in value]
    if isinstance(value, Mapping):
        return {without_surrogates(str(key)): _any(item) for key, item in value.items()}
    return value


def json_value(value: Any) -> Any:
    """Return a value that JSON has: NaN and infinity become null, times and the like text.

    >>> import datetime
    >>> json_value({"when": datetime.date(2026, 11, 16), "price": float("nan"), "tags": ["a", 1]})
    {'when': '2026-11-16', 'price': None, 'tags': ['a', 1]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    return _as_text(value)


def cell_of(value: Any) -> Any:
    """Return a value of a user's column for a cell of CSV: lists and mappings become JSON, times and the like text.

    >>> cell_of(["a", 1]), cell_of(3.5), cell_of(b"bytes")
    ('["a", 1]', 3.5, 'bytes')
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return json_text(value) if isinstance(value, list | tuple | Mapping) else _as_text(value)


def json_text(value: Any) -> str:
    """Return a value as JSON; a text stays as it is."""
    return value if isinstance(value, str) else json.dumps(json_value(value), ensure_ascii=False)


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
