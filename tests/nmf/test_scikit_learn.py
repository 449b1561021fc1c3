"""TONMF in what scikit-learn makes of estimators: unions, columns, searches, frames, metadata and arrays of other libraries."""

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from tonmf import TONMF, EmbeddingOutlierDetector, TextOutlierDetector
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=180, n_outliers=9)
LABELS = np.where(CORPUS.labels == 1, -1, 1)
"""As ``predict`` gives them: -1 for outliers."""

GROUPS = np.kron(np.eye(3), np.ones(4))
X = np.random.default_rng(0).poisson(2 * GROUPS[np.random.default_rng(1).integers(3, size=60)]).astype(float)
NAMES = [f"item{i}" for i in range(12)]


def topics(n_topics=3):
    return make_pipeline(TfidfVectorizer(min_df=2), TONMF(n_topics, random_state=0))


def auc(detector, documents, labels):
    """A scorer: the area under the ROC curve of a detector's scores."""
    return roc_auc_score(labels == -1, -detector.score_samples(documents))


def test_topics_of_a_text_column_stand_beside_other_columns():
    frame = pd.DataFrame({"text": CORPUS.texts, "price": np.arange(180.0)})
    columns = ColumnTransformer([("topics", topics(), "text"), ("price", MinMaxScaler(), ["price"])])
    found = columns.fit_transform(frame)
    assert list(columns.get_feature_names_out()) == [
        "topics__tonmf0",
        "topics__tonmf1",
        "topics__tonmf2",
        "price__price",
    ]
    np.testing.assert_array_equal(found[:, :3], topics().fit_transform(CORPUS.texts))


def test_a_union_puts_models_side_by_side():
    union = FeatureUnion([("few", TONMF(2, random_state=0)), ("more", TONMF(3, random_state=0))])
    expected = [TONMF(n, random_state=0).fit_transform(X) for n in (2, 3)]
    np.testing.assert_array_equal(union.fit_transform(X), np.hstack(expected))


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_topics_come_as_a_frame_if_wanted(library, frame):
    model = TONMF(2, random_state=0).set_output(transform=library)
    found = model.fit_transform(frame(X, NAMES) if library == "polars" else frame(X, columns=NAMES))
    assert isinstance(found, frame)
    assert list(found.columns) == ["tonmf0", "tonmf1"]
    assert list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(found.to_numpy(), TONMF(2, random_state=0).fit_transform(X))


def test_a_frame_of_topics_keeps_the_index():
    frame = pd.DataFrame(X, index=range(100, 160), columns=NAMES)
    found = TONMF(2, random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert found.index.equals(frame.index)


@pytest.mark.parametrize("make", [topics, TextOutlierDetector])
def test_cross_validation_scores_detectors(make):
    assert cross_val_score(make(), CORPUS.texts, LABELS, scoring=auc, cv=3).min() > 0.9


@pytest.mark.parametrize("make", [topics, TextOutlierDetector])
def test_scikit_learns_own_scorers_take_labels_of_minus_one(make):
    named = cross_val_score(make(), CORPUS.texts, LABELS, scoring="roc_auc", cv=3)
    made = make_scorer(roc_auc_score, response_method="decision_function")
    np.testing.assert_array_equal(named, cross_val_score(make(), CORPUS.texts, LABELS, scoring=auc, cv=3))
    np.testing.assert_array_equal(named, cross_val_score(make(), CORPUS.texts, LABELS, scoring=made, cv=3))


def test_a_search_finds_the_setting_that_ranks_best():
    # With a topic for every handful of documents, each outlier has one of its own.
    search = GridSearchCV(topics(), {"tonmf__n_topics": [3, 30]}, scoring=auc, cv=3).fit(CORPUS.texts, LABELS)
    assert search.best_params_ == {"tonmf__n_topics": 3}
    assert search.best_estimator_.predict(CORPUS.texts).shape == (180,)


def test_a_search_takes_the_text_detector():
    search = GridSearchCV(TextOutlierDetector(), {"min_df": [2, 3]}, scoring=auc, cv=2).fit(CORPUS.texts, LABELS)
    assert search.best_score_ > 0.9


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


WEIGHTS = np.arange(60) % 3


def weighted():
    return TONMF(2, random_state=0).set_fit_request(sample_weight=True)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_pipelines_columns_and_unions():
    expected = TONMF(2, random_state=0).fit(X, sample_weight=WEIGHTS).transform(X)
    for whole in (
        make_pipeline("passthrough", weighted()),
        FeatureUnion([("topics", weighted())]),
        ColumnTransformer([("topics", weighted(), slice(0, 12))]),
    ):
        np.testing.assert_array_equal(whole.fit(X, sample_weight=WEIGHTS).transform(X), expected)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_searches_and_cross_validation():
    labels = np.where(np.arange(60) % 10 == 0, -1, 1)
    found = cross_validate(weighted(), X, labels, scoring=auc, cv=2, params={"sample_weight": WEIGHTS})
    assert np.isfinite(found["test_score"]).all()
    search = GridSearchCV(weighted(), {"n_topics": [2]}, scoring=auc, cv=2).fit(X, labels, sample_weight=WEIGHTS)
    again = TONMF(2, random_state=0).fit(X, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(search.best_estimator_.outlier_scores_, again.outlier_scores_)


@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for_are_an_error():
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline("passthrough", TONMF(2)).fit(X, sample_weight=WEIGHTS)


def test_labels_and_topics_at_once_take_weights():
    model = TONMF(2, random_state=0).fit(X, sample_weight=WEIGHTS)
    again = TONMF(2, random_state=0)
    np.testing.assert_array_equal(again.fit_predict(X, sample_weight=WEIGHTS), model.predict(X))
    np.testing.assert_array_equal(again.fit_transform(X, sample_weight=WEIGHTS), model.transform(X))


def torch_array(values):
    return pytest.importorskip("torch").asarray(values)


@pytest.mark.parametrize("as_other", [array_api_strict.asarray, torch_array], ids=["array-api-strict", "torch"])
@pytest.mark.parametrize("dispatch", [False, True])
@pytest.mark.parametrize("make", [lambda: TONMF(2, random_state=0), EmbeddingOutlierDetector])
def test_arrays_of_other_libraries_are_read_and_answers_are_numpys(as_other, dispatch, make, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it
    expected = make().fit(X)
    with sklearn.config_context(array_api_dispatch=dispatch):
        model = make().fit(as_other(X))
        scores = model.outlier_score(as_other(X))
    assert type(scores) is np.ndarray
    np.testing.assert_array_equal(model.outlier_scores_, expected.outlier_scores_)
    np.testing.assert_array_equal(scores, expected.outlier_score(X))
