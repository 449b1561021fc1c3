"""Embeddings of the user's own beside the text."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tonmf import InputError, TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.detector.scores.embeddings import check_embeddings
from tonmf.detector.scores.likeness import ByBoth
from tonmf.detector.scores.meaning import NEAREST, SMALLEST_COSINE, WEIGHT, Meaning
from tonmf.text.weighting import unit_rows

CORPUS = make_corpus(n_docs=200, n_outliers=0, random_state=0)


def embeddings(n_docs, width=16, n_clusters=4, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_clusters, width))
    return (centres[np.arange(n_docs) % n_clusters] + 0.3 * rng.normal(size=(n_docs, width))).astype(np.float32)


def test_remoteness_is_minus_the_logarithm_of_the_mean_trusted_cosine():
    E = check_embeddings(embeddings(300), 300)
    trust = np.linspace(0, 1, 250)
    meaning = Meaning.of(E, np.arange(250))
    cosines = (E @ E[:250].T).astype(np.float64)
    cosines[np.arange(250), np.arange(250)] = 0  # not itself
    nearest = np.sort(cosines * trust, axis=1)[:, -NEAREST:]
    expected = -np.log(np.maximum(nearest.mean(axis=1), 0) + SMALLEST_COSINE)
    np.testing.assert_allclose(meaning.remoteness(E, trust), expected, atol=1e-5)


def test_embeddings_on_disk_in_half_precision_give_the_same(tmp_path):
    E = check_embeddings(embeddings(3000), 3000)
    stored = np.lib.format.open_memmap(tmp_path / "e.npy", "w+", np.float16, E.shape)
    stored[:] = E
    in_memory, on_disk = (Meaning.of(rows, np.arange(0, 3000, 2)) for rows in (E, stored))
    np.testing.assert_allclose(on_disk.remoteness(stored, None), in_memory.remoteness(E, None), atol=5e-3)
    np.testing.assert_allclose(on_disk.centre, in_memory.centre, atol=1e-3)


def test_a_model_that_sees_no_difference_counts_for_less():
    """Words whose strangest documents stand out, and embeddings whose strangest hardly do; and the other way round."""
    rng = np.random.default_rng(0)
    flat, tailed = rng.uniform(size=500), rng.standard_t(2, size=500)
    meaning = Meaning.of(check_embeddings(embeddings(10), 10), np.arange(10))
    little, much = (meaning.weighed(far, words).weight for far, words in ((flat, tailed), (tailed, flat)))
    assert little < WEIGHT < much
    assert meaning.weighed(tailed, tailed).weight == pytest.approx(WEIGHT)


def test_documents_alike_by_words_and_meaning_are_more_alike_than_by_either():
    words = unit_rows(csr_matrix([[1.0, 1, 0], [1, 0, 0], [0, 0, 1]]), np.ones(3))
    meaning = check_embeddings([[1.0, 0], [1, 0.1], [1, 0.2]], 3)
    documents = ByBoth(words, meaning)
    likeness = documents.alike(documents)
    np.testing.assert_allclose(np.diag(likeness), 1, atol=1e-6)
    assert likeness[0, 1] > likeness[0, 2] > 0.4
    assert documents.alike(ByBoth(words, -meaning))[0, 2] == 0  # opposite meaning takes nothing away


def test_a_document_that_is_strange_only_in_embedding_space_is_found():
    E = embeddings(200)
    E[33] = -E[33] - E[34]
    plain = TextOutlierDetector().fit(CORPUS.texts)
    fused = TextOutlierDetector().fit(CORPUS.texts, embeddings=E)
    assert plain.outlier_scores_[33] < plain.threshold_
    assert fused.outlier_scores_[33] > fused.threshold_ + 0.5
    new = fused.outlier_score(CORPUS.texts[33:35], embeddings=E[33:35])
    assert new[0] > fused.threshold_ > new[1]
    assert fused.fit_predict(CORPUS.texts, embeddings=E)[33] == -1
    np.testing.assert_allclose(fused.outlier_score(CORPUS.texts, embeddings=E), fused.outlier_scores_, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_scale_of_embeddings_does_not_matter(scale):
    E = embeddings(200)
    scores = [TextOutlierDetector().fit(CORPUS.texts, embeddings=e).outlier_scores_ for e in (E, E * np.float32(scale))]
    np.testing.assert_allclose(*scores, atol=1e-3)


def test_few_documents_have_few_neighbours():
    texts = ["red green blue", "red green", "green blue"]
    detector = TextOutlierDetector().fit(texts, embeddings=np.eye(3))
    assert np.isfinite(detector.outlier_scores_).all()
    zero = TextOutlierDetector().fit(texts, embeddings=np.zeros((3, 2)))
    assert np.isfinite(zero.outlier_scores_).all()


def test_an_embedding_of_zeros_says_nothing():
    E = embeddings(200)
    E[7] = 0
    detector = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts, embeddings=E)
    parts = detector.explain(CORPUS.texts, ids=[7, 8], embeddings=E)
    assert parts[0].parts["meaning"] == 0 != parts[1].parts["meaning"]


def test_strange_documents_vouch_for_those_that_mean_the_same():
    """A group with the words of ordinary documents and a meaning of its own."""
    texts, group = make_corpus(n_docs=600, n_outliers=0, random_state=1).texts, np.arange(0, 600, 25)
    E = embeddings(600)
    E[group] += 3 * np.random.default_rng(5).normal(size=16)
    detector = TextOutlierDetector(n_restarts=1).fit(texts, embeddings=E)
    company = detector.read(texts, embeddings=E).scores.parts["company"]
    assert np.median(company[group]) > detector.threshold_
    assert np.median(company) == 0
    assert set(np.argsort(-detector.outlier_scores_)[: len(group)]) == set(group)


def test_a_detector_with_embeddings_can_be_pickled():
    E = embeddings(200)
    detector = TextOutlierDetector(n_restarts=1, stemmer="english", word_rules="paper").fit(CORPUS.texts, embeddings=E)
    copy = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(
        copy.outlier_score(CORPUS.texts[:5], embeddings=E[:5]),
        detector.outlier_score(CORPUS.texts[:5], embeddings=E[:5]),
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (embeddings(199), r"one row for each of the 200 documents; got an array of shape \(199, 16\)"),
        (embeddings(200)[0], r"shape \(16,\)"),
        (np.where(np.arange(200)[:, None] == 7, np.nan, embeddings(200)), "row 7 and 0 more hold NaN"),
        (np.full((200, 3), np.inf), "row 0 and 199 more"),
        ([["a"]] * 200, "dense matrix of real numbers; got values of type <U1"),
        (np.zeros((200, 0)), r"shape \(200, 0\)"),
    ],
)
def test_embeddings_that_cannot_be_used(wrong, message):
    with pytest.raises(InputError, match=message):
        TextOutlierDetector().fit(CORPUS.texts, embeddings=wrong)


def test_embeddings_belong_to_both_fit_and_score_or_to_neither():
    E = embeddings(200)
    fused = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts, embeddings=E)
    with pytest.raises(InputError, match="fitted with embeddings: give those of the new documents"):
        fused.predict(CORPUS.texts[:2])
    with pytest.raises(InputError, match="have 4 columns, but the detector was fitted with 16"):
        fused.predict(CORPUS.texts[:2], embeddings=E[:2, :4])
    plain = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts)
    with pytest.raises(InputError, match="fitted without embeddings"):
        plain.predict(CORPUS.texts[:2], embeddings=E[:2])
