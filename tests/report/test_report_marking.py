"""What a page is sent to follow marks: rows of documents within the room, and the rule."""

import base64
import gzip
import itertools
import json

import numpy as np
import pytest
from saved_models import CORPUS, SMALL

from tonmf import TextOutlierDetector
from tonmf.datasets import load_noticeboard
from tonmf.ranking import Ranking
from tonmf.report import marking, summarise
from tonmf.report.html import LEVEL
from tonmf.report.marking import STEPS, marking_of


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)


def ranking_by(detector, texts=CORPUS.texts, ids=CORPUS.ids):
    return Ranking.by(detector, texts, ids)


def rows_of(sent):
    """The rows that a page unpacks, dense."""
    rows = np.zeros((len(sent["lengths"]), sent["n_columns"]))
    ends = np.cumsum([0, *sent["lengths"]])
    for row, (start, end) in enumerate(itertools.pairwise(ends)):
        rows[row, np.cumsum(sent["columns"][start:end])] = np.array(sent["values"][start:end]) / sent["steps"]
    return rows


def packed_size(sent):
    return len(base64.b64encode(gzip.compress(json.dumps(sent, separators=(",", ":")).encode(), LEVEL)))


def test_rows_are_those_of_the_detector_but_for_rounding(detector):
    ranking = ranking_by(detector)
    sent = marking_of(ranking)
    rows = rows_of(sent["rows"])[sent["row_of"]]
    known = detector.unit_rows([CORPUS.texts[row] for row in ranking.order])
    assert sent["documents"] == len(CORPUS.texts)
    assert np.abs(rows @ rows.T - (known @ known.T).toarray()).max() < 10 / STEPS


def test_each_row_is_sent_once(detector):
    texts = [CORPUS.texts[0]] * 50 + CORPUS.texts[:10]
    sent = marking_of(ranking_by(detector, texts, [str(number) for number in range(60)]))
    ordinary = set(CORPUS.texts)
    assert len(sent["rows"]["lengths"]) <= len(ordinary)
    assert len(set(sent["row_of"])) == 10


def test_documents_that_do_not_fit_are_left_out_from_the_bottom(detector, monkeypatch):
    ranking = ranking_by(detector)
    whole = marking_of(ranking)
    monkeypatch.setattr(marking, "ROOM", 12_000)
    sent = marking_of(ranking)
    assert 0 < sent["documents"] < whole["documents"]
    assert sent["unmarked"] == whole["unmarked"][: sent["documents"]]
    assert 0 < len(sent["ordinary"]["rows"]) < sent["ordinary"]["all"] == len(whole["ordinary"]["rows"])


def test_what_is_sent_fits_into_the_room(monkeypatch):
    board = load_noticeboard()
    detector = TextOutlierDetector(**SMALL).fit(board.texts)
    ranking = Ranking.by(detector, board.texts, board.ids)
    for room in (10_000, 20_000):
        monkeypatch.setattr(marking, "ROOM", room)
        assert packed_size(marking_of(ranking)) < room


def test_copies_are_sent_together_or_not_at_all(detector, monkeypatch):
    texts = [CORPUS.texts[0], *CORPUS.texts[1:20], *[CORPUS.texts[0]] * 5]
    ranking = ranking_by(detector, texts, [str(number) for number in range(len(texts))])
    scores = ranking.scores[ranking.order]
    for room in range(1000, 20_000, 1000):
        monkeypatch.setattr(marking, "ROOM", room)
        n_docs = marking_of(ranking)["documents"]
        assert n_docs in (0, len(texts)) or scores[n_docs - 1] > scores[n_docs]


def test_marks_that_there_are_and_scores_without_them_are_sent():
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    detector.mark(strange=[CORPUS.ids[3]], fine=[CORPUS.ids[5]])
    ranking = ranking_by(detector)
    sent = marking_of(ranking)
    assert {mark["id"]: mark["mark"] for mark in sent["marks"]} == detector.marks_
    np.testing.assert_allclose(sent["unmarked"], detector.unmarked_scores_[ranking.order], atol=1e-9)
    assert sent["rule"]["threshold"] < detector.threshold_


def test_the_fingerprint_tells_reports_apart(detector):
    one, other = marking_of(ranking_by(detector)), marking_of(ranking_by(detector, CORPUS.texts[:-1], CORPUS.ids[:-1]))
    assert one["fingerprint"] == marking_of(ranking_by(detector))["fingerprint"] != other["fingerprint"]


def test_documents_without_words_cannot_be_marked(detector):
    sent = marking_of(ranking_by(detector, [*CORPUS.texts[:9], ""], [str(number) for number in range(10)]))
    assert sent["documents"] == 9


def test_a_share_is_kept_for_training_documents_only():
    detector = TextOutlierDetector(**SMALL, contamination=0.1).fit(CORPUS.texts, names=CORPUS.ids)
    assert marking_of(ranking_by(detector))["rule"]["share"] == 0.1
    assert marking_of(ranking_by(detector, CORPUS.texts[:30], CORPUS.ids[:30]))["rule"]["share"] is None


def test_baskets_and_counts_can_be_marked_too():
    rng = np.random.default_rng(0)
    baskets = [[str(item) for item in rng.choice(20, 5, replace=False)] for _ in range(60)]
    detector = TextOutlierDetector(**SMALL).fit(baskets)
    ranking = Ranking.of(detector, baskets, [str(i) for i in range(60)], detector.outlier_scores_)
    assert summarise(ranking, title="")["marking"]["documents"] == 60
