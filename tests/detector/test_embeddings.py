"""Embeddings of the user's own beside the text."""

import pickle
import sys

import numpy as np
import pytest

from tonmf import InputError, MissingExtraError, TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.detector.scores import embeddings as embeddings_module
from tonmf.detector.scores.embeddings import NEIGHBOURS, Neighbours, check_embeddings

CORPUS = make_corpus(n_docs=200, n_outliers=0, random_state=0)


def embeddings(n_docs, width=16, n_clusters=4, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_clusters, width))
    return (centres[np.arange(n_docs) % n_clusters] + 0.3 * rng.normal(size=(n_docs, width))).astype(np.float32)


def test_distances_are_one_minus_cosine_over_fifty_neighbours():
    E = embeddings(300)
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    index = Neighbours(check_embeddings(E[:250], 250))
    distances = np.sort(1 - unit @ unit[:250].T, axis=1)
    expected = np.concatenate([distances[:250, 1 : NEIGHBOURS + 1], distances[250:, :NEIGHBOURS]]).mean(axis=1)
    np.testing.assert_allclose(index.distances(check_embeddings(10 * E, 300)), expected, atol=1e-5)


def test_beyond_the_limit_an_approximate_index_gives_nearly_the_same(monkeypatch):
    rows = check_embeddings(embeddings(6000, n_clusters=40), 6000)
    exact = Neighbours(rows)
    monkeypatch.setattr(embeddings_module, "EXACT", 5000)
    approximate = Neighbours(rows)
    np.testing.assert_allclose(approximate.distances(rows), exact.distances(rows), rtol=0.02)
    np.testing.assert_array_equal(Neighbours(rows).distances(rows[:99]), approximate.distances(rows[:99]))


def test_the_real_limit_is_passed_with_the_approximate_index():
    rows = check_embeddings(embeddings(50_001, width=32, n_clusters=20), 50_001)
    rows[17] = -rows[17]
    distances = Neighbours(rows).distances(rows)
    assert distances.argmax() == 17


def test_a_missing_index_library_is_named_with_its_command(monkeypatch):
    monkeypatch.setattr(embeddings_module, "EXACT", 10)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[neighbours\]'"):
        TextOutlierDetector(callback=pytest.fail).fit(
            CORPUS.texts, embeddings=embeddings(200)
        )  # before any work is done


def test_a_document_that_is_strange_only_in_embedding_space_is_found():
    E = embeddings(200)
    E[33] = -E[33] - E[34]
    plain = TextOutlierDetector().fit(CORPUS.texts)
    fused = TextOutlierDetector().fit(CORPUS.texts, embeddings=E)
    assert fused.outlier_scores_.argmax() == 33
    assert plain.outlier_scores_.argmax() != 33
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


def test_an_embedding_of_zeros_is_far_from_everything():
    """It was at distance 0.5 of all others, nearer than they are to one another, and made a document the least strange."""
    E = np.random.default_rng(0).normal(size=(200, 64))
    E[7] = 0
    scores = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts, embeddings=E).outlier_scores_
    plain = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts).outlier_scores_
    assert scores[7] > plain[7] + 1


def test_many_copies_do_not_leave_the_approximate_index_short_of_neighbours(monkeypatch):
    """Cells without enough rows had returned the largest float in place of a distance."""
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(1, 8)) + 1e-4 * rng.normal(size=(1500, 8)), rng.normal(size=(60, 8))])
    rows = check_embeddings(rows, len(rows))
    monkeypatch.setattr(embeddings_module, "EXACT", 1000)
    assert Neighbours(rows).distances(rows).max() < 2


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
