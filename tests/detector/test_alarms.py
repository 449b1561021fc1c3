"""Documents that no topic can speak about: of unknown, rare or repeated words, or of none."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from strangers import GERMAN, planted

from benchmarks.tasks import TASKS
from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.datasets.archives import read_bbc, read_newsgroups, read_reuters_sgml
from tonmf.detector.scores.alarms import CUTS, Alarms, sums_over_terms
from tonmf.text.documents import items_of
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


def test_the_alarms_hardly_change_the_ranking_of_ordinary_outliers(data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    changes = []
    for task in TASKS.values():
        if task.collection in ("BBC", "20 Newsgroups, bodies") and task.tuned:
            draw = task.draw(0)
            detector = TextOutlierDetector(n_restarts=1).fit(draw.documents)
            both = detector.outlier_scores_, detector.scores_before_alarms_
            changes.append(np.subtract(*[roc_auc_score(draw.labels, scores) for scores in both]))
    assert len(changes) == 4
    assert np.abs(changes).max() < 0.005


def counts_of(baskets, min_df=2):
    return TermCounter(items_of, min_df).learn(baskets)


def rarity_of(counts):
    return sums_over_terms(counts.matrix, inverse_document_frequencies(counts.matrix) - 1)


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


def test_short_documents_get_the_benefit_of_the_doubt():
    """One unknown word of one is not what fifty unknown words of fifty are."""
    baskets = [text.split() for text in make_corpus(200, 0).texts]
    counts = counts_of([*baskets, ["unheard"], [f"unheard-{i}" for i in range(50)]])
    raised = raised_by(counts)["unknown"]
    assert raised[-1] > 3 * raised[-2]


def test_a_word_twice_is_no_repetition_and_a_word_a_hundred_times_is():
    baskets = [text.split() for text in make_corpus(200, 0).texts]
    counts = counts_of([*baskets, ["goal"] * 100, ["goal"] * 2])
    raised = raised_by(counts)["repeated"]
    assert raised[-2] > 0
    assert raised[-2] > 3 * raised[-1]


def test_documents_that_are_all_alike_have_no_width_but_a_smallest_one():
    counts = counts_of([["a", "b", "c"]] * 50)
    assert all(width > 0 for width in alarms_of(counts).widths.values())
    assert all((values == 0).all() for values in raised_by(counts).values())
