"""`TONMF` as scikit-learn users meet it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from tonmf import TONMF, Progress
from tonmf.datasets import make_corpus


@pytest.fixture
def model(small):
    return TONMF(3, random_state=0).fit(small)


def test_the_planted_rows_come_first(model):
    assert set(np.argsort(-model.outlier_scores_)[:4]) == {56, 57, 58, 59}


@pytest.mark.parametrize("options", [{}, {"beta": 0.1}, {"solver": "paper"}, {"inner": "anls"}, {"score_by": "paper"}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_rows_scored_again_get_their_training_scores(small, options, dtype):
    X = small.astype(dtype)
    model = TONMF(3, random_state=0, **options).fit(X)
    np.testing.assert_array_equal(model.outlier_score(X), model.outlier_scores_)
    assert ((model.outlier_scores_ > model.threshold_) == (model.predict(X) == -1)).all()


def test_every_row_is_scored_by_itself(small, model):
    whole = model.outlier_score(small)
    one_by_one = np.concatenate([model.outlier_score(small[i]) for i in range(60)])
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-12)
    np.testing.assert_allclose(model.transform(small[[3, 40, 3]]), model.transform(small)[[3, 40, 3]], rtol=1e-10)


def test_signs_and_offsets_are_those_of_scikit_learn(small, model):
    scores = model.outlier_score(small)
    np.testing.assert_array_equal(model.score_samples(small), -scores)
    np.testing.assert_array_equal(model.decision_function(small), -scores - model.offset_)
    assert model.offset_ == -model.threshold_
    assert set(model.predict(small)) == {-1, 1}


def test_the_papers_score_is_the_norm_of_the_row_of_z(small):
    model = TONMF(3, alpha=4.0, score_by="paper", random_state=0).fit(small)
    Z = model.outlier_matrix(small)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), model.outlier_scores_, atol=1e-9)
    assert (model.outlier_scores_[model.residual_norms_ <= 4.0] == 0).all()
    np.testing.assert_allclose(model.weights_, np.minimum(1, 4.0 / model.residual_norms_))


def test_no_rows_of_z_when_none_are_asked_for(small, model):
    assert model.outlier_matrix(small, np.zeros(60, dtype=bool)).shape == (0, 24)


@pytest.mark.parametrize("rows", [[3, 59], np.arange(60) % 2 == 0, 59, slice(50, 60)])
def test_rows_of_z_on_request(small, model, rows):
    expected = model.outlier_matrix(small)
    expected = expected[np.atleast_1d(np.arange(60)[rows])]
    np.testing.assert_allclose(model.outlier_matrix(small, rows), expected, atol=1e-12)


def test_fitted_attributes_have_the_promised_shapes(small, model):
    assert model.components_.shape == (3, 24)
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    assert model.n_topics_ == 3
    assert model.topic_shares_.sum() == pytest.approx(1)
    for name in ("outlier_scores_", "residual_norms_", "weights_"):
        assert getattr(model, name).shape == (60,)
    assert model.n_features_in_ == 24
    assert model.get_feature_names_out().tolist() == ["tonmf0", "tonmf1", "tonmf2"]
    assert model.n_iter_ >= 10
    assert model.alpha_ > 0


def strided(X):
    """Values, indices and row bounds that are every other element of larger arrays."""
    parts = []
    for part in (X.data, X.indices, X.indptr):
        wide = np.full(2 * len(part), 7, dtype=part.dtype)
        wide[::2] = part
        parts.append(wide[::2])
    rows = sp.csr_matrix(X.shape)
    rows.data, rows.indices, rows.indptr = parts
    return rows


KINDS = {
    "strided": strided,
    "csc": lambda X: X.tocsc(),
    "coo": lambda X: X.tocoo(),
    "csr array": sp.csr_array,
    "dense": lambda X: X.toarray(),
    "Fortran order": lambda X: np.asfortranarray(X.toarray()),
    "integers": lambda X: X.astype(int),
    "list": lambda X: X.toarray().tolist(),
    "pandas": lambda X: pd.DataFrame(X.toarray(), columns=[f"t{i}" for i in range(24)]),
    "polars": lambda X: pl.DataFrame(X.toarray(), schema=[f"t{i}" for i in range(24)]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_gives_the_same_scores(small, model, kind):
    X = KINDS[kind](small)
    again = TONMF(3, random_state=0).fit(X)
    np.testing.assert_allclose(again.outlier_scores_, model.outlier_scores_, rtol=1e-12)
    np.testing.assert_array_equal(again.outlier_score(X), again.outlier_scores_)
    if kind in ("pandas", "polars"):
        assert list(again.feature_names_in_) == [f"t{i}" for i in range(24)]


def messy(small):
    """The same matrix with wide indices, unsorted entries and one value stored in two parts."""
    X = small.tocoo()
    order = np.random.default_rng(0).permutation(X.nnz)
    rows, columns, values = X.row[order], X.col[order], X.data[order]
    rows, columns = np.append(rows, rows[0]), np.append(columns, columns[0])
    values = np.append(values, values[0] / 2)
    values[0] /= 2
    by_row = np.argsort(rows, kind="stable")
    indptr = np.searchsorted(rows[by_row], np.arange(61)).astype(np.int64)
    return sp.csr_matrix((values[by_row], columns[by_row].astype(np.int64), indptr), shape=small.shape)


def test_unsorted_and_duplicated_entries_with_wide_indices(small, model):
    X = messy(small)
    assert not X.has_sorted_indices
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    again = TONMF(3, random_state=0).fit(X)
    np.testing.assert_allclose(again.outlier_score(X), model.outlier_scores_, rtol=1e-12)
    for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(old, new)


def test_read_only_data_is_fine(small, model):
    X = small.copy()
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    np.testing.assert_array_equal(TONMF(3, random_state=0).fit(X).outlier_scores_, model.outlier_scores_)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_a_seed_repeats_a_run_bit_for_bit(small, backend, n_jobs):
    fits = [TONMF(3, random_state=4, backend=backend, n_jobs=n_jobs).fit(small) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    np.testing.assert_array_equal(fits[0].outlier_scores_, fits[1].outlier_scores_)


def test_alpha_follows_the_residuals_even_in_a_very_short_fit(small):
    with pytest.warns(ConvergenceWarning):
        model = TONMF(3, max_iter=1, random_state=0).fit(small)
    assert np.isfinite(model.alpha_)


def test_topics_without_any_share_are_not_kept(small):
    for solver in ("reweighted", "paper"):
        model = TONMF(20, beta=3.0, solver=solver, random_state=0).fit(small)
        assert (model.topic_shares_ > 0).all()
        assert len(model.topic_shares_) == model.n_topics_


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda"])
def test_rows_of_weight_zero_do_not_shape_the_model(small, init):
    junk = sp.csr_matrix(np.random.default_rng(0).random((20, 24)) * 50)
    both = sp.vstack([small, junk]).tocsr()
    with_junk = TONMF(3, init=init, random_state=0).fit(both, sample_weight=np.repeat([1, 0], [60, 20]))
    without = TONMF(3, init=init, random_state=0).fit(small)
    np.testing.assert_allclose(with_junk.outlier_scores_[:60], without.outlier_scores_, rtol=1e-6)
    assert with_junk.threshold_ == pytest.approx(without.threshold_)


def test_rows_of_weight_zero_do_not_shape_the_threshold(small):
    """Their norms once decided whether all rows count as having the same norm."""
    rows = normalize(small)
    both = sp.vstack([rows, 5 * rows[:10]]).tocsr()
    weighted = TONMF(3, random_state=0).fit(both, sample_weight=np.repeat([1, 0], [60, 10]))
    assert weighted.threshold_ == pytest.approx(TONMF(3, random_state=0).fit(rows).threshold_)


def test_backends_agree(small, model):
    plain = TONMF(3, random_state=0, backend="numpy").fit(small)
    np.testing.assert_allclose(plain.outlier_scores_, model.outlier_scores_, rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"solver": "paper"}, {"n_topics": "auto", "score_by": "lift"}], ids=str)
def test_a_weight_of_two_is_the_row_twice(small, options):
    weights = np.random.default_rng(0).integers(0, 3, 60)
    model = TONMF(**{"n_topics": 3, "random_state": 0, **options})
    weighted = clone(model).fit(small, sample_weight=weights)
    repeated = clone(model).fit(small[np.repeat(np.arange(60), weights)])
    np.testing.assert_allclose(weighted.outlier_score(small), repeated.outlier_score(small), rtol=1e-6)
    assert weighted.threshold_ == pytest.approx(repeated.threshold_)


def test_works_in_a_pipeline_with_clone_and_grid_search():
    corpus = make_corpus(200, 5)
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), TONMF(4, random_state=0))
    labels = clone(pipeline).fit_predict(corpus.texts)
    assert (labels[corpus.labels == 1] == -1).all()
    search = GridSearchCV(
        pipeline,
        {"tonmf__n_topics": [2, 4]},
        scoring=lambda model, texts, y=None: -model.score_samples(texts).mean(),
        cv=2,
        n_jobs=2,
    )
    assert search.fit(corpus.texts).best_params_ == {"tonmf__n_topics": 2}


def test_the_callback_hears_of_every_iteration(small):
    heard = []
    model = TONMF(3, random_state=0, callback=heard.append).fit(small)
    assert [p.iteration for p in heard] == list(range(1, model.n_iter_ + 1))
    assert all(isinstance(p, Progress) and p.max_iter == 200 and p.n_topics == 3 for p in heard)
    assert heard[-1].alpha == model.alpha_


def test_an_exception_in_the_callback_ends_the_fit(small):
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TONMF(3, callback=stop).fit(small)


def test_fit_says_when_it_ran_out_of_iterations(small):
    with pytest.warns(ConvergenceWarning, match="max_iter=2 was reached"):
        TONMF(3, alpha=1.0, max_iter=2, tol=1e-9, random_state=0).fit(small)


def test_the_authors_start_stalls_and_says_so(small):
    """From W, H uniform on [0, 1] and a small α, Algorithm 1 stays where it is."""
    with pytest.warns(ConvergenceWarning, match=r"final and initial residuals rank-correlate at (0\.99|1\.0)"):
        TONMF(10, alpha=0.01, solver="paper", init="uniform", max_iter=9, inner_iter=9, tol=0, random_state=0).fit(
            small
        )


def test_the_scaled_start_does_not_stall(small, recwarn):
    TONMF(10, alpha=0.01, solver="paper", init="random", max_iter=9, inner_iter=9, tol=0, random_state=0).fit(small)
    assert not [w for w in recwarn if "stayed at its start" in str(w.message)]


def test_nothing_as_large_as_the_dense_matrix_is_ever_allocated():
    """Peak memory of a fit stays far below n_docs × n_terms."""
    import tracemalloc

    X = sp.random(4000, 20_000, 0.001, format="csr", random_state=0, dtype=np.float32)
    for solver in ("reweighted", "paper"):
        tracemalloc.start()
        TONMF(5, solver=solver, max_iter=3, tol=0, random_state=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4000 * 20_000 * 4 / 20
