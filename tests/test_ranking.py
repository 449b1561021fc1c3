"""Rankings: the table that people keep."""

import numpy as np
import scipy.sparse as sp

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.ranking import COLUMNS, Ranking

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)


def test_columns_hold_every_document_the_strangest_first(monkeypatch):
    detector = TextOutlierDetector().fit(CORPUS.texts)
    ranking = Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_)
    columns = ranking.columns(n_words=3)
    assert tuple(columns) == COLUMNS
    assert {len(column) for column in columns.values()} == {120}
    order = np.argsort(-detector.outlier_scores_, kind="stable")
    assert columns["id"] == [CORPUS.ids[row] for row in order]
    assert columns["text"] == [CORPUS.texts[row] for row in order]
    assert columns["outlier"] == (detector.labels_[order] == -1).tolist()
    words = detector.unexpected_words([CORPUS.texts[row] for row in order], 3)
    assert columns["unexpected_terms"] == [[word.word for word in of_document] for of_document in words]
    monkeypatch.setattr("tonmf.ranking.AT_ONCE", 7)
    done = []
    assert ranking.columns(n_words=3, on_done=done.append) == columns
    assert done == sorted(done)
    assert len(done) == 18
    assert done[-1] == 1
    again = Ranking.by(detector, CORPUS.texts, CORPUS.ids, done.append)
    np.testing.assert_array_equal(again.scores, detector.outlier_scores_)
    assert done[-1] == 1


def test_a_topic_is_the_one_with_the_largest_share():
    detector = TextOutlierDetector().fit(CORPUS.texts)
    topics, _ = detector.reasons([*CORPUS.texts[:20], "zxcv", ""])
    assert topics[-2:] == [None, None]
    for number, why in zip(topics, detector.explain(CORPUS.texts[:20]), strict=False):
        assert number == why.topics[0].number


def test_baskets_are_written_out_and_rows_of_counts_have_no_text():
    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector().fit(baskets)
    ranking = Ranking.of(detector, baskets, CORPUS.ids, detector.outlier_scores_)
    assert ranking.text(3) == CORPUS.texts[3]
    counts = sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (30, 8)))
    detector = TextOutlierDetector().fit(counts)
    ranking = Ranking.of(detector, counts, [str(n) for n in range(30)], detector.outlier_scores_)
    assert ranking.columns()["text"] == [None] * 30
