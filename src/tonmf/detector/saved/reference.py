"""What scores are compared with, for p-values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.p_values import CUTS as WORD_CUTS
from tonmf.detector.scores.p_values import Reference, ScoreClass
from tonmf.detector.state import DetectorStream
from tonmf.storage.bundles import Bundle
from tonmf.stream.saved import digest_arrays, read_digest

MOST_WORDS = 2**31
"""Limit of the number of different words that divides short documents from long ones."""


def reference_arrays(reference: Reference) -> dict[str, NDArray[Any]]:
    """Return the arrays of what scores are compared with."""
    arrays: dict[str, NDArray[Any]] = {"reference.cuts": np.array(reference.cuts, np.int64)}
    for number, one in enumerate(reference.classes):
        arrays.update(digest_arrays(f"reference.{number}", one.scores))
    return arrays


def read_reference(
    bundle: Bundle, scores: Array, judged: NDArray[np.bool_], stream: DetectorStream | None
) -> tuple[Reference, Array]:
    """Read what scores are compared with, and the p-values of the training documents.

    Earlier versions saved neither: they follow from the scores, of documents of all lengths together.
    """
    if not bundle.has("reference"):
        no_lengths = np.zeros(len(scores), np.int64)
        if stream is not None:
            reference = Reference.following(stream.digests["total"])
            return reference, reference.p_of_new(scores, no_lengths, judged)
        reference = Reference.learn(scores[judged])
        return reference, reference.p_of_training(scores, no_lengths, judged)
    part = bundle.part("reference")
    cuts = part.indices("cuts", (None,), MOST_WORDS)
    if len(cuts) > len(WORD_CUTS) or (np.diff(cuts) <= 0).any():
        raise bundle.wrong(f"the array reference.cuts must hold at most {len(WORD_CUTS)} rising numbers")
    n_docs = part.number("n_docs", above=-1e-9)
    classes = [ScoreClass(read_digest(part, str(number)), n_docs) for number in range(len(cuts) + 1)]
    return Reference(tuple(cuts.tolist()), classes), bundle.positive("p_values", np.float64, scores.shape, most=1.0)
