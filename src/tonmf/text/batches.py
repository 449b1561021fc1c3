"""Documents in batches, to be gone through more than once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol

from tonmf.errors import InputError, Param
from tonmf.text.documents import as_documents, reject_non_lists, to_be_read_twice

BATCH, BATCH_SIZE = 2000, 4_000_000
"""Documents in a batch, at most, and their size, after which it ends."""

ITEM = 60
"""Characters that take as much memory as an item of a basket."""


@dataclass(frozen=True)
class Batch:
    """Some documents and what they are called."""

    ids: list[str]
    content: list[Any]


def size_of(document: Any) -> int:
    """How much there is of a document, in characters.

    >>> size_of("text"), size_of(["milk", "bread"])
    (4, 120)
    """
    length = len(document) if hasattr(document, "__len__") else 0
    return length if isinstance(document, str) else ITEM * length


def is_enough(n_docs: int, size: int) -> bool:
    """Whether so many documents of this size together make a batch."""
    return n_docs >= BATCH or size >= BATCH_SIZE


class Batches(Protocol):
    """Documents of one kind, in the same batches whenever they are gone through."""

    @property
    def fingerprint(self) -> Any:
        """What tells these documents from others without reading them, in terms of JSON; None if nothing does."""

    def __iter__(self) -> Iterator[Batch]:
        """From the first batch on."""


class BatchesOf:
    """Batches of any documents that can be gone through again: a list, or an object whose ``__iter__`` begins anew.

    They are called by their numbers.
    """

    fingerprint: Any = None

    def __init__(self, documents: Iterable[Any]) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[Batch]:
        first, kind = 0, None
        for some in self._stretches():
            content, found = as_documents(some, first)
            if kind is not None and found != kind:
                raise InputError(
                    f"Documents must all be of one kind: the first are {kind}, those from {first} on {found}."
                )
            kind = found
            yield Batch(list(map(str, range(first, first + len(content)))), content)
            first += len(content)

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
    """Batches of documents that can be gone through only once; the first is looked at before."""

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
    """Documents in batches; if they are to be known again, those that come only once are refused."""
    if hasattr(documents, "fingerprint"):
        batches: Batches = documents
        return batches
    reject_non_lists(documents)
    if not isinstance(documents, Iterator):
        return BatchesOf(documents)
    if again:
        raise InputError(
            "Expected documents that can be gone through more than once, got an iterator, which is used up by the first time: "
            "whether a cache belongs to it cannot be told. Leave ",
            Param("cache"),
            " out, or give an object whose __iter__ begins anew.",
        )
    return BatchesOnce(documents)


def check_unchanged(batches: Batches, fingerprint: Any) -> None:
    """Documents must stay as they are while they are learnt from."""
    if batches.fingerprint != fingerprint:
        raise InputError(
            "The documents have changed since they were first read, so scores would not be theirs. Run again, on files that "
            "stay as they are."
        )


def digest_of(batches: Batches) -> list[Any]:
    """What tells documents from others by reading them: how many there are, and a digest of them and their names."""
    n_docs, digest = 0, hashlib.sha256()
    for batch in batches:
        n_docs += len(batch.ids)
        for name, document in zip(batch.ids, batch.content, strict=True):
            for text in (name, document) if isinstance(document, str) else (name, *map(str, document)):
                encoded = text.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
            digest.update(b"\xff" * 8)
    return [n_docs, digest.hexdigest()]
