"""Detectors of PyOD: its signs, its labels 0 and 1, its threshold (``pip install 'tonmf[pyod]'``; docs/guide/pyod.md).

Each class has the name and the parameters of the one that it stands for, and works wherever PyOD takes a ``BaseDetector``.
``model_`` is the fitted original, with all that PyOD has no name for: topics, reasons, p-values, groups.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar, Self

from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import tonmf
from tonmf.arrays import Array
from tonmf.errors import MissingExtraError, Param, ParameterError
from tonmf.parameters import defaults_of

try:
    from pyod.models.base import BaseDetector
except ImportError as error:
    raise MissingExtraError("tonmf.pyod needs PyOD: pip install 'tonmf[pyod]'.") from error

__all__ = ["TONMF", "EmbeddingOutlierDetector", "TextOutlierDetector", "load"]

CONTAMINATION = 0.1
"""PyOD's default."""

NOT_HERE = ("half_life", "executor")
"""Parameters for what PyOD has no method for: learning from a stream, and clusters."""


def _constructor_for(model: type) -> Any:
    """Return a constructor with the parameters of a model, but for PyOD's `contamination`."""
    parameters = [
        p.replace(default=CONTAMINATION, annotation="float | Any") if p.name == "contamination" else p
        for p in inspect.signature(model).parameters.values()
        if p.name not in NOT_HERE
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([own, *parameters])

    def construct(*arguments: Any, **options: Any) -> None:
        given = signature.bind(*arguments, **options)
        given.apply_defaults()
        self, values = arguments[0], given.arguments
        BaseDetector.__init__(self, contamination=values["contamination"])
        for name in values.keys() - {"self"}:
            setattr(self, name, values[name])

    construct.__name__ = "__init__"
    construct.__signature__ = signature  # type: ignore[attr-defined]  # what help(), clone and get_params read
    return construct


class ScoredDocuments:
    """New documents as the methods of PyOD see them once they are scored: rows, of which they count the first dimension."""

    def __init__(self, scores: Array) -> None:
        self.scores, self.shape = scores, scores.shape


class PyODDetector(BaseDetector):  # type: ignore[misc]
    """What the detectors have in common; a subclass names its model."""

    _model: ClassVar[type]
    model_: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on rows of X, or on documents.

        Parameters
        ----------
        X : as the model takes it
        y : ignored
            Present for API consistency; PyOD warns if it is given.

        Returns
        -------
        self : PyODDetector
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, **of_rows: Any) -> Self:
        _check_contamination(self.contamination)
        return self._take(self._new_model().fit(X, **of_rows), y)

    def _new_model(self) -> Any:
        return self._model(
            **{name: value for name, value in self.get_params(deep=False).items() if name != "contamination"}
        )

    def _take(self, model: Any, y: Any = None) -> Self:
        """Set what PyOD expects of a fitted detector."""
        self._set_n_classes(y)
        self.model_ = model
        self.decision_scores_ = model.outlier_scores_
        self._process_decision_scores()
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the outlier score of each row or document; higher is stranger.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        if isinstance(X, ScoredDocuments):
            return X.scores
        check_is_fitted(self, "model_")
        scores: Array = self.model_.outlier_score(X)
        return scores

    def predict(self, X: Any, return_confidence: bool = False) -> Any:
        """Return 1 for outliers and 0 for the rest; with `return_confidence`, also how sure that is."""
        return super().predict(self._scored(X), return_confidence)

    def predict_proba(self, X: Any, method: str = "linear", return_confidence: bool = False) -> Any:
        """Return the probabilities of being ordinary and of being an outlier.

        Parameters
        ----------
        X : as in ``fit``
        method : {"linear", "unify"}
            How PyOD makes probabilities of scores.
        return_confidence : bool
            Whether to return the confidence of each prediction, too.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
        """
        return super().predict_proba(self._scored(X), method, return_confidence)

    def predict_confidence(self, X: Any) -> Array:
        """Return how likely each prediction would be the same after a fit on slightly other data."""
        confidence: Array = super().predict_confidence(self._scored(X))
        return confidence

    def predict_with_rejection(self, X: Any, *arguments: Any, **options: Any) -> Any:
        """Return labels as ``predict`` does, and -2 where the confidence is too low; the options are PyOD's."""
        return super().predict_with_rejection(self._scored(X), *arguments, **options)

    def _scored(self, X: Any) -> ScoredDocuments:
        return X if isinstance(X, ScoredDocuments) else ScoredDocuments(self.decision_function(X))

    def save(self, path: str | Path) -> None:
        """Save the fitted model to a folder that ``tonmf.pyod.load`` and ``tonmf.load`` read. It holds no code."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._new_model()).input_tags
        return tags


class TONMF(PyODDetector):
    """`tonmf.TONMF` for PyOD: outliers among non-negative rows, sparse or dense.

    Parameters
    ----------
    contamination : float or thresholder
        The share of outliers, above 0 and up to 0.5, or a thresholder of ``pyod.models.thresholds``.
    n_topics, alpha, score_by, random_state, …
        As in `tonmf.TONMF`.

    Attributes
    ----------
    decision_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    threshold_ : float
        Rows with a score above it are outliers, by `contamination`.
    labels_ : ndarray of shape (n_samples,)
        1 for the outliers among the training rows, 0 for the rest.
    model_ : tonmf.TONMF
        The fitted model. Its ``threshold_`` is our automatic one.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.pyod import TONMF
    >>> rng = np.random.default_rng(0)
    >>> groups = np.kron(np.eye(3), np.ones(20))
    >>> X = rng.poisson(2 * groups[rng.integers(3, size=200)]).astype(float)
    >>> X[17] = 0
    >>> X[17, [3, 25, 47]] = 9                             # a row that is of no group
    >>> detector = TONMF(n_topics=3, contamination=0.05, random_state=0).fit(X)
    >>> int(detector.decision_scores_.argmax()), int(detector.labels_.sum())
    (17, 10)
    """

    _model = tonmf.TONMF
    __init__ = _constructor_for(tonmf.TONMF)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on rows of X.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe} of shape (n_samples, n_features)
            Non-negative rows: counts, tf-idf, baskets.
        y : ignored
            Present for API consistency; PyOD warns if it is given.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts in the fit. `contamination` is a share of the rows, whatever they weigh.

        Returns
        -------
        self : TONMF
        """
        return self._fit(X, y, sample_weight=sample_weight)


class TextOutlierDetector(PyODDetector):
    """`tonmf.TextOutlierDetector` for PyOD: texts, baskets or counts in, with nothing to tune.

    Parameters
    ----------
    contamination : float or thresholder
        The share of outliers, above 0 and up to 0.5, or a thresholder of ``pyod.models.thresholds``.
    stop_words, min_df, embedder, random_state, …
        As in `tonmf.TextOutlierDetector`.

    Attributes
    ----------
    decision_scores_, threshold_, labels_
        As in `tonmf.pyod.TONMF`.
    model_ : tonmf.TextOutlierDetector
        The fitted detector: ``model_.explain`` says why.

    Examples
    --------
    >>> from tonmf.datasets import make_corpus
    >>> from tonmf.pyod import TextOutlierDetector
    >>> corpus = make_corpus(n_docs=300, n_outliers=6)
    >>> detector = TextOutlierDetector(contamination=0.02).fit(corpus.texts)
    >>> bool((detector.labels_ == corpus.labels).all())
    True
    """

    _model = tonmf.TextOutlierDetector
    __init__ = _constructor_for(tonmf.TextOutlierDetector)


class EmbeddingOutlierDetector(PyODDetector):
    """`tonmf.EmbeddingOutlierDetector` for PyOD: outliers among rows of embeddings.

    It can be the detector of PyOD's ``EmbeddingOD``, which makes embeddings of texts or images first.

    Parameters
    ----------
    contamination : float or thresholder
        The share of outliers, above 0 and up to 0.5, or a thresholder of ``pyod.models.thresholds``.
    random_state, n_jobs
        As in `tonmf.EmbeddingOutlierDetector`.

    Attributes
    ----------
    decision_scores_, threshold_, labels_
        As in `tonmf.pyod.TONMF`.
    model_ : tonmf.EmbeddingOutlierDetector
        The fitted detector.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf.pyod import EmbeddingOutlierDetector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5, 16))[rng.integers(5, size=200)] + 0.2 * rng.normal(size=(200, 16))
    >>> X[3] = rng.normal(size=16)
    >>> int(EmbeddingOutlierDetector().fit(X).decision_scores_.argmax())
    3
    """

    _model = tonmf.EmbeddingOutlierDetector
    __init__ = _constructor_for(tonmf.EmbeddingOutlierDetector)


DETECTORS = (TONMF, TextOutlierDetector, EmbeddingOutlierDetector)


def load(path: str | Path, *, contamination: Any = CONTAMINATION) -> PyODDetector:
    """Load any saved model of tonmf as a detector of PyOD. Loading never runs code from the files.

    Parameters
    ----------
    path : str or Path
        The folder of the model, which ``save`` of any class wrote, or ``tonmf detect --save``.
    contamination : float or thresholder
        The share of outliers, or a thresholder of ``pyod.models.thresholds``: saved models do not have PyOD's.

    Returns
    -------
    detector : TONMF, TextOutlierDetector or EmbeddingOutlierDetector
    """
    _check_contamination(contamination)
    model = tonmf.load(path)
    (kind,) = (kind for kind in DETECTORS if type(model) is kind._model)
    options = {name: getattr(model, name) for name in defaults_of(kind) if name != "contamination"}
    detector: PyODDetector = kind(contamination=contamination, **options)
    return detector._take(model)


def _check_contamination(value: Any) -> None:
    """Reject what PyOD would fail on only later: text, and objects that are no thresholders."""
    is_share = isinstance(value, float | int) and 0 < value <= 0.5
    if not is_share and not (callable(getattr(value, "fit", None)) and callable(getattr(value, "predict", None))):
        raise ParameterError(
            Param("contamination"),
            " must be a share of the rows above 0 and up to 0.5, or a thresholder of pyod.models.thresholds; got "
            f"{value!r}. The automatic threshold of tonmf is model_.threshold_ after the fit.",
        )
