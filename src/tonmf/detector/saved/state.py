"""The state as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.embedder import EmbeddedBy
from tonmf.detector.explain.profile import PERCENTILES, CorpusProfile
from tonmf.detector.explain.topics import N_TYPICAL
from tonmf.detector.saved.marks import marks_arrays, marks_fields, read_marking
from tonmf.detector.saved.meaning import meaning_fields
from tonmf.detector.saved.reference import read_reference, reference_arrays
from tonmf.detector.saved.scorer import read_scorer, scorer_arrays, scorer_fields
from tonmf.detector.saved.stream import read_stream, stream_arrays, stream_fields
from tonmf.detector.saved.training import read_training, training_arrays
from tonmf.detector.saved.vocabulary import read_counter, vocabulary_fields
from tonmf.detector.scores.alarms import CUTS
from tonmf.detector.scores.groups import Group
from tonmf.detector.scores.scoring import Scorer
from tonmf.detector.state import DetectorState
from tonmf.embed.probe import SENTENCES
from tonmf.storage.bundles import Bundle
from tonmf.text.documents import COUNTS, ITEMS, TEXTS
from tonmf.text.vocabulary.matrix import MatrixCounter

MODEL = "TextOutlierDetector"
"""What a saved detector is called in its file."""

ALARMS = ("empty", *CUTS)
"""What raises the score of a document, as a saved state names it."""

LARGEST_IDF = 1e3
"""Limit that no fit comes near: idf is about ln n_docs."""

SMALLEST_WEIGHT = 1e-6
"""Limit of the least weight that no fit comes near."""


def state_fields(state: DetectorState, excerpts: bool, rows: bool = False) -> dict[str, Any]:
    """Return the JSON part of a state, with the names of the training documents if their rows are saved too."""
    scorer, profile = state.scorer, state.profile
    return {
        "kind": state.kind,
        "vocabulary": vocabulary_fields(state.counter, excerpts),
        "threshold": float(state.threshold),
        "least_weight": float(state.least_weight),
        **scorer_fields(scorer),
        "meaning": None
        if scorer.meaning is None
        else {
            **meaning_fields(scorer.meaning),
            "embedder": None if state.embedded_by is None else state.embedded_by.name,
        },
        "documents": {
            "n_docs": profile.n_docs,
            "ids": profile.ids,
            "excerpts": profile.excerpts if excerpts else [""] * len(profile.ids),
        },
        "reference": {"n_docs": float(state.reference.classes[0].n_docs)},  # none in detectors of earlier versions
        "stream": None if state.stream is None else stream_fields(state.stream),
        **({} if state.marking is None else {"marks": marks_fields(state.marking)}),
        **({"training": {"ids": list(state.rows.ids)}} if rows and state.rows is not None else {}),
        "groups": [
            {
                "share": float(group.share),
                "words": group.words,
                "strangeness": float(group.strangeness),
                "copies": group.copies,
            }
            for group in state.groups
        ],
    }


def state_arrays(state: DetectorState, rows: bool = False) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state, with the rows of the training documents if they are wanted."""
    scorer, profile = state.scorer, state.profile
    arrays: dict[str, NDArray[Any]] = {
        "idf": state.idf,
        "background": state.background,
        **scorer_arrays(scorer),
        "documents.lengths": profile.lengths,
        "documents.unknown": profile.unknown,
        "documents.unexplained": profile.unexplained,
        "documents.typical": profile.typical.astype(np.int64),
        "outlier_scores": state.outlier_scores,
        "scores_before_alarms": state.scores_before_alarms,
        "p_values": state.p_values,
        **reference_arrays(state.reference),
        **{f"raised.{name}": state.alarms[name] for name in ALARMS},
        **{f"groups.{i}.documents": group.documents.astype(np.int64) for i, group in enumerate(state.groups)},
    }
    if isinstance(state.counter, MatrixCounter):
        arrays["vocabulary.kept"] = state.counter.kept.astype(np.int64)
    else:
        boilerplate = state.counter.boilerplate
        arrays["vocabulary.boilerplate_keys"] = boilerplate.keys
        arrays["vocabulary.boilerplate_shares"] = boilerplate.shares
    if state.stream is not None:
        arrays.update(stream_arrays(state.stream))
    if state.marking is not None:
        arrays.update(marks_arrays(state.marking))
    if rows and state.rows is not None:
        arrays.update(training_arrays(state.rows))
    if scorer.meaning is not None:
        arrays["meaning.rows"], arrays["meaning.centre"] = scorer.meaning.rows, scorer.meaning.centre
    if state.embedded_by is not None:
        arrays["meaning.probe"] = state.embedded_by.probe
    return arrays


def read_state(bundle: Bundle, parameters: Mapping[str, Any]) -> DetectorState:
    """Read a state; check each value by itself and against the others."""
    kind = bundle.text("kind")
    if kind not in (TEXTS, ITEMS, COUNTS):
        raise bundle.wrong(f"kind must be one of {TEXTS!r}, {ITEMS!r} and {COUNTS!r}; got {kind!r:.40}")
    counter = read_counter(bundle, kind, parameters)
    n_docs, n_terms = bundle.part("documents").whole("n_docs", low=1), len(counter.terms)
    idf = bundle.array("idf", np.float64, (n_terms,), most=LARGEST_IDF)
    if not (idf > 1 / LARGEST_IDF).all():
        raise bundle.wrong("the array idf holds numbers that are not above 0")
    scorer = read_scorer(bundle, idf)
    background = bundle.positive("background", np.float64, (n_terms,))
    alarms = {name: bundle.positive(f"raised.{name}", np.float64, (n_docs,)) for name in ALARMS}
    judged = alarms["empty"] == 0
    scores = bundle.array("outlier_scores", np.float64, (n_docs,))
    scores = np.where(judged, scores, 0.0)  # earlier versions saved the highest score + 1
    stream = read_stream(bundle.part("stream"), scorer, background) if bundle.has("stream") else None
    reference, p_values = read_reference(bundle, scores, judged, stream)
    state = DetectorState(
        kind,
        counter,
        idf,
        scorer,
        _read_profile(bundle, n_docs, scorer),
        [_read_group(part, n_docs) for part in bundle.parts("groups")],
        bundle.number("threshold"),
        scores,
        bundle.array("scores_before_alarms", np.float64, (n_docs,)),
        alarms,
        background,
        reference,
        p_values,
        stream,
        bundle.number("least_weight", above=SMALLEST_WEIGHT) if bundle.has("least_weight") else 1.0,
        embedded_by=_read_embedded_by(bundle, scorer),
    )
    if bundle.has("training"):
        state = replace(state, rows=read_training(bundle, state))
    return replace(state, marking=read_marking(bundle, state)) if bundle.has("marks") else state


def _read_profile(bundle: Bundle, n_docs: int, scorer: Scorer) -> CorpusProfile:
    part, n_sample = bundle.part("documents"), scorer.sample.shape[0]
    numbers = {name: part.array(name, np.float64, PERCENTILES.shape) for name in ("lengths", "unknown", "unexplained")}
    typical = part.indices("typical", (scorer.rungs[0].topics.shape[1], min(N_TYPICAL, n_sample)), n_sample)
    return CorpusProfile(
        n_docs, **numbers, ids=part.texts("ids", n_sample), excerpts=part.texts("excerpts", n_sample), typical=typical
    )


def _read_group(part: Bundle, n_docs: int) -> Group:
    documents = part.indices("documents", (None,), n_docs)
    copies = part.has("copies") and part.flag("copies")
    return Group(
        len(documents), part.number("share"), part.texts("words"), documents, part.number("strangeness"), copies
    )


def _read_embedded_by(bundle: Bundle, scorer: Scorer) -> EmbeddedBy | None:
    part = bundle.part("meaning") if scorer.meaning is not None else None
    if part is None or not part.has("embedder"):
        return None
    return EmbeddedBy(part.text("embedder"), part.array("probe", np.float32, (len(SENTENCES), scorer.embedding_width)))
