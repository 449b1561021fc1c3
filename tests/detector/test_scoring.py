"""The road to a score, with numbers made by hand: how measures combine, where the level lies, and that there is one road."""

import numpy as np
import pytest
import scipy.sparse as sp

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.detector.scores.alarms import CUTS, Alarms
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.scale import Scale
from tonmf.detector.scores.scoring import Measures, Scorer, learn_scorer, mean_score
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.text.counts import totals_of
from tonmf.text.totals import WordTotals

LEVEL = 2.0


@pytest.fixture
def scorer():
    """One whose scales leave numbers as they are, and whose alarm "unknown" lies at 8 widths of 0.1."""
    alarms = Alarms(
        1.0, {"unknown": 0.0, "rare": 0.0}, dict.fromkeys(CUTS, 0.0), {"unknown": 0.1, "rare": 9.0, "repeated": 9.0}
    )
    same = Scale(0.0, 1.0)
    return Scorer([], sp.csr_matrix((0, 0)), same, None, same, alarms, LEVEL)


def measures_of(topics, remoteness, distances=None):
    topics, remoteness = np.array(topics, float), np.array(remoteness, float)
    return Measures(topics, remoteness, None if distances is None else np.array(distances), np.zeros(len(topics)))


def totals(n_outside, n_words=20):
    """Documents of so many different words, of which some are outside the vocabulary."""
    n_outside = np.array(n_outside)
    n_words = np.broadcast_to(n_words, n_outside.shape)
    return WordTotals(n_words, n_words, n_outside, n_outside.astype(float))


def test_the_distance_from_ordinary_documents_counts_three_times_as_much_as_b_or_g(scorer):
    scores = scorer.combine(measures_of([5.0, 0.0, 2.0], [0.0, 5.0, 1.0]), totals([0, 0, 0]))
    np.testing.assert_allclose(scores.parts["topics"], [1.0, 0.0, 0.4])
    np.testing.assert_allclose(scores.parts["neighbours"], [0.0, 3.0, 0.6])
    np.testing.assert_allclose(scores.plain, [1.0, 3.0, 1.0])
    np.testing.assert_array_equal(scores.total, scores.plain)


def test_the_distance_between_embeddings_is_added_as_it_is(scorer):
    scores = scorer.combine(measures_of([5.0], [0.0], [0.25]), totals([0]))
    np.testing.assert_allclose(scores.plain, [1.25])


def test_an_alarm_lifts_a_document_to_the_level_and_beyond_by_its_size(scorer):
    """20 words of which all are unknown: 20/25 of 8 widths of 0.1 is no excess, but such a document has an alarm of 1."""
    scores = scorer.combine(measures_of([-5.0, 20.0, -5.0], [0.0, 0.0, 0.0]), totals([20, 20, 19]))
    np.testing.assert_allclose(scores.alarms["unknown"], [1, 1, 0])
    np.testing.assert_allclose(scores.total, [LEVEL + 1, 4 + 1, -1])


def test_a_document_without_words_is_not_judged_and_lies_in_the_middle(scorer):
    scores = scorer.combine(measures_of([50.0, 50.0], [0.0, 0.0]), totals([0, 0], n_words=[0, 20]))
    assert scores.total.tolist() == [0.0, 10.0]
    assert scores.judged.tolist() == [False, True]
    for threshold in (LEVEL, -1.0):
        assert scores.outliers(threshold).tolist() == [False, True]


# ---------------------------------------------------------------------- learning a scorer

QUIET = np.append(np.linspace(-50, 49, 100), 500.0)
"""z(b) + z(g) of documents of which one stands out: the median is 0, and P84, of the 85th of 101, is 34."""


def learnt_from(topics, n_outside=0, n_empty=0):
    """The scorer of documents of three words, and their scores; some words more are outside the vocabulary.

    The rows are all alike, so that only the topics tell documents apart.
    """
    counts = sp.csr_matrix(np.vstack([np.ones((len(topics) - n_empty, 3)), np.zeros((n_empty, 3))]))
    known, outside = totals_of(counts), np.broadcast_to(n_outside, len(topics))
    totals = WordTotals(known.n_words + outside, known.n_distinct + outside, outside, outside.astype(float))
    ops = ReferenceOps()
    corpus = Corpus.in_memory(counts, totals, ["a", "b", "c"], np.ones(3), 5, ops)
    return learn_scorer(ops, corpus, [], topics, None, np.random.RandomState(0))[:2]


def test_the_level_is_two_and_a_quarter_upper_widths_above_the_median():
    scorer, scores = learnt_from(QUIET)
    np.testing.assert_allclose(scores.plain, QUIET / 5)
    assert scorer.level == pytest.approx(2.25 * 34 / 5)


def test_documents_that_raise_an_alarm_have_no_say_in_the_level():
    loud = np.full(12, 1000.0)
    scorer, scores = learnt_from(np.append(QUIET, loud), np.repeat([0, 30], [len(QUIET), len(loud)]))
    assert (scores.alarms["unknown"] > 0).tolist() == [False] * len(QUIET) + [True] * len(loud)
    assert scorer.level == pytest.approx(2.25 * 34 / 5)


def test_nor_have_those_without_a_known_word():
    scorer, scores = learnt_from(np.append(QUIET, np.full(12, 1000.0)), n_empty=12)
    assert scorer.level == pytest.approx(2.25 * 34 / 5)
    np.testing.assert_array_equal(scores.total[-12:], 0.0)


# ---------------------------------------------------------------------- one road


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_documents_have_the_same_score_in_training_and_later_alone_and_together_to_the_bit(backend):
    texts = [*make_corpus(60, 3).texts, "", "zzz qqq", "goal " * 50]
    detector = TextOutlierDetector(n_restarts=1, backend=backend).fit(texts)
    np.testing.assert_array_equal(detector.outlier_score(texts), detector.outlier_scores_)
    np.testing.assert_array_equal(
        np.concatenate([detector.outlier_score([text]) for text in texts]), detector.outlier_scores_
    )
    read = detector.read(texts)
    np.testing.assert_array_equal(read.scores.total, detector.outlier_scores_)
    np.testing.assert_array_equal(read.scores.plain, detector.scores_before_alarms_)
    for name, raised in detector.alarms(texts).items():
        np.testing.assert_array_equal(raised, detector.alarms_[name])
        np.testing.assert_array_equal(read.scores.alarms[name], detector.alarms_[name])


def test_documents_in_blocks_have_the_scores_of_documents_in_one_piece():
    texts = make_corpus(200, 5).texts
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    whole = detector.outlier_score(texts)
    detector.max_topics = 10**7  # blocks of one document, as far as their number of terms allows
    np.testing.assert_array_equal(detector.outlier_score(texts), whole)


def test_the_mean_over_the_ladder_takes_one_rung_at_a_time():
    scores = [np.array([1.0, 2.0]), np.array([3.0, 6.0])]
    np.testing.assert_array_equal(mean_score(iter(scores)), [2.0, 4.0])
