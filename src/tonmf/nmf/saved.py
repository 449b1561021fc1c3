"""A fitted `TONMF` as a saved model (`tonmf.storage.bundles`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.nmf.mixture import Mixture
from tonmf.nmf.options import MIXTURE_SCORES, SCORES
from tonmf.nmf.remembered import ModelStream
from tonmf.nmf.streaming import Past
from tonmf.storage.bundles import UNIT, Bundle
from tonmf.stream.saved import clock_arrays, clock_fields, digest_arrays, read_clock, read_digest

PER_ROW = ("outlier_scores_", "residual_norms_", "weights_")
NUMBERS = ("alpha_", "threshold_")

LARGEST_PRIOR = 1e6
"""More than the pseudo-counts of a mixture, which are about as many as its topics."""


def model_fields(model: Any) -> dict[str, Any]:
    """Return the fields of a fitted model for the JSON."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "dtype": str(model.components_.dtype),
        "n_features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "score_by": model._score_by,
        "n_iter": int(model.n_iter_),
        "stream": stream_fields(model._stream),
        # α = ∞ is plain NMF
        **{name: None if np.isinf(getattr(model, name)) else float(getattr(model, name)) for name in NUMBERS},
    }


def model_arrays(model: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays of a fitted model."""
    arrays = {name: getattr(model, name) for name in (*PER_ROW, "objective_history_", "topic_shares_", "components_")}
    arrays["gram"] = model._gram
    arrays.update(stream_arrays(model._stream))
    if model._score_by in MIXTURE_SCORES:
        arrays.update(mixture_arrays("", model._mixture))
    return arrays


def read_model(bundle: Bundle) -> Mapping[str, Any]:
    """Return the attributes of a saved model, each checked by itself and against the others."""
    n_features, dtype = bundle.whole("n_features", low=1), bundle.text("dtype")
    if dtype not in ("float32", "float64"):
        raise bundle.wrong(f"dtype must be float32 or float64; got {dtype!r:.40}")
    components = bundle.positive("components_", np.dtype(dtype).type, (None, n_features), most=UNIT)
    n_topics = len(components)
    if n_topics == 0:
        raise bundle.wrong("the array components_ has no row")
    score_by = bundle.text("score_by")
    if score_by not in SCORES:
        raise bundle.wrong(f"score_by must be one of {', '.join(SCORES)}; got {score_by!r:.40}")
    gram = bundle.array("gram", np.float64, (n_topics, n_topics))
    if not np.allclose(gram, components.astype(np.float64) @ components.T, atol=1e-3):
        raise bundle.wrong("the array gram does not belong to components_")
    residual_norms = bundle.positive("residual_norms_", np.float64, (None,))
    attributes: dict[str, Any] = {
        "components_": components,
        "n_topics_": n_topics,
        "n_features_in_": n_features,
        "n_iter_": bundle.whole("n_iter"),
        "objective_history_": bundle.array("objective_history_", np.float64, (None,)),
        "topic_shares_": bundle.positive("topic_shares_", np.float64, (n_topics,)),
        "_gram": gram,
        "_score_by": score_by,
        "_stream": read_stream(bundle.part("stream"), n_features, n_topics, score_by in MIXTURE_SCORES),
        **{name: bundle.array(name, np.float64, residual_norms.shape) for name in PER_ROW},
        **{name: bundle.number(name) if bundle.has(name) else np.inf for name in NUMBERS},
    }
    attributes["offset_"] = -attributes["threshold_"]
    if bundle.has("feature_names"):
        attributes["feature_names_in_"] = np.array(bundle.texts("feature_names", n_features), dtype=object)
    if score_by in MIXTURE_SCORES:
        attributes["_mixture"] = read_mixture(bundle, n_features, n_topics)
    return attributes


def mixture_arrays(prefix: str, mixture: Mixture) -> dict[str, NDArray[Any]]:
    """Return the arrays of a mixture, under names that begin with `prefix`."""
    return {f"{prefix}ratios": mixture.ratios, f"{prefix}prior": mixture.prior}


def read_mixture(part: Bundle, n_terms: int, n_topics: int) -> Mixture:
    """Read a mixture and check it."""
    ratios = part.positive("ratios", np.float32, (n_terms, n_topics))
    prior = part.positive("prior", np.float64, (n_topics + 1,), most=LARGEST_PRIOR)
    if not prior[0] > 0:
        raise part.wrong(f"the array {part.prefix}prior must begin with a number above 0")
    return Mixture(ratios, prior)


def stream_fields(stream: ModelStream) -> dict[str, Any]:
    """Return the fields of a model's stream for the JSON."""
    return {**clock_fields(stream.clock), "learnt": stream.past.P is not None}


def stream_arrays(stream: ModelStream) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model's stream."""
    arrays: dict[str, NDArray[Any]] = {
        "stream.gram": stream.past.Q,
        "stream.past_usage": stream.past.usage,
        "stream.usage": stream.usage,
        "stream.squared_norms": stream.squared_norms,
        **clock_arrays("stream", stream.clock),
        **digest_arrays("stream.rho", stream.rho),
        **digest_arrays("stream.scores", stream.scores),
    }
    if stream.past.P is not None:
        arrays["stream.rhs"] = stream.past.P
    if stream.term_sums is not None:
        arrays["stream.term_sums"] = stream.term_sums
    return arrays


def read_stream(part: Bundle, n_terms: int, n_topics: int, by_mixture: bool) -> ModelStream:
    """Read the stream of a saved model and check each value."""
    Q = part.positive("gram", np.float64, (n_topics, n_topics))
    rhs = part.positive("rhs", np.float64, (n_terms, n_topics)) if part.flag("learnt") else None
    squared_norms = part.positive("squared_norms", np.float64, (None,))
    if len(squared_norms) not in (0, 2):
        raise part.wrong(f"the array {part.prefix}squared_norms must have 0 or 2 numbers")
    return ModelStream(
        Past(rhs, Q, part.positive("past_usage", np.float64, (n_topics,))),
        part.positive("usage", np.float64, (n_topics,)),
        read_digest(part, "rho"),
        read_digest(part, "scores"),
        squared_norms,
        part.positive("term_sums", np.float64, (n_terms,)) if by_mixture else None,
        read_clock(part),
    )
