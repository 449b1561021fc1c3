"""Copies of documents: found whether exact or nearly so, weighed down in every fit, and listed as groups."""

import copy
import random
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.datasets.noticeboard import read_noticeboard
from tonmf.detector.scores.copies import (
    FEW,
    MOST_WEIGHT,
    N_HASHES,
    Copies,
    likeness,
    most_as_one,
    signatures_of,
)
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.groups import groups_of_copies
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.text.documents import items_of
from tonmf.text.totals import WordTotals
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import inverse_document_frequencies

FITS = {"n_restarts": 1, "topic_shares": (0.02,)}


def corpus_of(baskets, min_df=2):
    counter = TermCounter(items_of, min_df)
    counts = counter.learn(baskets)
    idf = inverse_document_frequencies(counts.matrix)
    return Corpus.in_memory(counts.matrix, counts.totals, counter.terms, idf, idf, 5, ReferenceOps())


def unrelated(n_docs, seed=0, length=30, n_words=2000):
    """Baskets of random items: two of them seldom share more than one."""
    rng = random.Random(seed)  # noqa: S311
    return [[f"word{number}" for number in rng.sample(range(n_words), length)] for _ in range(n_docs)]


def changed(basket, share, seed):
    """Replace a share of the items by others that no other basket has."""
    rng = random.Random(seed)  # noqa: S311
    places = set(rng.sample(range(len(basket)), round(share * len(basket))))
    return [f"new{seed}-{place}" if place in places else item for place, item in enumerate(basket)]


def clustered(copies):
    """The numbers of documents that have copies, by cluster."""
    return [sorted(cluster.tolist()) for cluster in copies.clusters(2, np.inf)]


# ---------------------------------------------------------------------- finding them


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 8), max_size=5), seed=st.integers(0, 1000), order=st.randoms(use_true_random=False)
)
def test_exact_copies_are_found_wherever_they_are_and_nothing_else_is(sizes, seed, order):
    baskets = unrelated(60, seed)
    documents = [*range(60), *(number for number, size in enumerate(sizes) for _ in range(size - 1))]
    order.shuffle(documents)
    copies = Copies.among(corpus_of([baskets[number] for number in documents]), ReferenceOps())
    assert copies.sizes.tolist() == [documents.count(number) for number in documents]
    assert copies.of.tolist() == [documents.index(number) for number in documents]
    assert copies.any == bool(sizes)
    assert clustered(copies) == sorted(
        [place for place, other in enumerate(documents) if other == number] for number in range(len(sizes))
    )


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("n_copies", [3, 10])
def test_near_copies_are_found(share, n_copies):
    """A document, and others in each of which some items were replaced."""
    found = 0
    for seed in range(10):
        baskets = unrelated(100, seed, length=40)
        near = [changed(baskets[0], share, 1000 * seed + number) for number in range(n_copies - 1)]
        copies = Copies.among(corpus_of([*baskets, *near]), ReferenceOps())
        together = [0, *range(100, 99 + n_copies)]
        found += (copies.of[together] == 0).sum()
        assert (copies.sizes[1:100] == 1).all()
    assert found >= 0.9 * 10 * n_copies


def test_documents_on_one_subject_are_hardly_ever_taken_for_copies():
    """Twelve of thirty words from a subject's sixty: the Jaccard index of two is about 0.05, and an estimate seldom 0.3."""
    rng = random.Random(0)  # noqa: S311
    baskets = unrelated(300, length=18)
    subjects = [[f"subject{number % 3}-{word}" for word in rng.sample(range(60), 12)] for number in range(300)]
    copies = Copies.among(corpus_of([a + b for a, b in zip(baskets, subjects, strict=True)]), ReferenceOps())
    assert (copies.sizes > 1).mean() < 0.02


def test_short_documents_are_copies_only_if_they_are_the_same():
    """Titles such as "Smith Corp 4th quarter net" share most of their words, and are no copies of each other."""
    titles = [[f"name{number}", "corp", "fourth", "quarter", "net"] for number in range(20)]
    copies = Copies.among(corpus_of([*titles, *unrelated(50), titles[3], titles[3], titles[7]]), ReferenceOps())
    assert clustered(copies) == [[3, 70, 71], [7, 72]]


@pytest.mark.parametrize("n_docs", [0, 1, 5])
def test_documents_without_a_known_word_have_no_copies(n_docs):
    copies = Copies.among(
        corpus_of([["a", "b"], ["a", "c"], *([] for _ in range(n_docs)), ["unheard"]], min_df=2), ReferenceOps()
    )
    assert (copies.sizes[2:] == 1).all()
    none = Copies.by_signatures(np.zeros((0, N_HASHES), np.uint16), WordTotals(*(np.zeros(0, int),) * 3, np.zeros(0)))
    assert not none.any
    assert none.weights().shape == (0,)
    assert none.clusters(1, 9) == []


@given(shared=st.integers(0, 60), left=st.integers(0, 60), right=st.integers(0, 60), outside=st.integers(0, 30))
def test_likeness_is_near_the_share_of_words_that_two_documents_have_in_common(shared, left, right, outside):
    n_known = np.array([shared + left, shared + right])
    if not n_known.all():
        return
    rows = sp.csr_matrix(np.array([[1] * shared + [1] * left + [0] * right, [1] * shared + [0] * left + [1] * right]))
    hashes = np.random.default_rng(0).integers(0, 2**32, (4000, rows.shape[1]), np.uint32)
    totals = WordTotals(n_known, n_known + outside, np.full(2, outside), np.zeros(2))
    found = likeness(signatures_of(TwoWayMatrix(rows), ReferenceOps(), hashes.T), totals, np.array([0]), np.array([1]))[
        0
    ]
    assert found == pytest.approx(shared / (shared + left + right + 2 * outside), abs=0.05)


# ---------------------------------------------------------------------- in parts, for millions of documents


def like_signatures(n_docs, seed):
    """Signatures of which common words are often the smallest value, and copies and near copies of some."""
    rng = np.random.default_rng(seed)
    signatures = (np.minimum(rng.zipf(1.3, (n_docs, N_HASHES)), 60_000) * 40_503).astype(np.uint16)
    copied = rng.integers(0, n_docs, (2, n_docs // 3))
    signatures[copied[0]] = signatures[copied[1]]
    changed = rng.random((n_docs, N_HASHES)) < 0.1
    signatures[changed] = rng.integers(0, 2**16, int(changed.sum()))
    n_distinct, n_outside = rng.integers(0, 60, n_docs).astype(np.int32), rng.integers(0, 3, n_docs).astype(np.int32)
    return signatures, WordTotals(n_distinct, n_distinct, n_outside, np.zeros(n_docs))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_the_same_copies_are_found_in_parts(monkeypatch, at_once, seed):
    signatures, totals = like_signatures(500, seed)
    expected = Copies.by_signatures(signatures, totals)
    assert expected.any
    monkeypatch.setattr("tonmf.detector.scores.copies.AT_ONCE", at_once)
    monkeypatch.setattr("tonmf.detector.scores.copies.PAIRS_AT_ONCE", 3)
    copies = Copies.by_signatures(signatures, totals)
    assert copies.of.tolist() == expected.of.tolist()
    assert copies.sizes.tolist() == expected.sizes.tolist()


def test_the_search_takes_less_memory_than_the_signatures(monkeypatch):
    """With millions of documents it took twice their memory, beyond what a memory limit has room for."""
    monkeypatch.setattr("tonmf.detector.scores.copies.AT_ONCE", 5_000)
    monkeypatch.setattr("tonmf.detector.scores.copies.PAIRS_AT_ONCE", 500)
    signatures, totals = like_signatures(50_000, 0)
    tracemalloc.start()
    try:
        copies = Copies.by_signatures(signatures, totals)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert copies.any
    assert peak < signatures.nbytes


# ---------------------------------------------------------------------- weights


def copies_of_sizes(sizes):
    """Clusters of so many documents, one after the other."""
    of = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    return Copies(of.astype(np.int64), np.repeat(sizes, sizes).astype(np.int64))


@given(
    singles=st.integers(0, 3000),
    sizes=st.lists(st.one_of(st.integers(1, 12), st.integers(1, 2000)), min_size=1, max_size=20),
)
def test_copies_of_one_document_share_one_weight_and_very_many_count_in_full(singles, sizes):
    copies = copies_of_sizes([*sizes, *([1] * singles)])
    weights, n_docs = copies.weights(), len(copies.sizes)
    most = max(1.0, MOST_WEIGHT * n_docs)
    limit = max(most_as_one(copies.sizes, n_docs), most)
    assert ((weights > 0) & (weights <= 1)).all()
    assert (weights[copies.sizes == 1] == 1).all()
    np.testing.assert_allclose(weights[copies.sizes >= 2 * limit], 1)
    together = np.bincount(copies.of, weights, n_docs)[copies.of]
    assert (together[copies.sizes <= limit] <= most + 1e-9).all()
    by_size = np.argsort(copies.sizes, kind="stable")
    assert (np.diff(together[by_size]) >= -1e-9).all()  # more copies never count less together


@pytest.mark.parametrize("n_copies", [2, 3, FEW])
def test_a_few_copies_count_as_one_document(n_copies):
    copies = copies_of_sizes([n_copies, *([1] * 40)])
    np.testing.assert_allclose(copies.weights()[:n_copies], 1 / n_copies)


def test_where_most_documents_have_copies_they_are_what_documents_are_made_of():
    np.testing.assert_array_equal(copies_of_sizes([20] * 50).weights(), 1.0)
    rare = copies_of_sizes([20, *([1] * 980)]).weights()
    assert rare[:20].sum() == pytest.approx(2.0)  # 0.002 of 1,000


# ---------------------------------------------------------------------- copies of an outlier

POSTS = read_noticeboard()
ORDINARY = [post.text for post in POSTS if post.planted is None]
PLANTED = {kind: [post.text for post in POSTS if post.planted == kind] for kind in {post.planted for post in POSTS}}


@pytest.mark.parametrize("kind", ["another subject", "another language", "gibberish"])
@pytest.mark.parametrize("n_copies", [2, 3, 5, 12])
def test_copies_of_an_outlier_stay_outliers_and_are_listed(n_copies, kind):
    """They explained one another: one had a score of 6.2, three of −3.2, and five were among the most ordinary documents."""
    texts = [*ORDINARY, *[PLANTED[kind][1]] * n_copies]
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    assert (detector.outlier_scores_[-n_copies:] > detector.threshold_).all()
    copies = set(range(len(ORDINARY), len(texts)))
    listed = [group for group in detector.groups_ if set(group.documents.tolist()) == copies]
    assert len(listed) == (1 if n_copies >= 3 else 0)
    assert all(group.copies and group.size == n_copies for group in listed)


@pytest.mark.parametrize("n_copies", [3, 5])
def test_so_do_near_copies(n_copies):
    """Three words in ten of each copy were replaced by words of other posts."""
    rng = random.Random(0)  # noqa: S311
    others = " ".join(ORDINARY).split()
    near = [
        " ".join(rng.choice(others) if rng.random() < 0.3 else word for word in PLANTED["another language"][0].split())
        for _ in range(n_copies)
    ]
    detector = TextOutlierDetector(n_restarts=1).fit([*ORDINARY, *near])
    assert (detector.outlier_scores_[-n_copies:] > detector.threshold_).all()


def test_copies_of_an_ordinary_document_stay_ordinary():
    detector = TextOutlierDetector(n_restarts=1).fit([*ORDINARY, *[ORDINARY[7]] * 4])
    scores = np.append(detector.outlier_scores_[7], detector.outlier_scores_[-4:])
    assert (scores < detector.threshold_).all()
    np.testing.assert_array_equal(scores, scores[0])


# ---------------------------------------------------------------------- wherever documents are


def texts_with_copies():
    """Ordinary ones, some of them twice; copies of an outlier; and near copies of another."""
    texts = [*ORDINARY, *ORDINARY[:6], *[PLANTED["another subject"][0]] * 4]
    words = PLANTED["another language"][0].split()
    return [*texts, *(" ".join(words[place:] + words[: place // 2]) for place in range(4))]


def test_on_disk_copies_count_as_in_memory(monkeypatch):
    monkeypatch.setattr("tonmf.detector.disk.store.SHARD_DOCS", 60)
    monkeypatch.setattr("tonmf.text.batches.BATCH", 50)
    texts = texts_with_copies()
    near, far = (TextOutlierDetector(**FITS, memory=memory).fit(texts) for memory in (None, "1GB"))
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=2e-4)
    assert far.threshold_ == pytest.approx(near.threshold_, abs=2e-4)
    assert listed(far) == listed(near)
    assert any(group.copies for group in near.groups_)


def listed(detector):
    return [(group.copies, sorted(group.documents.tolist()), group.words) for group in detector.groups_]


def test_weights_reach_every_block_and_what_is_made_of_blocks(tmp_path):
    """In memory; `tests/detector/test_disk.py` and `tests/dask` have the others."""
    corpus = corpus_of(unrelated(50))
    weights = np.linspace(0.1, 1, 50)
    weighted = corpus.weighted(weights)
    for source in (weighted.source, weighted.source.again()):
        np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in source.blocks()]), weights)
    rows = np.array([3, 4, 40])
    some = weighted.source.among(rows)
    np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in some.blocks()]), weights[rows])
    untouched = np.concatenate([block.sample_weight for block in corpus.source.blocks()])
    np.testing.assert_array_equal(untouched, 1.0)


# ---------------------------------------------------------------------- groups


def test_groups_of_copies_are_the_most_prominent_ones(monkeypatch):
    monkeypatch.setattr("tonmf.detector.scores.groups.MOST_OF_COPIES", 3)
    baskets = unrelated(100)
    copied = [basket for number, basket in enumerate(baskets[:8]) for _ in range(number)]
    corpus = corpus_of([*baskets, *copied])
    strangeness = np.ones(corpus.n_docs)
    copies = Copies.among(corpus, ReferenceOps())
    strangeness[copies.of == 7] = -1.0  # eight, but ordinary ones
    groups = groups_of_copies(copies, corpus, strangeness)
    assert [group.size for group in groups] == [7, 6, 5]
    for group in groups:
        assert group.copies
        assert group.share == group.size / corpus.n_docs
        assert len(set(copies.of[group.documents])) == 1
        assert set(group.words) <= set(baskets[copies.of[group.documents[0]]])
        assert len(group.words) == 10
        assert group.strangeness == strangeness[group.documents].mean()


def test_groups_of_copies_are_saved_and_loaded(tmp_path):
    detector = TextOutlierDetector(**FITS).fit(texts_with_copies())
    assert {group.copies for group in detector.groups_} == {True, False}
    detector.save(tmp_path / "model")
    assert listed(load(tmp_path / "model")) == listed(detector)


# ---------------------------------------------------------------------- streams


def test_a_stream_goes_on_from_a_fit_with_copies():
    corpus = make_corpus(n_docs=400, n_outliers=0, random_state=3)
    outlier = make_corpus(n_docs=50, n_outliers=50, random_state=4).texts[0]
    detector = TextOutlierDetector(**FITS).fit([*corpus.texts[:300], *[outlier] * 4])
    assert (detector.labels_[-4:] == -1).all()
    for start in range(300, 400, 20):
        detector.partial_fit(corpus.texts[start : start + 20])
    assert (detector.predict(corpus.texts[300:]) == -1).mean() < 0.06
    assert detector.predict([outlier]).tolist() == [-1]


def test_copies_in_a_batch_of_a_stream_teach_topics_like_one_document():
    texts = make_corpus(n_docs=330, n_outliers=0, random_state=3).texts
    fitted = TextOutlierDetector(**FITS).fit(texts[:300])

    def taught(batch):
        detector = copy.deepcopy(fitted).partial_fit(batch)
        return sum(rung.past.usage.sum() for rung in detector._state.stream.rungs)

    nothing, once, often, different = map(taught, (["of the"], [texts[310]], [texts[310]] * 5, texts[310:315]))
    assert once - nothing > 0.1
    assert often - nothing == pytest.approx(once - nothing, rel=0.2)
    assert different - nothing > 2 * (once - nothing)


def test_how_much_copies_in_a_batch_count_depends_on_the_whole_stream():
    batch = copies_of_sizes([8, *([1] * 92)])
    assert batch.weights()[:8].sum() > 2  # eight of a hundred documents may be what documents are made of
    assert batch.weights(300)[:8].sum() == pytest.approx(1)
    assert batch.weights(2000)[:8].sum() == pytest.approx(4)  # four in two thousand make no topic
    np.testing.assert_array_equal(batch.weights(300)[8:], 1.0)
