"""What the user hands in as documents: texts, rows of items, or a matrix of counts; or one clear error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.errors import InputError

TEXTS, ITEMS, COUNTS = "texts", "rows of items", "a matrix of counts"
"""The kinds of documents, in words."""


def as_documents(documents: Any) -> tuple[Any, str]:
    """The documents, as a list if they are no matrix, and their kind."""
    if sp.issparse(documents) or (isinstance(documents, np.ndarray) and documents.dtype.kind not in "OUT"):
        return documents, COUNTS
    _refuse_lookalikes(documents)
    try:
        listed = list(documents)
    except TypeError as error:
        raise InputError(
            f"Expected a list of strings, of rows of items, or a matrix of counts; got {type(documents).__name__}."
        ) from error
    if not listed:
        raise InputError("Expected at least one document, got none.")
    kinds = [_kind_of_document(number, document) for number, document in enumerate(listed)]
    if len(set(kinds)) > 1:
        other = kinds.index(next(kind for kind in kinds if kind != kinds[0]))
        raise InputError(
            f"Documents must all be of one kind: document 0 is of {kinds[0]}, document {other} of {kinds[other]}."
        )
    return listed, kinds[0]


def _refuse_lookalikes(documents: Any) -> None:
    """What could be gone through one by one, but not with the result that is meant."""
    name = type(documents).__name__
    if isinstance(documents, str | bytes):
        raise InputError(f"Expected a list of documents, got one {name} of length {len(documents)}. Put it in a list.")
    if hasattr(documents, "columns"):
        columns = [str(column) for column in documents.columns]
        listed = ", ".join(columns[:8]) + (", …" if len(columns) > 8 else "")
        raise InputError(
            f"Expected a list of documents, got a table with columns {listed}. Give one column of texts, or counts as a matrix "
            "(to_numpy())."
        )
    if isinstance(documents, set | frozenset | Mapping):
        raise InputError(
            f"Expected a list of documents, got a {name}. Give its texts as a list, so that they keep an order."
        )
    if isinstance(documents, np.ndarray) and documents.ndim != 1:
        raise InputError(
            f"Expected a list of documents or a matrix of numbers, got an array of {documents.dtype} and shape "
            f"{documents.shape}. Give one column, or numbers."
        )


def _kind_of_document(number: int, document: Any) -> str:
    if isinstance(document, str):
        return TEXTS
    if isinstance(document, Iterable) and not isinstance(document, bytes | Mapping):
        return ITEMS
    missing = document is None or type(document).__name__ in ("NAType", "NaTType") or _is_nan(document)
    what = "missing" if missing else f"a {type(document).__name__}"
    advice = "Decode it" if isinstance(document, bytes) else "Drop it, or put an empty string in its place"
    raise InputError(f"Document {number} is {what}; expected a string or a list of items. {advice}.")


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def items_of(row: Iterable[Any]) -> list[str]:
    """The items of a basket, by name: 17 and "17" are the same item.

    >>> items_of([17, "milk"])
    ['17', 'milk']
    """
    items = list(row)
    if any(item is None or _is_nan(item) for item in items):
        raise InputError(f"A row of items holds a missing one: {items[:10]!r}. Leave it out.")
    return list(map(str, items))
