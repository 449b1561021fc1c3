"""Read and write a fitted detector as a bundle (`tonmf.storage.bundles`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.embedder import EmbeddedBy
from tonmf.detector.explain.profile import PERCENTILES, CorpusProfile
from tonmf.detector.explain.topics import N_TYPICAL
from tonmf.detector.marking import effects_of
from tonmf.detector.marks.effects import Marking
from tonmf.detector.marks.marks import FINE, STRANGE, Marks
from tonmf.detector.scores.alarms import CUTS, Alarms
from tonmf.detector.scores.company import MOST_STRANGE, Company
from tonmf.detector.scores.groups import Group
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.meaning import Meaning
from tonmf.detector.scores.p_values import CUTS as WORD_CUTS
from tonmf.detector.scores.p_values import Reference, ScoreClass
from tonmf.detector.scores.scale import Scale
from tonmf.detector.scores.scoring import Scorer
from tonmf.detector.state import DIGESTS, RECENT, DetectorState, DetectorStream, RungStream, TrainingRows
from tonmf.embed.probe import SENTENCES
from tonmf.nmf.mixture import OUTSIDE_WEIGHT
from tonmf.nmf.saved import mixture_arrays, read_mixture
from tonmf.nmf.streaming import Past
from tonmf.storage.bundles import UNIT, Bundle
from tonmf.stream.saved import clock_arrays, clock_fields, digest_arrays, read_clock, read_digest
from tonmf.text.analysis import Analysis, Analyzer
from tonmf.text.choose import boilerplate_share, make_analysis
from tonmf.text.documents import COUNTS, ITEMS, TEXTS, items_of
from tonmf.text.passages import MOST_TEXTS, NOTHING, Boilerplate
from tonmf.text.vocabulary import Vocabulary
from tonmf.text.vocabulary.changing import MOST_CANDIDATES, SMALLEST_UNIT, Candidates
from tonmf.text.vocabulary.matrix import MatrixCounter
from tonmf.text.vocabulary.seen import SeenPassages
from tonmf.text.vocabulary.terms import TermCounter

MODEL = "TextOutlierDetector"
"""What a saved detector is called in its file."""

ALARMS = ("empty", *CUTS)


LARGEST_IDF, SMALLEST_SPREAD, SMALLEST_WEIGHT = 1e3, 1e-30, 1e-6
"""Limits that no fit comes near: idf is about ln n_docs, and a spread that small counts as none."""

MOST_GAP = 1e12
"""Limit of the gap between a score and a mark, in thresholds, that no fit comes near."""

MOST_WORDS = 2**31
"""Limit of the number of different words that divides short documents from long ones."""

LONGEST_PASSAGE = 200
"""Characters of a line or sentence of boilerplate that are saved, for people to read; it is known again by its key."""


def state_fields(state: DetectorState, excerpts: bool, rows: bool = False) -> dict[str, Any]:
    """Return the JSON part of a state, with the names of the training documents if their rows are saved too."""
    scorer, alarms, profile = state.scorer, state.scorer.alarms, state.profile
    return {
        "kind": state.kind,
        "vocabulary": _vocabulary_fields(state.counter, excerpts),
        "threshold": float(state.threshold),
        "level": float(scorer.level),
        "least_weight": float(state.least_weight),
        "trusted": None if scorer.trust is None else True,  # none in detectors of earlier versions
        "evidence": float(scorer.evidence) or None,  # none in detectors of earlier versions
        "company": None
        if scorer.company is None
        else {"most": float(scorer.company.most), "usual": float(scorer.company.usual)},
        "remoteness_scale": _scale_fields(scorer.remoteness_scale),
        "meaning": None
        if scorer.meaning is None
        else {
            **meaning_fields(scorer.meaning),
            "embedder": None if state.embedded_by is None else state.embedded_by.name,
        },
        "alarms": {
            "rarity_outside": float(alarms.rarity_outside),
            **{name: {part: float(getattr(alarms, part)[name]) for part in ("medians", "widths")} for name in CUTS},
            "means": {name: float(mean) for name, mean in alarms.means.items()},
        },
        "rungs": [
            {
                "topic_share": float(rung.topic_share),
                "help_scale": _scale_fields(rung.help_scale),
                "share_scale": _scale_fields(rung.share_scale),
            }
            for rung in scorer.rungs
        ],
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
        **_row_arrays("sample", scorer.sample),
        "documents.lengths": profile.lengths,
        "documents.unknown": profile.unknown,
        "documents.unexplained": profile.unexplained,
        "documents.typical": profile.typical.astype(np.int64),
        "outlier_scores": state.outlier_scores,
        "scores_before_alarms": state.scores_before_alarms,
        "p_values": state.p_values,
        **_reference_arrays(state.reference),
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
    if scorer.trust is not None:
        arrays["sample.trust"] = scorer.trust
    if scorer.company is not None:
        arrays.update(_row_arrays("company", scorer.company.rows))
        arrays["company.weights"] = scorer.company.weights
        if scorer.company.meaning is not None:
            arrays["company.meaning"] = scorer.company.meaning
    for i, rung in enumerate(scorer.rungs):
        arrays[f"rungs.{i}.topics"] = rung.topics
        arrays[f"rungs.{i}.shares"] = rung.shares
        arrays.update(mixture_arrays(f"rungs.{i}.", rung.mixture))
    return arrays


def read_state(bundle: Bundle, parameters: Mapping[str, Any]) -> DetectorState:
    """Read a state; check each value by itself and against the others."""
    kind = bundle.text("kind")
    if kind not in (TEXTS, ITEMS, COUNTS):
        raise bundle.wrong(f"kind must be one of {TEXTS!r}, {ITEMS!r} and {COUNTS!r}; got {kind!r:.40}")
    counter = _read_counter(bundle, kind, parameters)
    n_docs, n_terms = bundle.part("documents").whole("n_docs", low=1), len(counter.terms)
    idf = bundle.array("idf", np.float64, (n_terms,), most=LARGEST_IDF)
    if not (idf > 1 / LARGEST_IDF).all():
        raise bundle.wrong("the array idf holds numbers that are not above 0")
    scorer = _read_scorer(bundle, idf)
    background = bundle.positive("background", np.float64, (n_terms,))
    alarms = {name: bundle.positive(f"raised.{name}", np.float64, (n_docs,)) for name in ALARMS}
    judged = alarms["empty"] == 0
    scores = bundle.array("outlier_scores", np.float64, (n_docs,))
    scores = np.where(judged, scores, 0.0)  # earlier versions saved the highest score + 1
    stream = read_stream(bundle.part("stream"), scorer, background) if bundle.has("stream") else None
    reference, p_values = _read_reference(bundle, scores, judged, stream)
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


def _reference_arrays(reference: Reference) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"reference.cuts": np.array(reference.cuts, np.int64)}
    for number, one in enumerate(reference.classes):
        arrays.update(digest_arrays(f"reference.{number}", one.scores))
    return arrays


def _read_reference(
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


def training_arrays(training: TrainingRows) -> dict[str, NDArray[Any]]:
    """Return the rows of the training documents, and their embeddings if there are any."""
    arrays = _row_arrays("training", training.rows)
    return arrays if training.embeddings is None else {**arrays, "training.embeddings": training.embeddings}


def read_training(bundle: Bundle, state: DetectorState) -> TrainingRows:
    """Read the rows of the training documents."""
    part, width, n_docs = bundle.part("training"), state.scorer.embedding_width, len(state.outlier_scores)
    ids, rows = part.texts("ids"), _read_rows(bundle, "training", len(state.idf))
    if len(ids) != n_docs or rows.shape[0] != n_docs:
        raise bundle.wrong(f"training.ids and the array training.ends must be of {n_docs} documents")
    if width is None:
        return TrainingRows(ids, rows)
    return TrainingRows(ids, rows, part.array("embeddings", np.float32, (n_docs, width), most=UNIT))


def marks_fields(marking: Marking) -> dict[str, Any]:
    """Return the JSON part of marks."""
    named = marking.effects.marks.named()
    return {
        "ids": list(named),
        "marks": list(named.values()),
        "threshold": float(marking.threshold),
        "training_threshold": float(marking.training_threshold),
    }


def marks_arrays(marking: Marking) -> dict[str, NDArray[Any]]:
    """Return the arrays of marks: the rows of the marked documents, which may be gone, and what marks did to the scores."""
    marks = marking.effects.marks
    arrays = {**_row_arrays("marks", marks.rows), "marks.gaps": marks.gaps, "marks.training": marking.training}
    return arrays if marks.embeddings is None else {**arrays, "marks.embeddings": marks.embeddings}


def read_marking(bundle: Bundle, state: DetectorState) -> Marking:
    """Read marks; check each value by itself and against the rest of the detector."""
    part, width = bundle.part("marks"), state.scorer.embedding_width
    ids, kinds = part.texts("ids"), part.texts("marks")
    if not ids or len(set(ids)) != len(ids):
        raise bundle.wrong("marks.ids must be different strings, at least one")
    if len(kinds) != len(ids) or not {STRANGE, FINE}.issuperset(kinds):
        raise bundle.wrong(f"marks.marks must be {STRANGE!r} or {FINE!r} for each of marks.ids")
    rows = _read_rows(bundle, "marks", len(state.idf))
    if rows.shape[0] != len(ids):
        raise bundle.wrong(f"the array marks.ends must be of {len(ids)} documents")
    embeddings = None
    if width is not None:
        embeddings = part.array("embeddings", np.float32, (len(ids), width), most=UNIT)
    strange = np.array([kind == STRANGE for kind in kinds])
    gaps = part.array("gaps", np.float64, (len(ids),), most=MOST_GAP)
    return Marking(
        effects_of(state, Marks(ids, strange, rows, embeddings, gaps)),
        part.number("threshold"),
        part.array("training", np.float64, state.outlier_scores.shape),
        part.number("training_threshold"),
    )


def _row_arrays(name: str, rows: sp.csr_matrix) -> dict[str, NDArray[Any]]:
    return {
        f"{name}.values": rows.data,
        f"{name}.columns": rows.indices.astype(np.int64),
        f"{name}.ends": rows.indptr.astype(np.int64),
    }


def _scale_fields(scale: Scale) -> dict[str, float]:
    return {"median": float(scale.median), "spread": float(scale.spread)}


def _read_scale(bundle: Bundle, name: str) -> Scale:
    part = bundle.part(name)
    return Scale(part.number("median"), part.number("spread", above=SMALLEST_SPREAD))


def _vocabulary_fields(counter: Vocabulary, excerpts: bool) -> dict[str, Any]:
    if isinstance(counter, MatrixCounter):
        return {"names": None if counter.names is None else list(counter.names), "n_columns": counter.n_columns}
    boilerplate = [
        {"text": text[:LONGEST_PASSAGE] if excerpts else "", "terms": sorted(terms)}
        for text, terms in zip(counter.boilerplate.texts, counter.boilerplate.terms, strict=True)
    ]
    emoji = isinstance(counter.analyze, Analysis) and counter.analyze.emoji
    forms = {"forms": [counter.forms.get(term, term) for term in counter.terms]} if counter.forms else {}
    return {"terms": counter.terms, **forms, "boilerplate": boilerplate, "emoji": emoji}


def _read_counter(bundle: Bundle, kind: str, parameters: Mapping[str, Any]) -> Vocabulary:
    part = bundle.part("vocabulary")
    if kind == COUNTS:
        n_columns = part.whole("n_columns", low=1, high=2**31)
        names = part.texts("names", n_columns) if part.has("names") else None
        kept = part.indices("kept", (None,), n_columns)
        if len(kept) == 0 or (np.diff(kept) <= 0).any():
            raise bundle.wrong("the array vocabulary.kept must hold rising numbers of columns")
        return MatrixCounter.restored(names, kept, n_columns)
    terms = part.texts("terms")
    if not terms or len(set(terms)) != len(terms):
        raise bundle.wrong("vocabulary.terms must be different strings, at least one")
    analyze: Analyzer = items_of if kind == ITEMS else make_analysis(parameters, _emoji_are_words(part))
    boilerplate = _read_boilerplate(part) if kind == TEXTS else NOTHING
    forms = part.texts("forms", len(terms)) if part.has("forms") else terms
    different = {term: form for term, form in zip(terms, forms, strict=True) if form != term}
    return TermCounter.restored(analyze, terms, boilerplate, boilerplate_share(parameters, kind), different)


def _emoji_are_words(part: Bundle) -> bool:
    return part.has("emoji") and part.flag("emoji")  # models of earlier versions have no emoji


def _read_boilerplate(part: Bundle) -> Boilerplate:
    if not part.has("boilerplate"):  # saved by an earlier version
        return NOTHING
    parts = part.parts("boilerplate")
    keys = part.array("boilerplate_keys", np.int64, (len(parts),))
    if (keys[1:] <= keys[:-1]).any() or len(keys) > MOST_TEXTS:
        raise part.wrong(f"the array {part.prefix}boilerplate_keys must hold rising numbers, at most {MOST_TEXTS}")
    texts, terms = (tuple(one.text("text") for one in parts), tuple(tuple(one.texts("terms")) for one in parts))
    shares = part.positive("boilerplate_shares", np.float64, (len(parts),), most=UNIT)
    return Boilerplate(texts, terms, keys, shares)


def _read_scorer(bundle: Bundle, idf: Array) -> Scorer:
    sample = _read_rows(bundle, "sample", len(idf))
    earlier = not bundle.has("evidence")  # then, words outside the vocabulary and how few words there are did not count
    rungs = [_read_rung(part, len(idf), earlier) for part in bundle.parts("rungs")]
    if not rungs:
        raise bundle.wrong("there are no rungs")
    if bundle.has("embedding_width"):
        raise bundle.wrong(
            "it was fitted with embeddings by an earlier version, which compared them in another way; fit it again"
        )
    meaning = read_meaning(bundle, sample.shape[0]) if bundle.has("meaning") else None
    return Scorer(
        rungs,
        sample,
        _read_scale(bundle, "remoteness_scale"),
        _read_alarms(bundle.part("alarms"), earlier),
        bundle.number("level"),
        0.0 if earlier else bundle.number("evidence", above=-1e-9),
        _read_company(bundle, len(idf), meaning) if bundle.has("company") else None,
        bundle.positive("sample.trust", np.float64, (sample.shape[0],), most=UNIT) if bundle.has("trusted") else None,
        meaning,
    )


def meaning_fields(meaning: Meaning) -> dict[str, Any]:
    """Return the JSON part of the sample's meaning."""
    return {
        "width": meaning.rows.shape[1],
        "weight": float(meaning.weight),
        "scale": _scale_fields(meaning.scale),
    }


def read_meaning(bundle: Bundle, n_sample: int) -> Meaning:
    """Read the meaning of the sample's documents."""
    part = bundle.part("meaning")
    width = part.whole("width", low=1)
    return Meaning(
        part.array("rows", np.float32, (n_sample, width), most=UNIT),
        part.array("centre", np.float32, (width,), most=UNIT),
        _read_scale(part, "scale"),
        part.number("weight", above=-1e-9),
    )


def _read_embedded_by(bundle: Bundle, scorer: Scorer) -> EmbeddedBy | None:
    part = bundle.part("meaning") if scorer.meaning is not None else None
    if part is None or not part.has("embedder"):
        return None
    return EmbeddedBy(part.text("embedder"), part.array("probe", np.float32, (len(SENTENCES), scorer.embedding_width)))


def _read_company(bundle: Bundle, n_terms: int, meaning: Meaning | None) -> Company:
    rows = _read_rows(bundle, "company", n_terms)
    if rows.shape[0] > MOST_STRANGE:
        raise bundle.wrong(f"the array company.ends must be of at most {MOST_STRANGE} documents")
    weights = bundle.positive("company.weights", np.float64, (rows.shape[0],))
    part = bundle.part("company")
    of_rows = None
    if meaning is not None:
        of_rows = bundle.array("company.meaning", np.float32, (rows.shape[0], meaning.rows.shape[1]), most=UNIT)
    return Company(rows, weights, part.number("most", above=0), part.number("usual", above=-1e-9), of_rows)


def _read_alarms(part: Bundle, earlier: bool) -> Alarms:
    of_each = {name: part.part(name) for name in CUTS}
    means = part.part("means")
    return Alarms(
        part.number("rarity_outside"),
        {name: means.number(name) for name in ("unknown", "rare")},
        {name: numbers.number("medians") for name, numbers in of_each.items()},
        {name: numbers.number("widths", above=SMALLEST_SPREAD) for name, numbers in of_each.items()},
        log_odds=not earlier,
    )


def _read_rows(bundle: Bundle, name: str, n_terms: int) -> sp.csr_matrix:
    """Read unit rows of documents, and check that no index points outside: kernels have no bounds checks."""
    ends = bundle.array(f"{name}.ends", np.int64, (None,))
    n_values = int(ends[-1]) if len(ends) else -1
    if len(ends) == 0 or ends[0] != 0 or (np.diff(ends) < 0).any():
        raise bundle.wrong(f"the array {name}.ends must hold rising numbers from 0 up")
    values = bundle.positive(f"{name}.values", np.float32, (n_values,), most=UNIT)
    columns = bundle.indices(f"{name}.columns", (n_values,), n_terms)
    rows = sp.csr_matrix((len(ends) - 1, n_terms), dtype=np.float32)
    rows.data, rows.indices, rows.indptr = values, columns.astype(np.int32), ends.astype(np.int32)
    if not rows.has_canonical_format:
        raise bundle.wrong(f"the array {name}.columns must hold rising numbers in each row")
    return rows


def _read_rung(part: Bundle, n_terms: int, earlier: bool) -> Rung:
    topics = part.positive("topics", np.float32, (n_terms, None), most=UNIT)
    n_topics = topics.shape[1]
    if n_topics == 0:
        raise part.wrong(f"{part.prefix}topics has no column")
    return Rung(
        part.number("topic_share", above=0),
        topics,
        part.positive("shares", np.float64, (n_topics,)),
        replace(read_mixture(part, n_terms, n_topics), outside=0.0 if earlier else OUTSIDE_WEIGHT),
        _read_scale(part, "help_scale"),
        _read_scale(part, "share_scale"),
    )


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


def stream_fields(stream: DetectorStream) -> dict[str, Any]:
    """Return the JSON part of a stream."""
    return {
        "n_seen": stream.n_seen,
        "n_docs": stream.n_docs,
        **clock_fields(stream.clock),
        "n_outside": stream.n_outside,
        "candidates": list(stream.candidates.counts),
        "candidates_unit": stream.candidates.unit,
        "passages": [f"{key:x}" for key in stream.passages.by_time()[0].tolist()],
        "passages_unit": stream.passages.unit,
        "rungs": [{"learnt": rung.past.P is not None} for rung in stream.rungs],
    }


def stream_arrays(stream: DetectorStream) -> dict[str, NDArray[Any]]:
    """Return the arrays of a stream; the background is the detector's."""
    arrays: dict[str, NDArray[Any]] = {
        **clock_arrays("stream", stream.clock),
        "stream.df": stream.df,
        "stream.candidate_counts": np.array(list(stream.candidates.counts.values()), np.float64).reshape(-1, 2),
        "stream.passage_counts": np.repeat(stream.passages.by_time()[1][:, None], 2, axis=1),
        "stream.added": stream.added,
        "stream.keys": stream.keys,
        "stream.belonging": stream.belonging,
        "stream.recent": stream.recent,
    }
    for name, digest in stream.digests.items():
        arrays.update(digest_arrays(f"stream.{name}", digest))
    for i, rung in enumerate(stream.rungs):
        if rung.past.P is not None:
            arrays[f"stream.rungs.{i}.rhs"] = rung.past.P
        arrays[f"stream.rungs.{i}.gram"], arrays[f"stream.rungs.{i}.usage"] = rung.past.Q, rung.past.usage
        for name in ("rho", "helps", "shares"):
            arrays.update(digest_arrays(f"stream.rungs.{i}.{name}", getattr(rung, name)))
    return arrays


def read_stream(part: Bundle, scorer: Scorer, background: Array) -> DetectorStream:
    """Read a stream; check each value by itself and against the rest of the detector."""
    n_terms, n_sample = len(background), scorer.sample.shape[0]
    parts = part.parts("rungs")
    if len(parts) != len(scorer.rungs):
        raise part.wrong(f"{part.prefix}rungs must be as many as the rungs, {len(scorer.rungs)}")
    recent = part.array("recent", np.float64, (None,))
    if len(recent) > RECENT:
        raise part.wrong(f"the array {part.prefix}recent must hold at most {RECENT} numbers")
    added = part.positive("added", np.float64, (None,))
    if len(added) >= min(len(rung.shares) for rung in scorer.rungs):
        raise part.wrong(f"the array {part.prefix}added must hold fewer numbers than any rung has topics")
    digests = DIGESTS if scorer.meaning is None else (*DIGESTS, "meaning")
    return DetectorStream(
        n_seen=part.whole("n_seen", high=2**53),
        n_docs=part.number("n_docs", above=0),
        clock=read_clock(part),
        df=part.positive("df", np.float64, (n_terms,)),
        background=background,
        n_outside=part.number("n_outside", above=-1e-9),
        candidates=_read_candidates(part),
        passages=_read_passages(part) if part.has("passages") else SeenPassages(),
        rungs=[
            _read_rung_stream(of_rung, n_terms, rung.topics.shape[1])
            for of_rung, rung in zip(parts, scorer.rungs, strict=True)
        ],
        added=added,
        digests={name: read_digest(part, name) for name in digests},
        keys=part.positive("keys", np.float64, (n_sample,)),
        belonging=part.positive("belonging", np.float64, (n_sample, scorer.rungs[0].topics.shape[1]), most=UNIT),
        recent=recent,
    )


def _read_candidates(part: Bundle) -> Candidates:
    words, counts, unit = _read_counted(part, "candidate")
    return Candidates({word: (df, total) for word, (df, total) in zip(words, counts.tolist(), strict=True)}, unit)


def _read_passages(part: Bundle) -> SeenPassages:
    names, counts, unit = _read_counted(part, "passage")
    try:
        keys = np.array([int(name, 16) for name in names], np.int64)
    except (ValueError, OverflowError) as error:
        raise part.wrong(f"{part.prefix}passages must be numbers of 64 bits in hexadecimal digits") from error
    if len(np.unique(keys)) != len(keys):
        raise part.wrong(f"{part.prefix}passages must be different numbers")
    return SeenPassages.in_order(keys, counts[:, 0], unit)


def _read_counted(part: Bundle, what: str) -> tuple[list[str], Array, float]:
    """Read the names, counts and unit of what was seen."""
    names = part.texts(f"{what}s")
    if len(set(names)) != len(names) or len(names) > MOST_CANDIDATES:
        raise part.wrong(f"{part.prefix}{what}s must be different strings, at most {MOST_CANDIDATES}")
    counts = part.positive(f"{what}_counts", np.float64, (len(names), 2), most=1e120)
    return names, counts, part.number(f"{what}s_unit", above=SMALLEST_UNIT / 2)


def _read_rung_stream(part: Bundle, n_terms: int, n_topics: int) -> RungStream:
    rhs = part.positive("rhs", np.float64, (n_terms, n_topics)) if part.flag("learnt") else None
    past = Past(
        rhs,
        part.positive("gram", np.float64, (n_topics, n_topics)),
        part.positive("usage", np.float64, (n_topics,)),
    )
    return RungStream(past, read_digest(part, "rho"), read_digest(part, "helps"), read_digest(part, "shares"))
