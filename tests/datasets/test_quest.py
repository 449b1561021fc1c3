"""Made-up baskets: they agree with runs of the original generator, and every option does what it says."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from tonmf.datasets.archives import read_quest_baskets
from tonmf.datasets.quest import QuestOptions, draw_patterns, generate_baskets
from tonmf.errors import ParameterError

SEEDS = (0, 1, 2)
T300_N50K_D10K = QuestOptions(n_transactions=10_000, mean_length=300, n_items=50_000)
T10_I4_D100K = QuestOptions(n_transactions=100_000, n_items=1_000, n_patterns=2_000)
SMALL = QuestOptions(n_transactions=300, n_items=500, n_patterns=200)


def draw(options, seed=0):
    return generate_baskets(options, np.random.default_rng(seed))


def lengths_of(baskets):
    return np.array([len(basket) for basket in baskets])


def frequencies_of(baskets):
    """How often each item in use occurs, most frequent first."""
    counts = np.bincount(np.concatenate(baskets))
    return np.sort(counts[counts > 0])[::-1]


def patterns_of(options, seed=0):
    patterns = draw_patterns(options, np.random.default_rng(seed))
    return [set(items.tolist()) for items in np.split(patterns.items, np.cumsum(patterns.sizes)[:-1])]


def shared_with_the_one_before(patterns):
    """Mean share of a pattern's items that the pattern before has too."""
    return np.mean([len(a & b) / len(b) for a, b in pairwise(patterns)])


def losses_of(baskets):
    """For sets of items of middling frequency that clearly belong together: of the times that all or all but one of
    them were bought, the share with one missing. For a pattern of level c that is about c / (1 + c)."""
    X = sp.csr_matrix(
        (np.ones(lengths_of(baskets).sum()), np.concatenate(baskets), np.cumsum([0, *map(len, baskets)])),
        shape=(len(baskets), 50_000),
    )
    frequencies = np.asarray(X.sum(axis=0)).ravel()
    X = X[:, (frequencies >= 80) & (frequencies <= 200)]
    frequencies = np.asarray(X.sum(axis=0)).ravel()
    together = (X.T @ X).tocoo()
    rarer = np.minimum(frequencies[together.row], frequencies[together.col])
    linked = together.data > 0.5 * rarer
    graph = sp.csr_matrix((np.ones(linked.sum()), (together.row[linked], together.col[linked])), shape=together.shape)
    n_groups, group = connected_components(graph, directed=False)
    members = sp.csr_matrix((np.ones(len(group)), (np.arange(len(group)), group)), shape=(len(group), n_groups))
    sizes = np.bincount(group)
    found = (X @ members)[:, (sizes >= 3) & (sizes <= 6)].toarray()
    sizes = sizes[(sizes >= 3) & (sizes <= 6)]
    whole, one_missing = (found == sizes).sum(axis=0), (found == sizes - 1).sum(axis=0)
    return (one_missing / np.maximum(whole + one_missing, 1))[whole >= 25]


@pytest.fixture(scope="module")
def original(data_folder):
    return read_quest_baskets(data_folder / "quest-T300-N50k-D10k.data.xz")


@pytest.fixture(scope="module")
def long_baskets():
    return [draw(T300_N50K_D10K, seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def short_baskets():
    return [draw(T10_I4_D100K, seed) for seed in SEEDS]


# Tolerances are two to four standard errors, those of the original's run included. The seeds are fixed.


def test_long_baskets_have_the_lengths_of_the_original(long_baskets):
    for lengths in map(lengths_of, long_baskets):
        assert lengths.mean() == pytest.approx(299.63, abs=1.0)
        assert lengths.std() == pytest.approx(17.46, abs=0.7)
        assert 215 < lengths.min() < 255
        assert 350 < lengths.max() < 390


def test_long_baskets_use_as_many_items_as_the_original(long_baskets):
    for baskets in long_baskets:
        assert len(frequencies_of(baskets)) == pytest.approx(19_091, abs=450)


def test_short_baskets_agree_with_two_runs_of_the_original(short_baskets):
    """The public T10I4D100K has mean length 10.102 and 870 items in use; another run 10.109 and 877."""
    assert np.mean([lengths_of(baskets).mean() for baskets in short_baskets]) == pytest.approx(10.105, abs=0.025)
    for baskets in short_baskets:
        assert len(frequencies_of(baskets)) == pytest.approx(873, abs=40)


def test_items_are_as_frequent_as_in_the_file(original, long_baskets):
    theirs = frequencies_of(original)
    ours = np.mean([frequencies_of(baskets)[:18_000] for baskets in long_baskets], axis=0)
    for rank, tolerance in ((10, 0.2), (100, 0.08), (1_000, 0.06), (5_000, 0.04), (10_000, 0.06), (15_000, 0.12)):
        assert ours[rank - 1] == pytest.approx(theirs[rank - 1], rel=tolerance), rank


def test_patterns_are_broken_as_often_as_in_the_file(original, long_baskets):
    theirs, ours = losses_of(original), losses_of(long_baskets[0])
    shares = (0.1, 0.25, 0.5, 0.75, 0.9)
    assert len(ours) == pytest.approx(len(theirs), rel=0.2)
    np.testing.assert_allclose(np.quantile(ours, shares), np.quantile(theirs, shares), atol=0.03)
    assert np.mean(ours < 0.02) == pytest.approx(np.mean(theirs < 0.02), abs=0.04)


def test_the_same_seed_gives_the_same_baskets():
    assert draw(SMALL, 7) == draw(SMALL, 7)


def test_another_seed_gives_other_patterns_and_other_baskets():
    assert patterns_of(SMALL, 1) != patterns_of(SMALL, 2)
    assert draw(SMALL, 1) != draw(SMALL, 2)


def test_more_transactions_begin_with_the_same_ones():
    more = replace(SMALL, n_transactions=20_000)
    assert draw(more)[:300] == draw(SMALL)


@given(
    n_transactions=st.integers(1, 60),
    mean_length=st.floats(1, 12),
    n_items=st.integers(12, 200),
    n_patterns=st.integers(1, 50),
    mean_pattern_length=st.floats(1, 6),
    correlation=st.floats(0, 1),
    confidence=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_baskets_are_sorted_distinct_items_and_never_empty(n_items, seed, **options):
    baskets = draw(QuestOptions(n_items=n_items, **options), seed)
    assert len(baskets) == options["n_transactions"]
    for basket in baskets:
        assert basket
        assert basket == sorted(set(basket))
        assert basket[0] >= 0
        assert basket[-1] < n_items


def test_patterns_have_the_mean_length_asked_for_and_distinct_items():
    options = replace(SMALL, n_items=5_000, n_patterns=5_000, mean_pattern_length=6)
    patterns = draw_patterns(options, np.random.default_rng(0))
    assert patterns.sizes.min() == 1
    assert patterns.sizes.mean() == pytest.approx(6, abs=0.15)
    assert [len(pattern) for pattern in patterns_of(options)] == patterns.sizes.tolist()
    assert patterns.weights.sum() == pytest.approx(1)


def test_no_pattern_holds_more_than_half_of_the_items():
    options = QuestOptions(n_items=8, mean_length=3, n_patterns=300, mean_pattern_length=4)
    assert max(map(len, patterns_of(options))) == 4


def test_correlation_is_what_a_pattern_shares_with_the_one_before():
    options = QuestOptions(n_patterns=3_000, mean_pattern_length=8)
    none, some, much = (
        shared_with_the_one_before(patterns_of(replace(options, correlation=share))) for share in (0, 0.25, 1)
    )
    assert none < 0.01
    assert 0.2 < some < 0.3
    assert 0.5 < much < 0.7  # a share is at most 1: the mean of min(1, exponential) is 1 − 1/e


def test_full_confidence_leaves_patterns_whole():
    """Whatever is bought comes with the rest of its pattern."""
    options = replace(SMALL, confidence=1, confidence_deviation=0)
    whole = patterns_of(options)
    for basket in map(set, draw(options)):
        assert basket == set().union(*(pattern for pattern in whole if pattern <= basket))


def test_low_confidence_breaks_patterns():
    options = replace(SMALL, confidence=0.3)
    whole = patterns_of(options)
    explained = [basket == set().union(*(p for p in whole if p <= basket)) for basket in map(set, draw(options))]
    assert np.mean(explained) < 0.2


def test_corruption_levels_have_the_mean_and_deviation_asked_for():
    patterns = draw_patterns(QuestOptions(confidence=0.6, confidence_deviation=0.05), np.random.default_rng(0))
    assert patterns.corruption.mean() == pytest.approx(0.4, abs=0.005)
    assert patterns.corruption.std() == pytest.approx(0.05, abs=0.005)


def test_a_basket_that_the_patterns_cannot_fill_stays_short():
    options = QuestOptions(n_transactions=20, mean_length=50, n_items=100, n_patterns=1)
    (only,) = patterns_of(options)
    assert all(set(basket) <= only for basket in draw(options))


def test_no_confidence_at_all_still_comes_to_an_end():
    options = QuestOptions(n_transactions=20, n_items=100, n_patterns=2, confidence=0, confidence_deviation=0)
    assert len(draw(options)) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_transactions": 0}, "n_transactions must be a whole number of at least 1; got 0."),
        ({"n_transactions": 1e5}, "n_transactions must be a whole number of at least 1; got 100000.0."),
        ({"n_items": 1}, "n_items must be a whole number of at least 2; got 1."),
        ({"n_patterns": True}, "n_patterns must be a whole number of at least 1; got True."),
        ({"mean_length": 0.5}, "mean_length must be a number from 1 to n_items, 10000; got 0.5."),
        ({"mean_length": 200, "n_items": 100}, "mean_length must be a number from 1 to n_items, 100; got 200."),
        (
            {"mean_pattern_length": 11, "n_items": 20},
            "mean_pattern_length must be a number from 1 to half of n_items, 10; got 11.",
        ),
        ({"correlation": -0.1}, "correlation must be a number from 0 to 1; got -0.1."),
        ({"confidence": 75}, "confidence must be a number from 0 to 1; got 75."),
        ({"confidence": "high"}, "confidence must be a number from 0 to 1; got 'high'."),
        ({"confidence_deviation": float("nan")}, "confidence_deviation must be a number from 0 to 1; got nan."),
    ],
)
def test_an_option_that_makes_no_sense_is_named(options, message):
    with pytest.raises(ParameterError) as caught:
        QuestOptions(**options)
    assert str(caught.value) == message
