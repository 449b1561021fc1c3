"""New topics among strange documents, on made-up streams."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from planted import SUBJECT, stream
from scipy.stats import binom

from tonmf import ParameterError, TextOutlierDetector
from tonmf.timeline import nursery as nursery_module
from tonmf.timeline.bursts import burst_of, latest_burst, smallest_chance
from tonmf.timeline.nursery import CAPACITY, RECENT, Nursery
from tonmf.timeline.trends import WindowTotals, changes, states_of


def detector_of(texts):
    return TextOutlierDetector(n_restarts=1, n_jobs=1).fit(texts)


@pytest.fixture(scope="module")
def planted():
    """A detector fitted on the first documents of a stream, and the stream."""
    texts, times, new, n_before = stream()
    return detector_of(texts[:n_before]), texts, times, new, n_before


def announced(detector, texts, times, n_before, nursery=None):
    """New topics of a stream by a detector that does not learn."""
    nursery = Nursery() if nursery is None else nursery
    nursery.remember(detector, texts[:n_before], detector.outlier_scores_, times=times[:n_before])
    scores = detector.outlier_score(texts[n_before:])
    rows = range(n_before, len(texts))
    taken = [nursery.take(detector, texts[row], scores[row - n_before], str(row), times[row]) for row in rows]
    return [found for found in taken if found is not None]


def test_a_subject_that_appears_is_announced_once_with_its_words_documents_and_beginning(planted):
    detector, texts, times, new, n_before = planted
    (found,) = announced(detector, texts, times, n_before)
    topic = found.topic
    assert set(topic.words[:5]) <= set(SUBJECT)
    assert {int(name) for name in topic.documents} <= new
    assert topic.size == len(topic.documents) >= 5
    assert topic.since == times[int(topic.documents[0])]
    assert topic.since < topic.raised <= times[-1]
    assert found.documents == [texts[int(name)] for name in topic.documents]
    said = topic.to_dict()
    assert (said["alert"], said["size"], said["words"]) == ("new topic", topic.size, topic.words)
    assert said["since"].startswith("2025-")


def test_nothing_is_announced_where_nothing_is_new():
    texts, times, _, n_before = stream(every=10**6, seed=3)
    assert announced(detector_of(texts[:n_before]), texts, times, n_before) == []


def test_a_subject_that_was_always_there_is_not_new():
    """Rare, but no rarer before."""
    texts, times, _, _ = stream(n_before=20, n_quiet=0, n_after=680, every=12)
    assert announced(detector_of(texts[:350]), texts, times, 350) == []


def test_copies_of_one_text_make_no_topic():
    texts, times, _, n_before = stream(copies=True)
    assert announced(detector_of(texts[:n_before]), texts, times, n_before) == []


def test_near_copies_count_once(planted):
    detector, texts, times, new, n_before = planted
    same = texts[min(new)]
    changed = [f"{same} number{row}" if row in new else text for row, text in enumerate(texts)]
    assert announced(detector, changed, times, n_before) == []


def test_without_times_documents_go_by_their_numbers(planted):
    detector, texts, _, _, n_before = planted
    nursery = Nursery()
    nursery.remember(detector, texts[:n_before], detector.outlier_scores_)
    scores = detector.outlier_score(texts[n_before:])
    taken = [nursery.take(detector, texts[n_before + i], score, str(n_before + i)) for i, score in enumerate(scores)]
    (found,) = [found for found in taken if found is not None]
    assert found.topic.since == int(found.topic.documents[0])
    assert found.topic.to_dict(timed=False)["since"] == int(found.topic.documents[0])


def test_what_is_remembered_without_times_and_ids_is_not_taken_for_what_comes(planted):
    """Its numbers stood for times, so that a topic began in 1970, and for ids, beside the same ids of others."""
    detector, texts, times, new, _ = planted
    n_past = sorted(new)[3] + 1  # so that members are among the remembered ones
    nursery = Nursery()
    nursery.remember(detector, texts[:n_past], detector.outlier_score(texts[:n_past]))
    scores = detector.outlier_score(texts[n_past:])
    taken = [nursery.take(detector, texts[n_past + i], s, str(i), times[n_past + i]) for i, s in enumerate(scores)]
    topic = next(found.topic for found in taken if found is not None)
    past = [name for name in topic.documents if name.startswith("remembered ")]
    assert past
    assert {int(name.split()[1]) for name in past} <= new
    later = topic.documents[len(past) :]
    assert topic.since == times[n_past + int(later[0])]
    assert topic.to_dict()["since"].startswith("2025-")


def test_documents_without_words_do_not_matter(planted):
    detector, texts, times, _, n_before = planted
    with_empty = [text if row % 7 else "the" for row, text in enumerate(texts)]
    found = announced(detector, with_empty, times, n_before)
    assert all("the" not in one.topic.words for one in found)


def test_what_is_kept_is_bounded(planted, monkeypatch):
    detector, texts, _, _, _ = planted
    monkeypatch.setattr(nursery_module, "RECENT", 50)
    nursery = Nursery()
    for number in range(300):
        nursery.take(detector, texts[number] + f" word{number}" * 3, 1.0 + number, str(number))
    assert len(nursery) <= CAPACITY
    assert len(nursery._recent) == 50
    kept = [*(one.words for one in nursery.state.recent), *(one.terms for one in nursery.state.strange)]
    assert len(nursery._kept_words) == len({word for words in kept for word in words})
    assert len(nursery._rarities) <= 3
    assert RECENT == 1000


def test_long_documents_are_kept_in_part(planted):
    detector, texts, _, _, _ = planted
    nursery = Nursery()
    long = texts[0] * 10_000
    nursery.take(detector, long, 9.0, "long", terms=Counter(detector.analyze(long)))
    (kept,) = nursery._strange.documents
    assert len(kept.document) == nursery_module.LONGEST
    assert kept.terms == Counter(detector.analyze(kept.document)), "not the terms of all of it"


def test_rows_of_counts_and_items_work_as_texts_do(planted):
    _, texts, _, _, n_before = planted
    words = sorted({word for text in texts for word in text.split()})
    column = {word: number for number, word in enumerate(words)}
    X = sp.lil_matrix((len(texts), len(words)))
    for row, text in enumerate(texts):
        for word in text.split():
            X[row, column[word]] += 1
    X = X.tocsr()
    by_counts = TextOutlierDetector(n_restarts=1).fit(X[:n_before], terms=words)
    nursery = Nursery()
    nursery.remember(by_counts, X[:n_before], by_counts.outlier_scores_)
    scores = by_counts.outlier_score(X[n_before:])
    taken = [nursery.take(by_counts, X[n_before + i], score, str(i)) for i, score in enumerate(scores)]
    found = [one for one in taken if one is not None]
    assert set(found[0].topic.words[:5]) <= set(SUBJECT)


def test_least_must_be_a_whole_number():
    with pytest.raises(ParameterError, match="least must be a whole number of at least 2; got 1"):
        Nursery(least=1)


# ------------------------------------------------------------------ the rules


def test_a_word_bursts_by_what_it_is_beyond_what_is_expected():
    assert burst_of(np.array([8.0]), np.array([3.0])) == pytest.approx(2.5)


def test_chance_is_the_binomial_tail_over_all_beginnings():
    places, n_all = np.array([2, 50, 80, 90, 95, 99]), 100
    tails = [6 * binom.sf(5 - j - 1, 5, (100 - places[j]) / 100) for j in range(3)]
    p, first = latest_burst(places, n_all, 4)
    assert p == pytest.approx(min(min(tails), 1))
    assert first == int(np.argmin(tails))
    assert latest_burst(places[:3], n_all, 4) == (1.0, 0)


def test_chance_alone_is_rarely_sure():
    rng = np.random.default_rng(0)
    ps = [latest_burst(np.sort(rng.choice(800, 12, replace=False)), 800, 5)[0] for _ in range(2000)]
    assert np.mean(np.array(ps) < 1e-2) < 1e-2


def tally(share, n_docs=200, seed=0):
    shares = np.clip(np.random.default_rng(seed).normal(share, 0.05, size=(n_docs, len(share))), 0, 1)
    return WindowTotals.of(shares, np.zeros(n_docs, bool))


def test_topics_emerge_and_fade_by_a_stated_rule():
    windows = [tally([0.2, 0.4], seed=seed) for seed in range(3)]
    windows += [tally([0.4, 0.2], seed=9), tally([0.4, 0.2], seed=10), tally([0.2, 0.4], seed=11)]
    states = states_of(windows, [None, None])
    assert changes(states, 1) == [[], [], [], [0], [], []]
    assert changes(states, -1) == [[], [], [], [1], [], []]


def test_few_documents_say_nothing():
    windows = [tally([0.2]), tally([0.9], n_docs=19), tally([0.2])]
    assert states_of(windows, [None]) == [[0], [0], [0]]
    windows = [tally([0.2]), tally([0.2]), tally([0.9]), tally([0.2], n_docs=3), tally([], n_docs=0), tally([0.9])]
    assert changes(states_of(windows, [None]), 1) == [[], [], [0], [], [], []]  # it does not emerge again
    assert states_of([tally([0.2], n_docs=19), tally([0.9])], [None])[1] == [0]


def test_a_topic_that_is_added_emerges_then_and_is_compared_with_what_came_since():
    windows = [tally([0.2]), tally([0.2, 0.3]), tally([0.2, 0.3], seed=1), tally([0.2, 0.1], seed=2)]
    padded = [WindowTotals(t.n_docs, 0, np.resize(t.sums, 2), np.resize(t.squares, 2)) for t in windows]
    states = states_of(padded, [None, 1])
    assert [row[1] for row in states] == [0, 1, 0, -1]


def test_no_group_is_less_likely_by_chance_than_the_bound_for_all_groups():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n_all = int(rng.integers(8, 60))
        places = np.flatnonzero(rng.random(n_all) < rng.random())
        bound = smallest_chance(places, n_all, least=3)
        late = [places[-n:] for n in range(3, len(places) + 1)]
        for group in [*late, *(places[rng.random(len(places)) < 0.6] for _ in range(5))]:
            assert bound <= latest_burst(group, n_all, least=3)[0] * (1 + 1e-9)
    assert smallest_chance(np.array([7, 8]), 10, least=3) == 1, "too few"
