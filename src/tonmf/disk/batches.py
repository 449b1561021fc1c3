"""Documents in batches, to be gone through more than once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
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


def in_batches(documents: Any) -> Batches:
    """Documents in batches; those that come only once are refused."""
    if hasattr(documents, "fingerprint"):
        batches: Batches = documents
        return batches
    if isinstance(documents, Iterator):
        raise InputError(
            "Expected documents that can be gone through more than once, got an iterator, which is used up by the first time. "
            "Give a list, or an object whose __iter__ opens the source anew."
        )
    return BatchesOf(documents)


def checksum_of(batch: Batch, so_far: int = 0) -> int:
    """A number that tells whether documents are the same."""
    for document in batch.content:
        text = document if isinstance(document, str) else "\x1f".join(map(str, document))
        so_far = zlib.crc32(text.encode("utf-8", "surrogatepass"), so_far)
    return so_far
