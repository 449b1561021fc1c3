"""Data that comes with the package or is made by it."""

import re
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tonmf import ParameterError, TextOutlierDetector
from tonmf.datasets import PAPER_BASKETS, load_noticeboard, make_baskets, make_corpus
from tonmf.datasets.noticeboard import read_noticeboard


def test_the_notice_board_is_what_it_says():
    posts = read_noticeboard()
    assert Counter(post.subject for post in posts) == {"garden": 62, "kitchen": 62, "bicycle": 62, "pets": 62, None: 12}
    kinds = Counter(post.planted for post in posts if post.planted)
    assert kinds == {"another subject": 4, "another language": 3, "boilerplate": 2, "gibberish": 2, "repetition": 1}
    assert len({post.id for post in posts}) == 260
    lengths = [len(written(post).split()) for post in posts]
    assert max(lengths) <= 120
    assert np.std(lengths) > 15


def written(post):
    """What its author wrote: the post without the line that the board's software adds."""
    return post.text.split("\n")[0]


def test_the_notice_board_has_what_real_boards_have():
    posts = read_noticeboard()
    (footer,) = {line for post in posts for line in post.text.split("\n")[1:]}
    with_footer = [post for post in posts if post.text.endswith(f"\n{footer}")]
    assert len(with_footer) / len(posts) == pytest.approx(0.6, abs=0.01)
    kinds = Counter(post.planted for post in posts)
    for kind, number in Counter(post.planted for post in with_footer).items():  # it says nothing about what was planted
        assert abs(number - 0.6 * kinds[kind]) < 1
    copied = [text for text, number in Counter(post.text for post in posts).items() if number > 1]
    assert [(post.planted, post.subject) for post in posts if post.text in copied] == [(None, "garden")] * 2
    short = [post for post in posts if len(written(post).split()) < 10]
    assert sorted(len(written(post).split()) for post in short) == [3, 7]
    assert all(post.planted is None for post in short)
    for pattern in (r"555-01\d\d", r"£\d+", r"https://\S+\.example\.org", r"\S+@example\.org"):
        assert any(re.search(pattern, post.text) for post in posts if post.planted is None)


def test_sentences_of_the_notice_board_are_nobodys_template():
    """No two posts share a run of eight words, but for the one that was posted twice."""
    runs = Counter()
    for text in {written(post) for post in read_noticeboard() if post.planted != "repetition"}:
        words = text.lower().split()
        runs.update({tuple(words[i : i + 8]) for i in range(len(words) - 7)})
    assert max(runs.values()) == 1


def test_what_was_planted_on_the_notice_board_is_found():
    board = load_noticeboard()
    detector = TextOutlierDetector().fit(board.texts)
    assert roc_auc_score(board.labels, detector.outlier_scores_) > 0.95
    assert detector.labels_[board.labels == 1].tolist().count(-1) >= 9
    assert (detector.labels_ == -1).sum() <= 20


def test_baskets_of_another_group_are_found():
    for seed in range(3):
        baskets = make_baskets(random_state=seed)
        assert baskets.X.shape == (1000, 1000)
        assert baskets.labels.sum() == 20
        detector = TextOutlierDetector().fit(baskets.X)
        assert roc_auc_score(baskets.labels, detector.outlier_scores_) > 0.99


def test_the_papers_baskets_are_as_many_and_as_long_as_the_paper_says():
    baskets = make_baskets(10_250, 250, options=PAPER_BASKETS)
    assert baskets.X.shape == (10_250, 50_000)
    assert baskets.labels.sum() == 250
    assert np.diff(baskets.X.indptr).mean() == pytest.approx(300, abs=1)


def test_a_seed_repeats_and_another_does_not():
    first, again, other = (make_baskets(200, 5, random_state=seed) for seed in (1, 1, 2))
    assert (first.X != again.X).nnz == 0
    assert (first.X != other.X).nnz > 0
    np.testing.assert_array_equal(first.labels, again.labels)


@pytest.mark.parametrize("make", [make_corpus, make_baskets])
def test_numbers_that_cannot_be_are_refused(make):
    with pytest.raises(ParameterError, match="outliers from 0 up to all of them; got 5 and 9"):
        make(5, 9)
    with pytest.raises(ParameterError, match="at least 1 document"):
        make(0, 0)
    assert make(5, 5).labels.tolist() == [1] * 5


def test_data_sets_print_in_a_line():
    assert repr(make_baskets(100, 3)) == "Dataset('baskets', 100 documents, 3 of them outliers, X of 1,000 columns)"
    assert repr(load_noticeboard()) == "Dataset('notice board', 260 documents, 12 of them outliers, texts)"
