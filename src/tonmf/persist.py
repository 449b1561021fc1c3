"""Load a saved model, of whichever class it is; each class has a ``save`` of its own."""

from __future__ import annotations

from pathlib import Path

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.nmf.estimator import TONMF
from tonmf.storage.bundles import read_bundle


def load(path: str | Path) -> TONMF | TextOutlierDetector:
    """Load a model that ``save`` wrote. Nothing in it can execute.

    Parameters
    ----------
    path : str or Path
        The folder of the model.

    Returns
    -------
    model : TONMF or TextOutlierDetector
        As it was saved, but for parameters that are objects of this process: callback, n_jobs, and a random_state or init that
        is no plain value, are at their defaults.
    """
    bundle = read_bundle(path)
    classes = {cls.__name__: cls for cls in (TONMF, TextOutlierDetector)}
    name = bundle.text("model")
    if name not in classes:
        raise bundle.wrong(f"model must be one of {', '.join(classes)}; got {name!r:.40}")
    model: TONMF | TextOutlierDetector = classes[name].from_bundle(bundle)
    return model


def load_detector(path: str | Path) -> TextOutlierDetector:
    """Load a model of documents; one of rows of numbers is an `InputError`."""
    model = load(path)
    if not isinstance(model, TextOutlierDetector):
        raise InputError(
            f"{path} holds a {type(model).__name__}, which knows rows of numbers only. Expected a model that "
            "tonmf detect --save or TextOutlierDetector.save wrote."
        )
    return model
