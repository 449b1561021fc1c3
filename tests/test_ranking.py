"""Rankings: the table that people keep."""

import numpy as np
import scipy.sparse as sp

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.ranking import COLUMNS, Ranking, pieces_of

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


def test_training_documents_are_known_again(tmp_path):
    detector = TextOutlierDetector().fit(CORPUS.texts)
    assert Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_).is_of_training
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert Ranking.by(loaded, CORPUS.texts, CORPUS.ids).is_of_training
    assert not Ranking.by(loaded, CORPUS.texts[::-1], CORPUS.ids).is_of_training
    other = Ranking.by(loaded, CORPUS.texts[:50], CORPUS.ids[:50])
    assert not other.is_of_training
    assert other.small_groups == []


def test_documents_without_words_are_told_apart_from_strange_ones():
    detector = TextOutlierDetector().fit(CORPUS.texts)
    texts = ["zxcv qwer", "", "the and", *CORPUS.texts[:5]]
    assert Ranking.by(detector, texts, list(map(str, range(8)))).empty == [1, 2]


def test_the_rule_says_how_the_threshold_came_about():
    automatic = TextOutlierDetector().fit(CORPUS.texts)
    share = TextOutlierDetector(contamination=0.05).fit(CORPUS.texts)
    by_rule, by_share = (
        Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_) for detector in (automatic, share)
    )
    assert by_rule.rule == (
        f"score above {automatic.threshold_:.2f}, the automatic threshold: median + 2.25 (P84 − median)"
    )
    assert by_share.rule == f"score above {share.threshold_:.2f}, so that 5 % of the training documents are"


def test_pieces_of_a_row_of_counts_are_its_terms():
    X = sp.csr_matrix(np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0]] * 10))
    detector = TextOutlierDetector().fit(X, terms=["ant", "bee", "cow"])
    words = detector.unexpected_words(X[[0]], 1)[0]
    pieces = pieces_of(detector, X, 0, words)
    assert {piece.text for piece in pieces} <= {"ant", "cow", " "}
    assert next(piece.text for piece in pieces if piece.share > 0) == words[0].word
