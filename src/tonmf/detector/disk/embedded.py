"""Embeddings of documents that do not fit into memory, in a file of float16."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.scores.embeddings import check_embeddings
from tonmf.embed import Encoder
from tonmf.errors import InputError, Param
from tonmf.storage.atomic import replacing
from tonmf.text.batches import Batch, Batches

ROWS_AT_ONCE = 4096
"""Rows that are hashed at once."""

Embed = Callable[[Batch, int], Array]
"""From a batch, and how many documents came before it, to its embeddings at unit norm."""


class DiskEmbeddings:
    """The embeddings of all documents, made batch by batch."""

    def __init__(self, identity: str, embed: Embed, n_given: int | None = None) -> None:
        self.identity, self._embed, self._n_given = identity, embed, n_given

    @classmethod
    def by(cls, encoder: Encoder) -> DiskEmbeddings:
        """Embed texts as they are read."""
        identity = f"{encoder.name}, {encoder.width} columns"
        return cls(identity, lambda batch, _: check_embeddings(encoder.encode(batch.content), len(batch.ids)))

    @classmethod
    def given(cls, embeddings: Any) -> DiskEmbeddings:
        """Take embeddings that the user gives, perhaps mapped into memory from a file."""
        rows = np.asanyarray(embeddings)
        if rows.ndim != 2:
            check_embeddings(rows, len(rows))
        digest = hashlib.sha256(repr((rows.shape, str(rows.dtype))).encode())
        for start in range(0, len(rows), ROWS_AT_ONCE):
            digest.update(np.ascontiguousarray(rows[start : start + ROWS_AT_ONCE]).tobytes())

        def embed(batch: Batch, first: int) -> Array:
            return check_embeddings(rows[first : first + len(batch.ids)], len(batch.ids))

        return cls(digest.hexdigest()[:16], embed, len(rows))

    def of(
        self, batches: Batches, folder: Path, n_docs: int, progress: Callable[[float], object] | None = None
    ) -> Array:
        """Return the embeddings of documents, mapped from a file in the folder, which is made if it is not there.

        `progress` gets the share of the documents that is done.
        """
        if self._n_given not in (None, n_docs):
            raise InputError(
                Param("embeddings"), f" must have one row for each of the {n_docs} documents; got {self._n_given}."
            )
        path = folder / FILE
        if not path.exists():
            with replacing(path) as unfinished, unfinished.open("wb") as file:
                n_made = 0
                for rows in self._rows(batches):
                    rows.astype(np.float16).tofile(file)
                    n_made += len(rows)
                    if progress is not None:
                        progress(min(n_made / n_docs, 1.0))
        return np.memmap(path, np.float16, "r", shape=(n_docs, path.stat().st_size // (2 * n_docs)))

    def _rows(self, batches: Batches) -> Iterator[Array]:
        first = 0
        for batch in batches:
            yield self._embed(batch, first)
            first += len(batch.ids)


FILE = "embeddings"
"""The file in the folder of a store."""
