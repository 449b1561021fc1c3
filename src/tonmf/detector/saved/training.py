"""Rows of the training documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.saved.parts import read_rows, row_arrays
from tonmf.detector.state import DetectorState, TrainingRows
from tonmf.storage.bundles import UNIT, Bundle


def training_arrays(training: TrainingRows) -> dict[str, NDArray[Any]]:
    """Return the rows of the training documents, and their embeddings if there are any."""
    arrays = row_arrays("training", training.rows)
    return arrays if training.embeddings is None else {**arrays, "training.embeddings": training.embeddings}


def read_training(bundle: Bundle, state: DetectorState) -> TrainingRows:
    """Read the rows of the training documents."""
    part, width, n_docs = bundle.part("training"), state.scorer.embedding_width, len(state.outlier_scores)
    ids, rows = part.texts("ids"), read_rows(bundle, "training", len(state.idf))
    if len(ids) != n_docs or rows.shape[0] != n_docs:
        raise bundle.wrong(f"training.ids and the array training.ends must be of {n_docs} documents")
    if width is None:
        return TrainingRows(ids, rows)
    return TrainingRows(ids, rows, part.array("embeddings", np.float32, (n_docs, width), most=UNIT))
