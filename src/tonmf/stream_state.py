"""What a detector remembers of a stream (`tonmf.detector_stream`), as a saved model holds it: written here, and read again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.bundles import UNIT, Bundle
from tonmf.clock import clock_arrays, clock_fields, read_clock
from tonmf.detector_stream import DIGESTS, RECENT, DetectorStream, RungStream
from tonmf.digest import digest_arrays, read_digest
from tonmf.ops import Array
from tonmf.scoring import Scorer
from tonmf.streaming import Past
from tonmf.vocabulary import MOST_CANDIDATES, SMALLEST_UNIT, Candidates


def stream_fields(stream: DetectorStream) -> dict[str, Any]:
    """What goes into the JSON."""
    return {
        "n_seen": stream.n_seen,
        "n_docs": stream.n_docs,
        **clock_fields(stream.clock),
        "n_outside": stream.n_outside,
        "candidates": list(stream.candidates.counts),
        "candidates_unit": stream.candidates.unit,
        "rungs": [{"learnt": rung.past.P is not None} for rung in stream.rungs],
    }


def stream_arrays(stream: DetectorStream) -> dict[str, NDArray[Any]]:
    """What goes beside it; the background is the detector's."""
    arrays: dict[str, NDArray[Any]] = {
        **clock_arrays("stream", stream.clock),
        "stream.df": stream.df,
        "stream.candidate_counts": np.array(list(stream.candidates.counts.values()), np.float64).reshape(-1, 2),
        "stream.added": stream.added,
        "stream.keys": stream.keys,
        "stream.belonging": stream.belonging,
        "stream.recent": stream.recent,
    }
    if stream.embedding_keys is not None:
        arrays["stream.embedding_keys"] = stream.embedding_keys
    for name in DIGESTS:
        arrays.update(digest_arrays(f"stream.{name}", stream.digests[name]))
    for i, rung in enumerate(stream.rungs):
        if rung.past.P is not None:
            arrays[f"stream.rungs.{i}.rhs"] = rung.past.P
        arrays[f"stream.rungs.{i}.gram"], arrays[f"stream.rungs.{i}.usage"] = rung.past.Q, rung.past.usage
        for name in ("rho", "helps", "shares"):
            arrays.update(digest_arrays(f"stream.rungs.{i}.{name}", getattr(rung, name)))
    return arrays


def read_stream(part: Bundle, scorer: Scorer, background: Array) -> DetectorStream:
    """Of a saved detector, each value checked for itself and against the rest of the detector."""
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
    neighbours = scorer.neighbours
    return DetectorStream(
        n_seen=part.whole("n_seen", high=2**53),
        n_docs=part.number("n_docs", above=0),
        clock=read_clock(part),
        df=part.positive("df", np.float64, (n_terms,)),
        background=background,
        n_outside=part.number("n_outside", above=-1e-9),
        candidates=_read_candidates(part),
        rungs=[
            _read_rung(of_rung, n_terms, rung.topics.shape[1])
            for of_rung, rung in zip(parts, scorer.rungs, strict=True)
        ],
        added=added,
        digests={name: read_digest(part, name) for name in DIGESTS},
        keys=part.positive("keys", np.float64, (n_sample,)),
        belonging=part.positive("belonging", np.float64, (n_sample, scorer.rungs[0].topics.shape[1]), most=UNIT),
        embedding_keys=None
        if neighbours is None
        else part.positive("embedding_keys", np.float64, (len(neighbours.rows),)),
        recent=recent,
    )


def _read_candidates(part: Bundle) -> Candidates:
    words = part.texts("candidates")
    if len(set(words)) != len(words) or len(words) > MOST_CANDIDATES:
        raise part.wrong(f"{part.prefix}candidates must be different strings, at most {MOST_CANDIDATES}")
    counts = part.positive("candidate_counts", np.float64, (len(words), 2), most=1e120)
    unit = part.number("candidates_unit", above=SMALLEST_UNIT / 2)
    return Candidates({word: (df, total) for word, (df, total) in zip(words, counts.tolist(), strict=True)}, unit)


def _read_rung(part: Bundle, n_terms: int, n_topics: int) -> RungStream:
    rhs = part.positive("rhs", np.float64, (n_terms, n_topics)) if part.flag("learnt") else None
    past = Past(
        rhs,
        part.positive("gram", np.float64, (n_topics, n_topics)),
        part.positive("usage", np.float64, (n_topics,)),
    )
    return RungStream(past, read_digest(part, "rho"), read_digest(part, "helps"), read_digest(part, "shares"))
