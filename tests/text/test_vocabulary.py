"""The ways to learn a vocabulary agree, and every vocabulary keeps its promises."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tonmf.text import counts
from tonmf.text.counts import OwnCounts, select_terms, word_totals
from tonmf.text.vocabulary.changing import changed_vocabulary
from tonmf.text.vocabulary.growing import GrowingVocabulary
from tonmf.text.vocabulary.matrix import MatrixCounter
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.vocabulary.vectorizer import VectorizerCounter

WORDS = st.lists(st.lists(st.sampled_from("abcdefghijklmnop"), max_size=8), min_size=1, max_size=40)


@given(documents=WORDS, cut=st.integers(1, 7))
def test_a_vocabulary_that_fits_is_that_of_a_counter(documents, cut):
    words = GrowingVocabulary(limit=100)
    for start in range(0, len(documents), cut):
        words.add(OwnCounts.of(documents[start : start + cut], list))
    counter = TermCounter(list, 2)
    matrix = counter.learn(documents).matrix
    found = words.finished(2, None, most=100)
    assert found.terms == counter.terms
    assert found.document_frequencies.tolist() == np.bincount(matrix.indices, minlength=matrix.shape[1]).tolist()
    assert words.forgotten_up_to == 0


@given(documents=WORDS, cut=st.integers(1, 7), limit=st.integers(1, 12))
def test_a_vocabulary_that_does_not_fit_forgets_rare_words_only(documents, cut, limit):
    words, largest = GrowingVocabulary(limit), 0
    for start in range(0, len(documents), cut):
        counted = words.add(OwnCounts.of(documents[start : start + cut], list))
        assert counted.n_words.tolist() == [len(document) for document in documents[start : start + cut]]
        largest = max(largest, len(words))
    assert len(words) <= max(limit, 0)
    true = Counter(word for document in documents for word in set(document))
    found = words.finished(1, None, most=100)
    for term, df in zip(found.terms, found.document_frequencies, strict=True):
        assert df <= true[term]
        if words.forgotten_up_to == 0:
            assert df == true[term]


def test_of_too_many_terms_those_in_most_documents_are_kept():
    words = GrowingVocabulary(100)
    words.add(OwnCounts.of([["b", "c"], ["b", "a"], ["a", "c", "d"]], list))
    assert words.finished(1, None, most=2).terms == ["a", "b"]


TEXTS = ["dog cat cat", "dog bird", "cat fish"]
MATRIX = sp.csr_matrix([[0, 2, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]])
NAMES = ["bird", "cat", "dog", "fish"]


@pytest.mark.parametrize(
    ("vocabulary", "documents"),
    [
        (TermCounter(str.split, 2), TEXTS),
        (MatrixCounter(2, NAMES), MATRIX),
        (VectorizerCounter(CountVectorizer(min_df=2)), TEXTS),
    ],
    ids=["terms", "matrix", "vectorizer"],
)
def test_every_vocabulary_counts_alike(vocabulary, documents):
    counts = vocabulary.learn(documents)
    assert vocabulary.terms == ["cat", "dog"]
    assert counts.matrix.toarray().tolist() == [[2, 1], [0, 1], [1, 0]]
    assert counts.n_outside.tolist() == [0, 1, 1]
    again, outside = vocabulary.count_all(documents)
    np.testing.assert_array_equal(again.matrix.toarray(), vocabulary.count(documents).matrix.toarray())
    assert outside == [{}, {"bird": 1}, {"fish": 1}]
    assert sorted(vocabulary.analyze(documents[[1]] if sp.issparse(documents) else documents[1])) == ["bird", "dog"]


def test_a_vocabulary_takes_other_terms_in_its_own_order_unless_they_are_a_vectorizers():
    words, columns = TermCounter(str.split, 2), MatrixCounter(2, NAMES[::-1])
    words.learn(TEXTS)
    columns.learn(MATRIX[:, ::-1])
    assert words.with_terms(["fish", "cat"]).terms == ["cat", "fish"]
    assert words.with_terms(["fish", "cat"]).count(TEXTS).matrix.toarray().tolist() == [[2, 0], [0, 0], [1, 1]]
    assert columns.with_terms(["cat", "fish"]).terms == ["fish", "cat"]
    assert columns.with_terms(["cat", "fish"]).count(MATRIX[:, ::-1]).matrix.toarray().tolist() == [
        [0, 2],
        [0, 0],
        [1, 1],
    ]
    assert VectorizerCounter(CountVectorizer()).with_terms(["cat"]) is None


def test_counts_by_a_vocabulary_that_has_changed_are_those_of_the_documents_counted_again():
    vocabulary = TermCounter(str.split, min_df=2)
    vocabulary.learn(["a c", "a c e", "e"])
    documents = ["a b b c", "d", "", "b e e", "f a"]
    counts, outside = vocabulary.count_all(documents)
    change = changed_vocabulary(vocabulary, np.array([2.0, 0.1, 2.0]), {"b": (2.0, 3.0), "d": (2.0, 2.0)}, least=2.0)
    assert change.counter.terms == ["a", "b", "d", "e"]
    found, expected = change.of_counts(counts.matrix, outside), change.counter.count(documents).matrix
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert getattr(found, name).dtype == getattr(expected, name).dtype


def test_columns_of_a_very_wide_matrix_are_chosen_as_those_of_any_other(monkeypatch):
    matrix = sp.random_array((30, 400), density=0.05, format="csr", random_state=3)
    matrix.data[:] = np.ceil(matrix.data * 5)
    kept = np.random.default_rng(3).permutation(400)[:150]
    for columns in (kept, kept[:0]):
        by_table = select_terms(matrix, columns, word_totals(matrix))
        with monkeypatch.context() as patched:
            patched.setattr(counts, "MOST_IN_TABLE", 0)
            wide = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(30, 2**40))
            found = select_terms(wide, columns, word_totals(matrix))
        assert (found.matrix != by_table.matrix).nnz == 0
        for name in ("n_words", "n_distinct", "n_outside", "outside"):
            np.testing.assert_array_equal(getattr(found, name), getattr(by_table, name))
