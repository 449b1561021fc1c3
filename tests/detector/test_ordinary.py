"""How near a document is to ordinary ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from tonmf.detector.scores.ordinary import NEAREST, SAMPLE, ordinary_documents, remoteness_of, sample_of, trust_in
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.ops.reference import ReferenceOps

OPS = [ReferenceOps(), CompiledOps(1), CompiledOps(3)]


def remoteness(ops, X, sample, block_size=300, trust=None):
    """Of all rows of X, block by block."""
    blocks = MatrixSource(X, np.ones(X.shape[0]), block_size, ops).blocks()
    return np.concatenate([remoteness_of(ops, block.X, ops.prepare(sample), trust) for block in blocks])


def unit_rows(n_docs, seed=0, n_terms=80):
    X = sp.random(n_docs, n_terms, 0.1, format="csr", random_state=seed, dtype=np.float32)
    return normalize(X)


@pytest.mark.parametrize("ops", OPS, ids=["reference", "1 thread", "3 threads"])
@pytest.mark.parametrize(("n_others", "n_nearest"), [(100, 5), (100, 20), (6, 20), (20, 20), (21, 20), (1, 20), (1, 1)])
def test_the_nearest_are_averaged_and_a_row_is_no_neighbour_of_itself(ops, n_others, n_nearest):
    X = unit_rows(150)
    others = X[:n_others]
    means = ops.nearest(ops.prepare(X), ops.prepare(others), n_nearest)
    cosines = (X @ others.T).toarray().astype(float)
    for i, row in enumerate(cosines):
        rest = np.sort(np.delete(row, i) if i < n_others else row)[::-1][:n_nearest]
        assert means[i] == pytest.approx(rest.mean() if len(rest) else 0, abs=1e-6)


def test_a_row_without_terms_is_near_nothing_and_finitely_far():
    X = sp.vstack([unit_rows(50), sp.csr_matrix((1, 80), dtype=np.float32)]).tocsr()
    far = remoteness(OPS[1], X, X[:40], 7)
    assert far.argmax() == 50
    assert np.isfinite(far).all()


@pytest.mark.parametrize("trust", [None, np.linspace(0, 1, 200)], ids=["all alike", "trust"])
def test_threads_and_blocks_make_no_difference_to_the_bit(trust):
    X = unit_rows(300)
    values = [remoteness(ops, X, X[:200], size, trust) for ops, size in [(OPS[1], 300), (OPS[2], 41)]]
    np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("n_others", [100, 11, 5, 1])
def test_the_nearest_count_by_how_far_they_are_trusted(n_others):
    X, trust = unit_rows(150), np.random.default_rng(0).random(n_others)
    far = remoteness(OPS[1], X, X[:n_others], trust=trust)
    cosines = (X @ X[:n_others].T).toarray().astype(float) * trust
    np.fill_diagonal(cosines, 0)
    nearest = -np.sort(-cosines, axis=1)[:, :NEAREST].sum(axis=1) / min(NEAREST, max(n_others - 1, 1))
    np.testing.assert_allclose(far, -np.log(nearest + 0.01), atol=1e-5)


@given(scores=st.lists(st.floats(-9, 9), min_size=1), threshold=st.floats(0.1, 5))
def test_trust_falls_with_the_score_and_ends_at_the_threshold(scores, threshold):
    scores = np.sort(scores)
    trust = trust_in(scores, threshold)
    assert (np.diff(trust) <= 0).all()
    assert (trust[scores <= 0] == 1).all()
    assert (trust[scores > threshold] == 0).all()
    assert (trust_in(scores, 0.0) == 1).all()


def test_documents_of_a_strange_group_do_not_vouch_for_one_another():
    """Ten documents that are near each other, but far from the ordinary ones."""
    ordinary, strange = unit_rows(200, n_terms=60), unit_rows(1, seed=1, n_terms=20)
    X = sp.block_diag([ordinary, sp.vstack([strange] * 10)], format="csr")
    far = remoteness(OPS[0], X, X[:200])
    assert far[200:].min() > far[:200].max()


def test_ordinary_are_the_lowest_scores_of_documents_that_have_words():
    scores, readable = np.arange(10.0), np.ones(10, bool)
    readable[0] = False
    chosen = ordinary_documents(scores, readable)
    assert 0 not in chosen
    assert chosen.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert len(ordinary_documents(scores, ~np.ones(10, bool))) == 0


def test_one_document_more_or_less_changes_a_sample_by_one():
    """A difference in the last digit of one score made another sample, and moved scores by 2."""
    scores, documents = np.random.default_rng(0).random(9000), np.arange(5, 9000)
    samples = [set(sample_of(some, scores, np.random.RandomState(0)).tolist()) for some in (documents, documents[:-1])]
    swapped = scores.copy()
    low, high = np.argsort(scores)[[4000, 4001]]
    swapped[[low, high]] = scores[[high, low]]
    samples.append(set(sample_of(documents, swapped, np.random.RandomState(0)).tolist()))
    assert len(samples[0] ^ samples[1]) <= 2
    assert len(samples[0] ^ samples[2]) <= 2


def test_a_sample_is_as_large_as_allowed_and_without_repeats():
    documents = np.arange(5, 9000)
    sample = sample_of(documents, np.arange(documents.max() + 1.0), np.random.RandomState(0))
    assert len(sample) == SAMPLE == len(set(sample.tolist()))
    assert set(sample.tolist()) <= set(documents.tolist())
    np.testing.assert_array_equal(
        sample_of(documents[:NEAREST], np.zeros(documents.max() + 1), np.random.RandomState(0)), documents[:NEAREST]
    )
