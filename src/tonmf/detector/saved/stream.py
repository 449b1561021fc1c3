"""What `partial_fit` remembers of a stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.scoring import Scorer
from tonmf.detector.state import DIGESTS, RECENT, DetectorStream, RungStream
from tonmf.nmf.streaming import Past
from tonmf.storage.bundles import UNIT, Bundle
from tonmf.stream.saved import clock_arrays, clock_fields, digest_arrays, read_clock, read_digest
from tonmf.text.vocabulary.changing import MOST_CANDIDATES, SMALLEST_UNIT, Candidates
from tonmf.text.vocabulary.seen import SeenPassages


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
