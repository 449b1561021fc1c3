import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.pivoting import solve_exactly

OPS = CompiledOps(2)


def problem(seed, n_rows=40, n_topics=6, n_equations=15):
    rng = np.random.default_rng(seed)
    B = rng.random((n_equations, n_topics))
    targets = rng.standard_normal((n_rows, n_equations))
    return B, targets, targets @ B, B.T @ B


@given(seed=st.integers(0, 10_000), n_topics=st.integers(1, 12), scale=st.sampled_from([1e-12, 1.0, 1e12]))
def test_pivoting_solves_non_negative_least_squares_exactly(seed, n_topics, scale):
    B, targets, rhs, gram = problem(seed, n_topics=n_topics)
    F = np.zeros(rhs.shape)
    assert len(solve_exactly(F, scale * rhs, scale * gram)) == 0
    expected = np.array([nnls(B, target)[0] for target in targets])
    np.testing.assert_allclose(F, expected, atol=1e-8)


def test_pivoting_from_a_warm_start_gives_the_same_answer():
    _, _, rhs, gram = problem(1)
    cold, warm = np.zeros(rhs.shape), np.random.default_rng(0).random(rhs.shape)
    solve_exactly(cold, rhs, gram)
    solve_exactly(warm, rhs, gram)
    np.testing.assert_allclose(cold, warm, atol=1e-10)


@pytest.mark.parametrize("name", INNER_METHODS)
def test_collinear_topics_give_finite_answers_that_fit_as_well(name):
    B, targets, rhs, _ = problem(2, n_topics=4)
    doubled, rhs2 = np.hstack([B, B]), np.hstack([rhs, rhs])
    F = np.zeros(rhs2.shape)
    INNER_METHODS[name](OPS, F, rhs2, doubled.T @ doubled, 500)
    expected = np.array([nnls(B, target)[1] for target in targets])
    assert np.isfinite(F).all()
    np.testing.assert_allclose(np.linalg.norm(targets - F @ doubled.T, axis=1), expected, rtol=1e-6)


@pytest.mark.parametrize("name", INNER_METHODS)
@given(seed=st.integers(0, 10_000), n_sweeps=st.integers(1, 4))
def test_no_sweep_raises_the_quadratic(name, seed, n_sweeps):
    _, _, rhs, gram = problem(seed)
    F = np.random.default_rng(seed).random(rhs.shape)
    before = 0.5 * np.einsum("ij,jk,ik->i", F, gram, F) - (rhs * F).sum(axis=1)
    INNER_METHODS[name](OPS, F, rhs, gram, n_sweeps)
    after = 0.5 * np.einsum("ij,jk,ik->i", F, gram, F) - (rhs * F).sum(axis=1)
    assert (after <= before + 1e-9).all()
    assert (F >= 0).all()


@pytest.mark.parametrize("name", INNER_METHODS)
def test_many_sweeps_meet_the_optimality_conditions_with_an_l1_term(name):
    _, _, rhs, gram = problem(3)
    shifted = rhs - 0.5
    F = np.zeros(rhs.shape)
    INNER_METHODS[name](OPS, F, shifted, gram, 2000)
    gradient = F @ gram - rhs + 0.5
    assert (gradient >= -1e-7).all()
    np.testing.assert_allclose(F * gradient, 0, atol=1e-6)


def test_cyclic_scalar_blocks_are_hals():
    """Rows do not touch each other, so one number at a time in cyclic order is one topic at a time."""
    _, _, rhs, gram = problem(4)
    F = np.random.default_rng(0).random(rhs.shape)
    expected = F.copy()
    for row, target in zip(expected, rhs, strict=True):
        for j in range(len(row)):
            row[j] = max(0, row[j] + (target[j] - row @ gram[:, j]) / gram[j, j])
    OPS.hals(F, rhs, gram, 1)
    np.testing.assert_allclose(F, expected, atol=1e-12)
