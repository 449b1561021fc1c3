"""Fits that converge on a sample first: the same on every road, in any order, and as good."""

import numpy as np
import pytest

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.detector.scores.ladder import Ladder
from tonmf.metrics import area_under_curve

FEW = {"n_restarts": 1, "topic_shares": (0.02,)}


@pytest.fixture
def sample_first(monkeypatch):
    """A sample of half of the documents."""
    monkeypatch.setattr("tonmf.detector.scores.ladder.MANY", 400)
    monkeypatch.setattr("tonmf.detector.scores.ladder.SAMPLE", 300)


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(n_docs=600, n_outliers=12)


def test_outliers_are_found_as_well_as_without_a_sample(corpus, monkeypatch):
    without = TextOutlierDetector().fit(corpus.texts)
    monkeypatch.setattr("tonmf.detector.scores.ladder.MANY", 400)
    monkeypatch.setattr("tonmf.detector.scores.ladder.SAMPLE", 300)
    detector = TextOutlierDetector().fit(corpus.texts)
    assert (detector.outlier_scores_ != without.outlier_scores_).any()
    assert area_under_curve(corpus.labels, detector.outlier_scores_) > 0.99


def test_out_of_core_gives_the_scores_of_memory(sample_first, corpus, monkeypatch):
    monkeypatch.setattr("tonmf.detector.disk.store.SHARD_DOCS", 100)
    near, far = (TextOutlierDetector(memory=memory).fit(corpus.texts) for memory in (None, "1GB"))
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, atol=2e-4)
    assert far.threshold_ == pytest.approx(near.threshold_, abs=2e-4)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_neither_the_number_of_threads_nor_the_order_of_documents_matters(sample_first, corpus, n_jobs):
    order = np.random.default_rng(0).permutation(len(corpus.texts))
    scores = TextOutlierDetector(**FEW).fit(corpus.texts).outlier_scores_
    permuted = TextOutlierDetector(**FEW, n_jobs=n_jobs).fit([corpus.texts[number] for number in order])
    np.testing.assert_allclose(permuted.outlier_scores_, scores[order], atol=1e-3)


def test_a_fit_on_disk_that_was_cut_short_goes_on_to_the_same_scores(sample_first, corpus, tmp_path):
    expected = TextOutlierDetector(**FEW, memory="1GB").fit(corpus.texts)
    shares = []

    def stop(share):
        shares.append(share)
        if len(shares) == 47:  # of the second fit, the last pass but three; those that fits share are reported at once
            raise KeyboardInterrupt

    options = {**FEW, "memory": "1GB", "cache": tmp_path / "cache"}
    with pytest.raises(KeyboardInterrupt):
        TextOutlierDetector(**options, callback=stop).fit(corpus.texts)
    again = []
    resumed = TextOutlierDetector(**options, callback=again.append).fit(corpus.texts)
    np.testing.assert_array_equal(resumed.outlier_scores_, expected.outlier_scores_)
    for reported in (shares, again):
        assert reported == sorted(reported)
    assert again[-1] == 1


def test_fits_begin_together_and_end_as_they_would_alone(sample_first, corpus, monkeypatch):
    begun, begin = [], Ladder._begin_sample
    monkeypatch.setattr(Ladder, "_begin_sample", lambda self, *args: begun.append(args[2]) or begin(self, *args))
    together = TextOutlierDetector(n_restarts=2, topic_shares=(0.02, 0.04)).fit(corpus.texts).rungs_
    assert len(begun) == len(set(begun)) == 2
    for place, share in enumerate((0.02, 0.04)):
        alone = TextOutlierDetector(n_restarts=2, topic_shares=(share,)).fit(corpus.texts).rungs_
        for one, other in zip(together[2 * place : 2 * place + 2], alone, strict=True):
            np.testing.assert_array_equal(one.topics, other.topics)


def test_documents_of_which_a_sample_has_no_word_are_read_all_the_same(sample_first):
    """Almost all documents are empty, and the sample may be."""
    texts = [""] * 600 + ["apple pear plum"] * 3 + ["apple pear quince"] * 3
    scores = TextOutlierDetector(**FEW).fit(texts).outlier_scores_
    assert np.isfinite(scores).all()
