import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf.nmf.objective import document_weights, huber, outlier_norms, residual_norms, shrink
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.ops.reference import ReferenceOps

ALL_OPS = [ReferenceOps(), CompiledOps(2)]


def some_factors(seed, n_docs=30, n_terms=20, n_topics=4):
    rng = np.random.default_rng(seed)
    return rng.random((n_docs, n_terms)), rng.random((n_docs, n_topics)), rng.random((n_terms, n_topics))


def explicit_objective(X, H, W, Z, alpha, beta):
    """F with Z written out: the paper's equation term by term."""
    misfit = np.linalg.norm(X - H @ W.T - Z) ** 2
    return 0.5 * misfit + alpha * np.linalg.norm(Z, axis=1).sum() + beta * H.sum()


@given(seed=st.integers(0, 1000), alpha=st.floats(0.01, 20))
def test_huber_equals_the_objective_with_the_best_z_written_out(seed, alpha):
    X, H, W = some_factors(seed)
    Z = shrink(X - H @ W.T, alpha)
    rho = np.linalg.norm(X - H @ W.T, axis=1)
    assert explicit_objective(X, H, W, Z, alpha, beta=0.3) == pytest.approx(huber(rho, alpha).sum() + 0.3 * H.sum())


@given(seed=st.integers(0, 1000), alpha=st.floats(0.01, 5))
def test_no_other_z_is_better_than_the_shrinkage(seed, alpha):
    X, H, W = some_factors(seed)
    Z = shrink(X - H @ W.T, alpha)
    other = Z + 0.01 * np.random.default_rng(seed).standard_normal(Z.shape)
    assert explicit_objective(X, H, W, Z, alpha, 0.0) <= explicit_objective(X, H, W, other, alpha, 0.0)


def test_infinite_alpha_is_plain_least_squares():
    rho = np.array([0.0, 1.0, 10.0])
    assert huber(rho, np.inf).tolist() == [0.0, 0.5, 50.0]
    assert document_weights(rho, np.inf).tolist() == [1.0, 1.0, 1.0]
    assert outlier_norms(rho, np.inf).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("ops", ALL_OPS, ids=lambda ops: type(ops).__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gram_identity_agrees_with_the_residual_written_out(ops, dtype):
    X, H, W = some_factors(3)
    X, H, W = X.astype(dtype), H.astype(dtype), W.astype(dtype)
    exact = X.astype(np.float64), H.astype(np.float64), W.astype(np.float64)
    rhs, gram = exact[0] @ exact[2], exact[2].T @ exact[2]
    rho = residual_norms(ops, (exact[0] ** 2).sum(axis=1), H, rhs, gram)
    np.testing.assert_allclose(rho, np.linalg.norm(exact[0] - exact[1] @ exact[2].T, axis=1), rtol=1e-12)


@pytest.mark.parametrize("ops", ALL_OPS, ids=lambda ops: type(ops).__name__)
def test_a_perfectly_fitted_row_has_residual_zero_not_rounding_noise(ops):
    _, H, W = some_factors(4)
    X = H @ W.T
    rho = residual_norms(ops, (X**2).sum(axis=1), H, X @ W, W.T @ W)
    assert (rho == 0).all()
