"""Load a saved model of any class; each class has its own ``save``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tonmf.errors import InputError
from tonmf.storage.bundles import Bundle, read_bundle

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.detector.fitted import FittedDetector
    from tonmf.detector.vectors.detector import EmbeddingOutlierDetector
    from tonmf.nmf.estimator import TONMF

CLASSES = ("TONMF", "TextOutlierDetector", "EmbeddingOutlierDetector")
"""What is saved."""


def load(path: str | Path) -> TONMF | TextOutlierDetector | EmbeddingOutlierDetector:
    """Load a model that ``save`` wrote. Loading never runs code from the files.

    Parameters
    ----------
    path : str or Path
        The folder of the model.

    Returns
    -------
    model : TONMF, TextOutlierDetector or EmbeddingOutlierDetector
        As it was saved, except for parameters that belong to a process: callback, n_jobs, and a random_state or init that is
        not a plain value are at their defaults.
    """
    bundle = _read(path)
    name = bundle.text("model")
    if name == "TONMF":
        from tonmf.nmf.estimator import TONMF

        return TONMF.from_bundle(bundle)
    if name == "EmbeddingOutlierDetector":
        from tonmf.detector.vectors.detector import EmbeddingOutlierDetector

        return EmbeddingOutlierDetector.from_bundle(bundle)
    from tonmf.detector.detector import TextOutlierDetector

    return TextOutlierDetector.from_bundle(bundle)


def load_detector(path: str | Path) -> TextOutlierDetector:
    """Load a `TextOutlierDetector`; raise `InputError` if the model is of another class."""
    bundle = _read_detector(path)
    from tonmf.detector.detector import TextOutlierDetector

    return TextOutlierDetector.from_bundle(bundle)


def load_fitted(path: str | Path) -> FittedDetector:
    """Load a `TextOutlierDetector` to score and explain documents only, without what it learns by, such as scikit-learn."""
    bundle = _read_detector(path)
    from tonmf.detector.fitted import FittedDetector

    return FittedDetector.from_bundle(bundle)


def _read(path: str | Path) -> Bundle:
    bundle = read_bundle(path)
    name = bundle.text("model")
    if name not in CLASSES:
        raise bundle.wrong(f"model must be one of {', '.join(CLASSES)}; got {name!r:.40}")
    return bundle


def _read_detector(path: str | Path) -> Bundle:
    bundle = _read(path)
    if (name := bundle.text("model")) != "TextOutlierDetector":
        raise InputError(
            f"{path} holds a {name}, which knows rows of numbers only. Expected a model that "
            "tonmf detect --save or TextOutlierDetector.save wrote."
        )
    return bundle
