"""The road to a score, with numbers made by hand: how measures combine, where the level lies, and that there is one road."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from repository import ROOT

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.datasets.noticeboard import read_noticeboard
from tonmf.detector.scores.alarms import CUTS, Alarms
from tonmf.detector.scores.company import Company
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.meaning import Meaning
from tonmf.detector.scores.ordinary import sample_of
from tonmf.detector.scores.scale import Scale, doubt
from tonmf.detector.scores.scoring import NO_LUMP, WIDTHS, Measures, Scorer, learn_scorer, level_of, mean_score
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.text.counts import totals_of
from tonmf.text.totals import WordTotals

LEVEL = 2.0

PULL = 20 / 23
"""How much twenty different words count, which documents here have unless they say otherwise."""


def scorer_of():
    """A scorer whose scales leave numbers as they are, and whose alarm "unknown" lies at log-odds of 3.5 widths of 0.4."""
    alarms = Alarms(
        1.0, {"unknown": 0.5, "rare": 0.0}, dict.fromkeys(CUTS, 0.0), {"unknown": 0.4, "rare": 9.0, "repeated": 9.0}
    )
    same = Scale(0.0, 1.0)
    return Scorer([], sp.csr_matrix((0, 0)), same, alarms, LEVEL)


@pytest.fixture
def scorer():
    return scorer_of()


def measures_of(topics, remoteness, meaning=None, company=0.0):
    topics, remoteness = np.array(topics, float), np.array(remoteness, float)
    meaning = None if meaning is None else np.array(meaning)
    return Measures(topics, remoteness, meaning, np.zeros(len(topics)), np.broadcast_to(company, len(topics)))


def totals(n_outside, n_words=20):
    """Documents of so many different words, of which some are outside the vocabulary."""
    n_outside = np.array(n_outside)
    n_words = np.broadcast_to(n_words, n_outside.shape)
    return WordTotals(n_words, n_words, n_outside, n_outside.astype(float))


def test_the_distance_from_ordinary_documents_counts_three_times_as_much_as_b_or_g(scorer):
    scores = scorer.combine(measures_of([5.0, 0.0, 2.0], [0.0, 5.0, 1.0]), totals([0, 0, 0]))
    np.testing.assert_allclose(scores.parts["topics"], PULL * np.array([1.0, 0.0, 0.4]))
    np.testing.assert_allclose(scores.parts["neighbours"], PULL * np.array([0.0, 3.0, 0.6]))
    np.testing.assert_allclose(scores.plain, PULL * np.array([1.0, 3.0, 1.0]))
    np.testing.assert_array_equal(scores.total, scores.plain)


MEANING = Meaning(np.zeros((0, 2), np.float32), np.zeros(2, np.float32), weight=0.5)


def test_the_distance_in_meaning_is_added_by_its_weight_and_nothing_where_it_is_unknown(scorer):
    with_meaning = replace(scorer, meaning=MEANING)
    scores = with_meaning.combine(measures_of([5.0, 5.0], [0.0, 0.0], [0.5, np.nan]), totals([0, 0]))
    np.testing.assert_allclose(scores.plain, [PULL + 0.25, PULL])


def test_company_adds_up_to_its_most_and_less_where_there_are_few_words(scorer):
    among = replace(scorer, company=Company(sp.csr_matrix((0, 0)), np.zeros(0), most=8.0))
    measures = measures_of([5.0] * 4, [0.0] * 4, company=[0.0, np.log(2), 100.0, 100.0])
    scores = among.combine(measures, totals([0] * 4, [20, 20, 20, 3]))
    np.testing.assert_allclose(scores.parts["company"], [0.0, PULL * 4, PULL * 8, 4.0])
    np.testing.assert_allclose(scores.plain - scores.parts["company"], [PULL, PULL, PULL, 0.5])
    assert "company" not in scorer.combine(measures, totals([0] * 4)).parts


def test_few_words_leave_a_document_near_the_middle(scorer):
    """n/(n + 3) of what the words say: half of it where there are three different ones. Meaning counts in full."""
    n_words = [1, 3, 9, 27, 10**6]
    measures = measures_of([5.0] * 5, [0.0] * 5)
    scores = scorer.combine(measures, totals([0] * 5, n_words))
    np.testing.assert_allclose(scores.total, [0.25, 0.5, 0.75, 0.9, 1.0], rtol=1e-5)
    with_meaning = replace(scorer, meaning=MEANING)
    by_meaning = with_meaning.combine(measures_of([0.0] * 5, [0.0] * 5, [4.0] * 5), totals([0] * 5, n_words))
    np.testing.assert_allclose(by_meaning.plain, 2.0)
    np.testing.assert_allclose(replace(scorer, evidence=0.0).combine(measures, totals([0] * 5, n_words)).total, 1.0)


@given(topics=st.floats(-50, 50), remoteness=st.floats(-50, 50), n_words=st.lists(st.integers(1, 500), min_size=2))
def test_more_evidence_never_brings_a_score_nearer_to_the_middle(topics, remoteness, n_words):
    n_docs, n_words = len(n_words), sorted(n_words)
    scores = scorer_of().combine(measures_of([topics] * n_docs, [remoteness] * n_docs), totals([0] * n_docs, n_words))
    assert (np.diff(np.abs(scores.plain)) >= 0).all()
    assert len(set(np.sign(scores.plain))) == 1


def test_an_alarm_lifts_a_document_to_the_level_and_beyond_by_its_size(scorer):
    """20 words of which all or 19 are unknown; five average words, half of which are unknown, are added to each."""
    scores = scorer.combine(measures_of([-5.0, 20.0, -5.0, -5.0], [0.0] * 4), totals([20, 20, 19, 10]))
    log_odds = np.log(np.array([22.5 / 2.5, 22.5 / 2.5, 21.5 / 3.5, 1.0]))
    excess = np.maximum(log_odds / (3.5 * 0.4) - 1, 0)
    assert (excess[:3] > 0.2).all()
    np.testing.assert_allclose(scores.alarms["unknown"], excess)
    strange = PULL * (20 + 2 * (log_odds[1] / 0.4 - 1)) / 5  # unknown words count beyond one width, too
    np.testing.assert_allclose(scores.total[:3], [LEVEL + excess[0], strange + excess[1], LEVEL + excess[2]])
    assert scores.total[3] == pytest.approx(-PULL)


def test_a_document_without_words_is_not_judged_and_lies_in_the_middle(scorer):
    scores = scorer.combine(measures_of([50.0, 50.0], [0.0, 0.0]), totals([0, 0], n_words=[0, 20]))
    assert scores.total.tolist() == [0.0, pytest.approx(10 * PULL)]
    assert scores.judged.tolist() == [False, True]
    for threshold in (LEVEL, -1.0):
        assert scores.outliers(threshold).tolist() == [False, True]


# ---------------------------------------------------------------------- learning a scorer

QUIET = np.append(np.linspace(-50, 49, 100), 500.0)
"""z(b) + z(g) of documents of which one stands out: the median is 0, and P84, of the 85th of 101, is 34."""


def learnt_from(topics, n_outside=0, n_empty=0):
    """The scorer of documents of three words, and their scores; some words more are outside the vocabulary.

    The rows are all alike, so that only the topics tell documents apart, but for those with words outside the vocabulary: these
    have known words of their own, too.
    """
    outside = np.broadcast_to(n_outside, len(topics))
    counts = np.repeat([[1, 1, 1, 0, 0, 0]], len(topics), axis=0)
    counts[outside > 0] = [0, 0, 0, 1, 1, 1]
    counts[len(topics) - n_empty :] = 0
    counts = sp.csr_matrix(counts)
    known = totals_of(counts)
    totals = WordTotals(known.n_words + outside, known.n_distinct + outside, outside, outside.astype(float))
    ops = ReferenceOps()
    corpus = Corpus.in_memory(counts, totals, list("abcdef"), np.ones(6), np.ones(6), 5, ops)
    return learn_scorer(ops, corpus, [], topics, None, np.random.RandomState(0))[:2]


EXPECTED_LEVEL = WIDTHS * (1 + 10 / 101) * 34 / 7 / 2
"""Widths, widened as 101 documents say only so much; three words count half."""


def test_the_level_is_so_many_upper_widths_above_the_median_and_a_little_more_for_few_documents():
    scorer, scores = learnt_from(QUIET)
    np.testing.assert_allclose(scores.plain, QUIET / 7 / 2)
    assert scorer.level == pytest.approx(EXPECTED_LEVEL)


def test_documents_that_raise_an_alarm_have_no_say_in_the_level():
    loud = np.full(12, 1000.0)
    scorer, scores = learnt_from(np.append(QUIET, loud), np.repeat([0, 30], [len(QUIET), len(loud)]))
    assert (scores.alarms["unknown"] > 0).tolist() == [False] * len(QUIET) + [True] * len(loud)
    assert scorer.level == pytest.approx(EXPECTED_LEVEL)


def test_nor_have_those_without_a_known_word():
    scorer, scores = learnt_from(np.append(QUIET, np.full(12, 1000.0)), n_empty=12)
    assert scorer.level == pytest.approx(EXPECTED_LEVEL)
    np.testing.assert_array_equal(scores.total[-12:], 0.0)


def test_where_scores_come_in_lumps_the_level_is_that_of_the_upper_ones():
    """A tenth of the documents are of a rarer kind, far from the others: P84 knows nothing of them, and would flag them all."""
    common = np.linspace(-1, 1, 900)
    lumps = np.concatenate([common, 10 + np.linspace(-1, 1, 100)])
    assert WIDTHS * np.percentile(lumps, 84) < 9
    level = level_of(lumps)
    assert level == pytest.approx(np.percentile(lumps, 50) + WIDTHS * np.percentile(lumps, 95) / 1.645, rel=0.02)
    assert (lumps > level).sum() == 0
    assert (np.append(lumps, [20.0]) > level_of(np.append(lumps, [20.0]))).sum() == 1


def test_where_few_are_strange_they_do_not_move_the_level():
    common = np.linspace(-1, 1, 960)
    few = np.concatenate([common, np.full(40, 10.0)])
    assert level_of(few) == pytest.approx(WIDTHS * np.percentile(few, 84), rel=0.05)
    assert (few > level_of(few)).sum() == 40


@given(scores=st.lists(st.integers(-100, 100), min_size=20, max_size=200))
def test_the_level_moves_with_the_scores(scores):
    scores = np.array(scores, float)
    level = level_of(scores)
    assert level >= np.median(scores) - 1e-9
    assert level_of(scores + 3) == pytest.approx(level + 3, abs=1e-6)
    assert level_of(scores, np.ones(len(scores))) == pytest.approx(
        level_of(np.repeat(scores, 2), np.full(2 * len(scores), 0.5))
    )
    assert level_of(scores, doubt=2.0) >= level - 1e-9


@given(seed=st.integers(0, 1000), n_values=st.integers(2, 2000))
def test_the_spread_of_few_values_is_widened(seed, n_values):
    values = np.random.default_rng(seed).normal(size=n_values)
    low, median, high = np.percentile(values, [16, 50, 84])
    scale = Scale.of(values)
    assert scale.median == median
    assert scale.spread == pytest.approx((high - low) / 2 * (1 + 10 / n_values))
    assert doubt(n_values) > doubt(n_values + 1) > 1


@pytest.mark.parametrize("median", [0.0, 1e-9, 0.5, -3.0])
@pytest.mark.parametrize("noise", [0.0, 1e-12, 3e-8, 2e-7])
def test_values_that_differ_by_rounding_say_nothing(median, noise):
    values = median + noise * np.random.default_rng(0).normal(size=500)
    assert np.abs(Scale.of(values).z(values)).max() < 1e-5


@pytest.mark.parametrize("median", [0.0, 0.5])
def test_values_that_differ_by_more_than_rounding_count(median):
    values = median + 1e-4 * np.random.default_rng(0).normal(size=500)
    assert np.abs(Scale.of(values).z(values)).max() > 2


@pytest.mark.parametrize("n_docs", [5, 10, 20])
def test_a_few_ordinary_posts_have_ordinary_scores(n_docs):
    """They had scores up to 84, as a few documents say little about how far others may stray."""
    ordinary = [post.text for post in read_noticeboard() if post.planted is None]
    for start in range(0, 100, 20):
        detector = TextOutlierDetector(n_restarts=1).fit(ordinary[start : start + n_docs])
        assert detector.outlier_scores_.max() < 10


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


def as_real_text():
    """The demo posts as real text has them: some in HTML, with greetings, footers, copies and numbers of their own."""
    posts = read_noticeboard()
    texts = [post.text for post in posts]
    for number, text in enumerate(texts):
        if number % 5 == 0:
            texts[number] = f"<html><body><p>{text}</p><p>Tea &amp; cake</p></body></html>"
        if number % 3:
            texts[number] += "\n\nSent from the notice board. Reply to board@example.org or call 0161 4960000."
        if number % 4 == 0:
            texts[number] = f"Dear neighbours, {texts[number]} £{number}.50, {number + 1000} of {number + 2000}"
    planted = next(text for text, post in zip(texts, posts, strict=True) if post.planted == "another subject")
    words = texts[3].split()
    near = [" ".join(words[place:] + words[: place // 2]) for place in range(3)]
    short = ["See you there!", "zxcv", "", "4711 0815", "tea " * 60]
    return [*texts, *texts[:5], *[planted] * 4, *near, *short]


@pytest.mark.parametrize("options", [{}, {"mask": "all"}, {"boilerplate": None, "strip_html": False, "mask": None}])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_real_text_keeps_its_scores_to_the_bit(backend, options, tmp_path):
    texts = as_real_text()
    detector = TextOutlierDetector(n_restarts=1, backend=backend, **options).fit(texts)
    np.testing.assert_array_equal(detector.outlier_score(texts), detector.outlier_scores_)
    alone = np.concatenate([detector.outlier_score([text]) for text in texts])
    np.testing.assert_array_equal(alone, detector.outlier_scores_)
    detector.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").outlier_score(texts[::-1])[::-1], detector.outlier_scores_)


def test_documents_in_blocks_have_the_scores_of_documents_in_one_piece():
    texts = make_corpus(200, 5).texts
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    whole = detector.outlier_score(texts)
    detector.max_topics = 10**7  # blocks of one document, as far as their number of terms allows
    np.testing.assert_array_equal(detector.outlier_score(texts), whole)


def test_the_mean_over_the_ladder_takes_one_rung_at_a_time():
    scores = [np.array([1.0, 2.0]), np.array([3.0, 6.0])]
    np.testing.assert_array_equal(mean_score(iter(scores)), [2.0, 4.0])


def test_a_lump_of_high_scores_raises_the_threshold_and_a_few_outliers_do_not():
    ordinary = np.linspace(-1, 1, 30)
    assert (np.full(NO_LUMP, 9.0) > level_of(np.append(ordinary, np.full(NO_LUMP, 9.0)))).all()
    assert (np.full(NO_LUMP + 1, 9.0) < level_of(np.append(ordinary, np.full(NO_LUMP + 1, 9.0)))).all()
    both = np.append(ordinary, [9.0, 9.0])
    assert level_of(both, np.ones(32)) == level_of(both)
    assert level_of(both, np.append(np.ones(30), [1.0, 4.0])) > 9


def test_documents_of_unknown_words_are_no_outliers_where_a_third_are_such():
    """They had no say in the threshold, and all of them were above it."""
    rng = np.random.default_rng(0)
    known = [" ".join(rng.choice(["bread", "flour", "oven", "yeast", "dough"], 3, replace=False)) for _ in range(60)]
    unknown = [" ".join(f"{word}{n}" for word in ("alpha", "beta", "gamma")) for n in range(30)]
    detector = TextOutlierDetector(mask=None, n_restarts=1).fit(known + unknown)
    assert (detector.labels_[60:] == 1).all()
    assert detector.outlier_scores_[60:].min() > detector.outlier_scores_[:60].max()


@pytest.mark.parametrize(
    "path",
    [
        "docs/guide/scores.md",
        "src/tonmf/cli/options.py",
        "src/tonmf/detector/detector.py",
        "src/tonmf/report/web/shared/threshold.js",
    ],
)
def test_all_who_say_the_rule_of_the_threshold_say_the_same(path):
    assert f"median + {WIDTHS:g} (P84 − median)" in (ROOT / path).read_text()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_documents_does_not_matter(seed):
    """Templates with near copies: an order that decided which of them start a topic would move scores by one and more."""
    rng = np.random.default_rng(0)
    subjects, days = ["meeting", "lecture", "lesson", "match"], ["monday", "friday", "sunday", "easter"]
    openings = ["please remember that", "sorry to say", "good news", "as i told you", "just so that you know"]
    texts = [
        f"{rng.choice(openings)} the {rng.choice(subjects)} on {rng.choice(days)} has been moved to {rng.integers(1, 12)} pm"
        for _ in range(300)
    ]
    texts += [f"urgent you have won {n} pounds in our prize draw call now to claim" for n in (500, 900, 2000)]
    order = np.random.default_rng(seed).permutation(len(texts))
    scores, permuted = (
        TextOutlierDetector().fit(documents).outlier_scores_ for documents in (texts, [texts[i] for i in order])
    )
    np.testing.assert_allclose(permuted, scores[order], atol=1e-3)


def test_a_large_sample_does_not_depend_on_the_order_of_documents():
    scores = np.random.default_rng(0).random(5000)
    order = np.random.default_rng(1).permutation(5000)
    first, second = (sample_of(np.arange(5000), values, np.random.RandomState(0)) for values in (scores, scores[order]))
    assert set(order[second].tolist()) == set(first.tolist())
