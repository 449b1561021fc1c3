"""Models, as commands use them: fitted on documents, or loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tonmf.cli.embedding import Embedding, embedded, on_embedding
from tonmf.cli.marks import apply_marks
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

if TYPE_CHECKING:
    from tonmf.arrays import Array
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.detector.fitted import FittedDetector
    from tonmf.io import Documents
    from tonmf.ranking import Ranking

ENGLISH = "english"
"""The default of ``--stop-words``."""


def learning_options(
    contamination: str,
    stop_words: str,
    stem: str | None,
    mask: str,
    strip_html: bool,
    strip_headers: bool,
    min_df: int,
    boilerplate: str,
    topics: int,
    seed: int,
    jobs: int | None,
    embed: str | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """Return the options of a command as parameters of the detector."""
    from tonmf.parameters import boilerplate_of, contamination_of
    from tonmf.text.mask_names import mask_of

    return {
        "contamination": contamination_of(contamination),
        "max_topics": topics,
        "random_state": seed,
        "n_jobs": jobs,
        "min_df": min_df,
        "boilerplate": boilerplate_of(boilerplate),
        "stop_words": None if stop_words == "none" else stop_words,
        "stemmer": stem,
        "mask": mask_of(mask),
        "strip_html": strip_html,
        "strip_headers": strip_headers,
        "embedder": embed,
        "device": device,
    }


def check_learning(options: Mapping[str, Any]) -> None:
    """Reject wrong parameters of the detector before documents are read, and before anything heavy is loaded."""
    from tonmf.detector.options import DETECTOR_RULES
    from tonmf.parameters import check_parameters
    from tonmf.text.analysis import make_stemmer, stop_words_of

    check_parameters(options, {name: rule for name, rule in DETECTOR_RULES.items() if name in options})
    check_gpu(options["device"])
    if options["stop_words"] is not None:
        stop_words_of(options["stop_words"])
    if options["stemmer"] is not None:
        make_stemmer(options["stemmer"])


def rate_in(fdr: str | None) -> float | None:
    """Return a false-discovery rate as a number, if one is given."""
    from tonmf.parameters import rate_of

    return None if fdr is None else rate_of(fdr)


def check_kind(options: Mapping[str, Any], kind: str) -> None:
    """Reject options for texts if the documents are of another kind."""
    from tonmf.parameters import check_unused
    from tonmf.text.documents import TEXTS
    from tonmf.text.mask_names import DEFAULT_MASK

    if kind != TEXTS:
        usual = {"stop_words": ENGLISH, "stemmer": None, "mask": DEFAULT_MASK, "boilerplate": 0.05}
        usual |= {"strip_html": True, "strip_headers": True, "embedder": None}
        check_unused(options, usual, tuple(usual), f"on {kind}")


def check_jobs(jobs: int | None) -> None:
    """Reject a number of threads that cannot be."""
    from tonmf.parameters import RUNNING, check_parameters

    check_parameters({"n_jobs": jobs}, {"n_jobs": RUNNING["n_jobs"]})


def check_gpu(device: str) -> None:
    """Reject a GPU that is not there."""
    from tonmf.nmf.options import DEVICE
    from tonmf.nmf.threads import CPU
    from tonmf.parameters import check_parameters

    check_parameters({"device": device}, {"device": DEVICE})
    if device != CPU:
        from tonmf.nmf.ops.cuda.device import open_device

        open_device(device)


def check_model(model: str, jobs: int | None = None, device: str = "cpu") -> None:
    """Reject a folder that is no saved model, and wrong options of a computation, before anything heavy is loaded."""
    from tonmf.storage.bundles import check_is_model

    check_jobs(jobs)
    check_is_model(model)
    check_gpu(device)


def check_save(save: str | None, excerpts: bool) -> None:
    """Reject a folder that cannot hold a model, and an option without effect, before the work begins."""
    if save is not None:
        from tonmf.storage.bundles import check_target

        check_target(save)
    elif not excerpts:
        raise ParameterError("--no-excerpts has no effect without --save. Give both, or leave it out.")


def learn(screen: Screen, content: Any, ids: Sequence[str], **how: Any) -> tuple[Ranking, list[str]]:
    """Fit a detector (`fit`), and rank the documents; also return notes on their embeddings."""
    detector = fit(screen, content, ids, **how)
    from tonmf.ranking import Ranking

    encoder = detector.encoder()
    notes = [] if encoder is None else on_embedding(encoder, len(ids))
    for note in notes:
        screen.note(note)
    return Ranking.of(detector, content, ids, detector.outlier_scores_), notes


def fit(
    screen: Screen,
    content: Any,
    ids: Sequence[str],
    *,
    terms: Sequence[str] | None = None,
    dask: str | None = None,
    embeddings: Array | None = None,
    **options: Any,
) -> TextOutlierDetector:
    """Fit a detector, with a progress bar."""
    with screen.step("Loading"):
        from tonmf.detector.detector import TextOutlierDetector
    with screen.progress("Learning") as done:
        if dask is None:
            detector = TextOutlierDetector(**options, callback=done)
            detector.fit(content, names=ids, terms=terms, embeddings=embeddings)
        else:
            detector = learn_on_cluster(dask, content, ids, **options, callback=done)
    detector.callback = None
    return detector


def learn_on_cluster(address: str, content: Any, ids: Sequence[str], **options: Any) -> TextOutlierDetector:
    """Fit a detector on the workers of a Dask cluster."""
    from tonmf.dask import fit_detector
    from tonmf.nmf.cluster.client import be_silent, connect

    with connect(address) as client:
        be_silent()
        return fit_detector(client, content, names=ids, **options)


def scored(
    screen: Screen,
    model: str,
    documents: Documents,
    jobs: int | None,
    marks: Mapping[str, str] | None = None,
    with_reasons: bool = False,
    embedding: Embedding | None = None,
    device: str = "cpu",
) -> tuple[Ranking, list[str]]:
    """Score documents by a saved model and marks on them, and rank them; also return notes on embeddings, marks and drift."""
    embedding = embedding or Embedding()
    given = embedding.given(screen, documents)
    with screen.step("Loading"):
        from tonmf.persist import load_fitted
        from tonmf.ranking import Ranking

        detector = load_fitted(model)
        detector.n_jobs, detector.device = jobs, device
        check_terms(detector, documents)
        notes = embedding.prepare(detector, model)
    rows, on_embeddings = embedded(screen, detector, documents.content, given)
    with screen.step("Marking"):
        notes += apply_marks(detector, marks or {}, documents.ids, documents.content, rows)
    for note in notes:
        screen.note(note)
    with screen.progress("Scoring") as done:
        ranking = Ranking.by(detector, documents.content, documents.ids, done, with_reasons, rows)
    for note in ranking.on_drift:
        screen.note(note)
    return ranking, [*on_embeddings, *notes, *ranking.on_drift]


def check_terms(detector: FittedDetector, documents: Documents) -> None:
    """Reject a matrix whose columns are not those of the model."""
    if documents.terms is not None:
        from tonmf.ranking import check_terms

        check_terms(detector, documents.terms)
