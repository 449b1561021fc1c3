"""Documents read as words: the EM kernel, and the two scores that come out of it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TONMF, TextOutlierDetector
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.mixture import STEPS, Mixture, Reading
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.ops.reference import ReferenceOps

OPS = [ReferenceOps(), CompiledOps(1), CompiledOps(3)]


def documents(seed=0, n_docs=300, n_terms=60, dtype=np.float32):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, (n_docs, n_terms)).astype(dtype)
    X[7] = 0
    return sp.csr_matrix(X)


def nothing_of(X):
    """No words outside the terms, in any document."""
    return np.zeros(X.shape[0])


def mixture_of(X, n_topics=5, seed=0):
    topics = np.random.default_rng(seed).random((X.shape[1], n_topics)) ** 3
    return Mixture.of(topics, np.asarray(X.sum(axis=0)).ravel().astype(float), np.arange(1.0, n_topics + 1))


@pytest.mark.parametrize("ops", OPS[1:], ids=["1 thread", "3 threads"])
@pytest.mark.parametrize("n_topics", [1, 2, 7, 25])
def test_the_compiled_kernel_agrees_with_the_reference(ops, n_topics):
    X = documents()
    mixture = mixture_of(X, n_topics)
    outside = np.random.default_rng(1).poisson(2.0, 300).astype(float)
    expected = mixture.read(OPS[0], OPS[0].prepare(X), outside)
    got = mixture.read(ops, ops.prepare(X), outside)
    np.testing.assert_allclose(got.theta, expected.theta, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(got.lift, expected.lift, rtol=2e-4, atol=2e-5)


def test_threads_blocks_and_other_rows_make_no_difference_to_the_bit():
    X = documents()
    mixture = mixture_of(X)
    outside = np.random.default_rng(1).poisson(0.5, 300).astype(float)  # some documents have none
    whole = mixture.read(OPS[1], OPS[1].prepare(X), outside)
    threads = mixture.read(OPS[2], OPS[2].prepare(X), outside)
    source = MatrixSource(X, np.ones(300), 37, OPS[1])
    parts = [(block.X, outside[block.first : block.first + 37]) for block in source.blocks()]
    blocks = Reading.joined([mixture.read(OPS[1], *part) for part in parts])
    alone = Reading.joined([mixture.read(OPS[1], OPS[1].prepare(X[row]), outside[row : row + 1]) for row in range(300)])
    for other in (threads, blocks, alone):
        np.testing.assert_array_equal(other.theta, whole.theta)
        np.testing.assert_array_equal(other.lift, whole.lift)


@given(seed=st.integers(0, 10_000))
def test_every_step_of_em_raises_the_penalised_likelihood(seed):
    X = documents(seed, n_docs=20)
    X = X[np.diff(X.indptr) > 0]
    mixture = mixture_of(X, seed=seed)
    values = []
    for n_steps in range(1, STEPS):
        theta, _ = OPS[0].mixtures(OPS[0].prepare(X), mixture.ratios, mixture.prior, n_steps)
        mixed = theta[:, :1] + theta[:, 1:] @ mixture.ratios.T
        values.append((X.toarray() * np.log(mixed)).sum(axis=1) + np.log(theta) @ mixture.prior)
    assert (np.diff(values, axis=0) >= -1e-6).all()


@pytest.mark.parametrize("ops", OPS, ids=["reference", "1 thread", "3 threads"])
def test_a_document_without_words_is_all_unexplained(ops):
    X = documents()
    reading = mixture_of(X).read(ops, ops.prepare(X), nothing_of(X))
    assert reading.unexplained[7] == 1
    assert reading.strangeness[7] == 0
    np.testing.assert_allclose(reading.theta.sum(axis=1), 1)


def test_a_document_of_one_topics_words_is_explained_and_one_of_common_words_is_not():
    topics = np.kron(np.eye(2), np.ones(10)).T.astype(float)
    topics = np.vstack([topics, np.zeros((10, 2))])  # ten words that no topic has
    mixture = Mixture.of(topics, np.ones(30), np.ones(2))
    X = sp.csr_matrix(np.kron(np.eye(3), np.full(10, 3.0)).astype(np.float32))
    reading = mixture.read(OPS[0], OPS[0].prepare(X), nothing_of(X))
    assert reading.theta[0, 1] > 0.9
    assert reading.theta[1, 2] > 0.9
    assert reading.unexplained[2] > 0.9
    assert reading.strangeness[2] > reading.strangeness[:2].max()


def test_words_that_the_background_lacks_count_for_nothing():
    mixture = Mixture.of(np.ones((3, 1)), np.array([1.0, 1.0, 0.0]), np.ones(1))
    assert (mixture.ratios[2] == 0).all()
    assert np.isfinite(mixture.ratios).all()


# ---------------------------------------------------------------------- words outside the terms


@given(seed=st.integers(0, 10_000), weight=st.floats(0.1, 1.0))
def test_words_outside_the_terms_count_as_words_of_the_background(seed, weight):
    """θ is that of the words that are terms; then the others come in, one after the other, as words of the background."""
    X = documents(seed, n_docs=20)
    mixture = replace(mixture_of(X, seed=seed), outside=weight)
    n_outside = np.random.default_rng(seed).poisson(3.0, 20).astype(float)
    plain = mixture.read(OPS[0], OPS[0].prepare(X), nothing_of(X))
    reading = mixture.read(OPS[0], OPS[0].prepare(X), n_outside)
    pseudo = 1 + 5  # of the background, and of five topics together
    for row in range(20):
        known, unknown = X[row].sum(), weight * n_outside[row]
        expected = plain.theta[row] * (known + pseudo)
        expected[0] += unknown
        expected /= known + pseudo + unknown
        np.testing.assert_allclose(reading.theta[row], expected, rtol=1e-6)
        if known + unknown:
            b = (plain.strangeness[row] * known - unknown * np.log(expected[0])) / (known + unknown)
            assert reading.strangeness[row] == pytest.approx(b, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(reading.theta.sum(axis=1), 1)


@pytest.mark.parametrize("ops", OPS[:2], ids=["reference", "compiled"])
def test_words_outside_the_terms_leave_other_documents_alone_to_the_bit(ops):
    X = sp.csr_matrix(np.random.default_rng(0).poisson(3.0, (300, 60)).astype(np.float32))
    X.data = 1 + np.log(X.data)
    mixture, outside = mixture_of(X), np.append(7.0, np.zeros(299))
    plain, reading = (mixture.read(ops, ops.prepare(X), n * outside) for n in (0, 1))
    np.testing.assert_array_equal(reading.theta[1:], plain.theta[1:])
    np.testing.assert_array_equal(reading.lift[1:], plain.lift[1:])
    assert reading.lift[0] != plain.lift[0]


@given(seed=st.integers(0, 10_000), more=st.lists(st.floats(0, 50), min_size=20, max_size=20))
def test_more_words_outside_the_terms_never_leave_less_unexplained(seed, more):
    X = documents(seed, n_docs=20)
    mixture, some = mixture_of(X, seed=seed), np.random.default_rng(seed).poisson(1.0, 20).astype(float)
    before = mixture.read(OPS[0], OPS[0].prepare(X), some)
    after = mixture.read(OPS[0], OPS[0].prepare(X), some + more)
    assert (after.unexplained >= before.unexplained - 1e-12).all()
    assert (after.theta[:, 1:] <= before.theta[:, 1:] + 1e-12).all()
    assert (after.unexplained <= 1 + 1e-12).all()


def test_a_word_outside_the_terms_counts_less_than_a_term():
    """Two words that no topic has: if one of them is a term, the document is less well explained."""
    topics = np.vstack([np.ones((10, 1)), np.zeros((1, 1))])
    mixture = Mixture.of(topics, np.ones(11), np.ones(1))
    X = sp.csr_matrix(np.array([[1.0] * 10 + [0], [1.0] * 11]), dtype=np.float32)
    outside, inside = mixture.read(OPS[0], OPS[0].prepare(X), np.array([1.0, 0.0])).unexplained
    plain = mixture.read(OPS[0], OPS[0].prepare(X), nothing_of(X)).unexplained[0]
    assert plain < outside < inside


def test_a_mixture_that_does_not_count_them_reads_documents_as_if_they_had_none():
    X = documents()
    mixture = replace(mixture_of(X), outside=0.0)
    plain, other = (mixture.read(OPS[1], OPS[1].prepare(X), n * np.ones(300)) for n in (0, 7))
    np.testing.assert_array_equal(plain.theta, other.theta)
    np.testing.assert_array_equal(plain.lift, other.lift)


@pytest.mark.parametrize("score_by", ["residual", "paper", "unexplained", "lift"])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_every_score_is_higher_for_stranger_rows_and_the_same_for_rows_seen_again(score_by, backend, small):
    model = TONMF(3, score_by=score_by, random_state=0, backend=backend).fit(small)
    assert model.outlier_scores_[-4:].mean() > model.outlier_scores_[:-4].mean()
    np.testing.assert_allclose(model.outlier_score(small), model.outlier_scores_, rtol=1e-6, atol=1e-9)
    assert ((model.predict(small) == -1) == (model.outlier_scores_ > model.threshold_)).all()


@pytest.mark.parametrize("score_by", ["unexplained", "lift"])
def test_a_share_is_flagged_exactly_whatever_the_score(score_by, small):
    model = TONMF(3, score_by=score_by, contamination=0.1, random_state=0).fit(small)
    assert (model.predict(small) == -1).sum() == 6


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_counts_of_any_size_have_finite_scores(scale, small):
    for score_by in ("unexplained", "lift"):
        scores = TONMF(3, score_by=score_by, random_state=0).fit(scale * small).outlier_scores_
        assert np.isfinite(scores).all()


def test_the_score_is_that_of_the_fit_whatever_the_parameter_says_later(small):
    model = TONMF(3, random_state=0).fit(small)
    model.set_params(score_by="lift")
    np.testing.assert_allclose(model.outlier_score(small), model.outlier_scores_)


def test_what_topics_explain_and_what_they_leave_is_all_there_is():
    C = documents()
    mixture = mixture_of(C)
    ops, X = OPS[0], OPS[0].prepare(C)
    reading = mixture.read(ops, X, nothing_of(C))
    explained, left = mixture.explained(ops, X, reading), C.copy()
    left.data = C.data * mixture.unexplained(ops, X, reading)
    assert explained.shape == (300, 5)
    assert (explained >= 0).all()
    np.testing.assert_allclose(explained.sum(axis=1) + left.sum(axis=1).A1, C.sum(axis=1).A1, rtol=1e-5, atol=1e-6)


def assert_topics_are_over_the_weights_of_terms(detector, counts):
    """φ_k ∝ W_tk/w_t, w_t = idf_t clip(log₂((1 + n)/(1 + df_t)), 0.02, 1), ratios φ_kt/bg_t with bg_t ∝ Σ_i 1 + ln(count)."""
    df = np.diff(counts.tocsc().indptr)
    idf = np.log((1 + counts.shape[0]) / (1 + df)) + 1
    weights = idf * np.clip(np.log2((1 + counts.shape[0]) / (1 + df)), 0.02, 1)
    assert idf.max() > 2 * idf.min()  # so that it matters
    background = np.bincount(counts.indices, 1 + np.log(counts.data), counts.shape[1])
    for rung in detector.rungs_:
        phi = rung.topics / weights[:, None]
        expected = (phi / phi.sum(axis=0)) / (background / background.sum())[:, None]
        np.testing.assert_allclose(rung.mixture.ratios, expected, rtol=1e-4, atol=1e-6)


def test_topics_of_the_detector_are_over_the_weights_of_terms():
    """Rows are counts times weights; read as words, topics must be probabilities of counts again."""
    rng = np.random.default_rng(0)
    common_and_rare = np.concatenate([np.full(10, 4.0), np.full(30, 0.15)])
    counts = sp.csr_matrix(rng.poisson(common_and_rare * rng.choice([0.2, 2.0], (2, 40))[rng.integers(2, size=200)]))
    assert (np.diff(counts.tocsc().indptr) > 1).all()
    detector = TextOutlierDetector(max_topics=5, n_restarts=1).fit(counts[:150])
    assert_topics_are_over_the_weights_of_terms(detector, counts[:150])
    assert_topics_are_over_the_weights_of_terms(detector.partial_fit(counts[150:]), counts)
