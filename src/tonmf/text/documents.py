"""Documents as users give them: texts, rows of items, or a matrix of counts; anything else gets one clear error.

scipy is loaded only where there may be a matrix, so that reading plain files needs neither it nor its time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.text.frames import column_of, is_frame, is_lazy, is_missing, is_series, values_of
from tonmf.wording import number_of

TEXTS, ITEMS, COUNTS = "texts", "rows of items", "a matrix of counts"
"""The kinds of documents, in words."""

ONE_OF = {TEXTS: "a text", ITEMS: "a row of items"}
"""One document of a kind, in words."""


def as_documents(documents: Any, first: int = 0) -> tuple[Any, str]:
    """Return the documents, as a list unless they are a matrix, and their kind.

    A Series, or a frame of one column, is a list; missing values are empty documents there. `first` is the number of the first
    document in error messages.
    """
    if is_matrix(documents):
        return documents, COUNTS
    documents = listed_series(documents)
    reject_non_lists(documents)
    listed = list(documents)
    if not listed:
        raise InputError("Expected at least one document, got none.")
    listed = [to_be_read_twice(document) for document in listed]
    kinds = [_kind_of_document(number, document) for number, document in enumerate(listed, first)]
    if len(set(kinds)) > 1:
        other = kinds.index(next(kind for kind in kinds if kind != kinds[0]))
        raise InputError(
            f"Documents must all be of one kind: document {first} is {ONE_OF[kinds[0]]}, document {first + other} "
            f"{ONE_OF[kinds[other]]}."
        )
    return listed, kinds[0]


def listed_series(documents: Any) -> Any:
    """Return a Series, or a frame of one column, as a list, with empty documents for missing values; others as they are."""
    documents = column_of(documents)
    return values_of(documents) if is_series(documents) else documents


def to_be_read_twice(document: Any) -> Any:
    """Return a document as it is, or as a list if it can be iterated only once."""
    return document if hasattr(document, "__len__") or not isinstance(document, Iterable) else list(document)


def is_matrix(documents: Any) -> bool:
    """Return whether the documents are rows of numbers, sparse or dense."""
    if isinstance(documents, np.ndarray):
        return documents.dtype.kind not in "OUT"
    if isinstance(documents, list):
        return False
    import scipy.sparse as sp

    return bool(sp.issparse(documents))


def take(documents: Any, rows: Sequence[int] | NDArray[np.int64]) -> Any:
    """Return some of the documents that `as_documents` returned."""
    if not is_matrix(documents):
        return [documents[row] for row in rows]
    if isinstance(documents, np.ndarray):
        return documents[rows]
    import scipy.sparse as sp

    return sp.csr_matrix(documents)[rows]


def n_documents(documents: Any) -> int:
    """Return the number of documents, as `as_documents` returned them.

    >>> n_documents(["a text", "another"]), n_documents(np.eye(3))
    (2, 3)
    """
    return int(documents.shape[0]) if is_matrix(documents) else len(documents)


def one_of(documents: Any, row: int) -> Any:
    """Return one of the documents; of a matrix, a matrix of one row."""
    return take(documents, [row]) if is_matrix(documents) else documents[row]


def reject_non_lists(documents: Any) -> None:
    """Reject inputs that are not iterable, or are surely a mistake: a str, a DataFrame, a set, a mapping."""
    name = type(documents).__name__
    if not hasattr(documents, "__iter__") and not hasattr(documents, "__getitem__"):
        raise InputError(f"Expected a list of strings, of rows of items, or a matrix of counts; got {name}.")
    if isinstance(documents, str | bytes):
        raise InputError(f"Expected a list of documents, got one {name} of length {len(documents)}. Put it in a list.")
    if is_lazy(documents):
        raise InputError(f"Expected a list of documents, got a {name}, which is yet to be computed. Collect it first.")
    if is_frame(documents):
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
    what = "missing" if is_missing(document) else f"of type {type(document).__name__}"
    advice = "Decode it" if isinstance(document, bytes) else "Drop it, or put an empty string in its place"
    raise InputError(f"Document {number} is {what}; expected a string or a list of items. {advice}.")


def items_of(row: Iterable[Any]) -> list[str]:
    """Return the items of a basket by name, so that 17 and "17" are the same item.

    >>> items_of([17, "milk"])
    ['17', 'milk']
    """
    items = list(row)
    if any(is_missing(item) for item in items):
        raise InputError(f"An item is missing in a row of items: {items[:10]!r}. Leave it out.")
    return list(map(str, items))


def between_items(items: Iterable[str]) -> str:
    """Return what to put between the items of a basket to show them: a space, or a comma where items have spaces in them.

    >>> between_items(["32", "41"]), between_items(["whole milk", "soda"])
    (' ', ', ')
    """
    return ", " if any(" " in item for item in items) else " "


def joined_items(row: Iterable[Any]) -> str:
    """Return the items of a basket as one line.

    >>> joined_items(["whole milk", "soda"]), joined_items([32, 41])
    ('whole milk, soda', '32 41')
    """
    items = list(map(str, row))
    return between_items(items).join(items)


def check_names(names: Sequence[Any] | None, n_docs: int) -> list[str]:
    """Return the names of documents as strings; their numbers if no names are given."""
    if names is None:
        return list(map(str, range(n_docs)))
    if len(names) != n_docs:
        raise InputError(f"names must have one for each of the {n_docs} documents; got {len(names)}.")
    return list(map(str, names))


def check_ids(ids: Iterable[Any], names: Sequence[str]) -> list[int]:
    """Return the numbers of documents that are given by number or by name."""
    n_docs = len(names)
    listed = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, str | bytes) else [ids]
    by_name = any(isinstance(wanted, str) for wanted in listed)
    places = dict(zip(reversed(names), range(n_docs - 1, -1, -1), strict=True)) if by_name else {}
    numbers = []
    for wanted in listed:
        if isinstance(wanted, str) and wanted in places:
            numbers.append(places[wanted])
        elif isinstance(wanted, int | np.integer) and not isinstance(wanted, bool) and -n_docs <= int(wanted) < n_docs:
            numbers.append(int(wanted) % n_docs)
        else:
            is_name = isinstance(wanted, int | np.integer) and str(wanted) in names
            advice = f" Give the name as a string, {str(wanted)!r}." if is_name else ""
            raise InputError(f"ids must be numbers of the {n_docs} documents, or their names; got {wanted!r}.", advice)
    return numbers


@dataclass(frozen=True)
class KnownNames:
    """The names of documents, for when the same documents come again without them."""

    names: list[str]
    fingerprint: int

    @classmethod
    def of(cls, documents: Any, names: Sequence[Any] | None) -> KnownNames | None:
        """Remember the names of documents that `as_documents` returned, if they have any."""
        return None if names is None else cls(check_names(names, n_documents(documents)), _fingerprint(documents))

    def given_to(self, documents: Any) -> list[str] | None:
        """Return the names if these are the same documents, in the same order."""
        same = n_documents(documents) == len(self.names) and _fingerprint(documents) == self.fingerprint
        return self.names if same else None


def _fingerprint(documents: Any) -> int:
    """Return a number that differs for other documents; it is the same only within one process."""
    if not is_matrix(documents):
        return hash(tuple(one if isinstance(one, str) else tuple(map(str, one)) for one in documents))
    if isinstance(documents, np.ndarray):
        return hash((documents.shape, documents.tobytes()))
    import scipy.sparse as sp

    rows = sp.csr_matrix(documents)
    return hash((rows.shape, *(array.tobytes() for array in (rows.indptr, rows.indices, rows.data))))


def content_of(document: Any) -> Hashable:
    """Return what exact copies have in common: a text itself, or the items of a basket in any order.

    >>> content_of("a text"), content_of(["milk", 17]) == content_of(["17", "milk"])
    ('a text', True)
    """
    return document if isinstance(document, str) else tuple(sorted(items_of(document)))


def content_key(document: Any) -> str:
    """Return what tells a text or a basket from others, the same in any run: 64 bits as hexadecimal digits.

    With n different documents, the probability that one is taken for another is n²/2⁶⁵.

    >>> content_key("a text"), content_key(["milk", 17]) == content_key(["17", "milk"])
    ('536408935be0e950', True)
    """
    content = content_of(document)
    text = content if isinstance(content, str) else "\x1f".join(map(str, content)) + "\x1f"  # type: ignore[call-overload]
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def first_copies(documents: Any) -> NDArray[np.int64]:
    """Return for each document the number of the first one with the same content: its own, unless it is an exact copy.

    >>> first_copies(["a", "b", "a"]).tolist()
    [0, 1, 0]
    """
    first: dict[Hashable, int] = {}
    contents = _rows_of(documents) if is_matrix(documents) else map(content_of, documents)
    return np.array([first.setdefault(content, row) for row, content in enumerate(contents)], np.int64)


def _rows_of(matrix: Any) -> Iterator[Hashable]:
    """Yield the content of each row of a matrix, sparse or dense."""
    import scipy.sparse as sp

    rows = sp.csr_matrix(matrix, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for start, end in pairwise(rows.indptr):
        yield rows.indices[start:end].tobytes(), rows.data[start:end].tobytes()


def note_on_copies(n_copies: int) -> list[str]:
    """Return a note on documents that repeat others, if there are any."""
    if not n_copies:
        return []
    return [f"{number_of(n_copies, 'document')} repeat{'s' if n_copies == 1 else ''} another word for word."]


SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def without_surrogates(text: str) -> str:
    """Return text that can be encoded: half a surrogate pair, as JSON may hold, becomes U+FFFD."""
    return text if text.isascii() else SURROGATE.sub(REPLACEMENT, text)
