"""The detectors for PyOD: what PyOD expects of any detector, its own utilities, and that they are the originals underneath."""

import importlib
import inspect
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from pyod.models.embedding import EmbeddingOD, MultiModalOD
from pyod.models.feature_bagging import FeatureBagging
from pyod.models.knn import KNN
from pyod.utils import persistence
from pyod.utils.data import generate_data
from pyod.utils.encoders import CallableEncoder
from pyod.utils.utility import precision_n_scores, score_to_label, standardizer
from scipy.stats import rankdata
from sklearn.base import clone, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.utils import get_tags

import tonmf
import tonmf.pyod
from tonmf.datasets import make_corpus
from tonmf.errors import InputError, MissingExtraError, ParameterError

DETECTORS = tonmf.pyod.DETECTORS
CONTAMINATION = 0.1
TRUSTED = {"trusted": True} if "trusted" in inspect.signature(persistence.load).parameters else {}  # from 3.6 on
CORPUS, NEW = make_corpus(n_docs=240, n_outliers=12), make_corpus(n_docs=60, n_outliers=3, random_state=1)


def rows():
    """PyOD's own made-up data, shifted: the model takes no negative numbers."""
    *parts, y, y_new = generate_data(n_train=200, n_test=60, n_features=12, contamination=CONTAMINATION, random_state=1)
    least = min(part.min() for part in parts)
    return (parts[0] - least, y), (parts[1] - least, y_new)


def topics_of(labels, rng):
    centres = np.random.default_rng(0).normal(size=(4, 16))
    X = centres[rng.integers(4, size=len(labels))] + 0.2 * rng.normal(size=(len(labels), 16))
    X[labels == 1] = rng.normal(size=(int(labels.sum()), 16))
    return X


def vectors():
    """Rows of four directions, and outliers of none."""
    y, y_new = (np.repeat([0, 1], [n - n // 10, n // 10]) for n in (200, 60))
    return (topics_of(y, np.random.default_rng(1)), y), (topics_of(y_new, np.random.default_rng(2)), y_new)


CASES = {
    "TONMF": (lambda: tonmf.pyod.TONMF(2, random_state=0), rows),
    "TONMF, sparse": (
        lambda: tonmf.pyod.TONMF(2, random_state=0),
        lambda: tuple((sp.csr_matrix(X), y) for X, y in rows()),
    ),
    "texts": (tonmf.pyod.TextOutlierDetector, lambda: ((CORPUS.texts, CORPUS.labels), (NEW.texts, NEW.labels))),
    "embeddings": (tonmf.pyod.EmbeddingOutlierDetector, vectors),
}


@pytest.fixture(scope="module", params=CASES)
def fitted(request):
    """A fitted detector, what it was fitted on, and new data, both with labels."""
    make, load = CASES[request.param]
    (X, y), new = load()
    return make().fit(X), (X, y), new


def n_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def test_it_has_what_pyod_expects_of_a_fitted_detector(fitted):
    detector, (X, _), _ = fitted
    assert detector.decision_scores_.shape == detector.labels_.shape == (n_of(X),)
    assert set(detector.labels_) <= {0, 1}
    np.testing.assert_array_equal(detector.labels_, detector.decision_scores_ > detector.threshold_)
    assert detector.labels_.mean() == pytest.approx(CONTAMINATION, abs=0.01)
    assert np.isfinite([detector._mu, detector._sigma]).all()


def test_higher_scores_are_stranger(fitted):
    detector, (_, y), (new, y_new) = fitted
    assert roc_auc_score(y, detector.decision_scores_) > 0.9
    assert roc_auc_score(y_new, detector.decision_function(new)) > 0.9
    assert precision_n_scores(y, detector.decision_scores_) > 0.7


def test_training_data_keep_their_scores(fitted):
    detector, (X, _), _ = fitted
    np.testing.assert_allclose(detector.decision_function(X), detector.decision_scores_, rtol=1e-9, atol=1e-9)


def test_predictions_follow_the_threshold(fitted):
    detector, _, (new, _) = fitted
    labels, confidence = detector.predict(new, return_confidence=True)
    np.testing.assert_array_equal(labels, detector.decision_function(new) > detector.threshold_)
    np.testing.assert_array_equal(labels, detector.predict(new))
    np.testing.assert_array_equal(confidence, detector.predict_confidence(new))
    assert ((confidence >= 0) & (confidence <= 1)).all()


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_probabilities_rise_with_the_score(fitted, method):
    detector, _, (new, _) = fitted
    probabilities, confidence = detector.predict_proba(new, method=method, return_confidence=True)
    assert probabilities.shape == (n_of(new), 2)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    in_order = probabilities[np.argsort(detector.decision_function(new)), 1]
    assert (np.diff(in_order) >= 0).all()
    assert confidence.shape == (n_of(new),)


def test_an_unknown_way_to_probabilities_is_an_error(fitted):
    detector, _, (new, _) = fitted
    with pytest.raises(ValueError, match="not a valid probability conversion method"):
        detector.predict_proba(new, method="cubic")


def test_ranks_are_those_of_the_scores(fitted):
    detector, _, (new, _) = fitted
    ranks, normalised = detector._predict_rank(new), detector._predict_rank(new, normalized=True)
    in_order = ranks[np.argsort(detector.decision_function(new))]
    assert (np.diff(in_order) >= 0).all()
    assert normalised.max() == 1


def test_predictions_that_are_not_sure_can_be_rejected(fitted):
    detector, _, (new, _) = fitted
    labels = detector.predict(new)
    kept, statistics = detector.predict_with_rejection(new, T=10, c_r=0.1, return_stats=True)
    assert set(kept) <= {0, 1, -2}
    np.testing.assert_array_equal(kept[kept != -2], labels[kept != -2])
    assert len(statistics) == 3


def test_a_clone_has_the_same_parameters_and_no_fit(fitted):
    detector, _, (new, _) = fitted
    twin = clone(detector)
    assert twin.get_params() == detector.get_params()
    assert repr(twin) == repr(detector)
    with pytest.raises(NotFittedError):
        twin.predict(new)


def test_it_comes_back_as_pyod_recommends_to_save(fitted, tmp_path):
    detector, _, (new, _) = fitted
    persistence.save(detector, tmp_path / "detector.joblib")
    loaded = persistence.load(tmp_path / "detector.joblib", strict=True, **TRUSTED)
    np.testing.assert_array_equal(loaded.decision_function(new), detector.decision_function(new))
    np.testing.assert_array_equal(loaded.predict_proba(new), detector.predict_proba(new))


def test_it_comes_back_from_our_own_files(fitted, tmp_path):
    detector, (_, y), (new, _) = fitted
    detector.save(tmp_path / "model")
    loaded = tonmf.pyod.load(tmp_path / "model", contamination=0.05)
    assert type(loaded) is type(detector)
    np.testing.assert_array_equal(loaded.decision_scores_, detector.decision_scores_)
    np.testing.assert_array_equal(loaded.decision_function(new), detector.decision_function(new))
    assert loaded.labels_.sum() == round(0.05 * len(y))
    assert type(tonmf.load(tmp_path / "model")) is type(detector.model_)


def test_a_model_that_tonmf_saved_becomes_a_detector(tmp_path):
    tonmf.TextOutlierDetector(min_df=3).fit(CORPUS.texts).save(tmp_path / "model")
    loaded = tonmf.pyod.load(tmp_path / "model")
    assert loaded.get_params()["min_df"] == 3
    assert (loaded.predict(NEW.texts)[NEW.labels == 1] == 1).all()


def test_scikit_learn_knows_it_as_an_outlier_detector(fitted):
    detector = fitted[0]
    assert is_outlier_detector(detector)
    assert get_tags(detector).input_tags == get_tags(detector.model_).input_tags


@pytest.mark.parametrize("kind", DETECTORS)
def test_parameters_are_those_of_the_original(kind):
    own, original = (inspect.signature(cls).parameters for cls in (kind, getattr(tonmf, kind.__name__)))
    assert set(own) == set(original) - {"half_life", "executor"}
    assert own["contamination"].default == 0.1
    assert all(own[name].default == original[name].default for name in own if name != "contamination")


def test_parameters_reach_the_model():
    (X, _), _ = rows()
    detector = tonmf.pyod.TONMF(1, alpha=0.5, random_state=0).set_params(n_topics=3).fit(X)
    original = tonmf.TONMF(3, alpha=0.5, random_state=0).fit(X)
    assert (detector.model_.n_topics, detector.model_.alpha_) == (3, 0.5)
    np.testing.assert_array_equal(detector.decision_scores_, original.outlier_scores_)


def test_weights_reach_the_model():
    (X, _), _ = rows()
    weights = np.arange(len(X)) % 3
    detector = tonmf.pyod.TONMF(2, random_state=0).fit(X, sample_weight=weights)
    original = tonmf.TONMF(2, random_state=0).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(detector.decision_scores_, original.outlier_scores_)


def test_labels_are_not_learnt_from():
    (X, y), _ = rows()
    with pytest.warns(UserWarning, match="y should not be presented"):
        detector = tonmf.pyod.TONMF(2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        detector.decision_scores_, tonmf.pyod.TONMF(2, random_state=0).fit(X).decision_scores_
    )


@pytest.mark.parametrize("contamination", [0.0, 0.6])
def test_an_impossible_share_is_an_error_at_once_as_in_pyod(contamination):
    with pytest.raises(ValueError, match="contamination must be in"):
        tonmf.pyod.TextOutlierDetector(contamination=contamination)


def test_what_is_no_thresholder_is_an_error():
    with pytest.raises(ParameterError, match=r"a thresholder of pyod\.models\.thresholds; got 'auto'"):
        tonmf.pyod.TONMF(2, contamination="auto").fit(np.ones((5, 3)))


def test_without_pyod_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyod.models.base", None)
    monkeypatch.delitem(sys.modules, "tonmf.pyod")
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[pyod\]'"):
        importlib.import_module("tonmf.pyod")


def test_negative_numbers_are_an_error():
    with pytest.raises(InputError, match="Negative values"):
        tonmf.pyod.TONMF(2).fit(-np.ones((5, 3)))


def test_scores_of_several_can_be_combined_by_pyod():
    from pyod.models.combination import aom, average, majority_vote, maximization, median, moa

    (X, _), (new, y_new) = rows()
    detectors = [tonmf.pyod.TONMF(k, random_state=0).fit(X) for k in (1, 2, 3)] + [KNN().fit(X)]
    train = np.column_stack([detector.decision_scores_ for detector in detectors])
    scores = standardizer(train, np.column_stack([detector.decision_function(new) for detector in detectors]))[1]
    for combined in (average(scores), maximization(scores), median(scores), aom(scores, 2), moa(scores, 2)):
        assert roc_auc_score(y_new, combined) > 0.9
    votes = majority_vote(np.column_stack([detector.predict(new) for detector in detectors]))
    assert set(votes) <= {0, 1}
    assert score_to_label(rankdata(average(scores)), CONTAMINATION).sum() == len(y_new) * CONTAMINATION


@pytest.mark.parametrize("thresholder", ["IQR", "FILTER"])
def test_thresholders_of_pyod_set_the_threshold(thresholder):
    from pyod.models import thresholds

    (X, y), (new, _) = rows()
    detector = tonmf.pyod.TONMF(2, random_state=0, contamination=getattr(thresholds, thresholder)()).fit(X)
    assert 0 < detector.labels_.sum() < len(y) / 2
    assert set(detector.predict(new)) <= {0, 1}
    assert detector.predict_proba(new).shape == (len(new), 2)


def test_ensembles_of_pyod_take_it():
    (X, _), (new, y_new) = rows()
    bagging = FeatureBagging(tonmf.pyod.TONMF(2, random_state=0), n_estimators=3, random_state=0).fit(X)
    assert roc_auc_score(y_new, bagging.decision_function(new)) > 0.9


def test_suod_takes_it():
    from pyod.models.suod import SUOD

    (X, _), (new, y_new) = rows()
    detectors = [tonmf.pyod.TONMF(2, random_state=0), KNN()]
    # No random projections: they have negative numbers.
    both = SUOD(detectors, n_jobs=1, rp_flag_global=False, bps_flag=False, approx_flag_global=False).fit(X)
    assert roc_auc_score(y_new, both.decision_function(new)) > 0.9


def test_it_is_the_detector_after_an_encoder_of_pyod():
    def letters(texts):
        return np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)

    chain = EmbeddingOD(encoder=CallableEncoder(letters), detector=tonmf.pyod.EmbeddingOutlierDetector()).fit(
        CORPUS.texts
    )
    assert type(chain.detector_) is tonmf.pyod.EmbeddingOutlierDetector
    assert chain.predict(NEW.texts).shape == (60,)


def test_texts_can_stand_beside_a_table_in_pyod():
    table = np.random.default_rng(0).normal(size=(240, 3))
    data = {"texts": CORPUS.texts, "table": table}
    both = MultiModalOD({"texts": tonmf.pyod.TextOutlierDetector(), "table": KNN()}).fit(data)
    assert roc_auc_score(CORPUS.labels, both.decision_scores_) > 0.9


def test_the_reasons_are_those_of_the_original():
    detector = tonmf.pyod.TextOutlierDetector().fit(CORPUS.texts)
    strangest = int(detector.decision_scores_.argmax())
    (why,) = detector.model_.explain(CORPUS.texts, ids=[strangest])
    assert why.score == detector.decision_scores_[strangest]
