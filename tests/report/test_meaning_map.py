"""The map of documents by their embeddings."""

import numpy as np
import pytest

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.ranking import Ranking
from tonmf.report import meaning_map, summarise
from tonmf.report.meaning_map import places_by_meaning


def clusters(n_docs, n_clusters=4, width=20):
    rng = np.random.default_rng(0)
    of = rng.integers(0, n_clusters, n_docs)
    rows = rng.standard_normal((n_clusters, width))[of] + 0.2 * rng.standard_normal((n_docs, width))
    return rows.astype(np.float32), of


def are_apart(places, of):
    centres = np.array([places[of == cluster].mean(axis=0) for cluster in np.unique(of)])
    return (np.linalg.norm(places[:, None] - centres, axis=2).argmin(axis=1) == of).mean() > 0.98


def test_documents_that_are_alike_are_side_by_side_and_the_same_each_time():
    rows, of = clusters(120)
    places = places_by_meaning(rows)
    assert are_apart(places, of)
    assert np.linalg.norm(places, axis=1).max() == pytest.approx(1)
    np.testing.assert_array_equal(places, places_by_meaning(rows))


def test_of_many_documents_the_rest_is_placed_amid_its_neighbours(monkeypatch):
    monkeypatch.setattr(meaning_map, "MOST", 80)
    rows, of = clusters(200)
    rows[7] = 0  # a document without an embedding
    places = places_by_meaning(rows)
    known = np.arange(200) != 7
    assert are_apart(places[known], of[known])
    assert not places[7].any()


@pytest.mark.parametrize(
    "rows", [np.zeros((4, 8)), np.ones((1, 8)), np.ones((30, 8)), np.eye(3), np.ones((9, 1))], ids=str
)
def test_few_or_equal_documents_have_finite_places(rows):
    places = places_by_meaning(rows.astype(np.float32))
    assert places.shape == (len(rows), 2)
    assert np.isfinite(places).all()


def test_a_report_without_embeddings_is_placed_by_topics():
    corpus = make_corpus(n_docs=60, n_outliers=3)
    detector = TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(corpus.texts)
    ranking = Ranking.of(detector, corpus.texts, corpus.ids, detector.outlier_scores_)
    assert summarise(ranking, title="x")["map"] == "topics"
