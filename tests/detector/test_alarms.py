"""Documents that no topic can speak about: of unknown, rare or repeated words, or of none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from strangers import GERMAN, planted

from benchmarks.tasks import TASKS
from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.datasets.archives import read_bbc, read_newsgroups, read_reuters_sgml
from tonmf.detector.scores.alarms import CUTS, Alarms
from tonmf.detector.scores.alarms import rarity_of as rarity_of_rows
from tonmf.text.documents import items_of
from tonmf.text.totals import WordTotals
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import inverse_document_frequencies


@pytest.fixture(scope="module", params=["bbc", "reuters"])
def thousand(request, data_folder):
    """A thousand English documents."""
    if request.param == "bbc":
        documents = read_bbc(data_folder / "bbc-fulltext.zip")
    else:
        documents = read_reuters_sgml(data_folder / "reuters21578.tar.gz")
    chosen = np.random.default_rng(0).permutation(len(documents))[:1000]
    return [documents[i].text for i in chosen]


def test_strangers_among_the_training_documents_are_in_the_top_40(thousand):
    strange, empty = planted(np.random.default_rng(1))
    texts = [*thousand, *strange, *empty]
    detector = TextOutlierDetector().fit(texts)
    rank = np.empty(len(texts), int)
    rank[np.argsort(-detector.outlier_scores_)] = np.arange(1, len(texts) + 1)
    assert rank[1000:1030].max() <= 40
    assert np.flatnonzero(detector.empty_).tolist() == [1030, 1031, 1032, 1033, 1034]
    assert (detector.labels_[1000:1030] == -1).all()
    assert (detector.labels_[1030:] == 1).all()  # there is nothing to judge them by


def test_strangers_among_new_documents_are_flagged_and_say_why(thousand):
    strange, empty = planted(np.random.default_rng(1))
    detector = TextOutlierDetector().fit(thousand)
    assert (detector.predict(strange) == -1).all()
    assert (detector.predict(empty) == 1).all()
    assert (detector.predict(thousand) == -1).mean() < 0.04
    raised = detector.alarms([*strange, *empty])
    assert (raised["unknown"][:20] > 0).all()
    assert (raised["repeated"][20:30] > 0).all()
    assert (raised["empty"][30:] == 1).all()
    assert sum((values[:1000] > 0).sum() for values in detector.alarms(thousand).values()) <= 15


def test_a_few_documents_in_another_language_do_not_explain_one_another(data_folder):
    """In a mixed corpus they make a topic of their own at every scale, and had the lowest scores of all."""
    posts = read_newsgroups(data_folder / "20news-bydate.tar.gz")
    chosen = np.random.default_rng(0).permutation(len(posts))[:1000]
    detector = TextOutlierDetector().fit([*[posts[i].text for i in chosen], *GERMAN])
    assert (detector.outlier_scores_[1000:] > detector.threshold_).all()
    assert (detector.alarms_["rare"][1000:] > 0).all()


def test_the_alarms_hardly_change_the_ranking_of_ordinary_outliers_and_not_for_the_worse(data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    changes = []
    for task in TASKS.values():
        if task.collection in ("BBC", "20 Newsgroups, bodies") and task.tuned:
            draw = task.draw(0)
            detector = TextOutlierDetector(n_restarts=1).fit(draw.documents)
            both = detector.outlier_scores_, detector.scores_before_alarms_
            changes.append(np.subtract(*[roc_auc_score(draw.labels, scores) for scores in both]))
    assert len(changes) == 4
    assert min(changes) > -0.001
    assert max(changes) < 0.01


def counts_of(baskets, min_df=2):
    return TermCounter(items_of, min_df).learn(baskets)


def rarity_of(counts):
    return rarity_of_rows(counts.matrix, inverse_document_frequencies(counts.matrix))


def alarms_of(counts):
    return Alarms.learn(counts.totals, rarity_of(counts))


def raised_by(counts):
    """The alarms that documents raise among themselves."""
    return alarms_of(counts).raised(counts.totals, rarity_of(counts))


def test_an_ordinary_document_raises_none():
    counts = counts_of([text.split() for text in make_corpus(200, 0).texts])
    raised = raised_by(counts)
    assert set(raised) == {*CUTS, "empty"}
    assert all((values == 0).all() for values in raised.values())


def unheard(n_words, name="unheard"):
    return [f"{name}-{i}" for i in range(n_words)]


def test_short_documents_get_the_benefit_of_the_doubt():
    """One unknown word of one is not what ten unknown words of ten are, nor these what fifty of fifty are."""
    baskets = [text.split() for text in make_corpus(200, 0).texts]
    counts = counts_of([*baskets, ["unheard"], unheard(10, "some"), unheard(50)])
    one, ten, fifty = raised_by(counts)["unknown"][-3:]
    assert one == 0
    assert 0.5 < ten < fifty


def small_and_large(n_docs, own_share):
    """Baskets of thirty items of which a share is in no other, as in corpora of few documents, or of many."""
    rng = np.random.default_rng(0)
    n_own = round(30 * own_share)
    return [
        [*(f"item-{i}" for i in rng.choice(60, 30 - n_own, replace=False)), *unheard(n_own, f"own-{doc}")]
        for doc in range(n_docs)
    ]


@pytest.mark.parametrize(("n_docs", "own_share"), [(20, 0.5), (60, 0.3), (200, 0.1), (2000, 0.0)])
def test_ten_unknown_words_raise_an_alarm_in_small_and_large_corpora(n_docs, own_share):
    counts = counts_of([*small_and_large(n_docs, own_share), unheard(10)])
    raised = raised_by(counts)["unknown"]
    assert raised[-1] > 0
    assert (raised[:-1] == 0).all()


@given(own_share=st.floats(0, 0.6), n_docs=st.integers(15, 60), length=st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_one_unknown_word_never_raises_an_alarm(own_share, n_docs, length):
    """Nor does a short document without any, where documents have hardly any."""
    counts = counts_of([*small_and_large(n_docs, own_share), ["unheard", *(f"item-{i}" for i in range(length - 1))]])
    alarms, rarity = alarms_of(counts), rarity_of(counts)
    assert alarms.raised(counts.totals, rarity)["unknown"][-1] == 0
    known = counts.totals.take(np.array([-1]))
    known = replace(known, n_distinct=known.n_distinct - known.n_outside + 1, n_outside=np.zeros(1, int))
    assert alarms.raised(known, rarity[-1:])["unknown"][0] == 0


@given(n_words=st.integers(1, 100), data=st.data())
def test_the_alarm_grows_with_the_number_of_unknown_words(n_words, data):
    alarms = Alarms(1.0, {"unknown": 0.1, "rare": 0.5}, dict.fromkeys(CUTS, -2.0), dict.fromkeys(CUTS, 0.4))
    fewer, more = sorted(data.draw(st.integers(0, n_words)) for _ in range(2))
    n = np.full(2, n_words)
    raised = alarms.raised(WordTotals(n, n, np.array([fewer, more]), np.array([fewer, more], float)), np.zeros(2))
    assert raised["unknown"][0] <= raised["unknown"][1]


def test_an_earlier_detector_measures_the_share_itself_and_takes_unknown_words_only_for_an_alarm():
    medians, widths = {"unknown": 0.1, "rare": 0.0, "repeated": 0.0}, {"unknown": 0.1, "rare": 9.0, "repeated": 9.0}
    alarms = Alarms(1.0, {"unknown": 0.1, "rare": 0.5}, medians, widths, log_odds=False)
    n_words, n_outside = np.array([1, 95, 95]), np.array([1, 95, 94])
    raised = alarms.raised(WordTotals(n_words, n_words, n_outside, n_outside.astype(float)), np.zeros(3))["unknown"]
    shares = (n_outside[1:] + 0.5) / 100
    np.testing.assert_allclose(raised, [1, max(1, (shares[0] - 0.1) / 0.8 - 1), (shares[1] - 0.1) / 0.8 - 1])


def test_a_word_twice_is_no_repetition_and_a_word_a_hundred_times_is():
    baskets = [text.split() for text in make_corpus(200, 0).texts]
    counts = counts_of([*baskets, ["goal"] * 100, ["goal"] * 2])
    raised = raised_by(counts)["repeated"]
    assert raised[-2] > 0
    assert raised[-2] > 3 * raised[-1]


def test_among_documents_of_a_few_words_one_word_twice_is_no_repetition():
    counts = counts_of([*(["a", f"b{n % 7}", f"c{n % 5}"] for n in range(100)), ["a", "b1", "a"], ["a"] * 4])
    raised = raised_by(counts)["repeated"]
    assert raised[-2] == 0
    assert raised[-1] > 0


def test_documents_that_are_all_alike_have_no_width_but_a_smallest_one():
    counts = counts_of([["a", "b", "c"]] * 50)
    assert all(width > 0 for width in alarms_of(counts).widths.values())
    assert all((values == 0).all() for values in raised_by(counts).values())
