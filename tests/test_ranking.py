"""Rankings: the table that people keep."""

import numpy as np
import scipy.sparse as sp

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.ranking import COLUMNS, LargeRanking, Ranking, pieces_of
from tonmf.report import summarise
from tonmf.text.batches import BatchesOf

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
    ranking = Ranking.by(detector, texts, list(map(str, range(8))))
    assert ranking.empty == [1, 2]
    assert ranking.order.tolist()[-2:] == [1, 2]
    assert ranking.ranks[[1, 2]].tolist() == [7, 7]
    assert ranking.unjudged_notes == ["2 documents have no words that count and were not judged: 1, 2."]
    assert Ranking.by(detector, texts[3:], list(map(str, range(5)))).unjudged_notes == []
    assert Ranking.by(detector, ["", "the"], ["a", "b"]).order.tolist() == [0, 1]


def test_documents_with_the_same_score_have_the_same_rank_everywhere():
    texts = [*CORPUS.texts, *CORPUS.texts[:3], *CORPUS.texts[-3:], "", "the"]
    ids = [str(number) for number in range(len(texts))]
    detector = TextOutlierDetector().fit(texts)
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    columns = ranking.columns()
    in_table = dict(zip(columns["id"], columns["rank"], strict=True))
    assert in_table == {why.id: why.rank for why in detector.explain(texts, n_nearest=0)}
    assert in_table == {document["id"]: document["rank"] for document in summarise(ranking, title="")["documents"]}
    ranks = detector.rank(detector.outlier_scores_, ~detector.empty_)
    assert in_table == dict(zip(ids, ranks.tolist(), strict=True))
    assert [in_table[str(number)] for number in (0, 1, 2)] == [in_table[str(number)] for number in (120, 121, 122)]
    assert columns["rank"][-2:] == [len(texts) - 1] * 2
    assert columns["judged"] == [True] * (len(texts) - 2) + [False] * 2


def test_a_large_ranking_has_the_table_of_a_ranking_in_the_order_of_the_documents():
    texts = [*CORPUS.texts, CORPUS.texts[0], ""]
    detector = TextOutlierDetector().fit(texts)
    ids = [str(number) for number in range(len(texts))]
    expected = Ranking.of(detector, texts, ids, detector.outlier_scores_).columns()
    batches = BatchesOf(texts)
    large = LargeRanking.of_training(detector, batches.fingerprint)
    written = {name: [] for name in COLUMNS}

    def write(columns, batch):
        assert columns["id"] == batch.ids
        for name, values in columns.items():
            written[name] += values

    large.fetch(batches, rows=[3], names=[5], write=write, reasons="all")
    order = np.argsort(np.where(detector.empty_, np.inf, -detector.outlier_scores_), kind="stable")
    assert {name: [values[row] for row in order] for name, values in written.items()} == expected
    assert (large.documents[3], large.ids[3], large.ids[5]) == (texts[3], "3", "5")


def test_the_rule_says_how_the_threshold_came_about():
    automatic = TextOutlierDetector().fit(CORPUS.texts)
    share = TextOutlierDetector(contamination=0.05).fit(CORPUS.texts)
    by_rule, by_share = (
        Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_) for detector in (automatic, share)
    )
    assert by_rule.rule == f"score above {automatic.threshold_:.2f}, the automatic threshold"
    assert by_share.rule == f"score above {share.threshold_:.2f}, so that 5 % of the training documents are"


def test_pieces_of_a_row_of_counts_are_its_terms():
    X = sp.csr_matrix(np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0]] * 10))
    detector = TextOutlierDetector().fit(X, terms=["ant", "bee", "cow"])
    words = detector.unexpected_words(X[[0]], 1)[0]
    pieces = pieces_of(detector, X, 0, words)
    assert {piece.text for piece in pieces} <= {"ant", "cow", " "}
    assert next(piece.text for piece in pieces if piece.share > 0) == words[0].word
