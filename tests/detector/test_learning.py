"""A detector that learns from documents as they come."""

import copy
from datetime import timedelta

import numpy as np
import pytest
from saved_models import CORPUS, NEW, SMALL, check_same
from sklearn.feature_extraction.text import CountVectorizer
from tampered import arrays_of, fields_of, put_arrays, sign

from tonmf import InputError, ParameterError, TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.detector.learning import learner
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.scores.ordinary import WELL_EXPLAINED_SHARE
from tonmf.detector.state import RECENT
from tonmf.metrics import area_under_curve
from tonmf.stream.digest import LARGEST
from tonmf.text.vocabulary import changing
from tonmf.text.vocabulary.terms import TermCounter


def texts_about(groups, n_docs, seed):
    """Each of some words of one group."""
    rng = np.random.default_rng(seed)
    return [
        " ".join(f"{group}{rng.integers(25):02d}" for _ in range(20)) for group in rng.choice(list(groups), size=n_docs)
    ]


@pytest.fixture(scope="module")
def fitted():
    return TextOutlierDetector(**SMALL).fit(texts_about(["apple", "berry"], 300, 0))


@pytest.fixture
def detector(fitted):
    return copy.deepcopy(fitted)


def test_the_first_documents_are_a_fit():
    fitted = TextOutlierDetector(**SMALL).fit(CORPUS.texts)
    stream = TextOutlierDetector(**SMALL).partial_fit(CORPUS.texts)
    np.testing.assert_array_equal(stream.outlier_scores_, fitted.outlier_scores_)
    assert (stream.threshold_, stream.terms_) == (fitted.threshold_, fitted.terms_)
    assert stream.topics() == fitted.topics()
    assert len(stream.groups_) == len(fitted.groups_)


def test_documents_are_scored_before_they_are_learnt(detector):
    new = texts_about(["apple", "berry"], 30, 1)
    expected, threshold = detector.outlier_score(new), detector.threshold_
    detector.partial_fit(new)
    np.testing.assert_array_equal(detector.outlier_scores_, expected)
    np.testing.assert_array_equal(detector.labels_ == -1, expected > threshold)
    assert detector.outlier_scores_.shape == detector.labels_.shape == detector.empty_.shape == (30,)
    assert detector.groups_ == []
    assert not np.array_equal(detector.outlier_score(new), expected)


def test_documents_that_have_been_read_are_learnt_without_reading_them_again(detector, monkeypatch):
    new, other = texts_about(["apple", "berry"], 30, 1), copy.deepcopy(detector)
    read = detector.read(new, names=[f"document {i}" for i in range(30)])
    np.testing.assert_array_equal(read.scores.total, detector.outlier_score(new))
    other.partial_fit(new, names=read.ids)
    with monkeypatch.context() as patched:
        patched.setattr(TermCounter, "count_all", None)
        detector.learn_from(read)
    check_same(detector, other, new, new)
    assert detector.n_seen_ == other.n_seen_ == 330


def test_documents_that_were_read_in_parts_are_learnt_as_if_they_had_been_read_together(detector):
    new, other = [*texts_about(["apple", "berry"], 30, 1), "", "unheard of"], copy.deepcopy(detector)
    parts = [detector.read(new[low : low + 10], names=range(low, min(low + 10, len(new)))) for low in range(0, 32, 10)]
    joined, whole = ReadDocuments.joined(parts), other.read(new, names=range(len(new)))
    np.testing.assert_array_equal(joined.scores.total, whole.scores.total)
    assert joined.explain(5, 1, 1) == whole.explain(5, 1, 1)
    check_same(detector.learn_from(joined), other.learn_from(whole), new, new)
    with pytest.raises(ValueError, match="one state"):
        ReadDocuments.joined([parts[0], detector.read(new)])


def test_documents_that_were_read_before_a_change_are_read_again(detector):
    new, other = texts_about(["apple", "berry"], 30, 1), copy.deepcopy(detector)
    read = detector.read(new)
    for one in (detector, other):
        one.partial_fit(texts_about(["apple", "cedar"], 30, 2))
    check_same(detector.learn_from(read), other.partial_fit(new, names=read.ids), new, new)


def test_a_stream_of_the_same_kind_changes_little(detector):
    new, strange = texts_about(["apple", "berry"], 100, 1), texts_about(["cedar"], 5, 2)
    before = detector.outlier_score(new)
    for seed in range(20):
        detector.partial_fit(texts_about(["apple", "berry"], 25, 10 + seed))
    after = detector.outlier_score(new)
    assert abs(np.median(after) - np.median(before)) < 0.5
    assert (detector.predict(new) == -1).mean() < 0.06
    assert (detector.predict(strange) == -1).all()


def test_documents_of_the_stream_that_topics_explain_well_are_trusted_by_their_scores(detector):
    before = detector._state.scorer
    new = texts_about(["apple", "berry"], 100, seed=7)
    read = detector.read(new)
    detector.partial_fit(new)
    sample, trust = detector._state.scorer.sample, detector._state.scorer.trust
    assert len(trust) == sample.shape[0] > before.sample.shape[0]
    joined = trust[-(sample.shape[0] - before.sample.shape[0]) :]
    ordinary = read.quiet & (read.scores.plain <= before.level) & read.readable
    limit = detector._state.stream.digests["topics"].percentiles([100 * WELL_EXPLAINED_SHARE])[0]
    well_explained = ordinary & (read.topic_scores <= limit)
    assert len(joined) == well_explained.sum() < ordinary.sum(), "a low score alone does not make a document ordinary"
    np.testing.assert_allclose(joined, np.exp(-np.maximum(read.scores.plain[well_explained], 0) / before.level))


def test_what_was_strange_becomes_ordinary_and_with_a_half_life_sooner(fitted):
    def learnt(half_life):
        detector = copy.deepcopy(fitted).set_params(half_life=half_life)
        shares = []
        for seed in range(12):
            detector.partial_fit(texts_about(["apple", "cedar"], 25, 30 + seed))
            shares.append((detector.predict(texts_about(["cedar"], 40, 99)) == -1).mean())
        return shares

    never, soon = learnt(None), learnt(50)
    assert never[0] == soon[0] == 1
    assert soon[-1] < 0.1
    assert sum(soon) < sum(never)


def test_outliers_are_still_found_on_the_way():
    corpus = make_corpus(n_docs=800, n_outliers=24, random_state=3)
    detector = TextOutlierDetector(**SMALL, half_life=400).partial_fit(corpus.texts[:200])
    starts = range(200, 800, 30)
    scores = [detector.partial_fit(corpus.texts[start : start + 30]).outlier_scores_ for start in starts]
    assert area_under_curve(corpus.labels[200:], np.concatenate(scores)) > 0.97


def test_words_join_when_enough_documents_have_them_and_leave_when_they_have_faded(detector):
    ordinary = texts_about(["apple", "berry"], 40, 1)
    detector.set_params(half_life=20)
    detector.partial_fit([*ordinary[:10], f"{ordinary[10]} novelty"])
    assert "novelty" not in detector.terms_
    detector.partial_fit([f"{ordinary[11]} novelty"])  # two documents, but the first counts a little less by now
    assert "novelty" not in detector.terms_
    detector.partial_fit([f"{ordinary[12]} novelty novelty"])
    assert "novelty" in detector.terms_
    assert detector.terms_ == sorted(detector.terms_)
    assert detector.n_terms_ == len(detector._state.idf) == len(detector.rungs_[0].topics)
    for seed in range(4):
        detector.partial_fit(texts_about(["apple", "berry"], 20, 50 + seed))
    assert "novelty" not in detector.terms_
    assert "apple01" in detector.terms_


def test_without_forgetting_the_vocabulary_is_that_of_a_fit_on_all():
    texts = [text + f" extra{number % 40}" for number, text in enumerate(texts_about(["apple", "berry"], 120, 5))]
    whole = TextOutlierDetector(**SMALL).fit(texts)
    stream = TextOutlierDetector(**SMALL).partial_fit(texts[:60])
    for start in range(60, 120, 15):
        stream.partial_fit(texts[start : start + 15])
    # A word of one document of the first sixty is forgotten: a fit remembers no candidates.
    missing = set(whole.terms_) - set(stream.terms_)
    assert set(stream.terms_) <= set(whole.terms_)
    assert len(missing) <= 20
    both = [(whole.terms_.index(term), stream.terms_.index(term)) for term in stream.terms_ if term.startswith("apple")]
    np.testing.assert_allclose(
        [whole._state.idf[i] for i, _ in both], [stream._state.idf[j] for _, j in both], rtol=1e-9
    )
    np.testing.assert_allclose(
        [whole._state.background[i] for i, _ in both], [stream._state.background[j] for _, j in both], rtol=1e-5
    )


def test_vocabulary_and_candidates_are_bounded(detector, monkeypatch):
    monkeypatch.setattr(changing, "MOST_CANDIDATES", 30)
    monkeypatch.setattr(changing, "MOST_TERMS", 60)
    for number in range(30):
        words = " ".join(f"new{number}x{i}" for i in range(10))
        detector.partial_fit([f"{words} apple01 apple02", f"{words} apple03 berry04", f"lone{number} berry05 apple06"])
        assert detector.n_terms_ <= 60
        assert len(detector._state.stream.candidates.counts) <= 30
    assert "apple01" in detector.terms_


def test_memory_is_bounded(detector):
    for seed in range(12):
        detector.partial_fit(texts_about(["apple", "berry"], 400, seed))
    stream, scorer = detector._state.stream, detector._state.scorer
    assert scorer.sample.shape[0] == len(stream.keys) == len(stream.belonging) <= 2000
    assert len(stream.recent) == RECENT
    assert max(len(digest.values) for digest in stream.digests.values()) <= LARGEST
    why = detector.explain(texts_about(["cedar"], 1, 0))[0]
    assert (why.rank, why.n_docs) == (1, RECENT)
    assert why.outlier


def test_documents_with_an_alarm_do_not_teach_topics(detector):
    before = [rung.topics.copy() for rung in detector.rungs_]
    detector.partial_fit(["zz yy xx ww vv", "apple01 " * 200, ""])
    assert detector.labels_.tolist() == [-1, -1, 1]  # the last is not judged
    for rung, topics in zip(detector.rungs_, before, strict=True):
        np.testing.assert_allclose(rung.topics, topics, atol=0.1)  # idf moves a little


def test_a_topic_can_be_added(detector):
    group, others = texts_about(["cedar"], 12, 1), texts_about(["cedar"], 40, 2)
    assert (detector.predict(others) == -1).all()
    scores = detector.outlier_scores_.copy()
    n_topics = [rung.topics.shape[1] for rung in detector.rungs_]
    detector.add_topic(group)
    assert [rung.topics.shape[1] for rung in detector.rungs_] == [n + 1 for n in n_topics]
    np.testing.assert_array_equal(detector.outlier_scores_, scores)
    assert (detector.predict(others) == -1).mean() < 0.1
    assert (detector.predict(texts_about(["delta"], 10, 3)) == -1).all()
    assert (detector.predict(texts_about(["apple", "berry"], 50, 4)) == -1).mean() < 0.06
    smallest = detector.topics(30)[-1]
    assert all(word.startswith("cedar") for word in smallest.words)
    assert detector.explain(others[:1])[0].topic == smallest.number
    for seed in range(5):  # it lasts
        detector.partial_fit(texts_about(["apple", "berry"], 30, seed))
    assert (detector.predict(others) == -1).mean() < 0.1


def test_one_wrong_time_does_not_stop_learning(detector):
    detector.set_params(half_life="30 days").partial_fit(texts_about(["apple"], 10, 1), times=range(10))
    with pytest.warns(UserWarning, match="1 of 1 documents have times up to 2099-01-01.* Check their times"):
        detector.partial_fit(texts_about(["apple"], 1, 2), times=["2099-01-01"])
    detector.partial_fit([f"novelty {text}" for text in texts_about(["apple"], 10, 3)], times=range(20, 30))
    assert detector._state.stream.n_docs == pytest.approx(321, abs=0.01)
    assert "novelty" in detector.terms_


def test_added_topics_leave_when_they_have_faded_and_others_stay(detector, tmp_path):
    n_topics = [rung.topics.shape[1] for rung in detector.rungs_]
    detector.set_params(half_life=50).add_topic(texts_about(["cedar"], 12, 1))
    for seed in range(4):
        detector.partial_fit(texts_about(["apple", "berry"], 20, seed))
    detector.add_topic(texts_about(["delta"], 12, 1))
    with detector.keeping_topics():  # as a timeline does, in which topics have numbers
        staying = copy.deepcopy(detector)
        for seed in range(4, 11):
            staying.partial_fit(texts_about(["apple", "berry"], 20, seed))
        assert [rung.topics.shape[1] for rung in staying.rungs_] == [n + 2 for n in n_topics]
    for seed in range(4, 11):
        detector.partial_fit(texts_about(["apple", "berry"], 20, seed))
    assert [rung.topics.shape[1] for rung in detector.rungs_] == [n + 1 for n in n_topics]
    assert all(word.startswith("delta") for word in detector.topics(20)[-1].words)
    others = texts_about(["apple", "berry", "delta"], 40, 2)
    np.testing.assert_allclose(detector.outlier_score(others), staying.outlier_score(others), atol=0.5)
    detector.save(tmp_path / "model")
    other = load(tmp_path / "model")
    for one in (detector, other):
        for seed in range(11, 17):
            one.partial_fit(texts_about(["apple", "berry"], 20, seed))
        assert [rung.topics.shape[1] for rung in one.rungs_] == n_topics
        assert (one.predict(texts_about(["apple", "berry"], 50, 4)) == -1).mean() < 0.06


def test_of_too_many_added_topics_those_leave_that_are_used_least(detector, monkeypatch):
    monkeypatch.setattr(learner, "MOST_ADDED", 2)
    n_topics = detector.rungs_[0].topics.shape[1]
    for group, n_docs in (("cedar", 20), ("delta", 8), ("elder", 12)):
        detector.add_topic(texts_about([group], n_docs, 1))
    assert detector.rungs_[0].topics.shape[1] == n_topics + 2
    first = {topic.words[0][:5] for topic in detector.topics()}
    assert {"cedar", "elder"} <= first
    assert "delta" not in first


def test_a_topic_that_leaves_undoes_what_it_did_when_it_came(detector):
    past, W = detector._learner.stream_of(detector._state).rungs[0].past, detector.rungs_[0].topics
    k = W.shape[1]
    more = np.column_stack([W, np.full(len(W), len(W) ** -0.5)]).astype(W.dtype)
    there = past.with_topic(more, np.arange(k) + 1.0, 7.0, 3.0)
    again = there.with_some(more, np.arange(k + 1) < k)
    np.testing.assert_allclose(again.P, past.right_hand_side(W))
    np.testing.assert_array_equal(again.Q, past.Q)
    np.testing.assert_array_equal(again.usage, past.usage)


def test_a_topic_is_not_moved_by_one_that_is_added(detector):
    before = [rung.topics for rung in detector.rungs_]
    detector.add_topic(texts_about(["cedar"], 12, 1))
    terms = [detector.terms_.index(term) for term in detector.terms_ if not term.startswith("cedar")]
    for rung, topics in zip(detector.rungs_, before, strict=True):
        np.testing.assert_allclose(rung.topics[terms][:, :-1], topics, atol=1e-6)


@pytest.mark.parametrize(
    "options", [{}, {"half_life": 50}, {"half_life": timedelta(hours=2)}, {"contamination": 0.05}], ids=str
)
def test_a_loaded_detector_goes_on_exactly_where_the_saved_one_stopped(options, tmp_path):
    detector = TextOutlierDetector(**SMALL | options).partial_fit(CORPUS.texts, names=CORPUS.ids, times=range(120))
    for step in range(3):
        detector.save(tmp_path / "model")
        other = load(tmp_path / "model")
        check_same(detector, other, CORPUS.texts, NEW)
        new = make_corpus(n_docs=40, n_outliers=3, random_state=10 + step).texts
        for one in (detector, other):
            one.partial_fit(new, times=1e4 * step + np.arange(40))
            if step == 1:
                one.add_topic(texts_about(["cedar"], 10, 1))
        check_same(detector, other, CORPUS.texts, NEW)


def test_baskets_matrices_and_embeddings_go_on(tmp_path):
    def check(detector, first, second, new, **kwargs):
        for step, block in enumerate((first, second)):
            detector.save(tmp_path / f"model{step}")
            other = load(tmp_path / f"model{step}")
            detector.partial_fit(block, **kwargs)
            other.partial_fit(block, **kwargs)
            check_same(detector, other, None, new, **kwargs)

    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector(**SMALL).fit(baskets[:60])
    check(detector, baskets[60:90], baskets[90:], [text.split() for text in NEW])
    counter = CountVectorizer().fit(CORPUS.texts)
    matrix = counter.transform(CORPUS.texts)
    for terms in (None, counter.get_feature_names_out()):
        detector = TextOutlierDetector(**SMALL, min_df=3).fit(matrix[:60], terms=terms)
        n_terms = detector.n_terms_
        check(detector, matrix[60:90], matrix[90:], counter.transform(NEW))
        assert detector.n_terms_ > n_terms
        assert (np.diff(detector._state.counter.kept) > 0).all()
    rows = np.random.default_rng(0).normal(size=(120, 5))
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts[:80], embeddings=rows[:80])
    check(detector, CORPUS.texts[:23], CORPUS.texts[30:53], NEW, embeddings=rows[:23])
    detector.add_topic(texts_about(["cedar"], 23, 1), embeddings=rows[:23])
    with pytest.raises(InputError, match="fitted with embeddings"):
        detector.partial_fit(NEW)


def test_the_vocabulary_of_ones_own_vectorizer_stays():
    detector = TextOutlierDetector(**SMALL, vectorizer=CountVectorizer()).fit(CORPUS.texts)
    terms = detector.terms_
    detector.partial_fit(["novelty novelty"] * 5)
    assert detector.terms_ == terms


def test_what_cannot_be_learnt_from_is_refused_and_the_detector_stays(detector):
    before = detector._state
    for documents, options, says in [
        ([], {}, "at least one document"),
        ([["a", "b"]], {}, "fitted on texts, but got rows of items"),
        (["a b"], {"names": ["x", "y"]}, "names must have one for each"),
        (["a b"], {"times": [1, 2]}, "times must have one for each of the 1 documents; got 2"),
        (["a b"], {"embeddings": [[1.0]]}, "fitted without embeddings"),
        (["a b"], {"terms": ["x"]}, "Leave them out"),
    ]:
        with pytest.raises(InputError, match=says):
            detector.partial_fit(documents, **options)
    with pytest.raises(InputError, match="so they make no topic"):
        detector.add_topic(["", "the"])
    detector.set_params(half_life="1 day")
    with pytest.raises(InputError, match="half_life is a time"):
        detector.partial_fit(["apple01"])
    detector.set_params(half_life=-5)
    with pytest.raises(ParameterError, match="half_life must be"):
        detector.partial_fit(["apple01"])
    assert detector._state is before


def test_a_block_of_nothing_does_no_harm(detector):
    detector.set_params(half_life=5)
    for _ in range(30):
        detector.partial_fit(["", "the of and"])
        detector.partial_fit(["qq ww ee", "rr tt uu"])
    assert np.isfinite(detector.outlier_score(texts_about(["apple"], 3, 0))).all()
    detector.explain(texts_about(["apple"], 3, 0))


def test_after_a_long_silence_the_detector_still_knows_what_it_knew(detector, monkeypatch):
    monkeypatch.setattr(learner, "LEAST_LEFT", 100.0)
    detector.set_params(half_life="1 second")
    ordinary = texts_about(["apple", "berry"], 40, 3)
    detector.partial_fit(ordinary, times=np.zeros(40))
    for hours in (1, 100, 1_000_000):
        detector.partial_fit(["", "qq ww", "", "", ""], times=[3600 * hours] * 5)
        with pytest.warns(UserWarning, match="say practically nothing, and nothing is learnt from them"):
            detector.partial_fit(["apple01 apple02"], times=[-1e9])
        assert detector._state.stream.n_docs == pytest.approx(100, abs=6)
    assert (detector.predict(ordinary) == -1).mean() < 0.1
    assert (detector.predict(texts_about(["cedar"], 5, 1)) == -1).all()


def test_what_has_been_forgotten_leaves_numbers_that_can_be_reckoned_with(detector, tmp_path):
    detector.set_params(half_life=0.01)
    for documents in (["", "the"], ["apple01 apple02"], ["", "qq ww"], [""]):
        for _ in range(20):
            detector.partial_fit(documents)
        assert np.isfinite(detector.outlier_score(texts_about(["apple", "berry"], 10, 3))).all()
        detector.save(tmp_path / "model")
        detector = load(tmp_path / "model")


def test_words_without_end_are_not_remembered(detector):
    detector.partial_fit(["x" * 100_000 + " apple01", "x" * 100_000 + " apple01"])
    assert max(map(len, detector.terms_)) < 201
    assert not detector._state.stream.candidates.counts


def changed(fields, *path, value):
    for name in path[:-1]:
        fields = fields[name]
    fields[path[-1]] = value


HOSTILE = [
    (("stream", "n_seen"), -1, "n_seen must be from 0"),
    (("stream", "n_docs"), 0, "n_docs must be a number above 0"),
    (("stream", "now"), "noon", "now must be a number"),
    (("stream", "candidates"), ["a", "a"], "different strings"),
    (("stream", "candidates"), ["a"], "candidate_counts must have shape"),
    (("stream", "candidates_unit"), 0, "candidates_unit must be a number above"),
    (("stream", "rungs"), [], "as many as the rungs"),
    (("stream", "rungs", 0), {}, "learnt must be true or false"),
    (("stream",), 7, "stream must be an object"),
    (("parameters", "half_life"), "soon", "half_life must be"),
]
HOSTILE_ARRAYS = [
    ("background", np.negative, "negative"),
    ("stream.df", lambda a: a[:-1].copy(), "must have shape"),
    ("stream.keys", lambda a: a * np.inf, "not finite"),
    ("stream.added", lambda a: np.ones(99), "fewer numbers than any rung has topics"),
    ("stream.ahead", lambda a: np.ones(9), "fewer than 5 numbers"),
    ("stream.belonging", lambda a: a + 7, "beyond"),
    ("stream.recent", lambda a: np.zeros(RECENT + 1), "at most"),
    ("stream.total.values", lambda a: a[::-1].copy(), "rising"),
    ("stream.rungs.0.gram", lambda a: a[:, :-1].copy(), "must have shape"),
    ("stream.rungs.0.rhs", np.negative, "negative"),
    ("stream.rungs.1.helps.weights", lambda a: a[:-1].copy(), "must have shape"),
]


@pytest.fixture
def saved_stream(detector, tmp_path):
    detector.partial_fit([*texts_about(["apple", "berry"], 20, 1), "lone wolf"])
    detector.save(tmp_path / "model")
    return tmp_path / "model"


def test_what_a_saved_detector_holds_of_the_stream_is_checked(saved_stream):
    fields, arrays = fields_of(saved_stream), arrays_of(saved_stream)
    for path, value, says in HOSTILE:
        hostile = copy.deepcopy(fields)
        changed(hostile, *path, value=value)
        sign(saved_stream, hostile)
        with pytest.raises(InputError, match=says):
            load(saved_stream)
    sign(saved_stream, fields)
    for name, change, says in HOSTILE_ARRAYS:
        put_arrays(saved_stream, arrays | {name: np.ascontiguousarray(change(arrays[name]))})
        with pytest.raises(InputError, match=says):
            load(saved_stream)
    put_arrays(saved_stream, arrays)
    load(saved_stream)
