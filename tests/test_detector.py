"""`TextOutlierDetector`: what users of scikit-learn expect of it, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tonmf import InputError, ParameterError, TextOutlierDetector
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=300, n_outliers=6, random_state=1)


@pytest.fixture(scope="module")
def fitted():
    return TextOutlierDetector().fit(CORPUS.texts)


def test_the_planted_documents_have_the_highest_scores(fitted):
    assert set(np.argsort(-fitted.outlier_scores_)[:6]) == set(np.flatnonzero(CORPUS.labels))
    assert (fitted.outlier_scores_[CORPUS.labels == 1] > fitted.threshold_).all()


def test_documents_seen_again_have_the_same_scores_to_the_bit(fitted):
    np.testing.assert_array_equal(fitted.outlier_score(CORPUS.texts), fitted.outlier_scores_)
    np.testing.assert_array_equal(fitted.outlier_score(CORPUS.texts[5:6]), fitted.outlier_scores_[5:6])


def test_signs_and_labels_are_scikit_learns(fitted):
    scores = fitted.outlier_score(CORPUS.texts)
    np.testing.assert_array_equal(fitted.score_samples(CORPUS.texts), -scores)
    np.testing.assert_allclose(fitted.decision_function(CORPUS.texts), fitted.threshold_ - scores)
    labels = np.where(scores > fitted.threshold_, -1, 1)
    np.testing.assert_array_equal(fitted.predict(CORPUS.texts), labels)
    np.testing.assert_array_equal(clone(fitted).fit_predict(CORPUS.texts), labels)


def test_threads_make_no_difference_and_seeds_repeat(fitted):
    for n_jobs in (1, 5):
        other = TextOutlierDetector(n_jobs=n_jobs).fit(CORPUS.texts)
        np.testing.assert_array_equal(other.outlier_scores_, fitted.outlier_scores_)
    other = TextOutlierDetector(random_state=1).fit(CORPUS.texts)
    assert not np.array_equal(other.outlier_scores_, fitted.outlier_scores_)


def test_the_numpy_backend_finds_the_same(fitted):
    other = TextOutlierDetector(backend="numpy").fit(CORPUS.texts)
    assert np.corrcoef(other.outlier_scores_, fitted.outlier_scores_)[0, 1] > 0.999


def test_halves_not_seen_in_training_are_on_the_same_scale():
    corpus = make_corpus(n_docs=1000, n_outliers=0, random_state=3)
    detector = TextOutlierDetector().fit(corpus.texts[:500])
    new = detector.outlier_score(corpus.texts[500:])
    np.testing.assert_allclose(
        np.percentile(new, [25, 50, 75]), np.percentile(detector.outlier_scores_, [25, 50, 75]), atol=0.4
    )


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 0.5])
def test_a_share_is_flagged_exactly(share):
    labels = TextOutlierDetector(contamination=share).fit_predict(CORPUS.texts)
    assert (labels == -1).sum() == round(share * 300)


def test_texts_rows_of_words_and_counts_are_the_same_thing():
    scores = TextOutlierDetector(stop_words=None).fit(CORPUS.texts).outlier_scores_
    baskets = [text.split() for text in CORPUS.texts]
    counts = CountVectorizer().fit_transform(CORPUS.texts)
    for rows in (
        baskets,
        [tuple(b) for b in baskets],
        [np.array(b) for b in baskets],
        counts,
        counts.tocsc(),
        counts.toarray(),
    ):
        np.testing.assert_array_equal(TextOutlierDetector().fit(rows).outlier_scores_, scores)


def test_items_may_be_numbers_and_sets():
    rng = np.random.default_rng(0)
    baskets = [set((rng.choice(20, 8) + 20 * (i % 2)).tolist()) for i in range(200)]
    baskets[3] = {1, 25, 3, 27, 99, 98}
    detector = TextOutlierDetector().fit(baskets)
    assert detector.outlier_scores_.argmax() == 3
    assert detector.terms_[:3] == ["0", "1", "10"]
    assert detector.predict([list(baskets[3])])[0] == -1


@pytest.mark.parametrize(
    "make", [tuple, np.array, lambda texts: iter(texts), "series"], ids=["tuple", "array", "iterator", "series"]
)
def test_any_sequence_of_strings_will_do(make, fitted):
    if make == "series":
        import pandas as pd

        texts = pd.Series(CORPUS.texts, index=range(1000, 1300))
    else:
        texts = make(CORPUS.texts)
    np.testing.assert_array_equal(TextOutlierDetector().fit(texts).outlier_scores_, fitted.outlier_scores_)


def test_an_own_vectorizer_counts_in_place_of_the_options():
    vectorizer = CountVectorizer(min_df=2, stop_words="english")
    own = TextOutlierDetector(vectorizer=vectorizer).fit(CORPUS.texts)
    plain = TextOutlierDetector().fit(CORPUS.texts)
    np.testing.assert_array_equal(own.outlier_scores_, plain.outlier_scores_)
    np.testing.assert_array_equal(own.outlier_score(CORPUS.texts[:9]), own.outlier_scores_[:9])
    assert not hasattr(vectorizer, "vocabulary_")  # the user's own object is not changed
    assert own.terms_ == plain.terms_


def test_it_works_in_a_pipeline_and_after_clone():
    pipeline = make_pipeline(
        FunctionTransformer(lambda texts: [text.upper() for text in texts]),
        TextOutlierDetector(lowercase=True, n_restarts=1),
    )
    assert clone(pipeline).fit(CORPUS.texts).predict(CORPUS.texts[:3]).shape == (3,)


def test_options_of_words_have_an_effect():
    texts = [*CORPUS.texts, "stadiums coaches", "stadiums coaches"]
    stemmed = TextOutlierDetector(stemmer="english").fit(texts)
    assert "stadium" in stemmed.terms_
    assert stemmed.n_terms_ == TextOutlierDetector().fit(texts).n_terms_ - 2
    paper = TextOutlierDetector(word_rules="paper").fit([*CORPUS.texts, "ab ab ab ab", "ab ab ab ab"])
    assert "ab" not in paper.terms_


def test_progress_comes_to_one_and_an_exception_in_it_ends_the_fit():
    seen = []
    TextOutlierDetector(callback=seen.append).fit(CORPUS.texts)
    assert seen == sorted(seen)
    assert 0 < seen[0] < 0.05
    assert seen[-1] == 1

    calls = []

    def stop(share):
        calls.append(share)
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TextOutlierDetector(callback=stop, n_jobs=4).fit(CORPUS.texts)
    assert len(calls) < 0.5 * len(seen)  # the fits beside it stop too


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one string", r"got one str of length 10\. Put it in a list"),
        (b"bytes", "got one bytes"),
        (17, "got int"),
        ([], "at least one document"),
        (["a text", None], "Document 1 is missing; expected a string.*Drop it"),
        (["a text", float("nan")], "Document 1 is missing"),
        (["a text", b"bytes"], "Document 1 is a bytes.*Decode it"),
        (["a text", 3], "Document 1 is a int"),
        (["a text", ["a", "list"]], "document 0 is of texts, document 1 of rows of items"),
        (np.ones((0, 4)), "shape \\(0, 4\\)"),
        (-np.ones((3, 4)), r"Expected counts from 1 to 1e\+15 where not 0, but the matrix holds -1"),
        (np.full((3, 4), 0.5), "the matrix holds 0.5.*use TONMF"),
        (np.full((3, 4), np.nan), "holds nan"),
        (["one", "two", "three"], "None of the words occurs in min_df=2 or more of the 3 documents"),
        (["", " "], "None of the words"),
    ],
)
def test_documents_that_cannot_be_used(documents, message):
    with pytest.raises(InputError, match=message):
        TextOutlierDetector().fit(documents)


def test_a_table_in_place_of_a_column_is_named():
    import pandas as pd

    with pytest.raises(InputError, match=r"a table with columns id, text\. Give one column"):
        TextOutlierDetector().fit(pd.DataFrame({"id": [1], "text": ["x"]}))


BAD = [
    ("analyzer", "words"),
    ("lowercase", "yes"),
    ("stop_words", "german"),
    ("stop_words", [1]),
    ("ngram_range", (2, 1)),
    ("ngram_range", 2),
    ("token_pattern", "("),
    ("min_df", 0),
    ("min_df", 1.5),
    ("stemmer", 3),
    ("word_rules", "mine"),
    ("topic_shares", ()),
    ("topic_shares", (0.1, 2)),
    ("topic_shares", 0.1),
    ("n_restarts", 0),
    ("max_topics", 0),
    ("contamination", 0.6),
    ("backend", "cuda"),
    ("n_jobs", 0),
    ("callback", 1),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=str)
def test_bad_options_are_named_with_what_was_expected(name, value):
    with pytest.raises(ParameterError) as caught:
        TextOutlierDetector(**{name: value}).fit(CORPUS.texts)
    assert str(caught.value).startswith(f"{name} must be ")
    assert repr(value) in str(caught.value)


def test_options_without_effect_are_refused_not_ignored():
    with pytest.raises(ParameterError, match="stop_words=None has no effect beside your own vectorizer"):
        TextOutlierDetector(vectorizer=CountVectorizer(), stop_words=None).fit(CORPUS.texts)
    with pytest.raises(ParameterError, match=r"ngram_range=\(1, 2\) has no effect on rows of items"):
        TextOutlierDetector(ngram_range=(1, 2)).fit([["a", "b"], ["a"]])
    with pytest.raises(ParameterError, match=r"vectorizer=.* has no effect on a matrix of counts"):
        TextOutlierDetector(vectorizer=CountVectorizer()).fit(np.eye(4))


def test_an_unknown_language_names_the_known_ones():
    with pytest.raises(ParameterError, match=r"stemmer must be one of arabic.*english.*got 'klingon'"):
        TextOutlierDetector(stemmer="klingon").fit(CORPUS.texts)


def test_a_vectorizer_of_weights_is_refused():
    with pytest.raises(InputError, match=r"what TfidfVectorizer returned holds 0\.\d+"):
        TextOutlierDetector(vectorizer=TfidfVectorizer()).fit(CORPUS.texts)
    with pytest.raises(ParameterError, match="vectorizer must be an object with fit_transform"):
        TextOutlierDetector(vectorizer="tfidf").fit(CORPUS.texts)


def test_new_documents_must_be_of_the_kind_that_was_fitted(fitted):
    with pytest.raises(InputError, match="fitted on texts, but got rows of items"):
        fitted.predict([["flour", "sugar"]])
    by_counts = TextOutlierDetector().fit(CountVectorizer().fit_transform(CORPUS.texts))
    with pytest.raises(InputError, match="has 7 terms, but the detector was fitted on"):
        by_counts.predict(sp.csr_matrix((2, 7)))


def test_use_before_fit():
    with pytest.raises(NotFittedError):
        TextOutlierDetector().predict(["a"])


@pytest.mark.parametrize(
    "texts", [["same words here"] * 30, ["red blue", "red blue", "blue red"], ["word word"] * 2 + ["word"]]
)
def test_tiny_and_uniform_corpora_have_finite_scores(texts):
    detector = TextOutlierDetector().fit(texts)
    assert np.isfinite(detector.outlier_scores_).all()
    assert np.isfinite(detector.outlier_score(["something else", "", "red blue"])).all()
