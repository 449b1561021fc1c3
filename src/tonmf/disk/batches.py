"""Documents in batches, to be gone through more than once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol

from tonmf.documents import as_documents
from tonmf.errors import InputError

BATCH = 2000
"""Documents in a batch, at most."""


@dataclass(frozen=True)
class Batch:
    """Some documents and what they are called."""

    ids: list[str]
    content: list[Any]


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
        iterator, first = iter(self._documents), 0
        kind = None
        while some := list(islice(iterator, BATCH)):
            content, found = as_documents(some)
            if kind is not None and found != kind:
                raise InputError(
                    f"Documents must all be of one kind: the first are {kind}, those from {first} on {found}."
                )
            kind = found
            yield Batch(list(map(str, range(first, first + len(content)))), content)
            first += len(content)


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
    if not isinstance(documents, Iterator):
        return BatchesOf(documents)
    if again:
        raise InputError(
            "Expected documents that can be gone through more than once, got an iterator, which is used up by the first time: "
            "whether a cache belongs to it cannot be told. Leave cache out, or give an object whose __iter__ begins anew."
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
