"""Embeddings of documents that do not fit into memory, in a file of float16."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.embedder import EmbeddedBy
from tonmf.detector.scores.embeddings import check_embeddings
from tonmf.embed import Encoder, same_model
from tonmf.errors import InputError, Param
from tonmf.storage.array_file import ArrayFile, write_arrays
from tonmf.storage.atomic import replacing
from tonmf.text.batches import Batch, Batches

ROWS_AT_ONCE = 4096
"""Rows that are hashed at once."""

Embed = Callable[[Batch, int], Array]
"""From a batch, and how many documents came before it, to its embeddings at unit norm."""


class DiskEmbeddings:
    """The embeddings of all documents, made batch by batch."""

    def __init__(
        self, identity: str, embed: Embed, n_given: int | None = None, embedded_by: EmbeddedBy | None = None
    ) -> None:
        self.identity, self._embed, self._n_given, self._embedded_by = identity, embed, n_given, embedded_by

    @classmethod
    def by(cls, encoder: Encoder) -> DiskEmbeddings:
        """Embed texts as they are read."""
        identity = f"{encoder.name}, {encoder.width} columns"

        def embed(batch: Batch, _: int) -> Array:
            return check_embeddings(encoder.encode(batch.content), len(batch.ids))

        return cls(identity, embed, embedded_by=EmbeddedBy.of(encoder))

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
        self._check_embedder(folder)
        if not path.exists():
            with replacing(path) as unfinished, unfinished.open("wb") as file:
                n_made = 0
                for rows in self._rows(batches):
                    rows.astype(np.float16).tofile(file)
                    n_made += len(rows)
                    if progress is not None:
                        progress(min(n_made / n_docs, 1.0))
        return np.memmap(path, np.float16, "r", shape=(n_docs, path.stat().st_size // (2 * n_docs)))

    def _check_embedder(self, folder: Path) -> None:
        """Raise an error if the rows in the folder are another model's; otherwise keep what this one is known by."""
        if self._embedded_by is None:
            return
        path, probe = folder / EMBEDDER, self._embedded_by.probe
        if not path.exists():
            write_arrays(path, {"probe": probe})
        elif not same_model(ArrayFile(path).map("probe"), probe):
            raise InputError(
                f"The cache folder {folder} was made with another model that is called {self._embedded_by.name}, too: its "
                "embeddings are others. Give another folder, or remove this one to begin anew."
            )

    def _rows(self, batches: Batches) -> Iterator[Array]:
        first = 0
        for batch in batches:
            yield self._embed(batch, first)
            first += len(batch.ids)


FILE, EMBEDDER = "embeddings", "embedder"
"""The files in the folder of a store: the rows, and what their embedder makes of a few sentences."""
