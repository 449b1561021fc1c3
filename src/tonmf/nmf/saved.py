"""What a fitted `TONMF` consists of, as a saved model holds it (`tonmf.storage.bundles`): written here, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.nmf.mixture import Mixture
from tonmf.nmf.options import MIXTURE_SCORES, SCORES
from tonmf.nmf.remembered import read_stream, stream_arrays, stream_fields
from tonmf.storage.bundles import LARGEST_PRIOR, UNIT, Bundle

PER_ROW = ("outlier_scores_", "residual_norms_", "weights_")
NUMBERS = ("alpha_", "threshold_")


def state_fields(model: Any) -> dict[str, Any]:
    """What goes into the JSON."""
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


def state_arrays(model: Any) -> dict[str, NDArray[Any]]:
    """What goes beside it."""
    arrays = {name: getattr(model, name) for name in (*PER_ROW, "objective_history_", "topic_shares_", "components_")}
    arrays["gram"] = model._gram
    arrays.update(stream_arrays(model._stream))
    if model._score_by in MIXTURE_SCORES:
        arrays.update(ratios=model._mixture.ratios, prior=model._mixture.prior)
    return arrays


def read_attributes(bundle: Bundle) -> Mapping[str, Any]:
    """The attributes of a saved model, each checked for itself and against the others."""
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
        ratios = bundle.positive("ratios", np.float32, (n_features, n_topics))
        prior = bundle.positive("prior", np.float64, (n_topics + 1,), most=LARGEST_PRIOR)
        if not prior[0] > 0:
            raise bundle.wrong("the array prior must begin with a number above 0")
        attributes["_mixture"] = Mixture(ratios, prior)
    return attributes
