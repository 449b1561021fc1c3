"""How well scores separate outliers from the rest, measured as in the paper.

For a threshold t, let S(t) be the documents with a score of at least t, G the true outliers and D all documents::

    TPR(t) = 100 · |S(t) ∩ G| / |G|         FPR(t) = 100 · |S(t) − G| / |D − G|

in percent. The ROC curve is TPR against FPR for all t, from (0, 0) to (100, 100). Guessing gives the diagonal; the lift is the
height of the curve above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.parameters import check_rate

__all__ = [
    "PrecisionRecallCurve",
    "RocCurve",
    "area_under_curve",
    "false_positive_rate",
    "precision_at",
    "precision_recall_curve",
    "roc_curve",
    "true_positive_rate",
]

Array = NDArray[np.float64]


def true_positive_rate(labels: Any, flagged: Any) -> float:
    """Return TPR, the percentage of the outliers that are flagged.

    >>> true_positive_rate([1, 1, 0, 0, 0], [True, False, True, False, False])
    50.0
    """
    outlier, chosen = _checked_flags(labels, flagged)
    return 100 * float((chosen & outlier).sum() / outlier.sum())


def false_positive_rate(labels: Any, flagged: Any) -> float:
    """Return FPR, the percentage of the other documents that are flagged.

    >>> false_positive_rate([1, 0, 0, 0, 0], [True, False, True, False, False])
    25.0
    """
    outlier, chosen = _checked_flags(labels, flagged)
    return 100 * float((chosen & ~outlier).sum() / (~outlier).sum())


@dataclass(frozen=True)
class RocCurve:
    """A ROC curve in percent, from (0, 0) to (100, 100).

    Attributes
    ----------
    false_positive_rates, true_positive_rates : ndarray of shape (n_thresholds,)
    thresholds : ndarray of shape (n_thresholds,)
        Descending. The first is infinite: nothing is flagged.
    """

    false_positive_rates: Array
    true_positive_rates: Array
    thresholds: Array

    def __repr__(self) -> str:
        """Return the area and the number of thresholds, on one line."""
        return f"RocCurve(area={self.area:.4f}, {len(self.thresholds):,} thresholds)"

    @property
    def area(self) -> float:
        """Return the area under the curve as a share of the square, from 0 to 1; guessing gives ½."""
        from sklearn.metrics import auc  # heavy, and false-discovery rates need none of it

        return float(auc(self.false_positive_rates, self.true_positive_rates)) / 1e4

    @property
    def lift(self) -> Array:
        """Return how far the curve is above the diagonal at each threshold, in percentage points."""
        return self.true_positive_rates - self.false_positive_rates

    def at(self, false_positive_rates: Any) -> Array:
        """Return the true positive rates at given false positive rates, interpolated linearly.

        On a vertical part of the curve, return its upper end.
        """
        wanted = np.asarray(false_positive_rates, dtype=np.float64)
        last = np.append(np.diff(self.false_positive_rates) > 0, True)
        rates: Array = np.interp(wanted, self.false_positive_rates[last], self.true_positive_rates[last])
        return rates


def roc_curve(labels: Any, scores: Any) -> RocCurve:
    """Return the ROC curve of scores that are higher for stranger documents.

    Parameters
    ----------
    labels : array of shape (n_docs,)
        1 for outliers, 0 for the rest; there must be both.
    scores : array of shape (n_docs,)

    Returns
    -------
    curve : RocCurve

    Examples
    --------
    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.area
    0.75
    >>> float(curve.lift.max())
    50.0
    """
    outlier, values = _checked(labels, scores)
    from sklearn.metrics import roc_curve as rates_by_threshold

    false, true, thresholds = rates_by_threshold(outlier, values, drop_intermediate=False)
    return RocCurve(100 * false, 100 * true, thresholds)


def area_under_curve(labels: Any, scores: Any) -> float:
    """Return the area under the ROC curve: how often an outlier scores higher than another document; a tie counts half.

    >>> area_under_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    return roc_curve(labels, scores).area


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Precision against recall, both from 0 to 1, as the threshold falls.

    Attributes
    ----------
    recall : ndarray of shape (n_thresholds,)
        Share of the outliers that are flagged, ascending.
    precision : ndarray of shape (n_thresholds,)
        Share of the flagged documents that are outliers.
    thresholds : ndarray of shape (n_thresholds,)
        Documents with at least this score are flagged.
    average : float
        The average precision: the mean of the precision over the steps in recall.
    """

    recall: Array
    precision: Array
    thresholds: Array
    average: float


def precision_recall_curve(labels: Any, scores: Any) -> PrecisionRecallCurve:
    """Return the curve of scores that are higher for stranger documents; labels as in `roc_curve`.

    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall.tolist(), round(curve.average, 4)
    ([0.5, 0.5, 1.0, 1.0], 0.8333)
    """
    outlier, values = _checked(labels, scores)
    from sklearn.metrics import average_precision_score
    from sklearn.metrics import precision_recall_curve as precision_by_threshold

    precision, recall, thresholds = precision_by_threshold(outlier, values)
    average = float(average_precision_score(outlier, values))
    # The last point of the library's curve has no threshold.
    return PrecisionRecallCurve(recall[-2::-1], precision[-2::-1], thresholds[::-1], average)


def precision_at(labels: Any, scores: Any, k: int) -> float:
    """Return the share of outliers among the k documents with the highest scores.

    If documents tie for the last places, return the mean over all ways to choose among them.

    >>> precision_at([1, 0, 1, 0], [9, 8, 7, 6], k=2)
    0.5
    >>> precision_at([1, 0, 0, 0], [5, 5, 1, 1], k=1)
    0.5
    """
    outlier, values = _checked(labels, scores)
    if not 1 <= k <= len(values):
        raise InputError(f"k must be from 1 to the {len(values)} documents; got {k}.")
    last = np.partition(values, -k)[-k]
    surely, perhaps = values > last, values == last
    share = outlier[perhaps].mean() if perhaps.any() else 0.0
    return float((outlier[surely].sum() + (k - surely.sum()) * share) / k)


def _checked(labels: Any, scores: Any) -> tuple[NDArray[np.bool_], Array]:
    """Return labels as booleans and scores as numbers, one for each document."""
    outlier, values = _labels(labels), np.asarray(scores, dtype=np.float64)
    _check_lengths(outlier, values)
    if not np.isfinite(values).all():
        raise InputError("scores must be finite numbers; some are infinite or missing (NaN).")
    return outlier, values


def _checked_flags(labels: Any, flagged: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return labels and flags as booleans, one for each document; both may be given as 1 and 0."""
    outlier, given = _labels(labels), np.asarray(flagged)
    _check_lengths(outlier, given)
    if not np.isin(given, (0, 1)).all():
        raise InputError("flagged must be True or False, or 1 or 0; of predict() that is: predict(X) == -1.")
    return outlier, given.astype(bool)


def _labels(labels: Any) -> NDArray[np.bool_]:
    given = np.asarray(labels)
    if given.ndim != 1 or not np.isin(given, (0, 1)).all() or len(set(given.tolist())) < 2:
        raise InputError("labels must be 1 for outliers and 0 for the rest, and there must be both kinds.")
    return given.astype(bool)


def _check_lengths(labels: NDArray[Any], values: NDArray[Any]) -> None:
    if labels.shape != values.shape:
        raise InputError(f"Expected one label and one value for each document; got {labels.shape} and {values.shape}.")


def discoveries(p_values: Any, rate: float) -> NDArray[np.bool_]:
    """Return True for the p-values that stand out at a false-discovery rate, by the rule of Benjamini and Hochberg.

    The k smallest of m p-values stand out, for the largest k such that the k-th is at most rate · k/m. Of those that stand
    out, at most this share is expected to be ordinary, on average over many such lists.

    >>> discoveries([0.01, 0.5, 0.02, 0.6], 0.1).tolist()
    [True, False, True, False]
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise InputError("p_values must be a list of numbers from 0 to 1.")
    check_rate(rate, "rate")
    ascending = np.sort(values)
    passed = np.flatnonzero(ascending <= rate * np.arange(1, len(values) + 1) / max(len(values), 1))
    return np.asarray(values <= ascending[passed[-1]]) if len(passed) else np.zeros(len(values), bool)
