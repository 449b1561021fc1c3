"""Load a saved model of any class; each class has its own ``save``."""

from __future__ import annotations

from pathlib import Path

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.nmf.estimator import TONMF
from tonmf.storage.bundles import read_bundle


def load(path: str | Path) -> TONMF | TextOutlierDetector:
    """Load a model that ``save`` wrote. Loading never runs code from the files.

    Parameters
    ----------
    path : str or Path
        The folder of the model.

    Returns
    -------
    model : TONMF or TextOutlierDetector
        As it was saved, except for parameters that belong to a process: callback, n_jobs, and a random_state or init that is
        not a plain value are at their defaults.
    """
    bundle = read_bundle(path)
    classes = {cls.__name__: cls for cls in (TONMF, TextOutlierDetector)}
    name = bundle.text("model")
    if name not in classes:
        raise bundle.wrong(f"model must be one of {', '.join(classes)}; got {name!r:.40}")
    model: TONMF | TextOutlierDetector = classes[name].from_bundle(bundle)
    return model


def load_detector(path: str | Path) -> TextOutlierDetector:
    """Load a `TextOutlierDetector`; raise `InputError` if the model is of another class."""
    model = load(path)
    if not isinstance(model, TextOutlierDetector):
        raise InputError(
            f"{path} holds a {type(model).__name__}, which knows rows of numbers only. Expected a model that "
            "tonmf detect --save or TextOutlierDetector.save wrote."
        )
    return model
