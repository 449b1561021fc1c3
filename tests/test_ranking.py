"""Rankings: the table that people keep."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

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
    monkeypatch.setattr("tonmf.ranking.table.AT_ONCE", 7)
    done = []
    assert ranking.columns(n_words=3, on_done=done.append) == columns
    assert done == sorted(done)
    assert len(done) == 18
    assert done[-1] == 1
    again = Ranking.by(detector, CORPUS.texts, CORPUS.ids, done.append)
    np.testing.assert_array_equal(again.scores, detector.outlier_scores_)
    assert done[-1] == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_reasons_that_are_found_with_the_scores_are_those_of_the_table(monkeypatch, n_jobs):
    detector = TextOutlierDetector(n_jobs=n_jobs).fit(CORPUS.texts[:80])
    expected = Ranking.by(detector, CORPUS.texts, CORPUS.ids).columns()
    monkeypatch.setattr("tonmf.ranking.table.AT_ONCE", 7)
    done = []
    found = Ranking.by(detector, CORPUS.texts, CORPUS.ids, done.append, with_reasons=True)
    assert found.columns() == expected
    assert done == sorted(done)
    assert done[-1] == 1


def test_only_one_thread_reads_documents_by_code_of_the_user():
    assert TextOutlierDetector(n_jobs=2).fit(CORPUS.texts).n_readers_ == 2
    assert TextOutlierDetector(n_jobs=2, analyzer=str.split).fit(CORPUS.texts).n_readers_ == 1


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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_large_ranking_has_the_table_of_a_ranking_in_the_order_of_the_documents(monkeypatch, n_jobs):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 17)  # several threads look at several batches side by side
    texts = [*CORPUS.texts, CORPUS.texts[0], ""]
    detector = TextOutlierDetector(n_jobs=n_jobs).fit(texts)
    ids = [str(number) for number in range(len(texts))]
    expected = Ranking.of(detector, texts, ids, detector.outlier_scores_).columns()
    batches = BatchesOf(texts)
    large = LargeRanking.of_training(detector, batches.fingerprint)
    written = {name: [] for name in COLUMNS}

    def write(columns, batch):
        assert columns["id"] == batch.ids
        for name, values in columns.items():
            written[name] += values

    large.fetch(batches, top=1, names=[5], write=write, reasons="all")
    order = np.argsort(np.where(detector.empty_, np.inf, -detector.outlier_scores_), kind="stable")
    assert {name: [values[row] for row in order] for name, values in written.items()} == expected
    first = int(order[0])
    assert (large.documents[first], large.ids[first], large.ids[5]) == (texts[first], str(first), "5")


def with_copies():
    """Return texts of which some came several times, and their ids."""
    texts = [*CORPUS.texts, *CORPUS.texts[-4:], CORPUS.texts[-4], *CORPUS.texts[:3], "", ""]
    return texts, [f"doc-{number}" for number in range(len(texts))]


def test_exact_copies_share_a_line_and_a_rank():
    texts, ids = with_copies()
    detector = TextOutlierDetector().fit(texts)
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    lines = ranking.lines(1000)
    shown = [texts[line[0]] for line in lines]
    assert len(set(shown)) == len(shown) == len(set(texts) - {""})
    for line in lines:
        assert [texts[row] for row in line] == [texts[line[0]]] * texts.count(texts[line[0]])
        assert len(set(ranking.ranks[line].tolist())) == 1
    ranks = [int(ranking.ranks[line[0]]) for line in lines]
    assert ranks == sorted(ranks)
    sizes = dict(zip(ranks, map(len, lines), strict=True))
    assert all(later >= rank + sizes[rank] for rank, later in pairwise(ranks)), "copies leave a gap, as other ties do"
    assert ranking.lines(7) == lines[:7]
    assert ranking.lines(1000, all_copies=True) == [[row] for row in ranking.order[:-2].tolist()]
    assert ranking.lines(0) == []


def test_baskets_in_another_order_and_equal_rows_of_counts_are_copies():
    baskets = [text.split() for text in CORPUS.texts]
    baskets += [baskets[0][::-1], baskets[0]]
    counts = CountVectorizer().fit_transform(map(" ".join, baskets))
    for documents in (baskets, counts, counts.toarray()):
        detector = TextOutlierDetector().fit(documents)
        ids = list(map(str, range(len(baskets))))
        ranking = Ranking.of(detector, documents, ids, detector.outlier_scores_)
        assert [sorted(line) for line in ranking.lines(1000) if len(line) > 1] == [[0, 120, 121]]


def test_documents_that_embeddings_tell_apart_are_no_copies():
    rng = np.random.default_rng(0)
    texts, ids = [*CORPUS.texts, CORPUS.texts[0]], list(map(str, range(121)))
    embeddings = rng.standard_normal((121, 4))
    detector = TextOutlierDetector().fit(texts, embeddings=embeddings)
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    assert all(len(line) == 1 for line in ranking.lines(1000))


@pytest.mark.parametrize("top", [1, 3, 10])
def test_a_large_ranking_has_the_lines_of_a_ranking(top):
    texts, ids = with_copies()
    detector = TextOutlierDetector().fit(texts)
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    batches = BatchesOf(texts)
    large = LargeRanking.of_training(detector, batches.fingerprint)
    large.fetch(batches, top=top, names=[])
    lines = large.lines(top)
    assert lines == ranking.lines(top)
    assert [large.documents[line[0]] for line in lines] == [texts[line[0]] for line in lines]
    assert [len(large.names(line)) for line in lines] == [len(line) for line in lines]


def test_more_copies_than_a_large_ranking_keeps_are_counted_all_the_same(monkeypatch):
    texts = [*CORPUS.texts, *[CORPUS.texts[-1]] * 8]
    detector = TextOutlierDetector().fit(texts)
    lines = Ranking.of(detector, texts, texts, detector.outlier_scores_).lines(1000)
    place = next(place for place, line in enumerate(lines) if len(line) == 9)
    monkeypatch.setattr("tonmf.ranking.large.MOST_LISTED", place + 3)
    batches = BatchesOf(texts)
    large = LargeRanking.of_training(detector, batches.fingerprint)
    large.fetch(batches, top=place + 1, names=[])
    assert large.lines(place + 1) == lines[: place + 1]
    assert len(large.names(lines[place])) == 3


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


def test_reasons_take_the_embeddings_of_the_training_documents():
    texts = make_corpus(n_docs=80, n_outliers=3, random_state=0).texts
    embeddings = np.random.default_rng(0).standard_normal((80, 4))
    detector = TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(texts, embeddings=embeddings)
    ids = list(map(str, range(80)))
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    assert all(ranking.columns()["reason"])
    why = ranking.explain([5])[0]
    assert why.score == pytest.approx(detector.outlier_scores_[5], abs=1e-6)
    by = Ranking.by(detector, texts, ids, embeddings=embeddings, with_reasons=True)
    np.testing.assert_allclose(by.scores, detector.outlier_scores_, atol=1e-6)


def test_scores_by_embeddings_that_nobody_has_get_no_sentence(tmp_path):
    texts = make_corpus(n_docs=80, n_outliers=3, random_state=0).texts
    embeddings = np.random.default_rng(0).standard_normal((80, 4))
    TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(texts, embeddings=embeddings).save(tmp_path / "model")
    detector = load(tmp_path / "model")
    scores = detector.outlier_score(texts, embeddings=embeddings)
    columns = Ranking.of(detector, texts, list(map(str, range(80))), scores, np.ones(80)).columns()
    assert set(columns["reason"]) == {None}
    assert any(columns["unexpected_terms"])
