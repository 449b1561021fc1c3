"""Models, as commands use them: learnt from documents, or loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.io import Documents
    from tonmf.ranking import Ranking


def learning_options(
    contamination: str, stop_words: str, stem: str | None, min_df: int, topics: int, seed: int, jobs: int | None
) -> dict[str, Any]:
    """The options of a command as those of the detector."""
    from tonmf.parameters import contamination_of

    return {
        "contamination": contamination_of(contamination),
        "max_topics": topics,
        "random_state": seed,
        "n_jobs": jobs,
        "min_df": min_df,
        "stop_words": None if stop_words == "none" else stop_words,
        "stemmer": stem,
    }


def check_learning(options: Mapping[str, Any]) -> None:
    """Refuse options of the detector that cannot be, before the documents are read."""
    from tonmf.detector.options import DETECTOR_RULES
    from tonmf.parameters import check_parameters

    check_parameters(options, {name: rule for name, rule in DETECTOR_RULES.items() if name in options})


def check_save(save: str | None, excerpts: bool) -> None:
    """Refuse a folder that a model cannot be saved in, and an option without effect, before the work begins."""
    if save is not None:
        from tonmf.storage.bundles import check_target

        check_target(save)
    elif not excerpts:
        raise ParameterError("--no-excerpts says what a saved model is to hold. Give --save, or leave it out.")


def learn(
    screen: Screen,
    content: Any,
    ids: Sequence[str],
    *,
    terms: Sequence[str] | None = None,
    dask: str | None = None,
    **options: Any,
) -> Ranking:
    """Learn what is ordinary, with a bar that shows how far that is, and rank the documents."""
    with screen.step("Loading"):
        from tonmf.detector.detector import TextOutlierDetector
        from tonmf.ranking import Ranking
    with screen.progress("Learning") as done:
        if dask is None:
            detector = TextOutlierDetector(**options, callback=done).fit(content, names=ids, terms=terms)
        else:
            detector = learn_on_cluster(dask, content, ids, **options, callback=done)
    detector.callback = None
    return Ranking.of(detector, content, ids, detector.outlier_scores_)


def learn_on_cluster(address: str, content: Any, ids: Sequence[str], **options: Any) -> TextOutlierDetector:
    """Learn on the workers of a Dask cluster."""
    from tonmf.dask import fit_detector
    from tonmf.nmf.cluster.client import be_silent, connect

    with connect(address) as client:
        be_silent()
        return fit_detector(client, content, names=ids, **options)


def scored(screen: Screen, model: str, documents: Documents, jobs: int | None) -> Ranking:
    """Documents as a saved model scores them."""
    with screen.step("Loading"):
        from tonmf.persist import load_detector
        from tonmf.ranking import Ranking

        detector = load_detector(model).set_params(n_jobs=jobs)
        check_terms(detector, documents)
    with screen.progress("Scoring") as done:
        return Ranking.by(detector, documents.content, documents.ids, done)


def check_terms(detector: TextOutlierDetector, documents: Documents) -> None:
    """The columns of a matrix must be those of the model's."""
    known = detector.column_names_
    if known is not None and documents.terms is not None and list(known) != documents.terms:
        raise InputError(
            "The matrix has other terms than the one that the model was fitted on, or in another order. Count with the "
            "same vocabulary."
        )
