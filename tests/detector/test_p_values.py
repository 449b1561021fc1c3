"""P-values: what share of ordinary documents is at least as strange."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.detector.scores.p_values import CUTS, LEAST_IN_CLASS, SMALLEST_P, Reference, sketch, word_classes
from tonmf.metrics import discoveries
from tonmf.stream.digest import LARGEST

CORPUS = make_corpus(n_docs=300, n_outliers=6)
NEW = make_corpus(n_docs=80, n_outliers=4, random_state=1)
DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "heavy": lambda rng, n: rng.standard_t(2, size=n),
    "few values": lambda rng, n: rng.integers(0, 4, n).astype(float),
}
SCORES = st.lists(st.floats(-50, 50), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector(n_restarts=1).fit([*CORPUS.texts, ""])


def new_p(reference, scores, n_distinct=30):
    scores = np.asarray(scores, float)
    return reference.p_of_new(scores, np.full(len(scores), n_distinct), np.ones(len(scores), bool))


def training_p(reference, scores, n_distinct=30):
    scores = np.asarray(scores, float)
    return reference.p_of_training(scores, np.full(len(scores), n_distinct), np.ones(len(scores), bool))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("n_docs", [20, 200])
def test_p_values_of_exchangeable_scores_are_no_smaller_than_uniform_ones(draw, n_docs):
    rng = np.random.default_rng(n_docs)
    p = np.concatenate([new_p(Reference.learn(draw(rng, n_docs)), draw(rng, 5)) for _ in range(1500)])
    for level in (0.005, 0.02, 0.1, 0.3, 0.5):
        chance = 4 * np.sqrt(
            level * (1 - level) / 1500
        )  # scores that share their training documents are not independent
        assert (p <= level).mean() <= level + chance


@given(SCORES, SCORES)
def test_a_stranger_document_never_has_a_larger_p_value(training, scores):
    reference, scores = Reference.learn(np.array(training)), np.sort(scores)
    for p in (new_p(reference, scores), training_p(reference, scores)):
        assert (np.diff(p) <= 0).all()
        assert ((p >= SMALLEST_P) & (p <= 1)).all()


@given(SCORES, st.floats(-50, 50))
def test_equal_scores_have_equal_p_values_but_for_rounding(training, score):
    reference = Reference.learn(np.array([*training, score]))
    for p in (new_p(reference, [score, score + 1e-9]), training_p(reference, [score, score + 1e-9])):
        assert p[0] == pytest.approx(p[1], rel=1e-6)


def test_a_document_below_the_median_has_the_share_of_the_documents_from_its_score_up():
    reference = Reference.learn(np.arange(1.0, 100.0))
    assert new_p(reference, [25.0]).tolist() == [(1 + 75) / 100]
    assert training_p(reference, [25.0]).tolist() == [(1 + 75) / 100]


def test_a_new_document_beyond_all_others_has_less_than_one_in_all_and_less_the_farther_it_is():
    scores = np.random.default_rng(0).normal(size=500)
    p = new_p(Reference.learn(scores), scores.max() * np.array([0.99, 2, 3, 1000]))
    assert p[0] > 1 / 501 > p[1] > p[2] > p[3] == SMALLEST_P


def test_few_strange_training_documents_do_not_hide_behind_their_own_number():
    """Counted among themselves, they would have p-values of 1/n, 2/n, …, which no rule lets stand out."""
    rng = np.random.default_rng(3)
    scores = np.concatenate([rng.normal(size=980), rng.normal(9, 1, size=20)])
    flagged = discoveries(training_p(Reference.learn(scores), scores), 0.1)
    assert flagged[980:].all()
    assert flagged[:980].sum() <= 4


def test_ordinary_training_documents_alone_hardly_ever_stand_out():
    rng = np.random.default_rng(4)
    samples = [rng.normal(size=400) for _ in range(200)]
    assert np.mean([discoveries(training_p(Reference.learn(some), some), 0.1).any() for some in samples]) <= 0.1


def test_scores_that_come_in_lumps_do_not_stand_out_for_being_in_the_upper_one():
    scores = np.repeat([0.0, 0.1, 5.0], [800, 110, 90]) + np.random.default_rng(0).normal(0, 0.01, 1000)
    assert not discoveries(training_p(Reference.learn(scores), scores), 0.1).any()


def test_one_score_for_all_gives_all_a_p_value_of_1():
    assert training_p(Reference.learn(np.zeros(50)), np.zeros(50)).tolist() == [1.0] * 50
    assert new_p(Reference.learn(np.zeros(50)), [0.0, 1.0]).tolist() == [1.0, 1 / 51]


def test_memory_is_bounded_and_no_share_is_underestimated():
    scores = np.random.default_rng(0).exponential(size=100_000)
    kept = sketch(scores)
    assert len(kept.values) <= LARGEST
    assert kept.weight == len(scores)
    assert kept.values[-1] == scores.max()
    asked = np.linspace(0, 12, 200)
    exact = np.array([(scores >= score).sum() for score in asked])
    found = np.array([kept.weights[kept.values >= score].sum() for score in asked])
    assert (found >= exact).all()
    assert (found - exact).max() <= 2 * len(scores) / LARGEST
    assert (found == exact)[exact <= 1000].all()


def test_documents_are_compared_with_those_of_their_length_where_that_matters():
    rng = np.random.default_rng(0)
    n_distinct = np.repeat([10, 100], [500, 500])
    scores = rng.normal(size=1000) * np.where(n_distinct == 10, 0.2, 1.0)
    reference = Reference.learn(scores, n_distinct)
    assert reference.cuts == (CUTS[0],)
    short, long = new_p(reference, [0.8], 10), new_p(reference, [0.8], 100)
    assert short < 0.01 < 0.1 < long


def test_documents_are_divided_by_length_only_if_there_are_enough():
    n_distinct = np.repeat([10, 100], [LEAST_IN_CLASS - 1, 1000])
    assert word_classes(np.where(n_distinct == 10, 0.0, np.arange(len(n_distinct))), n_distinct) == ()


def test_outliers_among_new_documents_stand_out_if_there_are_none_to_learn_from():
    detector = TextOutlierDetector(n_restarts=1).fit(make_corpus(n_docs=300, n_outliers=0).texts)
    flagged = discoveries(detector.p_value(NEW.texts), 0.1)
    assert flagged[NEW.labels == 1].all()
    assert flagged[NEW.labels == 0].mean() <= 0.02


def test_outliers_among_the_training_documents_only_raise_p_values(detector):
    clean = Reference.learn(np.delete(detector.outlier_scores_, np.flatnonzero(CORPUS.labels)))
    raised = Reference.learn(detector.outlier_scores_)
    highest = detector.outlier_scores_.max() * np.array([0.5, 1.0])
    assert (new_p(raised, highest) > new_p(clean, highest)).all()


def test_outliers_among_training_documents_stand_out(detector):
    flagged = discoveries(detector.p_values_[:-1], 0.1)
    assert flagged[CORPUS.labels == 1].all()
    assert flagged[CORPUS.labels == 0].mean() <= 0.01


def test_documents_without_words_have_a_p_value_of_1(detector):
    assert detector.p_values_[-1] == 1
    assert detector.p_value(["", "the and of"]).tolist() == [1.0, 1.0]


def test_scores_with_p_values_are_those_of_either_alone(detector):
    scores, p_values = detector.score_with_p_value(NEW.texts)
    np.testing.assert_array_equal(scores, detector.outlier_score(NEW.texts))
    np.testing.assert_array_equal(p_values, detector.p_value(NEW.texts))
    assert [why.p_value for why in detector.explain(NEW.texts)] == pytest.approx(p_values.tolist())


def test_explanations_of_training_documents_have_the_p_values_of_these(detector):
    texts = [*CORPUS.texts, ""]
    assert [why.p_value for why in detector.explain(texts)] == pytest.approx(detector.p_values_.tolist())


def test_some_training_documents_by_themselves_have_the_p_values_of_training_documents(detector):
    np.testing.assert_allclose(detector.p_value(CORPUS.texts[:7]), detector.p_values_[:7])


def test_a_document_by_itself_has_the_p_value_that_it_has_among_others(detector):
    together = detector.p_value(NEW.texts)
    assert [float(detector.p_value([text])[0]) for text in NEW.texts[:5]] == pytest.approx(together[:5].tolist())


def test_p_values_are_saved(detector, tmp_path):
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.p_values_, detector.p_values_)
    np.testing.assert_array_equal(loaded.p_value(NEW.texts), detector.p_value(NEW.texts))


def test_classes_of_length_are_saved(detector, tmp_path):
    """They are too few here to be divided, so the division is put in by hand."""
    one = detector._state.reference.classes[0]
    split = copy.copy(detector)
    split._adopt(replace(detector._state, reference=Reference((20,), [one, one])))
    split.save(tmp_path / "model")
    loaded = load(tmp_path / "model")._state.reference
    assert loaded.cuts == (20,)
    assert [len(known.scores.values) for known in loaded.classes] == [len(one.scores.values)] * 2


def test_documents_on_disk_have_the_same_p_values(detector):
    on_disk = TextOutlierDetector(n_restarts=1, memory="1GB").fit([*CORPUS.texts, ""])
    np.testing.assert_allclose(on_disk.p_values_, detector.p_values_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(on_disk.p_value(NEW.texts), detector.p_value(NEW.texts), rtol=0, atol=1e-6)


def test_a_stream_has_the_p_values_that_its_latest_documents_had_as_new_ones(detector, tmp_path):
    stream = TextOutlierDetector(n_restarts=1).partial_fit([*CORPUS.texts, ""])
    np.testing.assert_array_equal(stream.p_value(NEW.texts), detector.p_value(NEW.texts))
    stream.partial_fit(NEW.texts)
    np.testing.assert_allclose(stream.p_values_, detector.p_value(NEW.texts), rtol=1e-9)
    later = stream.p_value(NEW.texts)
    assert ((later > 0) & (later <= 1)).all()
    assert later[NEW.labels == 1].max() < np.median(later[NEW.labels == 0])
    stream.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").p_value(NEW.texts), later)


def test_marks_change_no_p_value(detector):
    marked = copy.copy(detector).mark(strange=[0], fine=[int(np.argmax(detector.outlier_scores_))])
    assert (marked.outlier_score(NEW.texts) != detector.outlier_score(NEW.texts)).any()
    np.testing.assert_array_equal(marked.p_values_, detector.p_values_)
    np.testing.assert_array_equal(marked.p_value(NEW.texts), detector.p_value(NEW.texts))


def test_baskets_and_counts_have_p_values():
    rng = np.random.default_rng(0)
    baskets = [[f"item{i}" for i in rng.choice(20, 6, replace=False)] for _ in range(60)]
    p = TextOutlierDetector(n_restarts=1).fit(baskets).p_value([["item1", "item2"], ["stranger", "still", "more"]])
    assert p[1] <= p[0]
