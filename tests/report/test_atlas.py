"""The map of documents by their topics."""

import numpy as np
import pytest

from tonmf.detector.explain.explanation import TopicShare
from tonmf.report.atlas import TopicMap, packed, places_by_topics, relatedness


def mixtures(n_docs, n_topics, seed=0):
    """Shares of topics of which a part is left over, and small ones are not listed."""
    rng = np.random.default_rng(seed)
    M = rng.dirichlet(np.full(n_topics, 0.2), n_docs) * rng.beta(6, 2, (n_docs, 1))
    M[M < 0.1] = 0
    return M


def put_in(atlas, M):
    """Put documents on a map, the last first."""
    for document in reversed(range(len(M))):
        atlas.put(document, [TopicShare(topic + 1, M[document, topic], []) for topic in np.flatnonzero(M[document])])
    return atlas


def test_documents_may_come_in_any_order():
    M = mixtures(200, 5)
    atlas = put_in(TopicMap(200, 5), M)
    places, topics = places_by_topics(M)
    assert atlas.is_of_topics
    np.testing.assert_array_equal(atlas.places, places)
    np.testing.assert_array_equal(atlas.topics, topics)


def test_where_places_are_given_the_name_of_a_topic_is_amid_its_documents():
    M = np.array([[0.9, 0], [0.5, 0.1], [0.8, 0]])
    given = np.array([[-0.5, 0.0], [-0.1, 0.2], [-0.4, 0.1]])
    atlas = put_in(TopicMap(3, 2, given), M)
    assert not atlas.is_of_topics
    np.testing.assert_array_equal(atlas.places, given)
    np.testing.assert_allclose(atlas.topics, [[-0.4, 0.1], places_by_topics(M)[1][1]])


def test_discs_do_not_overlap_and_each_touches_another():
    radii = np.sqrt(np.random.default_rng(0).gamma(1, 30, 25))
    centres = packed(radii, relatedness(mixtures(300, 25)))
    gaps = np.linalg.norm(centres[:, None] - centres, axis=2) - radii[:, None] - radii
    gaps[np.diag_indices(25)] = np.inf
    assert gaps.min() > 0
    assert gaps.min(axis=1).max() < radii.mean()


def test_related_topics_are_neighbours():
    related = np.zeros((8, 8))
    related[6, 7] = related[7, 6] = 0.9
    centres = packed(np.ones(8), related)
    distances = np.linalg.norm(centres - centres[7], axis=1)
    assert distances[6] == pytest.approx(distances[:7].min())


def test_a_document_is_on_the_disc_of_its_main_topic_the_nearer_to_the_middle_the_larger_its_share():
    M = np.zeros((60, 3))
    M[np.arange(60), np.arange(60) % 3] = np.linspace(0.9, 0.5, 60)
    places, topics = places_by_topics(M)
    distances = np.linalg.norm(places[:, None] - topics, axis=2)
    assert (distances.argmin(axis=1) == np.arange(60) % 3).all()
    own = distances[np.arange(60), np.arange(60) % 3]
    assert all((np.diff(own[topic::3]) > 0).all() for topic in range(3))


def test_another_topic_draws_a_document_towards_it():
    M = np.zeros((40, 2))
    M[:20, 0], M[20:, 1] = 0.5, 0.5
    M[:20:2, 1] = 0.4
    places, topics = places_by_topics(M)
    to_other = np.linalg.norm(places[:20] - topics[1], axis=1)
    assert to_other[::2].mean() < 0.8 * to_other[1::2].mean()


def test_documents_without_a_topic_are_at_the_edge_all_around():
    M = mixtures(400, 6)
    M[:12] = 0
    places, _ = places_by_topics(M)
    has_topic = M.any(axis=1)
    directions = np.arctan2(places[~has_topic, 1], places[~has_topic, 0])
    beyond = np.linalg.norm(places[~has_topic] / np.abs(places[has_topic]).max(axis=0), axis=1)
    assert beyond.min() > 1
    assert np.histogram(directions, bins=4, range=(-np.pi, np.pi))[0].min() >= 1


def test_no_two_documents_are_in_the_same_place_and_the_map_is_wider_than_high():
    places, topics = places_by_topics(mixtures(2000, 12))
    assert len(np.unique(places.round(4), axis=0)) > 1990
    assert np.abs(np.concatenate([places, topics])).max() == 1
    assert np.ptp(places[:, 0]) > 1.2 * np.ptp(places[:, 1])


def test_the_same_documents_have_the_same_map():
    M = mixtures(500, 9)
    np.testing.assert_array_equal(places_by_topics(M)[0], places_by_topics(M.copy())[0])


@pytest.mark.parametrize("shape", [(5, 0), (0, 3), (5, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("share", [0, 0.5])
def test_few_or_equal_documents_have_finite_places(shape, share):
    places, topics = places_by_topics(np.full(shape, share))
    assert places.shape == (shape[0], 2)
    assert topics.shape == (shape[1], 2)
    assert np.isfinite(places).all()
    assert np.isfinite(topics).all()
