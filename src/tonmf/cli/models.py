"""Saved models, as commands use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tonmf.errors import InputError

if TYPE_CHECKING:
    from tonmf.detector import TextOutlierDetector
    from tonmf.io import Documents


def load_detector(path: str) -> TextOutlierDetector:
    """The detector in a saved model."""
    from tonmf.detector import TextOutlierDetector
    from tonmf.persist import load

    model = load(path)
    if not isinstance(model, TextOutlierDetector):
        raise InputError(
            f"{path} holds a {type(model).__name__}, which knows rows of numbers only. Expected a model that "
            "tonmf detect --save or TextOutlierDetector.save wrote."
        )
    return model


def check_terms(detector: TextOutlierDetector, documents: Documents) -> None:
    """The columns of a matrix must be those of the model's."""
    known = detector.column_names_
    if known is not None and documents.terms is not None and list(known) != documents.terms:
        raise InputError(
            "The matrix has other terms than the one that the model was fitted on, or in another order. Count with the "
            "same vocabulary."
        )
