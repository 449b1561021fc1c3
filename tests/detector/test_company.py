"""Strange documents that are like each other, and what that adds to their scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tonmf import TextOutlierDetector, load
from tonmf.datasets.archives import read_reuters_sgml
from tonmf.detector.scores import company as rules
from tonmf.detector.scores.company import MOST, Company, learn_company, strange_documents
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.ops.reference import ReferenceOps

OPS = [ReferenceOps(), CompiledOps(1), CompiledOps(3)]
N_ORDINARY, N_GROUP = 200, 10
THRESHOLD = 2.0

N_NEWS = 1500


def unit_rows(n_docs, seed=0, n_terms=80):
    return normalize(sp.random(n_docs, n_terms, 0.1, format="csr", random_state=seed, dtype=np.float32))


@pytest.mark.parametrize("ops", OPS, ids=["reference", "1 thread", "3 threads"])
@pytest.mark.parametrize(("n_others", "n_largest"), [(100, 5), (100, 20), (6, 20), (1, 20), (1, 1)])
def test_the_largest_weighted_products_are_summed_and_a_row_is_not_its_own_company(ops, n_others, n_largest):
    X, weights = unit_rows(150), np.random.default_rng(0).uniform(0, 2, n_others)
    others = X[:n_others]
    sums = ops.strongest(ops.prepare(X), ops.prepare(others), weights, n_largest)
    cosines = (X @ others.T).toarray().astype(float) * (1 - np.eye(150, n_others))
    np.testing.assert_allclose(sums, np.sort(cosines * weights, axis=1)[:, ::-1][:, :n_largest].sum(axis=1), atol=1e-6)


def test_of_several_rows_that_are_the_same_only_one_is_left_out():
    X = sp.vstack([unit_rows(1)] * 4, format="csr")
    for ops in OPS:
        np.testing.assert_allclose(ops.strongest(ops.prepare(X), ops.prepare(X), np.ones(4), 20), 3.0, rtol=1e-6)


def group_among_ordinary(n_group=N_GROUP, n_strays=20):
    """Ordinary documents, of which the first are strange by chance; then a group of strange documents with words of its own."""
    group = normalize(np.random.default_rng(1).uniform(0, 1, (n_group, 12))).astype(np.float32)
    rows = sp.block_diag([unit_rows(N_ORDINARY, n_terms=60), group], format="csr")
    scores = np.random.default_rng(0).normal(0, 0.5, N_ORDINARY + n_group)
    scores[:n_strays] = scores[N_ORDINARY:] = 1.5 * THRESHOLD
    return rows, scores


def learnt(rows, scores, sampled=None, weights=None):
    ordinary = np.flatnonzero(scores < THRESHOLD / 2)
    sampled = ordinary if sampled is None else sampled
    readable = np.diff(rows.indptr) > 0
    return learn_company(
        OPS[-1], scores, THRESHOLD, readable, sampled, len(ordinary), lambda numbers: rows[numbers], weights
    )


def test_documents_of_a_strange_group_vouch_and_strays_among_ordinary_documents_do_not():
    rows, scores = group_among_ordinary()
    company = learnt(rows, scores)
    assert company.most == MOST * THRESHOLD
    assert abs(company.rows - rows[N_ORDINARY:]).nnz == 0
    np.testing.assert_allclose(company.weights, 1.0)  # all around them have one and a half thresholds


def test_nobody_vouches_where_there_is_no_group_nor_a_threshold():
    rows, scores = group_among_ordinary()
    assert learnt(rows[:N_ORDINARY], scores[:N_ORDINARY]) is None
    assert learnt(rows[:N_ORDINARY], np.zeros(N_ORDINARY)) is None
    assert (
        learn_company(OPS[-1], scores, 0.0, np.ones(len(scores), bool), np.arange(9), 9, lambda numbers: rows[numbers])
        is None
    )


def test_a_sample_stands_for_all_ordinary_documents():
    """Strays that share their words with ordinary documents do not vouch because only few of these are looked at."""
    rows, scores = group_among_ordinary()
    company = learnt(rows, scores, np.flatnonzero(scores < THRESHOLD / 2)[::10])
    of_strays = np.asarray(company.rows[:, :60].sum(axis=1)).ravel() > 0
    assert company.weights[~of_strays].tolist() == [pytest.approx(1.0)] * N_GROUP
    assert company.weights[of_strays].sum() < 1.0


def test_copies_vouch_together_like_one():
    rows, scores = group_among_ordinary()
    weights = np.ones(len(scores))
    weights[N_ORDINARY:] = 0.1
    np.testing.assert_allclose(learnt(rows, scores, weights=weights).weights, 0.1)


def test_more_than_a_twentieth_of_the_documents_vouch_less_and_a_tenth_not_at_all():
    """Lines of a common kind in a log vouched for each other, and 19 of them were flagged."""
    np.testing.assert_allclose(learnt(*group_among_ordinary(10)).weights, 1.0)
    np.testing.assert_allclose(learnt(*group_among_ordinary(15)).weights, 2 - 20 * 15 / 215)
    assert learnt(*group_among_ordinary(30)) is None


def test_the_strangest_are_looked_at_if_there_are_many(monkeypatch):
    monkeypatch.setattr(rules, "MOST_STRANGE", 3)
    scores = np.array([9.0, 0.0, 5.0, 7.0, 8.0, 6.0, 99.0])
    readable = np.array([True] * 6 + [False])
    assert strange_documents(scores, 1.0, readable).tolist() == [0, 3, 4]


def test_company_fades_and_leaves_with_a_topic_that_explains_it():
    rows, scores = group_among_ordinary()
    company = learnt(rows, scores)
    later = company.later(company.rows, 0.25)
    np.testing.assert_allclose(later.weights, 0.25)
    topic = np.asarray(company.rows.sum(axis=0)).ravel()
    assert company.without(topic).rows.shape[0] < company.rows.shape[0] / 4
    elsewhere = np.zeros(rows.shape[1])
    elsewhere[:60] = 1
    assert company.without(elsewhere).rows.shape[0] == company.rows.shape[0]


# ---------------------------------------------------------------------- the whole detector


@pytest.fixture(scope="module")
def news(data_folder):
    """Reports of earnings and mergers, and a few about crude oil; and some more about oil."""
    documents = read_reuters_sgml(data_folder / "reuters21578.tar.gz")
    oil = [document.text for document in documents if document.label == "crude"][:50]
    ordinary = [document.text for document in documents if document.label in ("earn", "acq")][:N_NEWS]
    return [*ordinary, *oil[:40]], oil[40:]


@pytest.fixture(scope="module")
def detector(news):
    return TextOutlierDetector(n_restarts=1).fit(news[0])


def test_a_strange_group_rises_and_the_explanation_says_so(detector, news):
    labels, read = detector.labels_, detector.read(news[0]).scores
    assert (labels[N_NEWS:] == -1).mean() > 0.8
    assert (labels[:N_NEWS] == -1).mean() < 0.03
    assert np.median(read.parts["company"][N_NEWS:]) > detector.threshold_
    assert np.median(read.parts["company"][:N_NEWS]) == 0
    assert read.parts["company"].max() <= detector._state.scorer.company.most
    why = detector.explain(news[0], ids=[N_NEWS + int(np.argmax(read.parts["company"][N_NEWS:]))])[0]
    assert max(why.parts, key=why.parts.get) == "company"
    assert "the documents most like it are strange too" in why.sentence
    assert sum(why.parts.values()) == pytest.approx(why.score)


def test_new_documents_like_the_group_find_company_too(detector, news):
    assert np.mean([why.parts["company"] > 1 for why in detector.explain(news[1])]) > 0.7
    assert (detector.predict(news[1]) == -1).mean() > 0.7


def test_scores_with_company_are_the_same_again_and_in_a_saved_model(detector, news, tmp_path):
    np.testing.assert_array_equal(detector.outlier_score(news[0]), detector.outlier_scores_)
    detector.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.outlier_score(news[0]), detector.outlier_scores_)
    assert isinstance(again._state.scorer.company, Company)


def test_company_fades_as_a_detector_learns(detector, news, tmp_path):
    detector.save(tmp_path / "model")
    learning = load(tmp_path / "model")
    before = learning._state.scorer.company
    learning.partial_fit(news[0][:500])
    after = learning._state.scorer.company
    assert after.rows.shape[1] == learning._state.scorer.sample.shape[1]
    share = len(news[0]) / (len(news[0]) + 500)
    np.testing.assert_allclose(after.weights, share * before.weights)
    assert after.usual == pytest.approx(share * before.usual)


def test_company_is_the_same_out_of_core(detector, news):
    on_disk = TextOutlierDetector(n_restarts=1, memory="600MB").fit(news[0])
    np.testing.assert_allclose(on_disk._state.scorer.company.weights, detector._state.scorer.company.weights, rtol=1e-3)
    np.testing.assert_allclose(on_disk.outlier_scores_, detector.outlier_scores_, atol=0.01)


def test_ordinary_documents_alone_hardly_have_company(news):
    detector = TextOutlierDetector(n_restarts=1).fit(news[0][:N_NEWS])
    assert (detector.labels_ == -1).mean() < 0.03
