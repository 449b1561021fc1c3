"""Documents in batches, to be read more than once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol

from tonmf.errors import InputError, Param
from tonmf.text.documents import as_documents, listed_series, reject_non_lists, to_be_read_twice
from tonmf.text.frames import names_for

BATCH, BATCH_SIZE = 2000, 4_000_000
"""The most documents in a batch, and the size at which it ends even with fewer."""

ITEM = 60
"""Size of an item of a basket, which takes as much memory as a text of this many characters."""


@dataclass(frozen=True)
class Batch:
    """Some documents and their ids, and if they are to be kept, the values of each in the columns of its table."""

    ids: list[str]
    content: list[Any]
    rows: list[Mapping[str, Any]] | None = None


def size_of(document: Any) -> int:
    """Return the size of a document, in characters.

    >>> size_of("text"), size_of(["milk", "bread"])
    (4, 120)
    """
    length = len(document) if hasattr(document, "__len__") else 0
    return length if isinstance(document, str) else ITEM * length


def is_enough(n_docs: int, size: int) -> bool:
    """Return whether this many documents, of this total size, fill a batch."""
    return n_docs >= BATCH or size >= BATCH_SIZE


class Batches(Protocol):
    """Documents of one kind, in the same batches each time they are iterated."""

    @property
    def fingerprint(self) -> Any:
        """Return a JSON value that identifies the documents without reading them; None if there is none."""

    def __iter__(self) -> Iterator[Batch]:
        """Start again from the first batch."""


class BatchesOf:
    """Batches of any documents that can be iterated again: a list, or an object whose ``__iter__`` starts afresh.

    Their ids are their numbers, unless they have names.
    """

    fingerprint: Any = None

    def __init__(self, documents: Iterable[Any], names: Sequence[Any] | None = None) -> None:
        self._documents, self._names = documents, names

    def __iter__(self) -> Iterator[Batch]:
        first, kind = 0, None
        for some in self._stretches():
            content, found = as_documents(some, first)
            if kind is not None and found != kind:
                raise InputError(
                    f"Documents must all be of one kind: the first are {kind}, those from {first} on {found}."
                )
            kind = found
            last = first + len(content)
            ids = range(first, last) if self._names is None else self._names[first:last]
            yield Batch(list(map(str, ids)), content)
            first = last

    def _stretches(self) -> Iterator[list[Any]]:
        some, size = list[Any](), 0
        for document in self._documents:
            some.append(to_be_read_twice(document))
            size += size_of(some[-1])
            if is_enough(len(some), size):
                yield some
                some, size = [], 0
        if some:
            yield some


class BatchesOnce:
    """Batches of documents that can be iterated only once.

    The first iteration yields only the first batch, to look at; the second yields all.
    """

    fingerprint: Any = "read once"

    def __init__(self, documents: Iterator[Any]) -> None:
        self._batches = iter(BatchesOf(documents))
        self._first: list[Batch] | None = None

    def __iter__(self) -> Iterator[Batch]:
        if self._first is None:
            self._first = list(islice(self._batches, 1))
            return iter(self._first)
        return chain(self._first, self._batches)


def in_batches(documents: Any, again: bool) -> Batches:
    """Return documents in batches; if they are to be read `again` in another run, reject iterators."""
    if hasattr(documents, "fingerprint"):
        batches: Batches = documents
        return batches
    names, documents = names_for(documents, None), listed_series(documents)
    reject_non_lists(documents)
    if not isinstance(documents, Iterator):
        return BatchesOf(documents, names)
    if again:
        raise InputError(
            "Expected documents that can be read more than once, got an iterator, which is used up after the first time, so it "
            "cannot be checked against a cache. Leave ",
            Param("cache"),
            " out, or give an object whose __iter__ starts afresh.",
        )
    return BatchesOnce(documents)


def check_unchanged(batches: Batches, fingerprint: Any) -> None:
    """Raise `InputError` if the documents have changed while they were learnt from."""
    if batches.fingerprint != fingerprint:
        raise InputError(
            "The documents have changed since they were first read, so their scores would be wrong. Run again on files that "
            "do not change."
        )


def digest_of(batches: Batches) -> list[Any]:
    """Read the documents and return what identifies them: their number, and a digest of their ids and content."""
    n_docs, digest = 0, hashlib.sha256()
    for batch in batches:
        n_docs += len(batch.ids)
        for name, document in zip(batch.ids, batch.content, strict=True):
            for text in (name, document) if isinstance(document, str) else (name, *map(str, document)):
                encoded = text.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
            digest.update(b"\xff" * 8)
    return [n_docs, digest.hexdigest()]
