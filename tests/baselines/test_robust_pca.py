"""Robust PCA: what it recovers, the optimality conditions, and a plain dense version beside it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from tonmf.baselines import RobustPCA, pursuit
from tonmf.baselines.pursuit import PursuitOptions, pursue, sparse_rows
from tonmf.nmf.threads import one_blas_thread


def low_rank_and_sparse(n_docs=200, n_terms=300, rank=5, share=0.05, seed=0):
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n_docs, rank)) @ rng.standard_normal((rank, n_terms))
    S = np.where(rng.random((n_docs, n_terms)) < share, rng.uniform(-10, 10, (n_docs, n_terms)), 0)
    return L, S


def counts(n_docs=120, n_terms=90, seed=1):
    """Three groups of terms and some noise; many zeros."""
    rng = np.random.default_rng(seed)
    groups = np.kron(np.eye(3), np.ones(n_terms // 3))
    return rng.poisson(1.5 * groups[rng.integers(3, size=n_docs)] + 0.05).astype(float)


def textbook(X, lam, n_steps=1500):
    """Alternating directions with a full SVD and a fixed weight: slow and sure."""
    mu = X.size / (4 * np.abs(X).sum())
    S, Y = np.zeros_like(X), np.zeros_like(X)
    with one_blas_thread():
        for _ in range(n_steps):
            U, sigma, Vt = np.linalg.svd(X - S + Y / mu, full_matrices=False)
            L = (U * np.maximum(sigma - 1 / mu, 0)) @ Vt
            T = X - L + Y / mu
            S = np.sign(T) * np.maximum(np.abs(T) - lam / mu, 0)
            Y = Y + mu * (X - L - S)
    return L, S


def solve(X, lam, tol=1e-5, **options):
    """The pursuit on X at ‖X‖₂ = 1."""
    settings = {"tol": tol, "max_iter": 1000, "max_rank": min(X.shape), "n_threads": 2} | options
    unit = X / np.linalg.norm(X, 2)
    return unit, pursue(sp.csr_matrix(unit), PursuitOptions(lam=lam, **settings), np.random.RandomState(0))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_low_rank_and_gross_errors_are_told_apart(form):
    L, S = low_rank_and_sparse()
    model = RobustPCA(tol=1e-5, random_state=0).fit(form(L + S))
    found = model.sparse_.toarray()
    assert model.rank_ == 5
    assert np.linalg.norm(found - S) < 1e-3 * np.linalg.norm(L)
    np.testing.assert_array_equal((found != 0)[np.abs(S) > 0.1], True)
    assert (np.abs(found[S == 0]) < 0.1).all()
    np.testing.assert_allclose(model.outlier_scores_, np.linalg.norm(S, axis=1), rtol=1e-3)
    assert model.residual_ <= 1e-5


@pytest.mark.parametrize("lam", [0.13, 0.18, 0.25])
def test_it_agrees_with_the_textbook(lam):
    X = counts(60, 45)
    L, S = textbook(X, lam)
    model = RobustPCA(lam, tol=1e-5, max_iter=1000, random_state=0).fit(X)
    sigma = np.linalg.svd(L, compute_uv=False)
    np.testing.assert_allclose(model.singular_values_[:3], sigma[:3], rtol=1e-3)
    assert np.linalg.norm(model.sparse_.toarray() - S) < 2e-3 * np.linalg.norm(X)


@pytest.mark.parametrize("lam", [0.1, 0.16, 0.25])
@pytest.mark.parametrize("X", [counts(), np.add(*low_rank_and_sparse(80, 60, 3))], ids=["counts", "low rank"])
def test_optimality_conditions(X, lam):
    """Y is a subgradient of both norms: ‖Y‖₂ ≤ 1 with Y V = U, and |Y| ≤ λ with Y = λ sign(S) where S is not zero."""
    unit, found = solve(X, lam)
    S, Y = found.sparse_part().toarray(), found.multiplier()
    L = (found.U * found.sigma) @ found.V.T
    assert found.converged
    assert np.linalg.norm(unit - L - S) < 2e-5 * np.linalg.norm(unit)
    assert np.linalg.norm(Y, 2) < 1 + 1e-3
    assert np.abs(Y).max() <= lam * (1 + 1e-6)
    np.testing.assert_allclose(Y[S != 0], lam * np.sign(S[S != 0]), rtol=1e-5)
    kept = found.sigma > 1e-3 * found.sigma.max(initial=0)
    np.testing.assert_allclose(Y @ found.V[:, kept], found.U[:, kept], atol=5e-3)
    gap = found.sigma.sum() + lam * np.abs(S).sum() - (Y * unit).sum()
    assert abs(gap) < 1e-3 * (found.sigma.sum() + lam * np.abs(S).sum())


def test_blocks_and_threads_do_not_change_the_result(monkeypatch):
    X = counts()
    _, whole = solve(X, 0.16)
    _, threads = solve(X, 0.16, n_threads=3)
    np.testing.assert_array_equal(whole.T, threads.T)
    monkeypatch.setattr(pursuit, "BLOCK_BYTES", 7 * 4 * 90)
    _, blocks = solve(X, 0.16)
    sparse = whole.sparse_part().toarray()
    np.testing.assert_allclose(blocks.sparse_part().toarray(), sparse, atol=1e-3 * np.abs(sparse).max())


def test_more_directions_are_looked_for_than_at_first():
    """The rank is far beyond the ten that the first step looks for."""
    L, S = low_rank_and_sparse(150, 160, rank=25, share=0.01)
    model = RobustPCA(tol=1e-5, random_state=0).fit(L + S)
    assert model.rank_ == 25
    assert np.linalg.norm(model.sparse_.toarray() - S) < 1e-3 * np.linalg.norm(L)


def test_the_rank_can_be_bounded():
    L, S = low_rank_and_sparse(80, 60, rank=8)
    with pytest.warns(ConvergenceWarning, match="had not settled"):
        model = RobustPCA(max_rank=4, max_iter=30, random_state=0).fit(L + S)
    assert model.rank_ == 4
    assert model.components_.shape == (4, 60)


def test_stopping_early_is_said():
    message = (
        r"After max_iter=3 steps low rank and sparse part had not settled to within tol=0.0001 \(residual [0-9.e-]+, "
        r"rank \d+\)\. Raise max_iter, or tol if the scores are good enough\."
    )
    with pytest.warns(ConvergenceWarning, match=message):
        RobustPCA(max_iter=3, random_state=0).fit(np.add(*low_rank_and_sparse(80, 60, 3)))


def test_where_the_sparse_part_is_all_there_is_the_scores_are_norms_of_rows():
    X = sp.random(300, 400, 0.01, format="csr", random_state=0)
    with pytest.warns(UserWarning, match=r"With lam=0.0\d+ the best split has no low rank part: S is all of X"):
        model = RobustPCA(random_state=0).fit(X)
    norms = np.linalg.norm(X.toarray(), axis=1)
    assert model.rank_ == 0
    assert model.components_.shape == (0, 400)
    np.testing.assert_allclose(model.outlier_scores_, norms, atol=1e-5 * norms.max())
    np.testing.assert_array_equal(model.outlier_score(X), model.outlier_scores_)


def test_empty_columns_do_not_count():
    L, S = low_rank_and_sparse(60, 40, rank=2)
    wide = np.zeros((60, 100))
    wide[:, 10:50] = L + S
    model, narrow = RobustPCA(random_state=0).fit(wide), RobustPCA(random_state=0).fit(L + S)
    assert model.lam_ == narrow.lam_ == pytest.approx(1 / np.sqrt(60))
    np.testing.assert_array_equal(model.outlier_scores_, narrow.outlier_scores_)
    assert not model.components_[:, :10].any()
    new = np.zeros((1, 100))
    new[0, 0] = 3.0  # a term that training did not have
    assert model.outlier_score(new) == pytest.approx(3.0, rel=1e-3)


def test_new_rows_have_the_split_that_they_would_have_had_in_training():
    X = counts()
    model = RobustPCA(0.16, tol=1e-5, max_iter=1000, random_state=0).fit(X)
    V, sigma = model.components_.T, model.singular_values_
    S = sparse_rows(X, V, sigma, 0.16, model._mu, tol=1e-6, max_iter=10_000)
    np.testing.assert_allclose(S, model.sparse_.toarray(), atol=5e-3 * X.max())


def test_a_new_rows_split_is_the_best_of_its_kind():
    rng = np.random.default_rng(4)
    V = np.linalg.qr(rng.standard_normal((30, 4)))[0]
    sigma, lam = np.array([9.0, 5.0, 4.0, 2.0]), 0.3
    B = V * np.sqrt(sigma)
    x = B @ rng.standard_normal(4) + np.where(rng.random(30) < 0.1, 3.0, 0)
    s = sparse_rows(x[None], V, sigma, lam, mu=1.0, tol=1e-9, max_iter=100_000)[0]

    def cost(a):
        return 0.5 * (a**2).sum() + lam * np.abs(x - B @ a).sum()

    a = np.linalg.lstsq(B, x - s, rcond=None)[0]
    np.testing.assert_allclose(B @ a + s, x, atol=1e-6)
    for _ in range(100):
        assert cost(a) <= cost(a + 0.01 * rng.standard_normal(4)) + 1e-9


def test_without_a_low_rank_part_rows_of_equal_norm_tie():
    """By rounding errors alone they were ranked, and a share of them flagged."""
    X = normalize(
        sp.random(300, 400, density=0.02, random_state=0, format="csr") + 1e-3 * sp.eye(300, 400, format="csr")
    )
    with pytest.warns(UserWarning, match="no low rank part"):
        model = RobustPCA(contamination=0.1).fit(X.astype(np.float32))
    assert model.rank_ == 0
    np.testing.assert_array_equal(model.outlier_scores_, model.outlier_scores_[0])
    np.testing.assert_array_equal(model.outlier_score(X.astype(np.float32)), model.outlier_scores_)
    assert (model.predict(X) == 1).all()
