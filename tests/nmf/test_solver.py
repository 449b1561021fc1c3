"""Properties of a fit, for every solver and inner method."""

import numpy as np
import pytest
import scipy.sparse as sp
from algorithm1 import algorithm1
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import NMF
from sklearn.preprocessing import normalize

from tonmf import TONMF
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.nmf.solver import topics_of
from tonmf.nmf.steps import Pass, Sums, reweighted_step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SOLVERS = ["reweighted", "paper"]
INNER = ["hals", "anls", "scalar"]


def counts(seed, n_docs=40, n_terms=25, density=0.3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(2, (n_docs, n_terms)) * (rng.random((n_docs, n_terms)) < density)
    X[0, 0] = 1
    return sp.csr_matrix(X.astype(float))


def start(X, n_topics, seed=0):
    rng = np.random.default_rng(seed)
    scale = np.sqrt(X.mean() / n_topics)
    return scale * rng.random((X.shape[0], n_topics)), scale * rng.random((X.shape[1], n_topics))


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.1, 1.0, 3.0, np.inf]), beta=st.sampled_from([0.0, 0.2]))
def test_the_objective_never_rises(solver, inner, seed, alpha, beta):
    model = TONMF(4, alpha=alpha, beta=beta, solver=solver, inner=inner, max_iter=15, tol=0, random_state=seed)
    history = model.fit(counts(seed)).objective_history_
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_objective_never_rises_once_an_automatic_alpha_is_fixed(solver, small):
    history = TONMF(3, solver=solver, max_iter=40, tol=0, random_state=0).fit(small).objective_history_
    assert len(history) > 2
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@pytest.mark.parametrize("beta", [0.0, 0.1])
@pytest.mark.parametrize("alpha", [0.3, 2.0])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_implicit_z_equals_algorithm_1_written_out(alpha, beta, backend):
    X = counts(7)
    H, W = start(X, 4)
    _, W_literal, history = algorithm1(X.toarray(), H, W, alpha, beta, n_outer=12, n_inner=5)
    model = TONMF(
        4,
        solver="paper",
        alpha=alpha,
        beta=beta,
        init=(H, W),
        max_iter=12,
        tol=0,
        inner_iter=5,
        inner_tol=0,
        backend=backend,
    ).fit(X)
    np.testing.assert_allclose(model.objective_history_[:-1], history, rtol=1e-10)
    literal_topics = W_literal / np.linalg.norm(W_literal, axis=0)
    np.testing.assert_allclose(model.components_, literal_topics.T, atol=1e-10)


@pytest.mark.parametrize("n_iterations", [1, 10, 30])
@pytest.mark.parametrize("solver", SOLVERS)
def test_infinite_alpha_walks_the_same_path_as_scikit_learns_nmf(solver, n_iterations):
    X = counts(8)
    H, W = start(X, 5)
    lengths = {"reweighted": (n_iterations, 1), "paper": (1, n_iterations)}[solver]
    extra = {"inner_tol": 0} if solver == "paper" else {}
    ours = TONMF(
        5, alpha=np.inf, solver=solver, init=(H, W), max_iter=lengths[0], inner_iter=lengths[1], tol=0, **extra
    ).fit(X)
    nmf = NMF(5, init="custom", solver="cd", max_iter=n_iterations, tol=0)
    fitted = nmf.fit_transform(X, W=H.copy(), H=W.T.copy()) @ nmf.components_
    theirs = nmf.components_ / np.linalg.norm(nmf.components_, axis=1)[:, None]
    np.testing.assert_allclose(ours.components_, theirs, atol=1e-9)
    # Our last objective is that of documents solved to the end against those topics.
    assert ours.objective_history_[-1] <= 0.5 * np.linalg.norm(X - fitted) ** 2


@pytest.mark.parametrize("beta", [0.0, 0.05])
@pytest.mark.parametrize("alpha", [1.0, 4.0])
def test_both_solvers_reach_the_same_objective(small, alpha, beta):
    H, W = start(small, 3)
    ends = [
        TONMF(3, alpha=alpha, beta=beta, solver=solver, init=(H, W), max_iter=3000, tol=1e-9, inner_iter=5)
        .fit(small)
        .objective_history_[-1]
        for solver in SOLVERS
    ]
    assert ends[0] == pytest.approx(ends[1], rel=2e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_optimality_conditions_hold_at_convergence(small, solver, inner, beta):
    alpha = 6.0
    model = TONMF(3, alpha=alpha, beta=beta, solver=solver, inner=inner, max_iter=5000, tol=1e-14, random_state=0).fit(
        small
    )
    assert (model.weights_ < 1).any()
    X, H, W = small.toarray(), model.transform(small), model.components_.T
    omega = model.weights_[:, None]
    gradient_H = omega * (H @ W.T - X) @ W + beta
    gradient_W = (omega * (H @ W.T - X)).T @ H + beta * H.sum(axis=0) * W  # of β‖w‖ΣH at unit norm
    for factor, gradient, data in ((H, gradient_H, X @ W), (W, gradient_W, X.T @ H)):
        assert gradient.min() >= -1e-4 * data.max()
        np.testing.assert_allclose(factor * gradient, 0, atol=1e-4 * (factor * data).max())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_block_size_does_not_change_the_result(small, solver, dtype):
    X = small[:51].astype(dtype)
    models = [
        TONMF(3, solver=solver, block_size=51 // n_blocks, max_iter=25, beta=0.01, random_state=0).fit(X)
        for n_blocks in (1, 3, 17)
    ]
    for other in models[1:]:
        np.testing.assert_allclose(
            other.outlier_scores_, models[0].outlier_scores_, rtol=1e-9 if dtype == np.float64 else 1e-4
        )
        np.testing.assert_allclose(
            other.objective_history_, models[0].objective_history_, rtol=1e-10 if dtype == np.float64 else 1e-5
        )


@pytest.mark.parametrize("solver", SOLVERS)
def test_float32_agrees_with_float64(small, solver):
    fits = [TONMF(3, solver=solver, random_state=0).fit(small.astype(dtype)) for dtype in (np.float32, np.float64)]
    assert fits[0].components_.dtype == np.float32
    np.testing.assert_allclose(fits[0].outlier_scores_, fits[1].outlier_scores_, rtol=2e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@given(scale=st.sampled_from([1e-3, 0.5, 1e4]))
def test_scaling_x_alpha_and_beta_together_scales_the_result(solver, scale):
    X = counts(9)
    fits = [
        TONMF(4, alpha=1.5 * s, beta=0.1 * s, solver=solver, max_iter=20, tol=0, random_state=0).fit(s * X)
        for s in (1, scale)
    ]
    np.testing.assert_allclose(fits[1].outlier_scores_, scale * fits[0].outlier_scores_, rtol=1e-6)
    np.testing.assert_allclose(fits[1].components_, fits[0].components_, atol=1e-7)


@pytest.mark.parametrize(("solver", "init"), [*((solver, "random") for solver in SOLVERS), ("reweighted", "rows")])
@given(seed=st.integers(0, 1000))
def test_permuting_rows_permutes_scores(solver, init, seed):
    X = counts(10)
    order = np.random.default_rng(seed).permutation(X.shape[0])
    scores = [
        TONMF(4, solver=solver, init=init, max_iter=20, random_state=0).fit(rows).outlier_scores_
        for rows in (X, X[order])
    ]
    np.testing.assert_allclose(scores[1], scores[0][order], rtol=1e-6)


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar", "uniform"])
def test_every_start_works_with_the_reweighted_solver(small, init):
    rows = normalize(small)
    model = TONMF(3, init=init, random_state=0).fit(rows)
    assert set(np.argsort(-model.outlier_scores_)[:4]) == {56, 57, 58, 59}


def test_nndsvd_starts_near_the_data(small):
    """Its first objective is already below that of no topics at all."""
    model = TONMF(3, alpha=np.inf, init="nndsvd", max_iter=1, tol=0, solver="paper", random_state=0).fit(small)
    assert model.objective_history_[0] < 0.5 * small.power(2).sum()


def test_topics_without_use_are_dropped_and_never_nan():
    X = sp.csr_matrix(np.tile([1.0, 2.0, 0.0, 3.0], (6, 1)))  # one direction is all there is
    for solver in SOLVERS:
        for inner in INNER:
            model = TONMF(4, solver=solver, inner=inner, beta=0.01, random_state=0, max_iter=300).fit(X)
            assert 1 <= model.n_topics_ <= 4
            assert np.isfinite(model.components_).all()
            assert np.isfinite(model.outlier_scores_).all()
            np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)


def test_a_topic_without_documents_keeps_its_direction_and_is_dropped_at_the_end():
    X = sp.csr_matrix(np.eye(5)[[0, 0, 1, 1]])
    H = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]])
    W = np.eye(5)[:, [0, 1, 4]]  # nobody uses the last topic
    model = TONMF(3, init=(H, W), alpha=1.0).fit(X)
    assert model.n_topics_ == 2
    np.testing.assert_allclose(model.residual_norms_, 0, atol=1e-12)


def test_beta_makes_documents_use_fewer_topics(small):
    used = [
        (TONMF(3, beta=beta, alpha=3.0, random_state=0).fit(small).transform(small) > 1e-8).sum() for beta in (0.0, 1.0)
    ]
    assert used[1] < used[0]


def test_the_sums_of_two_sets_of_documents_add_up():
    rng = np.random.default_rng(0)
    ops = ReferenceOps()
    current = Pass(topics_of(ops, rng.random((25, 4))), 1.0, np.full(4, 0.1), INNER_METHODS["hals"], n_sweeps=2)

    def sums_of(rows):
        source = MatrixSource(rows, np.ones(rows.shape[0]), 100, ops)
        source.start_from(None, 4)
        sums = Sums.zeros(25, 4)
        for block in source.blocks():
            reweighted_step(ops, current, block, sums)
        return sums

    X = counts(3)
    merged = sums_of(X[:15])
    merged.merge(sums_of(X[15:]))
    whole = sums_of(X)
    for name in ("P", "Q", "R", "usage", "objective", "held_objective", "explained"):
        np.testing.assert_allclose(getattr(merged, name), getattr(whole, name), rtol=1e-12)
