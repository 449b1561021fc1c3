"""One set of tests for every implementation of `tonmf.nmf.ops.Ops`; the reference is what the others are held against."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from gpu import on_gpu

from tonmf.nmf.ops import kernels, simd
from tonmf.nmf.ops.compiled import CompiledOps, cuts_of_equal_work
from tonmf.nmf.ops.reference import ReferenceOps

RANKS = [1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 32, 33, 36, 50, 64, 100, 256]


def name(ops):
    return f"{type(ops).__name__}-{getattr(ops, 'n_threads', 1)}"


def on_cuda():
    from tonmf.nmf.ops.cuda.operations import CudaOps

    return CudaOps("cuda", 2)


OPS = [ReferenceOps(), CompiledOps(1), CompiledOps(2), CompiledOps(5), on_gpu(on_cuda)]


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param


def sparse(dtype, n_docs=2000, n_terms=150, index=np.int32):
    X = sp.random(n_docs, n_terms, 0.1, format="csr", random_state=0, dtype=dtype)
    X.data += 1
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    return X


def normal_equations(n_topics, dtype, n_rows=1200):
    rng = np.random.default_rng(n_topics)
    B = rng.random((n_topics + 20, n_topics))
    rhs = rng.random((n_rows, n_topics)) * n_topics
    F = (rng.random((n_rows, n_topics)) * (rng.random((n_rows, n_topics)) < 0.5)).astype(dtype)
    return F, rhs, B.T @ B


@pytest.mark.parametrize("ops", OPS, ids=name)
@pytest.mark.parametrize("n_topics", RANKS)
def test_sparse_products_have_float64_sums(ops, n_topics, dtype):
    X = sparse(dtype)
    rng = np.random.default_rng(0)
    W, H = rng.random((150, n_topics)).astype(dtype), rng.random((2000, n_topics)).astype(dtype)
    prepared = ops.prepare(X)
    product = ops.project(prepared, W)
    assert product.dtype == np.float64
    np.testing.assert_allclose(product, X.toarray().astype(np.float64) @ W.astype(np.float64), rtol=1e-13)
    out = np.ones((150, n_topics))
    ops.collect(prepared, H, out)
    np.testing.assert_allclose(out, 1 + X.toarray().astype(np.float64).T @ H.astype(np.float64), rtol=1e-13)


@pytest.mark.parametrize("ops", OPS, ids=name)
def test_sparse_products_take_wide_indices_and_empty_rows(ops, dtype):
    X = sparse(dtype, index=np.int64)
    X = sp.vstack([sp.csr_matrix((3, 150), dtype=dtype), X]).tocsr()
    W = np.random.default_rng(0).random((150, 10)).astype(dtype)
    product = ops.project(ops.prepare(X), W)
    assert (product[:3] == 0).all()
    np.testing.assert_allclose(product, X.toarray().astype(np.float64) @ W.astype(np.float64), rtol=1e-13)


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
@pytest.mark.parametrize("n_topics", RANKS)
@pytest.mark.parametrize("method", ["hals", "greedy"])
def test_coordinate_descent_agrees_with_the_reference(ops, n_topics, method, dtype):
    F, rhs, gram = normal_equations(n_topics, dtype)
    expected = F.astype(np.float64)
    getattr(OPS[0], method)(expected, rhs, gram, 2)
    getattr(ops, method)(F, rhs, gram, 2)
    assert (F >= 0).all()
    # In float32 two moves of equal gain may swap, so there the values of the quadratic are compared.
    if dtype == np.float64:
        np.testing.assert_allclose(F, expected, atol=1e-9)
    else:
        np.testing.assert_allclose(value_of(F, rhs, gram), value_of(expected, rhs, gram), rtol=1e-3)


@pytest.mark.parametrize("ops", OPS, ids=name)
@pytest.mark.parametrize("scale", [1e-43, 1e-30, 1e30, 1e41])
def test_hals_does_not_mind_the_scale_of_the_equations(ops, scale):
    """In float32 1/gram overflowed where gram was tiny, and gram itself where it was large."""
    F, rhs, gram = normal_equations(6, np.float32)
    expected = F.copy()
    ops.hals(expected, rhs, gram, 2)
    ops.hals(F, scale * rhs, scale * gram, 2)
    np.testing.assert_allclose(F, expected, rtol=1e-4, atol=1e-5)


def value_of(F, rhs, gram):
    return 0.5 * np.einsum("ij,jk,ik->i", F, gram, F) - (rhs * F).sum(axis=1)


@pytest.mark.parametrize("ops", OPS, ids=name)
@pytest.mark.parametrize("method", ["hals", "greedy"])
def test_a_coordinate_without_curvature_is_left_alone(ops, method, dtype):
    F, rhs, gram = normal_equations(5, dtype)
    gram[2], gram[:, 2] = 0, 0
    before = F[:, 2].copy()
    getattr(ops, method)(F, rhs, gram, 3)
    assert (F[:, 2] == before).all()
    assert np.isfinite(F).all()


@pytest.mark.parametrize("ops", OPS, ids=name)
@pytest.mark.parametrize("n_topics", RANKS)
def test_gram_and_quadratic(ops, n_topics, dtype):
    F, rhs, gram = normal_equations(n_topics, dtype)
    weight = np.random.default_rng(0).random(len(F))
    exact = F.astype(np.float64)
    np.testing.assert_allclose(
        ops.gram(F, weight, F[:, ::-1].copy()), exact.T @ (weight[:, None] * exact[:, ::-1]), rtol=1e-12
    )
    expected = np.einsum("ij,jk,ik->i", exact, gram, exact) - 2 * (rhs * exact).sum(axis=1)
    np.testing.assert_allclose(ops.quadratic(F, rhs, gram), expected, rtol=1e-10, atol=1e-8)


def test_results_do_not_depend_on_the_number_of_threads():
    X = sparse(np.float32, n_docs=20_000)
    W = np.random.default_rng(0).random((150, 12)).astype(np.float32)
    results = []
    for n_threads in (1, 2, 7):
        ops = CompiledOps(n_threads)
        prepared = ops.prepare(X)
        rhs = ops.project(prepared, W)
        gram = ops.gram(W, np.ones(len(W)), W)
        H = np.zeros(rhs.shape, np.float32)
        ops.hals(H, rhs, gram, 3)
        P = np.zeros((150, 12))
        ops.collect(prepared, H, P)
        results.append((rhs, H, P, ops.gram(H, np.ones(len(H)), H), ops.quadratic(H, rhs, gram)))
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def unit_rows_with_common_terms(n_docs, seed, dtype):
    """Make rows in which the first terms are in most documents."""
    X = sp.random(n_docs, 150, 0.1, format="lil", random_state=seed, dtype=dtype)
    X[:, :8] = np.random.default_rng(seed).random((n_docs, 8)) * (np.arange(8) < np.arange(n_docs)[:, None] % 12)
    X = X.tocsr()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.where(norms > 0, norms, 1)) @ X).astype(dtype)


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
def test_nearest_and_strongest_agree_with_the_reference(ops, dtype):
    X, others = unit_rows_with_common_terms(600, 0, dtype), unit_rows_with_common_terms(90, 1, dtype)
    others = sp.vstack([others, X[:10]]).tocsr()  # some rows are among the others
    weights = np.random.default_rng(0).random(100)
    rows, sample = ops.prepare(X), ops.prepare(others)
    rtol = 1e-5 if dtype == np.float32 else 1e-12  # the reference has float32 products
    np.testing.assert_allclose(ops.nearest(rows, sample, 7), OPS[0].nearest(rows, sample, 7), rtol=rtol)
    expected = OPS[0].strongest(rows, sample, weights, 5)
    np.testing.assert_allclose(ops.strongest(rows, sample, weights, 5), expected, rtol=rtol)


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
@pytest.mark.parametrize("n_rows", [20, 300])
def test_means_of_what_is_around_agree_with_the_reference(ops, n_rows, dtype):
    others, rng = unit_rows_with_common_terms(400, 0, dtype), np.random.default_rng(0)
    rows, around, weights, values = ops.prepare(others[:n_rows]), ops.prepare(others), rng.random(400), rng.random(400)
    means = ops.mean_around(rows, around, weights, values, 30)
    np.testing.assert_allclose(means, OPS[0].mean_around(rows, around, weights, values, 30), rtol=1e-5)


@pytest.mark.parametrize("ops", OPS, ids=name)
def test_a_row_does_not_count_for_itself_and_nobody_is_around_a_row_without_terms(ops):
    X = sp.csr_matrix(np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1], [0, 0, 0]], np.float32))
    means = ops.mean_around(ops.prepare(X), ops.prepare(X), np.ones(4), np.array([1.0, 2, 3, 4]), 30)
    np.testing.assert_allclose(means, [2, 1, 0, 0])


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
def test_a_row_has_the_same_products_alone_and_among_many(ops, dtype):
    X, others = unit_rows_with_common_terms(600, 0, dtype), ops.prepare(unit_rows_with_common_terms(100, 1, dtype))
    weights = np.random.default_rng(0).random(100)
    together = ops.nearest(ops.prepare(X), others, 7), ops.strongest(ops.prepare(X), others, weights, 5)
    for i in (0, 5, 11, 599):
        alone = ops.prepare(X[[i]])
        assert ops.nearest(alone, others, 7)[0] == together[0][i]
        assert ops.strongest(alone, others, weights, 5)[0] == together[1][i]


@pytest.mark.parametrize("ops", OPS, ids=name)
def test_smallest_values_of_rows(ops):
    X = sp.csr_matrix(np.array([[0, 1, 2], [0, 0, 0], [3, 0, 0]], np.float32))
    values = np.array([[7, 1], [5, 9], [6, 2]], np.uint32)
    most = 2**32 - 1
    assert ops.smallest(ops.prepare(X), values).tolist() == [[5, 2], [most, most], [7, 1]]


def counts_and_ratios(n_topics, dtype):
    """Make rows of all lengths up to several tiles, one of them empty, and ratios."""
    rng = np.random.default_rng(n_topics)
    lengths = rng.permutation(100)
    columns = np.concatenate([np.sort(rng.permutation(150)[:n]) for n in lengths])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    X = sp.csr_matrix((rng.integers(1, 5, len(columns)).astype(dtype), columns, ends), shape=(100, 150))
    return X, (10 * rng.random((150, n_topics)) * (rng.random((150, n_topics)) < 0.5)).astype(np.float32)


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
@pytest.mark.parametrize("n_topics", [1, 3, 4, 10, 33])
def test_mixtures_agree_with_the_reference(ops, n_topics, dtype):
    X, ratios = counts_and_ratios(n_topics, dtype)
    prior = np.append(1.0, np.random.default_rng(n_topics).random(n_topics))
    theta, lift = ops.mixtures(ops.prepare(X), ratios, prior, 20)
    expected_theta, expected_lift = OPS[0].mixtures(OPS[0].prepare(X), ratios, prior, 20)
    np.testing.assert_allclose(theta, expected_theta, rtol=1e-5, atol=1e-6)  # steps may be in float32
    np.testing.assert_allclose(lift, expected_lift, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
@pytest.mark.parametrize("n_topics", [1, 3, 4, 10, 33])
def test_mixed_terms_agree_with_the_reference(ops, n_topics, dtype):
    X, ratios = counts_and_ratios(n_topics, dtype)
    theta = np.random.default_rng(n_topics).random((100, n_topics + 1))
    expected = OPS[0].mixed(OPS[0].prepare(X), ratios, theta)
    np.testing.assert_allclose(ops.mixed(ops.prepare(X), ratios, theta), expected, rtol=1e-12)


def test_terms_of_a_row_are_mixed_alike_alone_and_among_many():
    X, ratios = counts_and_ratios(10, np.float32)
    ops, theta = CompiledOps(2), np.random.default_rng(0).random((100, 11))
    together = ops.mixed(ops.prepare(X), ratios, theta)
    alone = [ops.mixed(ops.prepare(X[i]), ratios, theta[[i]]) for i in range(100)]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("ops", OPS, ids=name)
def test_the_largest_values_of_runs_come_in_order_and_of_equals_the_first(ops):
    ends, values = np.array([0, 4, 4, 6]), np.array([1.0, 3.0, 1.0, 2.0, -5.0, 0.5])
    assert ops.largest(ends, values, 2).tolist() == [1, 3, 5, 4]
    assert ops.largest(ends, values, 3).tolist() == [1, 3, 0, 5, 4]
    assert ops.largest(ends, values, 100).tolist() == [1, 3, 0, 2, 5, 4]
    assert ops.largest(np.zeros(1, np.int64), values[:0], 3).tolist() == []


@pytest.mark.parametrize("ops", OPS[1:], ids=name)
def test_the_largest_values_of_many_runs_agree_with_the_reference(ops):
    rng = np.random.default_rng(0)
    ends = np.append(0, np.cumsum(rng.integers(0, 90, 2000)))
    values = rng.integers(0, 40, ends[-1]).astype(np.float64)
    for n_largest in (1, 10, 1000):
        np.testing.assert_array_equal(ops.largest(ends, values, n_largest), OPS[0].largest(ends, values, n_largest))


def test_kernels_state_the_digest_of_the_code_that_numba_does_not_look_at():
    """Changes in `simd` went unnoticed: numba ran the kernels that it had cached before."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(simd.__file__).parent.glob("*.py"))]
    assert hashlib.sha256("".join(texts).encode()).hexdigest()[:16] == kernels.SIMD_DIGEST


def test_ranges_of_equal_work_cover_every_row_once():
    indptr = np.concatenate([[0], np.cumsum(np.random.default_rng(0).integers(0, 50, 1000))])
    cuts = cuts_of_equal_work(indptr, stored_per_range=100)
    assert cuts[0] == 0
    assert cuts[-1] == 1000
    assert (np.diff(cuts) > 0).all()
