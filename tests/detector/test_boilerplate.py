"""Boilerplate, from the option to the scores: in memory, on disk, saved, and in streams."""

import json

import numpy as np
import pytest
from saved_models import CORPUS, NEW, SMALL, check_same

from tonmf import InputError, ParameterError, TextOutlierDetector, load
from tonmf.datasets import load_noticeboard, make_corpus
from tonmf.metrics import area_under_curve

FOOTER = "Posted on the board of the association, please write to the person and not to the board"
FOOTED = [f"{text}.\n{FOOTER}." for text in CORPUS.texts]


def footed(texts, footer=FOOTER):
    return [f"{text}\n{footer}" for text in texts]


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector(**SMALL).fit(FOOTED)


@pytest.mark.parametrize("share", [1.0, 0.6, 0.2])
def test_a_footer_leaves_the_ranking_as_it_was(share):
    board = load_noticeboard()
    plain = TextOutlierDetector(n_restarts=1).fit(board.texts)
    with_footer = np.random.default_rng(0).random(len(board.texts)) < share
    texts = [f"{text}\n{FOOTER}" if has else text for text, has in zip(board.texts, with_footer, strict=True)]
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    assert detector.boilerplate_ == [(FOOTER, pytest.approx(with_footer.mean()))]
    np.testing.assert_array_equal(detector.outlier_scores_, plain.outlier_scores_)
    np.testing.assert_array_equal(detector.outlier_score(texts), plain.outlier_scores_)
    counted = TextOutlierDetector(n_restarts=1, boilerplate=None).fit(texts)
    assert counted.boilerplate_ == []
    assert (
        area_under_curve(board.labels, counted.outlier_scores_)
        < area_under_curve(board.labels, detector.outlier_scores_) - 0.03
    )


def test_a_higher_share_leaves_less_out():
    texts = [*footed(CORPUS.texts[:30]), *CORPUS.texts[30:]]
    assert TextOutlierDetector(**SMALL, boilerplate=0.25).fit(texts).boilerplate_ == [(FOOTER, 0.25)]
    assert TextOutlierDetector(**SMALL, boilerplate=0.26).fit(texts).boilerplate_ == []


@pytest.mark.parametrize("value", [0, -0.1, 1.1, "5%", True, float("nan")])
def test_wrong_shares_are_refused(value):
    with pytest.raises(
        ParameterError, match="boilerplate must be a share of the documents above 0 and up to 1, or None"
    ):
        TextOutlierDetector(boilerplate=value).fit(CORPUS.texts)


@pytest.mark.parametrize(
    ("documents", "options", "because"),
    [
        ([["milk", "bread"], ["milk"]], {}, "on rows of items"),
        (np.eye(3), {}, "on a matrix of counts"),
        (["milk", "bread"], {"analyzer": str.split}, "beside an analyzer of your own"),
    ],
)
def test_the_option_is_refused_where_it_has_no_effect(documents, options, because):
    with pytest.raises(ParameterError, match=f"boilerplate=0.2 has no effect {because}"):
        TextOutlierDetector(boilerplate=0.2, **options).fit(documents)


def test_baskets_matrices_and_analyzers_of_ones_own_have_no_boilerplate():
    rows = [[f"milk. bread{i % 3}", "sugar"] for i in range(12)]
    for documents, options in ((rows, {}), (np.ones((5, 3)), {}), (footed(["a b"] * 5), {"analyzer": str.split})):
        assert TextOutlierDetector(**SMALL, **options).fit(documents).boilerplate_ == []


def test_disk_gives_the_scores_of_memory_and_goes_on_from_its_cache(detector, tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.detector.disk.store.SHARD_DOCS", 50)
    monkeypatch.setattr("tonmf.text.batches.BATCH", 30)
    for _ in range(2):
        other = TextOutlierDetector(**SMALL, memory="1GB", cache=tmp_path / "cache").fit(FOOTED)
        assert other.boilerplate_ == detector.boilerplate_ == [(FOOTER, 1.0)]
        assert other.terms_ == detector.terms_
        np.testing.assert_allclose(other.outlier_scores_, detector.outlier_scores_, atol=2e-4)
        np.testing.assert_allclose(other.outlier_score(FOOTED), other.outlier_scores_, atol=1e-6)
    with pytest.raises(InputError, match=r"with other options \(boilerplate\)"):
        TextOutlierDetector(**SMALL, memory="1GB", cache=tmp_path / "cache", boilerplate=None).fit(FOOTED)


def test_documents_that_are_read_once_lose_their_boilerplate_too(detector):
    other = TextOutlierDetector(**SMALL, memory="1GB").fit(iter(FOOTED))
    np.testing.assert_allclose(other.outlier_scores_, detector.outlier_scores_, atol=2e-4)


def test_a_saved_detector_leaves_the_same_out(detector, tmp_path):
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.boilerplate_ == detector.boilerplate_
    assert loaded.boilerplate == 0.05
    check_same(detector, loaded, FOOTED, [*FOOTED[:20], *footed(NEW), FOOTER])


def test_a_model_without_excerpts_has_no_text_of_boilerplate_but_knows_it(detector, tmp_path):
    detector.save(tmp_path / "model", excerpts=False)
    loaded = load(tmp_path / "model")
    assert loaded.boilerplate_ == [("", 1.0)]
    assert "Posted" not in json.dumps((tmp_path / "model" / "model.json").read_text())
    np.testing.assert_array_equal(loaded.outlier_score(footed(NEW)), detector.outlier_score(footed(NEW)))


def test_words_of_boilerplate_are_neither_unexpected_nor_marked(detector):
    document = f"Posted flour yeast dough.\n{FOOTER}"
    words = detector.unexpected_words([document], n_words=20)[0]
    assert {word.word for word in words} <= {"posted", "flour", "yeast", "dough"}
    marked = [piece.text for piece in detector.pieces(document, words) if piece.share > 0]
    assert marked.count("Posted") <= 1
    assert set(marked) <= {"Posted", "flour", "yeast", "dough"}
    assert "".join(piece.text for piece in detector.pieces(document, words)) == document


# ---------------------------------------------------------------------- streams

STREAM = make_corpus(n_docs=400, n_outliers=8, random_state=3).texts


def batches(texts, size=50):
    return [texts[low : low + size] for low in range(0, len(texts), size)]


def test_boilerplate_of_the_fit_is_left_out_of_what_is_learnt():
    detector = TextOutlierDetector(**SMALL).partial_fit(footed(STREAM[:200]))
    other = TextOutlierDetector(**SMALL).partial_fit(STREAM[:200])
    for some in batches(STREAM[200:]):
        detector.partial_fit(footed(some))
        other.partial_fit(some)
        np.testing.assert_array_equal(detector.outlier_scores_, other.outlier_scores_)
    assert detector.boilerplate_ == [(FOOTER, 1.0)]
    assert detector.terms_ == other.terms_


def test_a_footer_that_begins_later_joins():
    detector = TextOutlierDetector(**SMALL).partial_fit(STREAM[:200])
    detector.partial_fit(footed(STREAM[200:205]))
    assert detector.boilerplate_ == []  # 5 of 205 documents
    detector.partial_fit(footed(STREAM[205:250]))
    assert detector.boilerplate_ == [(FOOTER, pytest.approx(50 / 250))]
    np.testing.assert_array_equal(
        detector.outlier_score(footed(STREAM[250:])), detector.outlier_score([f"{text}\n" for text in STREAM[250:]])
    )


def test_a_footer_that_ends_leaves_when_it_has_faded():
    detector = TextOutlierDetector(**SMALL, half_life=40).partial_fit(footed(STREAM[:100]))
    shares = []
    for some in batches(STREAM[100:]):
        shares += [share for _, share in detector.partial_fit(some).boilerplate_]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] < 0.6
    assert detector.boilerplate_ == []


def test_a_stream_that_was_saved_goes_on_as_it_would_have(tmp_path):
    detector = TextOutlierDetector(**SMALL, half_life=500).partial_fit(STREAM[:150])
    detector.partial_fit(footed(STREAM[150:154]))
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    for one in (detector, loaded):
        one.partial_fit(footed(STREAM[154:200])).partial_fit(footed(STREAM[200:250]))
    assert loaded.boilerplate_ == detector.boilerplate_ != []
    np.testing.assert_array_equal(loaded.outlier_scores_, detector.outlier_scores_)
    check_same(detector, loaded, STREAM, footed(NEW))


def test_streams_without_the_option_leave_nothing_out():
    detector = TextOutlierDetector(**SMALL, boilerplate=None).partial_fit(footed(STREAM[:100]))
    assert detector.partial_fit(footed(STREAM[100:200])).boilerplate_ == []
