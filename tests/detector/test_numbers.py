"""Numbers: words if other documents have them, and passed over if none has, wherever documents are."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import ROOT
from stored import assert_stored

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.detector.disk.budget import BASE, Budget
from tonmf.detector.disk.store import Store
from tonmf.text.batches import BatchesOf
from tonmf.text.choose import make_counter
from tonmf.text.counts import Counts
from tonmf.text.vocabulary.partitions import CountedPartition, PartitionsVocabulary, TermTally

WORDS = ["apple", "pear", "plum", "cherry", "quince", "4th", "mp3"]
NUMBERS = ["2026", "1,500", "1500", "3.5", "£20", "$3.50", "17", "6.02e23", "999,999", "12345"]
FITS = {"n_restarts": 1, "topic_shares": (0.02,)}
FIELDS = ("n_words", "n_distinct", "n_outside", "outside")

documents_with_numbers = st.lists(
    st.lists(st.sampled_from(WORDS + NUMBERS), max_size=8).map(" ".join), min_size=1, max_size=30
)


def counter_of(min_df=2, **options):
    return make_counter(TextOutlierDetector(min_df=min_df, boilerplate=None, **options).get_params(), "texts", None)


def assert_same_counts(found, expected):
    assert found.matrix.shape == expected.matrix.shape
    assert abs(found.matrix - expected.matrix).nnz == 0
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


# ---------------------------------------------------------------------- what counts


def test_a_number_that_no_other_document_has_does_not_count_at_all():
    counter = counter_of()
    counts = counter.learn(["apple pear 2026", "apple plum 2026 1,500 1,500", "pear plum 17.5 unheard"])
    assert counter.terms == ["2026", "apple", "pear", "plum"]
    assert counts.n_words.tolist() == [3, 3, 3]
    assert counts.n_distinct.tolist() == [3, 3, 3]
    assert counts.n_outside.tolist() == [0, 0, 1]
    assert counts.outside.tolist() == [0, 0, 1]
    new, outside = counter.count_all(["apple 2026 99 99 99 unheard-of"])
    assert outside == [{"99": 3, "unheard": 1}]  # which a stream may learn from
    assert (new.n_words[0], new.n_distinct[0], new.n_outside[0]) == (3, 3, 1)


def test_words_with_digits_that_no_other_document_has_are_unknown_words():
    counter = counter_of()
    counter.learn(["apple pear", "apple pear"])
    assert counter.count(["apple mp3 4th"]).n_outside.tolist() == [2]


@pytest.mark.parametrize(
    "options", [{"mask": None}, {"analyzer": str.split}, {"analyzer": "char", "ngram_range": (3, 3)}]
)
def test_where_nothing_is_masked_a_number_is_a_word_like_any_other(options):
    counter = counter_of(min_df=1, **options)
    counter.learn(["apple pear 2026", "apple pear"])
    counts = counter.count(["apple 7777 8888"])
    assert counts.n_outside[0] >= 2
    assert counts.n_words[0] > 2


def test_a_document_of_such_numbers_only_has_no_words():
    detector = TextOutlierDetector(**FITS).fit([*make_corpus(80, 2).texts, "4711 0815 3.14"])
    assert np.flatnonzero(detector.empty_).tolist() == [80]
    assert detector.labels_[-1] == 1
    assert detector.predict(["1234 9876"]).tolist() == [1]


def test_numbers_of_its_own_change_no_score():
    corpus = make_corpus(150, 4)
    detector = TextOutlierDetector(**FITS).fit(corpus.texts)
    with_numbers = [
        f"{number + 1000} {text} {number + 3}.5 £{number + 500}" for number, text in enumerate(corpus.texts)
    ]
    np.testing.assert_array_equal(detector.outlier_score(with_numbers), detector.outlier_scores_)
    other = TextOutlierDetector(**FITS).fit(with_numbers)
    assert other.terms_ == detector.terms_
    np.testing.assert_array_equal(other.outlier_scores_, detector.outlier_scores_)


def test_they_are_no_reasons():
    detector = TextOutlierDetector(**FITS).fit(make_corpus(150, 4).texts)
    why = detector.explain(["goal 4711 zxcv 3.14"])[0]
    assert "zxcv" in [word.word for word in why.unexpected]
    assert not {"4711", "3.14"} & {word.word for word in why.unexpected}
    assert why.length.value == 2


# ---------------------------------------------------------------------- all roads


@settings(deadline=None)
@given(documents=documents_with_numbers, min_df=st.sampled_from([1, 2, 0.1]))
def test_documents_are_counted_as_new_ones_as_they_were_in_training(documents, min_df):
    counter = counter_of(min_df)
    learnt = counter.learn(documents)
    assert_same_counts(counter.count(documents), learnt)
    counts, outside = counter.count_all(documents)
    assert_same_counts(counts, learnt)
    outside = [{word: n for word, n in words.items() if not counter.passes_over(word)} for words in outside]
    assert [len(words) for words in outside] == learnt.n_outside.tolist()
    known = np.asarray(learnt.matrix.sum(axis=1)).ravel()
    assert learnt.n_words.tolist() == [
        n + sum(words.values()) for n, words in zip(known.tolist(), outside, strict=True)
    ]


@settings(deadline=None)
@given(
    documents=documents_with_numbers, min_df=st.sampled_from([1, 2, 0.1]), cuts=st.lists(st.integers(0, 30), max_size=4)
)
def test_partitions_pass_over_the_same_numbers(documents, min_df, cuts):
    values = TextOutlierDetector(min_df=min_df, boilerplate=None).get_params()
    whole = make_counter(values, "texts", None)
    expected = whole.learn(documents)
    edges = [0, *sorted(min(cut, len(documents)) for cut in cuts), len(documents)]
    parts = [CountedPartition.of(documents[low:high], "texts", values, ()) for low, high in pairwise(edges)]
    vocabulary = PartitionsVocabulary.of(TermTally.together(*map(TermTally.of, parts)), min_df, whole.rules)
    assert vocabulary.terms == whole.terms
    assert_same_counts(Counts.joined([vocabulary.counts_of(part) for part in parts]), expected)


@settings(max_examples=30, deadline=None)
@given(documents=documents_with_numbers, min_df=st.sampled_from([1, 2, 0.1]), data=st.data())
def test_shards_pass_over_the_same_numbers(documents, min_df, data):
    counter, whole = counter_of(min_df), counter_of(min_df)
    expected = whole.learn(documents)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        for name in ("detector.disk.store.SHARD_DOCS", "text.batches.BATCH"):
            patched.setattr(f"tonmf.{name}", data.draw(st.integers(1, 20)))
        store = Store(Path(folder), {})
        facts = store.make(BatchesOf(documents), counter, min_df, Budget(BASE + 10**9, 6, 25))
        assert_stored(store, facts, whole.terms, expected)


def test_numbers_that_were_forgotten_for_want_of_memory_do_not_count_either(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 10)
    monkeypatch.setattr(Budget, "words", 60)
    documents = [f"apple pear 2026 {i + 5000} {i + 300}.5 unheard{'x' * i}" for i in range(100)]
    counter, store = counter_of(), Store(tmp_path, {})
    facts = store.make(BatchesOf(documents), counter, 2, Budget(BASE + 10**9, 6, 25))
    assert facts.forgotten_up_to > 0
    terms = store.terms(facts)
    assert terms == ["2026", "apple", "pear"]
    totals = store.corpus(facts, terms).totals
    assert (totals.n_words == 4).all()
    assert (totals.n_outside == 1).all()


# ---------------------------------------------------------------------- streams, and detectors saved earlier


def numbered(n_docs, year, seed, first=0):
    """Texts with the number of a year that all have, and one of their own."""
    texts = make_corpus(n_docs, 0, random_state=seed).texts
    return [f"{text} {year} {first + number + 10_000}" for number, text in enumerate(texts)]


def test_a_stream_learns_numbers_that_documents_share_and_no_others():
    detector = TextOutlierDetector(**FITS).fit(numbered(200, 2025, 0))
    assert "2025" in detector.terms_
    for start in range(0, 60, 20):
        new = numbered(20, 2026, 10 + start, first=1000 * (start + 1))
        expected = detector.outlier_score([text.rsplit(" ", 1)[0] for text in new])
        detector.partial_fit(new)
        np.testing.assert_array_equal(detector.outlier_scores_, expected)
    assert "2026" in detector.terms_
    assert not [term for term in detector.terms_ if term.isdigit() and int(term) >= 10_000]


@pytest.mark.parametrize("footer", ["", "\nBest wishes from us all"])
def test_all_terms_of_a_document_are_those_of_the_analysis_numbers_included(footer):
    """With boilerplate and without; new topics are found by them, whether a document was read before or not."""
    texts = [text + footer for text in numbered(100, 2025, 0)]
    detector = TextOutlierDetector(**FITS).fit(texts)
    text = f"goal striker 508 508 2025 zxcv{footer}"
    assert detector.count_terms(text) == {"goal": 1, "striker": 1, "508": 2, "2025": 1, "zxcv": 1}
    assert detector.read([text]).terms(0) == detector.count_terms(text)


def test_a_detector_that_was_saved_earlier_still_counts_numbers_as_words():
    detector = load(ROOT / "tests" / "saved" / "detector")
    scored = detector.read(["zxcv 4711 0815"])
    assert scored.counts.n_outside.tolist() == [3]
    assert (detector._state.scorer.evidence, detector._state.scorer.alarms.log_odds) == (0.0, False)
    assert all(rung.mixture.outside == 0 for rung in detector.rungs_)


def test_and_it_stays_as_it_was_when_it_learns_and_is_saved_again(tmp_path):
    detector = load(ROOT / "tests" / "saved" / "detector")
    detector.partial_fit([f"{text} 4711" for text in make_corpus(30, 0).texts])
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert (loaded._state.scorer.evidence, loaded._state.scorer.alarms.log_odds) == (0.0, False)
    assert all(rung.mixture.outside == 0 for rung in loaded.rungs_)
    texts = [*make_corpus(20, 2).texts, "zxcv 4711", "", "goal"]
    np.testing.assert_array_equal(loaded.outlier_score(texts), detector.outlier_score(texts))
