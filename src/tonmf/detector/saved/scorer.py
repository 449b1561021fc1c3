"""What gives scores: topics, sample, company, alarms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.saved.meaning import read_meaning
from tonmf.detector.saved.parts import SMALLEST_SPREAD, read_rows, read_scale, row_arrays, scale_fields
from tonmf.detector.scores.alarms import CUTS, Alarms
from tonmf.detector.scores.company import MOST_STRANGE, Company
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.meaning import Meaning
from tonmf.detector.scores.scoring import Scorer
from tonmf.nmf.mixture import OUTSIDE_WEIGHT
from tonmf.nmf.saved import mixture_arrays, read_mixture
from tonmf.storage.bundles import UNIT, Bundle


def scorer_fields(scorer: Scorer) -> dict[str, Any]:
    """Return the JSON part of a scorer."""
    alarms, company = scorer.alarms, scorer.company
    return {
        "level": float(scorer.level),
        "trusted": None if scorer.trust is None else True,  # none in detectors of earlier versions
        "evidence": float(scorer.evidence) or None,  # none in detectors of earlier versions
        "company": None if company is None else {"most": float(company.most), "usual": float(company.usual)},
        "remoteness_scale": scale_fields(scorer.remoteness_scale),
        "alarms": {
            "rarity_outside": float(alarms.rarity_outside),
            **{name: {part: float(getattr(alarms, part)[name]) for part in ("medians", "widths")} for name in CUTS},
            "means": {name: float(mean) for name, mean in alarms.means.items()},
        },
        "rungs": [
            {
                "topic_share": float(rung.topic_share),
                "help_scale": scale_fields(rung.help_scale),
                "share_scale": scale_fields(rung.share_scale),
            }
            for rung in scorer.rungs
        ],
    }


def scorer_arrays(scorer: Scorer) -> dict[str, NDArray[Any]]:
    """Return the arrays of a scorer."""
    arrays = row_arrays("sample", scorer.sample)
    if scorer.trust is not None:
        arrays["sample.trust"] = scorer.trust
    if scorer.company is not None:
        arrays.update(row_arrays("company", scorer.company.rows))
        arrays["company.weights"] = scorer.company.weights
        if scorer.company.meaning is not None:
            arrays["company.meaning"] = scorer.company.meaning
    for i, rung in enumerate(scorer.rungs):
        arrays[f"rungs.{i}.topics"] = rung.topics
        arrays[f"rungs.{i}.shares"] = rung.shares
        arrays.update(mixture_arrays(f"rungs.{i}.", rung.mixture))
    return arrays


def read_scorer(bundle: Bundle, idf: Array) -> Scorer:
    """Read a scorer."""
    sample = read_rows(bundle, "sample", len(idf))
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
        read_scale(bundle, "remoteness_scale"),
        _read_alarms(bundle.part("alarms"), earlier),
        bundle.number("level"),
        0.0 if earlier else bundle.number("evidence", above=-1e-9),
        _read_company(bundle, len(idf), meaning) if bundle.has("company") else None,
        bundle.positive("sample.trust", np.float64, (sample.shape[0],), most=UNIT) if bundle.has("trusted") else None,
        meaning,
    )


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
        read_scale(part, "help_scale"),
        read_scale(part, "share_scale"),
    )


def _read_company(bundle: Bundle, n_terms: int, meaning: Meaning | None) -> Company:
    rows = read_rows(bundle, "company", n_terms)
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
