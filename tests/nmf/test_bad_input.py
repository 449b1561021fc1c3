"""Each kind of bad input gets its own clear error; each degenerate kind of good input gets finite scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tonmf import TONMF, InputError, ParameterError, TextOutlierDetector, TonmfError
from tonmf.baselines import KNNDistance, NMFResidual, RobustPCA, SVDScore
from tonmf.detector.options import DETECTOR_RULES
from tonmf.nmf.options import MODEL_RULES, SCORES
from tonmf.nmf.validation import LARGEST

BASELINES = [KNNDistance(), NMFResidual(2), RobustPCA(), SVDScore(2)]


@pytest.mark.parametrize(
    ("value", "message"),
    [(-1.0, r"Negative values in data passed to TONMF.*got -1 in row 3"), (np.nan, "NaN"), (np.inf, "infinity")],
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_negative_and_non_finite_entries(value, message, kind):
    X = np.ones((5, 4))
    X[3, 2] = value
    with pytest.raises(ValueError, match=message):
        TONMF(2).fit(kind(X))
    model = TONMF(2, random_state=0).fit(np.eye(5, 4))
    with pytest.raises(ValueError, match=message):
        model.outlier_score(kind(X))


def test_errors_of_ours_are_value_errors_too():
    with pytest.raises(InputError) as caught:
        TONMF(2).fit(-np.eye(3))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TonmfError)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 4)), "0 sample"),
        (np.empty((4, 0)), "0 feature"),
        (sp.csr_matrix((0, 4)), "0 sample"),
        (np.ones(4), "Expected 2D array"),
        ([["a", "b"]], "could not convert string"),
    ],
)
def test_no_rows_no_columns_wrong_shape_wrong_kind(X, message):
    with pytest.raises(ValueError, match=message):
        TONMF(1).fit(X)


def test_more_topics_than_the_data_can_hold():
    with pytest.raises(ParameterError, match=r"n_topics=7 is more.*n_samples=6 rows and n_features=9.*Use n_topics=6"):
        TONMF(7).fit(np.ones((6, 9)))
    assert TONMF(random_state=0).fit(np.eye(6, 9)).n_topics_ <= 6


BAD_PARAMETERS = [
    ("n_topics", 0),
    ("n_topics", "many"),
    ("max_topics", 0),
    ("topic_share", 0),
    ("topic_share", 1.0),
    ("n_topics", 2.5),
    ("n_topics", True),
    ("alpha", 0),
    ("alpha", -1.0),
    ("alpha", np.nan),
    ("alpha", "automatic"),
    ("beta", -0.1),
    ("beta", np.inf),
    ("solver", "magic"),
    ("inner", "als"),
    ("init", "zeros"),
    ("init", np.ones(3)),
    ("max_iter", 0),
    ("tol", -1),
    ("inner_iter", 0),
    ("inner_tol", -1),
    ("score_by", "probability"),
    ("contamination", 0.0),
    ("contamination", 0.6),
    ("contamination", "many"),
    ("block_size", 0),
    ("backend", "cuda"),
    ("n_jobs", 0),
    ("callback", "print"),
]


@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS)
def test_each_parameter_names_itself_what_it_expects_and_what_came(name, value):
    with pytest.raises(ParameterError) as caught:
        TONMF(**{name: value}).fit(np.eye(12))
    message = str(caught.value)
    assert message.startswith(f"{name} must be ")
    assert repr(value) in message


def test_every_parameter_has_a_rule():
    assert set(MODEL_RULES) | {"random_state"} == set(TONMF().get_params())
    assert set(DETECTOR_RULES) | {"random_state", "vectorizer"} == set(TextOutlierDetector().get_params())


def test_an_option_of_the_other_solver_is_refused_not_ignored():
    with pytest.raises(ParameterError, match="inner_tol stops the inner loop of solver='paper'"):
        TONMF(2, inner_tol=0.1).fit(np.eye(4))


def test_options_of_automatic_topics_are_refused_without_them():
    with pytest.raises(ParameterError, match=r"topic_share=0.1 has no effect unless n_topics='auto'. Leave it at 0.02"):
        TONMF(2, topic_share=0.1).fit(np.eye(4))
    with pytest.raises(ParameterError, match="n_topics='auto' is for solver='reweighted'"):
        TONMF("auto", solver="paper").fit(np.eye(4))


def test_sweeps_for_a_method_that_has_none_are_refused_not_ignored():
    with pytest.raises(ParameterError, match="inner_iter counts sweeps, and inner='anls' solves"):
        TONMF(2, inner="anls", inner_iter=3).fit(np.eye(4))


def test_parameters_are_checked_in_fit_not_before():
    TONMF(alpha=-1)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ((np.ones((4, 2)), np.ones((5, 2))), r"needs W of shape \(6, 2\) \(terms × topics\); got \(5, 2\)"),
        ((np.ones((4, 3)), np.ones((6, 2))), r"needs H of shape \(4, 2\) \(documents × topics\); got \(4, 3\)"),
        ((-np.ones((4, 2)), np.ones((6, 2))), "H has others"),
    ],
)
def test_a_start_of_the_wrong_shape_or_sign(start, message):
    with pytest.raises(ParameterError, match=message):
        TONMF(2, init=start).fit(np.ones((4, 6)))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"one number for each of the 4 rows.*shape \(2,\)"),
        ([1, 1, 1, -1], "at least 0"),
        ([1, 1, 1, 1e200], r"up to 1e\+100"),
        ([0, 0, 0, 0], "zero"),
    ],
)
def test_bad_sample_weights(weights, message):
    with pytest.raises(InputError, match=message):
        TONMF(2).fit(np.ones((4, 6)), sample_weight=weights)


def test_a_number_too_large_for_the_model():
    model = TONMF(2, random_state=0).fit(np.eye(6, dtype=np.float32))
    with pytest.raises(InputError, match="too large for a model fitted on float32"):
        model.outlier_score(np.full((1, 6), 1e39))


@pytest.mark.filterwarnings("ignore")  # so small a matrix is no task for some of them
@pytest.mark.parametrize("estimator", [TONMF(2), *BASELINES], ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_numbers_whose_squares_overflow_are_refused_on_every_road(estimator, is_sparse):
    X = np.eye(12, 6)
    rows = sp.csr_matrix if is_sparse else np.asarray
    huge = X.copy()
    huge[3, 2] = 1e200
    model = clone(estimator)
    too_large = rf"Numbers too large in data passed to {type(model).__name__}: .* got 1e\+200 in row 3"
    with pytest.raises(InputError, match=too_large):
        model.fit(rows(huge))
    model.fit(rows(X))
    for road in (
        (model.partial_fit, model.outlier_score, model.predict) if isinstance(model, TONMF) else (model.predict,)
    ):
        with pytest.raises(InputError, match=too_large):
            road(rows(huge))


@pytest.mark.parametrize("score_by", SCORES)
def test_the_largest_numbers_that_are_accepted_give_finite_scores(score_by):
    X = np.random.default_rng(0).random((12, 6)) * LARGEST
    model = TONMF(2, score_by=score_by, random_state=0).fit(X)
    assert np.isfinite(model.outlier_scores_).all()
    assert np.isfinite(model.partial_fit(X).outlier_score(X)).all()


def test_extreme_sample_weights_give_finite_scores():
    X = np.random.default_rng(0).random((12, 6)).astype(np.float32)
    for weight in (1e-30, 1e30):
        assert np.isfinite(TONMF(2, random_state=0).fit(X, sample_weight=np.full(12, weight)).outlier_scores_).all()


def test_wrong_number_of_columns_at_predict():
    model = TONMF(2, random_state=0).fit(np.eye(6))
    for method in ("predict", "transform", "outlier_score", "outlier_matrix"):
        with pytest.raises(ValueError, match="X has 5 features, but TONMF is expecting 6 features"):
            getattr(model, method)(np.ones((2, 5)))


@pytest.mark.parametrize(
    "method", ["predict", "transform", "outlier_score", "score_samples", "decision_function", "outlier_matrix"]
)
def test_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(TONMF(), method)(np.eye(3))


def test_rows_that_are_not_there():
    model = TONMF(2, random_state=0).fit(np.eye(6))
    with pytest.raises(InputError, match=r"numbers of rows of X, which has 6; got \[7\]"):
        model.outlier_matrix(np.eye(6), [7])


DEGENERATE = {
    "rows of zeros": np.array([[1.0, 2, 0], [0, 0, 0], [2, 1, 0], [0, 0, 0]]),
    "columns of zeros": np.array([[1.0, 0, 2, 0], [2, 0, 1, 0], [1, 0, 1, 0]]),
    "one row": np.array([[1.0, 2, 3]]),
    "one term": np.array([[1.0], [2], [5]]),
    "one number": np.array([[3.0]]),
    "one zero": np.array([[0.0]]),
    "identical rows": np.tile([1.0, 0, 2], (6, 1)),
    "all zeros": np.zeros((4, 3)),
    "tiny": np.full((4, 3), 1e-30),
    "small": np.random.default_rng(0).random((8, 6)) * 1e-20,
    "huge": np.random.default_rng(0).random((8, 6)) * 1e12,
}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "paper"},
        {"inner": "anls"},
        {"inner": "scalar"},
        {"beta": 0.1},
        {"alpha": 1.0},
        {"backend": "numpy"},
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", DEGENERATE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_degenerate_data_gives_finite_scores(kind, dtype, options):
    X = DEGENERATE[kind].astype(dtype)
    model = TONMF(random_state=0, **options).fit(X)
    for values in (
        model.outlier_scores_,
        model.weights_,
        model.components_,
        model.objective_history_,
        model.transform(X),
    ):
        assert np.isfinite(values).all()
    assert np.isfinite(model.threshold_)
    assert np.isfinite(model.alpha_)
    np.testing.assert_array_equal(model.outlier_score(X), model.outlier_scores_)
    if kind == "rows of zeros":
        assert model.outlier_scores_[1] == 0
