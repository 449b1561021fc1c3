"""A reader's marks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.marking import effects_of
from tonmf.detector.marks.effects import Marking
from tonmf.detector.marks.marks import FINE, STRANGE, Marks
from tonmf.detector.saved.parts import read_rows, row_arrays
from tonmf.detector.state import DetectorState
from tonmf.storage.bundles import UNIT, Bundle

MOST_GAP = 1e12
"""Limit of the gap between a score and a mark, in thresholds, that no fit comes near."""


def marks_fields(marking: Marking) -> dict[str, Any]:
    """Return the JSON part of marks."""
    named = marking.effects.marks.named()
    return {
        "ids": list(named),
        "marks": list(named.values()),
        "threshold": float(marking.threshold),
        "training_threshold": float(marking.training_threshold),
    }


def marks_arrays(marking: Marking) -> dict[str, NDArray[Any]]:
    """Return the arrays of marks: the rows of the marked documents, which may be gone, and what marks did to the scores."""
    marks = marking.effects.marks
    arrays = {**row_arrays("marks", marks.rows), "marks.gaps": marks.gaps, "marks.training": marking.training}
    return arrays if marks.embeddings is None else {**arrays, "marks.embeddings": marks.embeddings}


def read_marking(bundle: Bundle, state: DetectorState) -> Marking:
    """Read marks; check each value by itself and against the rest of the detector."""
    part, width = bundle.part("marks"), state.scorer.embedding_width
    ids, kinds = part.texts("ids"), part.texts("marks")
    if not ids or len(set(ids)) != len(ids):
        raise bundle.wrong("marks.ids must be different strings, at least one")
    if len(kinds) != len(ids) or not {STRANGE, FINE}.issuperset(kinds):
        raise bundle.wrong(f"marks.marks must be {STRANGE!r} or {FINE!r} for each of marks.ids")
    rows = read_rows(bundle, "marks", len(state.idf))
    if rows.shape[0] != len(ids):
        raise bundle.wrong(f"the array marks.ends must be of {len(ids)} documents")
    embeddings = None
    if width is not None:
        embeddings = part.array("embeddings", np.float32, (len(ids), width), most=UNIT)
    strange = np.array([kind == STRANGE for kind in kinds])
    gaps = part.array("gaps", np.float64, (len(ids),), most=MOST_GAP)
    return Marking(
        effects_of(state, Marks(ids, strange, rows, embeddings, gaps)),
        part.number("threshold"),
        part.array("training", np.float64, state.outlier_scores.shape),
        part.number("training_threshold"),
    )
