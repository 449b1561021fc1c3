"""`TextOutlierDetector`: what users of scikit-learn expect of it, and what it refuses."""

from concurrent.futures import ThreadPoolExecutor

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
from tonmf.detector.explain.unexpected import most_telling
from tonmf.ranking import Ranking

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
        (["a text", b"bytes"], "Document 1 is of type bytes.*Decode it"),
        (["a text", 3], "Document 1 is of type int; expected a string"),
        (["a text", ["a", "list"]], "document 0 is a text, document 1 a row of items"),
        (np.ones((0, 4)), "shape \\(0, 4\\)"),
        (-np.ones((3, 4)), r"Expected counts from 1 to 1e\+15 where not 0, but the matrix holds -1"),
        (np.full((3, 4), 0.5), "the matrix holds 0.5.*use TONMF"),
        (np.full((3, 4), np.nan), "holds nan"),
        (["uno", "due", "tre"], "None of the words occurs in min_df=2 or more of the 3 documents"),
        (["", " "], "None of the 2 documents has any word that counts"),
        ([["1", "2"], ["3"]], "None of the items occurs in min_df=2 or more of the 2 documents"),
        ([[], []], "None of the 2 documents has any item, so there is nothing to learn from"),
        (np.zeros((2, 4)), "None of the 2 documents has any term, so there is nothing to learn from"),
    ],
)
def test_documents_that_cannot_be_used(documents, message):
    with pytest.raises(InputError, match=message):
        TextOutlierDetector().fit(documents)


def test_a_table_in_place_of_a_column_is_named():
    import pandas as pd

    with pytest.raises(InputError, match=r"a table with columns id, text\. Give one column of texts"):
        TextOutlierDetector().fit(pd.DataFrame({"id": [1], "text": ["x"]}))


BAD = [
    ("analyzer", "words"),
    ("lowercase", "yes"),
    ("stop_words", "klingon"),
    ("stop_words", [1]),
    ("ngram_range", (2, 1)),
    ("ngram_range", 2),
    ("token_pattern", "("),
    ("min_df", 0),
    ("min_df", 1.5),
    ("stemmer", 3),
    ("word_rules", "mine"),
    ("mask", "url"),
    ("mask", ["url", "verb"]),
    ("strip_html", "yes"),
    ("strip_headers", 1),
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


def test_a_fit_that_fails_leaves_the_detector_as_it_was():
    detector = TextOutlierDetector(n_restarts=1).fit(CORPUS.texts)
    before = detector.outlier_score(CORPUS.texts[:3])
    with pytest.raises(InputError):
        detector.fit(CORPUS.texts[:60], embeddings=np.zeros((3, 4)))
    with pytest.raises(InputError):
        detector.fit([["a", "b"], ["c"]])
    np.testing.assert_array_equal(detector.outlier_score(CORPUS.texts[:3]), before)
    never = TextOutlierDetector()
    with pytest.raises(InputError):
        never.fit(CORPUS.texts, embeddings=np.zeros((3, 4)))
    with pytest.raises(NotFittedError):
        never.predict(["x"])


def test_a_whole_number_of_numpy_is_a_number_of_documents():
    detector = TextOutlierDetector(min_df=np.int64(2), n_restarts=1).fit(CORPUS.texts)
    assert detector.terms_ == TextOutlierDetector(n_restarts=1).fit(CORPUS.texts).terms_


@pytest.mark.parametrize(
    "contamination", [0.02, 0.5, "auto"]
)  # half: the threshold is about 0, the score of such documents
def test_documents_without_words_are_not_judged_and_the_share_is_of_the_others(contamination):
    texts = [*CORPUS.texts, "", " ", "the of and", "!", "?"]
    detector = TextOutlierDetector(contamination=contamination, n_restarts=1).fit(texts)
    assert np.flatnonzero(detector.empty_).tolist() == list(range(len(CORPUS.texts), len(texts)))
    np.testing.assert_array_equal(detector.outlier_scores_[detector.empty_], 0.0)
    assert (detector.labels_[detector.empty_] == 1).all()
    np.testing.assert_array_equal(detector.predict(texts), detector.labels_)
    np.testing.assert_array_equal(detector.decision_function(texts) < 0, detector.labels_ == -1)
    if contamination != "auto":
        assert (detector.labels_ == -1).sum() == round(contamination * len(CORPUS.texts))
    new = ["", "zzz yyy xxx www vvv"]
    assert detector.predict(new).tolist() == [1, -1]
    assert [why.outlier for why in detector.explain(new)] == [False, True]
    assert Ranking.by(detector, new, ["a", "b"]).outliers.tolist() == [False, True]


def test_documents_without_words_change_neither_scores_nor_threshold_of_a_stream():
    whole, other = (TextOutlierDetector(n_restarts=1).fit(CORPUS.texts[:200]) for _ in range(2))
    whole.partial_fit([*CORPUS.texts[200:], "", "the of"])
    assert whole.outlier_scores_[-2:].tolist() == [0.0, 0.0]
    assert whole.labels_[-2:].tolist() == [1, 1]
    assert whole.empty_[-2:].all()
    other.partial_fit(CORPUS.texts[200:])
    assert whole.threshold_ == other.threshold_
    assert whole.explain([""])[0].n_docs == other.explain([""])[0].n_docs == len(CORPUS.texts)


def test_empty_documents_do_not_hide_groups():
    with_group = [*CORPUS.texts, *["eclipse crater photon comet quasar orbit " * 3] * 8]
    groups = [
        TextOutlierDetector(n_restarts=1).fit(texts).groups_ for texts in (with_group, [*with_group, *[""] * 200])
    ]
    for found in groups:
        assert any({"photon", "comet"} <= set(group.words) for group in found)


@pytest.mark.parametrize("value", [np.inf, 1e300, 1e16])
def test_counts_that_are_too_large_are_refused(value):
    X = CountVectorizer().fit_transform(CORPUS.texts).toarray().astype(float)
    X[3, 3] = value
    with pytest.raises(InputError, match="Expected counts from 1 to 1e\\+15"):
        TextOutlierDetector().fit(X)


def test_half_precision_counts_are_counts():
    X = CountVectorizer().fit_transform(CORPUS.texts).toarray().astype(np.float16)
    assert TextOutlierDetector(n_restarts=1).fit(X).outlier_scores_.shape == (300,)


def test_words_that_an_own_vectorizer_leaves_out_for_being_common_are_not_unknown():
    vectorizer = CountVectorizer(max_df=0.3)
    detector = TextOutlierDetector(vectorizer=vectorizer, n_restarts=1).fit(CORPUS.texts)
    raised = detector.alarms(
        [CORPUS.texts[0], "today people reported week city year official early group plan public local"]
    )
    assert all((values == 0).all() for name, values in raised.items() if name != "empty")
    assert detector.alarms(["qwe rty uio pas dfg hjk lzx cvb nmq wer tyu"])["unknown"][0] > 0


def test_a_vectorizer_needs_no_get_params():
    class Words:
        def fit_transform(self, texts):
            self.words = CountVectorizer(min_df=2)
            return self.words.fit_transform(texts)

        def transform(self, texts):
            return self.words.transform(texts)

    detector = TextOutlierDetector(vectorizer=Words(), n_restarts=1).fit(CORPUS.texts)
    np.testing.assert_array_equal(detector.outlier_score(CORPUS.texts[:4]), detector.outlier_scores_[:4])


def test_fits_in_several_threads_leave_blas_as_it_was():
    from threadpoolctl import threadpool_info

    def blas():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = blas()
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(TextOutlierDetector(n_restarts=1).fit, CORPUS.texts[i:]) for i in range(4)]
        assert all(np.isfinite(fit.result().outlier_scores_).all() for fit in fits)
    assert blas() == before


def test_a_callback_that_raises_once_ends_all_fits():
    calls = []

    def stop(share):
        calls.append(share)
        if len(calls) == 5:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        TextOutlierDetector(callback=stop, n_jobs=3).fit(CORPUS.texts)
    assert len(calls) < 10


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (set(CORPUS.texts), "got a set. Give its texts as a list"),
        ({"a": "text"}, "got a dict"),
        (np.ones((3, 3), complex), "type complex128"),
        (np.array([["a", "b"], ["c", "d"]]), r"an array of <U1 and shape \(2, 2\)"),
        (np.ones(5), r"shape \(5,\)"),
        ([["a", None], ["a"]], "An item is missing in a row"),
    ],
    ids=["set", "dict", "complex", "table of strings", "one row", "missing item"],
)
def test_lookalikes_of_documents_are_refused(documents, message):
    with pytest.raises(InputError, match=message):
        TextOutlierDetector().fit(documents)


@pytest.mark.parametrize(
    "options",
    [
        {"analyzer": "char", "token_pattern": "x"},
        {"analyzer": "char", "stemmer": "english"},
        {"analyzer": "char_wb", "word_rules": "paper"},
        {"analyzer": str.split, "ngram_range": (1, 3)},
        {"analyzer": str.split, "lowercase": False},
        {"analyzer": "char", "stop_words": None},
        {"analyzer": "char", "mask": None},
        {"token_pattern": "x", "mask": "all"},
        {"analyzer": str.split, "strip_html": False},
        {"analyzer": str.split, "strip_headers": False},
    ],
    ids=str,
)
def test_options_for_words_are_refused_where_terms_are_no_words(options):
    with pytest.raises(ParameterError, match="has no effect"):
        TextOutlierDetector(**options).fit(CORPUS.texts)


def test_unexpected_words_are_a_documents_own_and_their_shares_add_up_to_less_than_it(fitted):
    strangest = int(fitted.outlier_scores_.argmax())
    words = fitted.unexpected_words([CORPUS.texts[strangest], ""], n_words=100)
    assert {word.word for word in words[0]} <= set(CORPUS.texts[strangest].split())
    assert 0.3 < sum(word.share for word in words[0]) <= 1
    assert fitted.unexpected_words([CORPUS.texts[strangest]], n_words=3)[0] == most_telling(words[0], 3)
    assert words[1] == []
    with pytest.raises(ParameterError, match="n_words must be"):
        fitted.unexpected_words(CORPUS.texts[:1], n_words=0)


def test_a_word_that_is_everywhere_is_no_reason(fitted):
    text = "today people reported week city year eclipse quasar"
    assert {word.word for word in fitted.unexpected_words([text], n_words=2)[0]} == {"eclipse", "quasar"}


def test_topics_are_listed_by_share_with_their_first_words(fitted):
    topics = fitted.topics(n_words=4)
    shares = [topic.share for topic in topics]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert [topic.number for topic in topics] == list(range(1, len(topics) + 1))
    for topic in topics:
        assert len(topic.words) == 4
        assert len(topic.typical) == 3
        for document in topic.typical:
            assert set(topic.words) & set(CORPUS.texts[int(document.id)].split())


def test_stop_words_of_other_languages_are_left_out_and_named_by_language_or_code():
    texts = ["der Hund und die Katze", "die Katze und der Vogel", "der Vogel und der Hund"] * 3
    for language in ("german", "de"):
        assert TextOutlierDetector(stop_words=language).fit(texts).terms_ == ["hund", "katze", "vogel"]
    for language in ("english", "en", "English"):
        assert TextOutlierDetector(stop_words=language).fit(["I don't say the word"] * 3).terms_ == ["say", "word"]


def test_columns_of_a_matrix_are_called_by_their_names():
    X = CountVectorizer(min_df=1).fit(CORPUS.texts)
    names, matrix = X.get_feature_names_out(), X.transform(CORPUS.texts)
    detector = TextOutlierDetector().fit(matrix, terms=names)
    strangest = int(detector.outlier_scores_.argmax())
    words = {word.word for word in detector.unexpected_words(matrix[[strangest]])[0]}
    assert words <= set(CORPUS.texts[strangest].split())
    with pytest.raises(InputError, match="terms must name each of the"):
        TextOutlierDetector().fit(matrix, terms=["one"])
    with pytest.raises(InputError, match="terms must be different names; 'same' occurs more than once"):
        TextOutlierDetector().fit(matrix, terms=["same"] * matrix.shape[1])
    with pytest.raises(InputError, match="terms name the columns of a matrix"):
        TextOutlierDetector().fit(CORPUS.texts, terms=["one"])


def test_a_document_of_unknown_words_only_says_so_but_one_word_is_too_little(fitted):
    raised = fitted.alarms(["zxcv qwer asdf", "zxcv qwer asdf hjkl tyui", "zxcv", "goal striker"])["unknown"]
    assert 0 < raised[0] < raised[1]
    assert (raised[2:] == 0).all()
    assert (fitted.labels_ == fitted.predict(CORPUS.texts)).all()


def test_rows_of_items_may_be_iterators():
    rows = [text.split() for text in CORPUS.texts]
    detector, by_iterators = TextOutlierDetector().fit(rows), TextOutlierDetector().fit(map(iter, rows))
    assert by_iterators.topics() == detector.topics()


def test_documents_without_a_word_that_counts_say_so():
    with pytest.raises(InputError, match="None of the 50 documents has any word that counts"):
        TextOutlierDetector().fit(["a the"] * 50)


def test_nothing_works_before_fit():
    for method in ("alarms", "outlier_score", "explain", "reasons", "analyze"):
        with pytest.raises(NotFittedError):
            getattr(TextOutlierDetector(), method)(["text"])
    with pytest.raises(NotFittedError):
        TextOutlierDetector().save("nowhere")
