"""Read and write a fitted `EmbeddingOutlierDetector` as a bundle (`tonmf.storage.bundles`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.detector.saved.meaning import meaning_fields, read_meaning
from tonmf.detector.scores.company import MOST_STRANGE
from tonmf.detector.scores.ordinary import SAMPLE
from tonmf.detector.vectors.scorer import CompanyByMeaning, VectorScorer, VectorState
from tonmf.storage.bundles import UNIT, Bundle

MODEL = "EmbeddingOutlierDetector"
"""What a saved detector is called in its file."""

LEAST_DOCUMENTS = 3
"""Documents that a detector is fitted on, at least."""


def vector_fields(state: VectorState) -> dict[str, Any]:
    """Return the JSON part of a state."""
    company = state.scorer.company
    return {
        "threshold": float(state.threshold),
        "meaning": meaning_fields(state.scorer.meaning),
        "company": None if company is None else {"most": float(company.most), "usual": float(company.usual)},
        "documents": {"n_docs": len(state.outlier_scores), "ids": list(state.sample_ids)},
    }


def vector_arrays(state: VectorState) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state."""
    scorer, company = state.scorer, state.scorer.company
    arrays: dict[str, NDArray[Any]] = {
        "outlier_scores": state.outlier_scores,
        "meaning.rows": scorer.meaning.rows,
        "meaning.centre": scorer.meaning.centre,
        "sample.trust": scorer.trust,
    }
    if company is not None:
        arrays["company.rows"], arrays["company.weights"] = company.rows, company.weights
    return arrays


def read_vectors(bundle: Bundle) -> VectorState:
    """Read a state; check each value by itself and against the others."""
    documents = bundle.part("documents")
    n_docs, ids = documents.whole("n_docs", low=LEAST_DOCUMENTS), documents.texts("ids")
    if not 0 < len(ids) <= min(SAMPLE, n_docs):
        raise bundle.wrong(f"documents.ids must be 1 to {min(SAMPLE, n_docs)} strings")
    meaning = read_meaning(bundle, len(ids))
    trust = bundle.positive("sample.trust", np.float64, (len(ids),), most=UNIT)
    company = _read_company(bundle, meaning.rows.shape[1]) if bundle.has("company") else None
    scores = bundle.array("outlier_scores", np.float64, (n_docs,))
    return VectorState(VectorScorer(meaning, trust, company), ids, bundle.number("threshold"), scores)


def _read_company(bundle: Bundle, width: int) -> CompanyByMeaning:
    part = bundle.part("company")
    rows = part.array("rows", np.float32, (None, width), most=UNIT)
    if not 0 < len(rows) <= MOST_STRANGE:
        raise bundle.wrong(f"the array company.rows must be of 1 to {MOST_STRANGE} documents")
    weights = part.positive("weights", np.float64, (len(rows),))
    return CompanyByMeaning(rows, weights, part.number("most", above=0), part.number("usual", above=-1e-9))
