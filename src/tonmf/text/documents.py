"""What the user hands in as documents: texts, rows of items, or a matrix of counts; or one clear error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.wording import number_of

TEXTS, ITEMS, COUNTS = "texts", "rows of items", "a matrix of counts"
"""The kinds of documents, in words."""


def as_documents(documents: Any, first: int = 0) -> tuple[Any, str]:
    """The documents, as a list if they are no matrix, and their kind; `first` is the number of the first in messages."""
    if is_matrix(documents):
        return documents, COUNTS
    refuse_what_is_no_list(documents)
    listed = list(documents)
    if not listed:
        raise InputError("Expected at least one document, got none.")
    listed = [to_be_read_twice(document) for document in listed]
    kinds = [_kind_of_document(number, document) for number, document in enumerate(listed, first)]
    if len(set(kinds)) > 1:
        other = kinds.index(next(kind for kind in kinds if kind != kinds[0]))
        raise InputError(
            f"Documents must all be of one kind: document {first} is of {kinds[0]}, document {first + other} of "
            f"{kinds[other]}."
        )
    return listed, kinds[0]


def to_be_read_twice(document: Any) -> Any:
    """A document as it is, or as a list if it could be gone through only once."""
    return document if hasattr(document, "__len__") or not isinstance(document, Iterable) else list(document)


def is_matrix(documents: Any) -> bool:
    """Whether they are rows of numbers, sparse or dense."""
    return sp.issparse(documents) or (isinstance(documents, np.ndarray) and documents.dtype.kind not in "OUT")


def take(documents: Any, rows: Sequence[int] | NDArray[np.int64]) -> Any:
    """Some of the documents, as `as_documents` returned them."""
    if sp.issparse(documents):
        return sp.csr_matrix(documents)[rows]
    return documents[rows] if is_matrix(documents) else [documents[row] for row in rows]


def one_of(documents: Any, row: int) -> Any:
    """One of the documents; of a matrix, a matrix of one row."""
    return take(documents, [row]) if is_matrix(documents) else documents[row]


def refuse_what_is_no_list(documents: Any) -> None:
    """What cannot be gone through one by one, or could be, but not with the result that is meant."""
    name = type(documents).__name__
    if not hasattr(documents, "__iter__") and not hasattr(documents, "__getitem__"):
        raise InputError(f"Expected a list of strings, of rows of items, or a matrix of counts; got {name}.")
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


def check_names(names: Sequence[Any] | None, n_docs: int) -> list[str]:
    """What documents are called: their numbers, or one given name each."""
    if names is None:
        return list(map(str, range(n_docs)))
    if len(names) != n_docs:
        raise InputError(f"names must have one for each of the {n_docs} documents; got {len(names)}.")
    return list(map(str, names))


def check_ids(ids: Iterable[Any], names: Sequence[str]) -> list[int]:
    """Numbers of documents, given by number or by name."""
    n_docs = len(names)
    listed = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, str | bytes) else [ids]
    numbers = []
    for wanted in listed:
        if isinstance(wanted, str) and wanted in names:
            numbers.append(names.index(wanted))
        elif isinstance(wanted, int | np.integer) and not isinstance(wanted, bool) and -n_docs <= int(wanted) < n_docs:
            numbers.append(int(wanted) % n_docs)
        else:
            raise InputError(f"ids must be numbers of the {n_docs} documents, or their names; got {wanted!r}.")
    return numbers


def note_on_copies(n_copies: int) -> list[str]:
    """That documents are the same as others, if some are."""
    if not n_copies:
        return []
    return [f"{number_of(n_copies, 'document')} repeat{'s' if n_copies == 1 else ''} another word for word."]


SURROGATE = re.compile("[\ud800-\udfff]")


REPLACEMENT = "\ufffd"


def without_surrogates(text: str) -> str:
    """Text that can be written: half a surrogate pair, as JSON may hold, becomes U+FFFD."""
    return text if text.isascii() else SURROGATE.sub(REPLACEMENT, text)
