"""Models, as commands use them: learnt from documents, or loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tonmf.cli.screen import Screen
from tonmf.errors import InputError

if TYPE_CHECKING:
    from tonmf.detector import TextOutlierDetector
    from tonmf.io import Documents
    from tonmf.ranking import Ranking


def learn(
    screen: Screen, content: Any, ids: Sequence[str], *, terms: Sequence[str] | None = None, **options: Any
) -> Ranking:
    """Learn what is ordinary, with a bar that shows how far that is, and rank the documents."""
    with screen.step("Loading"):
        from tonmf.detector import TextOutlierDetector
        from tonmf.ranking import Ranking
    with screen.progress("Learning") as done:
        detector = TextOutlierDetector(**options, callback=done).fit(content, names=ids, terms=terms)
    detector.callback = None
    return Ranking.of(detector, content, ids, detector.outlier_scores_)


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
