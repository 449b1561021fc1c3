"""The paper's baselines: one contract for all, and each against a plain dense computation."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.utils.estimator_checks as checks
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.decomposition import NMF
from sklearn.exceptions import NotFittedError

from tonmf import InputError, ParameterError
from tonmf.baselines import KNNDistance, NMFResidual, RobustPCA, SVDScore

VARIANTS = [
    KNNDistance(5),
    KNNDistance(5, metric="cosine", score_by="mean"),
    SVDScore(3),
    SVDScore(3, score_by="residual", random_state=0),
    NMFResidual(3, tol=1e-2, random_state=0),
    RobustPCA(lam=0.3, random_state=0),
]
RESIDUALS = [
    SVDScore(3, score_by="residual"),
    NMFResidual(3, tol=1e-2, random_state=0),
    RobustPCA(lam=0.3, random_state=0),
]
every = pytest.mark.parametrize("baseline", VARIANTS, ids=str)

UNTYPICAL_BLOBS = dict.fromkeys(
    ("check_outliers_fit_predict", "check_outliers_train"),
    "wants something flagged by default in two columns of a single blob, centred at zero; run below on blobs with outliers",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("baseline", [KNNDistance(), KNNDistance(metric="cosine", score_by="mean")], ids=str)
def test_check_estimator_without_exception(baseline):
    results = checks.check_estimator(baseline, on_fail="raise", on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "baseline",
    [SVDScore(), SVDScore(1, score_by="residual"), NMFResidual(), NMFResidual(1), RobustPCA(), RobustPCA(0.2)],
    ids=str,
)
def test_check_estimator(baseline):
    results = checks.check_estimator(baseline, expected_failed_checks=UNTYPICAL_BLOBS, on_fail="raise", on_skip=None)
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "baseline", [SVDScore(1), SVDScore(1, score_by="residual"), NMFResidual(1), RobustPCA(), RobustPCA(0.2)], ids=str
)
@pytest.mark.parametrize("check", UNTYPICAL_BLOBS)
def test_outlier_checks_on_blobs_with_outliers(baseline, check, monkeypatch):
    def blobs_with_outliers(**arguments):
        X, y = make_blobs(centers=1, **arguments)
        X += 5 - X.mean(axis=0)
        X[:5, 0] += 20
        return np.maximum(X, 0), y

    monkeypatch.setattr(checks, "make_blobs", blobs_with_outliers)
    getattr(checks, check)(type(baseline).__name__, baseline)


@every
def test_signs_and_offsets_are_those_of_scikit_learn(baseline, small):
    model = clone(baseline).fit(small)
    scores = model.outlier_score(small)
    np.testing.assert_array_equal(model.score_samples(small), -scores)
    np.testing.assert_array_equal(model.decision_function(small), -scores - model.offset_)
    np.testing.assert_array_equal(model.predict(small) == -1, scores > model.threshold_)
    assert model.offset_ == -model.threshold_
    assert model.outlier_scores_.shape == (60,)
    assert model.n_features_in_ == 24


@every
def test_training_rows_scored_again_get_their_training_scores(baseline, small):
    """But for NMF, whose H scikit-learn has not solved to the end: none can get worse."""
    model = clone(baseline).fit(small)
    again = model.outlier_score(small)
    if isinstance(baseline, NMFResidual):
        assert (again <= model.outlier_scores_ + 1e-9).all()
        np.testing.assert_allclose(again, model.outlier_scores_, rtol=0.2)
    else:
        tolerance = 2e-2 if isinstance(baseline, RobustPCA) else 1e-9
        np.testing.assert_allclose(again, model.outlier_scores_, rtol=1e-9, atol=tolerance)


@every
def test_every_row_is_scored_by_itself(baseline, small):
    model = clone(baseline).fit(small)
    one_by_one = np.concatenate([model.outlier_score(small[i]) for i in range(0, 60, 7)])
    np.testing.assert_allclose(one_by_one, model.outlier_score(small)[::7], rtol=1e-9, atol=1e-9)


@every
def test_dense_and_sparse_rows_get_the_same_scores(baseline, small):
    sparse, dense = clone(baseline).fit(small), clone(baseline).fit(small.toarray())
    np.testing.assert_allclose(sparse.outlier_scores_, dense.outlier_scores_, rtol=1e-12, atol=1e-12)


@every
def test_shuffled_rows_get_shuffled_scores(baseline, small):
    order = np.random.default_rng(0).permutation(60)
    scores = clone(baseline).fit(small).outlier_scores_
    shuffled = clone(baseline).fit(small[order]).outlier_scores_
    np.testing.assert_allclose(shuffled, scores[order], rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(
    ("baseline", "factor"),
    [
        (KNNDistance(5), 16),
        (KNNDistance(5, metric="cosine"), 1),
        (SVDScore(3), 4),
        (SVDScore(3, score_by="residual"), 16),
        (RobustPCA(0.3, random_state=0), 16),
    ],
    ids=str,
)
def test_scores_follow_the_scale_of_x(baseline, factor, small):
    """Those by angle stay, the paper's SVD score goes with the root. NMF's start, and so its end, does not scale with X."""
    scores = clone(baseline).fit(small).outlier_scores_
    scaled = clone(baseline).fit(16.0 * small).outlier_scores_
    np.testing.assert_allclose(scaled, factor * scores, rtol=1e-3, atol=1e-2)


@every
def test_a_share_of_the_rows_is_flagged_if_asked_for(baseline, small):
    labels = clone(baseline).set_params(contamination=0.1).fit_predict(small)
    assert (labels == -1).sum() == 6


@pytest.mark.parametrize("baseline", RESIDUALS, ids=str)
def test_what_the_topics_cannot_explain_scores_highest(baseline):
    rng = np.random.default_rng(3)
    X = rng.poisson(4 * np.kron(np.eye(3), np.ones(12))[rng.integers(3, size=150)]).astype(float)
    X[31] = 0
    X[31, [2, 15, 30]] = 25
    assert clone(baseline).fit(X).outlier_scores_.argmax() == 31


@every
def test_a_matrix_of_zeros_has_no_outliers(baseline):
    labels = clone(baseline).fit_predict(sp.csr_matrix((12, 5)))
    assert (labels == 1).all()


@every
def test_the_callers_matrix_is_not_changed(baseline, small):
    before = small.copy()
    clone(baseline).fit(small).outlier_score(small)
    assert (before != small).nnz == 0


@every
def test_every_parameter_is_documented(baseline):
    for name in baseline.get_params():
        assert re.search(rf"^ *{name} : ", baseline.__doc__, flags=re.MULTILINE), name


# ------------------------------------------------------------------ k nearest neighbours


def dense_distances(X, metric):
    X = X.toarray()
    if metric == "cosine":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
        apart = 1 - X @ X.T
    else:
        apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.sort(apart, axis=1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("density", [0.05, 0.5])
def test_distances_are_those_of_a_dense_computation(metric, density):
    X = sp.random(80, 40, density, format="csr", random_state=0) + sp.csr_matrix(np.eye(80, 40) + np.eye(80, 40, -40))
    model = KNNDistance(7, metric=metric).fit(X)
    np.testing.assert_allclose(model.distances_, dense_distances(X, metric)[:, :7], atol=1e-7)


@pytest.mark.parametrize("score_by", ["kth", "mean"])
def test_a_sweep_equals_separate_fits(small, score_by):
    swept = KNNDistance(12, score_by=score_by).fit(small).sweep()
    assert swept.shape == (60, 12)
    for k in (1, 5, 12):
        alone = KNNDistance(k, score_by=score_by).fit(small).outlier_scores_
        np.testing.assert_allclose(swept[:, k - 1], alone, rtol=1e-12)


def test_of_a_row_that_is_there_twice_only_one_is_left_out():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.3, 4.0], [7.7, 9.0]])
    model = KNNDistance(1).fit(X)
    np.testing.assert_allclose(model.outlier_scores_[:2], 0)
    np.testing.assert_allclose(model.outlier_score(X), model.outlier_scores_, atol=1e-6)


def test_there_are_no_more_neighbours_than_other_rows():
    assert KNNDistance(10).fit(np.eye(4)).n_neighbors_ == 3


def test_a_row_alone_has_no_neighbours():
    with pytest.raises(InputError, match=r"n_samples=1 row, which has no neighbours: fit on at least 2\."):
        KNNDistance().fit([[1.0, 2.0]])


# ------------------------------------------------------------------ singular value decomposition


@pytest.mark.parametrize("rank", [1, 4, 11, 12, 30])
def test_svd_scores_are_those_of_a_dense_computation(rank):
    X = np.random.default_rng(2).poisson(1.0, (50, 12)).astype(float)
    U, sigma, Vt = np.linalg.svd(X, full_matrices=False)
    U, sigma, Vt = U[:, :rank], sigma[:rank], Vt[:rank]
    paper = np.linalg.norm(U * np.sqrt(sigma), axis=1)
    residual = np.linalg.norm(X - X @ Vt.T @ Vt, axis=1)
    np.testing.assert_allclose(SVDScore(rank).fit(X).outlier_scores_, paper, atol=1e-9)
    np.testing.assert_allclose(SVDScore(rank, score_by="residual").fit(X).outlier_scores_, residual, atol=1e-6)


@pytest.mark.parametrize("score_by", ["paper", "residual"])
def test_a_sweep_over_ranks_equals_separate_fits(small, score_by):
    swept = SVDScore(8, score_by=score_by).fit(small).sweep()
    for rank in (1, 3, 8):
        alone = SVDScore(rank, score_by=score_by).fit(small).outlier_scores_
        np.testing.assert_allclose(swept[:, rank - 1], alone, atol=1e-6)


def test_directions_without_weight_are_left_out():
    X = np.outer(np.arange(1.0, 9.0), np.ones(6))
    model = SVDScore(5).fit(X)
    assert model.n_components_ == 1
    assert np.isfinite(model.outlier_scores_).all()


# ------------------------------------------------------------------ non-negative matrix factorisation


def test_nmf_residuals_are_those_of_scikit_learns_fit(small):
    model = NMFResidual(3, tol=1e-2, random_state=0).fit(small)
    nmf = NMF(3, init="nndsvda", max_iter=60, tol=1e-2, random_state=0)
    dense = np.linalg.norm(small.toarray() - nmf.fit_transform(small) @ nmf.components_, axis=1)
    np.testing.assert_allclose(model.outlier_scores_, dense, rtol=1e-9)


def test_new_rows_are_explained_as_well_as_can_be(small):
    model = NMFResidual(3, tol=1e-2, random_state=0).fit(small)
    W = model.components_.T
    rows = small.toarray()[:5]
    rng = np.random.default_rng(0)
    for row, score in zip(rows, model.outlier_score(rows), strict=True):
        tries = np.linalg.norm(row - rng.exponential(1.0, (200, 3)) @ W.T, axis=1)
        assert score <= tries.min() + 1e-9


def test_a_mixture_of_the_topics_is_explained_to_the_last(small):
    model = NMFResidual(3, tol=1e-2, random_state=0).fit(small)
    np.testing.assert_allclose(model.outlier_score(np.array([[1.0, 0.0, 2.0]]) @ model.components_), 0, atol=1e-6)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        (KNNDistance(0), "n_neighbors must be a whole number of at least 1; got 0."),
        (KNNDistance(metric="manhattan"), "metric must be one of 'euclidean', 'cosine'; got 'manhattan'."),
        (KNNDistance(score_by="max"), "score_by must be one of 'kth', 'mean'; got 'max'."),
        (KNNDistance(contamination=0.7), "contamination must be a number above 0 and up to 0.5, or 'auto'; got 0.7."),
        (
            KNNDistance(n_jobs=0),
            "n_jobs must be a whole number of threads other than 0 (-1 for all cores), or None for one; got 0.",
        ),
        (SVDScore(0), "n_components must be a whole number of at least 1; got 0."),
        (SVDScore(score_by="mean"), "score_by must be one of 'paper', 'residual'; got 'mean'."),
        (NMFResidual(2.5), "n_components must be a whole number of at least 1; got 2.5."),
        (NMFResidual(max_iter=0), "max_iter must be a whole number of at least 1; got 0."),
        (RobustPCA(0.0), "lam must be a finite number above 0, or None for 1/√(the longer side of X); got 0.0."),
        (RobustPCA(tol=0), "tol must be a finite number above 0; got 0."),
        (RobustPCA(max_rank=0), "max_rank must be a whole number of at least 1, or None for no bound; got 0."),
    ],
    ids=str,
)
def test_an_option_that_makes_no_sense_is_named(baseline, message, small):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        baseline.fit(small)


@every
def test_what_is_not_finite_is_refused(baseline, small):
    X = small.toarray()
    X[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(baseline).fit(X)


@every
def test_rows_of_another_width_are_refused(baseline, small):
    with pytest.raises(ValueError, match=r"23 features, but .* is expecting 24"):
        clone(baseline).fit(small).outlier_score(small[:, :23])


@every
def test_nothing_is_scored_before_fit(baseline, small):
    with pytest.raises(NotFittedError):
        clone(baseline).outlier_score(small)


@every
def test_only_nmf_refuses_negative_values(baseline, small):
    X = small.toarray() - 1
    if isinstance(baseline, NMFResidual):
        with pytest.raises(InputError, match="Negative values in data passed to NMFResidual"):
            clone(baseline).fit(X)
    else:
        assert np.isfinite(clone(baseline).fit(X).outlier_scores_).all()
