"""The paper's measures of quality."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics import roc_curve as sklearn_curve

from tonmf import InputError, ParameterError
from tonmf.metrics import (
    area_under_curve,
    discoveries,
    false_positive_rate,
    precision_at,
    precision_recall_curve,
    roc_curve,
    true_positive_rate,
)


@st.composite
def labelled_scores(draw):
    n = draw(st.integers(2, 40))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v)))
    return np.array(labels), np.array(draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)


@given(labelled_scores())
def test_curve_and_area_agree_with_scikit_learn(case):
    labels, scores = case
    curve = roc_curve(labels, scores)
    false, true, _ = sklearn_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_positive_rates, 100 * false)
    np.testing.assert_allclose(curve.true_positive_rates, 100 * true)
    assert curve.area == pytest.approx(roc_auc_score(labels, scores))
    assert area_under_curve(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


@given(labelled_scores())
def test_points_of_the_curve_are_the_rates_at_their_thresholds(case):
    labels, scores = case
    curve = roc_curve(labels, scores)
    ends = [curve.false_positive_rates[i] for i in (0, -1)] + [curve.true_positive_rates[i] for i in (0, -1)]
    assert ends == [0, 100, 0, 100]
    for false, true, threshold in zip(
        curve.false_positive_rates, curve.true_positive_rates, curve.thresholds, strict=True
    ):
        assert true_positive_rate(labels, scores >= threshold) == pytest.approx(true)
        assert false_positive_rate(labels, scores >= threshold) == pytest.approx(false)


@given(labelled_scores())
def test_area_is_how_often_an_outlier_wins(case):
    labels, scores = case
    gaps = scores[labels == 1][:, None] - scores[labels == 0]
    assert area_under_curve(labels, scores) == pytest.approx(((gaps > 0) + 0.5 * (gaps == 0)).mean())


@given(labelled_scores(), st.data())
def test_precision_at_k_is_the_mean_over_orders_of_ties(case, data):
    labels, scores = case
    k = data.draw(st.integers(1, len(scores)))
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(300):
        noise = rng.uniform(0, 0.5, len(scores))
        samples.append(labels[np.argsort(-(scores + noise))[:k]].mean())
    assert precision_at(labels, scores, k) == pytest.approx(np.mean(samples), abs=0.15)


def test_precision_without_ties_is_exact():
    assert precision_at([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], 3) == pytest.approx(2 / 3)
    assert precision_at([1, 0], [1, 2], 2) == 0.5


def test_lift_is_the_height_above_the_diagonal():
    curve = roc_curve([1, 1, 0, 0], [4, 3, 2, 1])
    assert curve.lift.max() == 100
    assert curve.area == 1
    worst = roc_curve([0, 0, 1, 1], [4, 3, 2, 1])
    assert worst.lift.min() == -100


def test_rates_between_the_points_are_on_straight_lines_and_at_steps_on_top():
    curve = roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    np.testing.assert_allclose(curve.at([0, 25, 50, 100]), [50, 75, 100, 100])


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1, 1], [0.1, 0.2], "both kinds"),
        ([0, 2], [0.1, 0.2], "1 for outliers and 0 for the rest"),
        ([0, 1, 1], [0.1, 0.2], "one label and one value for each document"),
        ([0, 1], [0.1, float("nan")], "infinite or missing"),
        ([0, 1], [0.1, float("inf")], "infinite or missing"),
    ],
)
def test_what_cannot_be_measured_is_refused(labels, scores, message):
    with pytest.raises(InputError, match=message):
        roc_curve(labels, scores)


def test_k_must_be_a_number_of_documents():
    with pytest.raises(InputError, match="from 1 to the 2 documents; got 3"):
        precision_at([0, 1], [1, 2], 3)


def test_scikit_learns_signs_are_not_taken_for_flags():
    with pytest.raises(InputError, match=r"True or False, or 1 or 0; of predict\(\) that is: predict\(X\) == -1"):
        true_positive_rate([0, 1], [-1, 1])
    assert false_positive_rate([0, 1], [1, 0]) == 100


def test_a_curve_prints_in_a_line():
    assert repr(roc_curve([0, 1], [1, 2])) == "RocCurve(area=1.0000, 3 thresholds)"


@given(labelled_scores())
def test_the_precision_recall_curve_agrees_with_its_definition(case):
    labels, scores = case
    curve = precision_recall_curve(labels, scores)
    assert curve.average == pytest.approx(average_precision_score(labels, scores))
    assert (np.diff(curve.thresholds) < 0).all()
    for recall, precision, threshold in zip(curve.recall, curve.precision, curve.thresholds, strict=True):
        flagged = scores >= threshold
        assert recall == pytest.approx(labels[flagged].sum() / labels.sum())
        assert precision == pytest.approx(labels[flagged].mean())


@given(st.lists(st.floats(0, 1), max_size=40), st.floats(0.01, 0.99))
def test_discoveries_are_those_of_the_adjusted_p_values(p_values, rate):
    adjusted = false_discovery_control(p_values) if p_values else np.zeros(0)
    unsure = np.abs(adjusted - rate) < 1e-12  # rounding decides
    np.testing.assert_array_equal(discoveries(p_values, rate)[~unsure], (adjusted <= rate)[~unsure])


@pytest.mark.parametrize("rate", [0, 1, -0.1, "0.1", None, float("nan"), True])
def test_a_rate_that_cannot_be_is_refused(rate):
    with pytest.raises(ParameterError, match="rate must be a number above 0 and below 1; got"):
        discoveries([0.5], rate)


@pytest.mark.parametrize("p_values", [[1.5], [-0.1], [np.nan], [[0.5]]])
def test_p_values_that_cannot_be_are_refused(p_values):
    with pytest.raises(InputError, match="numbers from 0 to 1"):
        discoveries(p_values, 0.1)
