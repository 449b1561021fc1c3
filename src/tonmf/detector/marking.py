"""Let a state of a detector take on marks, and its scores with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tonmf.arrays import Array
from tonmf.detector.marks.effects import Effects, Marking
from tonmf.detector.marks.likeness import Likeness, known_of
from tonmf.detector.marks.marks import Marks
from tonmf.detector.scores.scoring import DocumentScores
from tonmf.detector.state import DetectorState
from tonmf.nmf.threads import one_blas_thread
from tonmf.nmf.threshold import threshold_for_share


def with_marks(state: DetectorState, marks: Marks | None, contamination: float | str) -> DetectorState:
    """Return the state with these marks, and no others.

    The training documents follow if their rows are known. Otherwise they stay as they were.
    """
    if marks is None:
        return replace(state, marking=None)
    scorer = state.scorer
    effects = effects_of(state, marks)
    ordinary = known_of(scorer.sample, None if scorer.meaning is None else scorer.meaning.rows)
    with one_blas_thread():
        threshold = effects.threshold(state.threshold, ordinary)
        if state.rows is None:
            training, of_training = _as_before(state)
        else:
            training = effects.on(known_of(state.rows.rows, state.rows.embeddings))
            threshold = _for_share(state, training, contamination, threshold)
            of_training = threshold
    return replace(state, marking=Marking(effects, threshold, training, of_training))


def effects_of(state: DetectorState, marks: Marks) -> Effects:
    """Return what marks add to the scores of documents by a state."""
    scorer = state.scorer
    return Effects(marks, Likeness.among(scorer.sample, scorer.meaning), scorer.level)


def _as_before(state: DetectorState) -> tuple[Array, float]:
    if state.marking is None:
        return np.zeros(len(state.outlier_scores)), state.threshold
    return state.marking.training, state.marking.training_threshold


def _for_share(state: DetectorState, training: Array, contamination: float | str, otherwise: float) -> float:
    """Return the threshold that flags the wanted share of the training documents, if a share is wanted of all of them."""
    if isinstance(contamination, str) or state.stream is not None:
        return otherwise
    return threshold_for_share(state.outlier_scores + training, contamination, 1.0 - (state.alarms["empty"] > 0))


def marked(scores: DocumentScores, effects: Array) -> DocumentScores:
    """Return scores with what marks add to them, as one more part; documents that are not judged stay as they are."""
    added = np.where(scores.judged, effects, 0.0)
    return replace(
        scores, parts={**scores.parts, "marks": added}, plain=scores.plain + added, total=scores.total + added
    )
