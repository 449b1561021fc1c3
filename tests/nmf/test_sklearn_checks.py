"""scikit-learn's own checks, with every solver, inner method and backend."""

import numpy as np
import pytest
import sklearn.utils.estimator_checks as checks
from sklearn.datasets import make_blobs

from tonmf import TONMF

VARIANTS = [
    {},
    {"solver": "paper", "inner": "scalar", "beta": 0.01},
    {"backend": "numpy", "inner": "anls"},
    {"n_topics": "auto", "score_by": "unexplained"},
]
"""Each value of each option that changes how a fit works is in one of them."""

NEGATIVE_BLOBS = dict.fromkeys(
    ("check_outliers_fit_predict", "check_outliers_train"),
    "feeds negative blobs to every outlier detector, whatever its positive_only tag says; run below on shifted blobs",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_check_estimator(options):
    results = checks.check_estimator(
        TONMF(**options), expected_failed_checks=NEGATIVE_BLOBS, on_fail="raise", on_skip=None
    )
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(NEGATIVE_BLOBS)
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("check", NEGATIVE_BLOBS)
def test_outlier_checks_on_blobs_that_are_not_negative(options, check, monkeypatch):
    def shifted_blobs(**arguments):
        X, y = make_blobs(centers=1, **arguments)
        X += 5 - X.mean(axis=0)
        X[:5, 0] += 20  # something to flag
        return np.maximum(X, 0), y

    monkeypatch.setattr(checks, "make_blobs", shifted_blobs)
    getattr(checks, check)("TONMF", TONMF(**{"n_topics": 1, **options}))
