"""`EmbeddingOutlierDetector`: embeddings in, scores out, with nothing to tune."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from tonmf.arrays import Array
from tonmf.attached import Attached
from tonmf.detector.explain.several import ExplanationList
from tonmf.detector.scores.p_values import ScoreClass, sketch
from tonmf.detector.vectors.explanation import EmbeddingExplanation, explain
from tonmf.detector.vectors.rows import UnitRows
from tonmf.detector.vectors.saved import LEAST_DOCUMENTS, MODEL, read_vectors, vector_arrays, vector_fields
from tonmf.detector.vectors.scorer import VectorState, learn_scorer_of, threshold_of, total
from tonmf.errors import InputError
from tonmf.nmf.signs import OutlierSigns
from tonmf.nmf.threads import n_threads_of
from tonmf.nmf.threshold import threshold_for_share
from tonmf.nmf.validation import keep_columns
from tonmf.parameters import RUNNING, Rule, check_at_least, check_parameters, defaults_of
from tonmf.storage.bundles import Bundle, provenance, write_bundle
from tonmf.storage.parameters import kept_parameters, restored_parameters
from tonmf.text.documents import check_ids, check_names
from tonmf.text.frames import names_for

VECTOR_RULES: Mapping[str, Rule] = {name: RUNNING[name] for name in ("contamination", "n_jobs")}


class EmbeddingOutlierDetector(OutlierSigns, BaseEstimator):  # type: ignore[misc]
    """Find the documents that do not belong by their embeddings alone: sentences, images, audio, code.

    A document scores high if it is far from ordinary documents, those that are near to many others, and if strange documents
    are like it: a group that does not belong. Only the directions of embeddings count. `TextOutlierDetector` takes texts,
    with embeddings or without, and says which words are the reason (docs/guide/embeddings.md).

    Parameters
    ----------
    contamination : float or "auto"
        Share of the training documents to flag; or "auto", the threshold of `TextOutlierDetector` (docs/guide/scores.md).
    random_state : int, RandomState instance or None
        Seed of the samples that more than 2,000 documents are compared with.
    n_jobs : int, optional
        Number of threads; all cores if not given or -1, all but one if -2, and so on. Results do not depend on it.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_docs,)
        Scores of the training documents; higher is stranger.
    labels_ : ndarray of shape (n_docs,)
        -1 for the training documents that are flagged, 1 for the others.
    p_values_ : ndarray of shape (n_docs,)
        P-values of the training documents: the share of ordinary documents that are at least as strange, by what the lower
        nine tenths of the scores lead to expect.
    threshold_ : float
        Documents with a score above it are outliers.
    offset_ : float
        ``-threshold_``, as in scikit-learn.
    n_features_in_ : int
        Width of the embeddings.
    feature_names_in_ : ndarray of shape (n_features_in,)
        Names of the columns, if ``fit`` got a frame.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf import EmbeddingOutlierDetector
    >>> rng = np.random.default_rng(0)
    >>> subjects = rng.normal(size=(4, 32))
    >>> E = subjects[np.arange(400) % 4] + 0.3 * rng.normal(size=(400, 32))
    >>> E[[7, 123]] = rng.normal(size=(2, 32))  # on no subject
    >>> detector = EmbeddingOutlierDetector().fit(E)
    >>> sorted(detector.outlier_scores_.argsort()[-2:].tolist())
    [7, 123]
    >>> detector.predict([subjects[0], -subjects[0]]).tolist()
    [1, -1]
    >>> why = detector.explain(E, ids=[7])[0]
    >>> why.outlier, why.rank <= 2, len(why.nearest)
    (True, True, 3)
    """

    plot = Attached("plots of embedding detector")
    _repr_html_ = Attached("html of embedding detector")
    _repr_mimebundle_ = None  # scikit-learn's, which would come before

    def __init__(
        self, *, contamination: float | str = "auto", random_state: Any = 0, n_jobs: int | None = None
    ) -> None:
        self.contamination = contamination
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, names: Sequence[Any] | None = None) -> Self:
        """Learn what is ordinary, and score every document.

        Parameters
        ----------
        X : array of shape (n_docs, width)
            Embeddings, one row for each document, in any floating-point format: an array, a tensor, a frame, lists, or a
            memory map, of which a block at a time is read.
        y : ignored
            Present for API consistency.
        names : sequence of shape (n_docs,), optional
            Names of the documents for explanations. If not given, the index of a frame of pandas, unless it only numbers
            the rows; otherwise the documents' numbers.

        Returns
        -------
        self : EmbeddingOutlierDetector
        """
        check_parameters(self.get_params(deep=False), VECTOR_RULES)
        rows, names = UnitRows.of(X), names_for(X, names)
        if len(rows) < LEAST_DOCUMENTS:
            raise InputError(
                f"Expected the embeddings of at least {LEAST_DOCUMENTS} documents, to compare them with one another; got "
                f"n_samples={len(rows)}."
            )
        called, rng = check_names(names, len(rows)), check_random_state(self.random_state)
        scorer, scores, sampled = learn_scorer_of(rows, rng, n_threads_of(self.n_jobs))
        auto = isinstance(self.contamination, str)
        threshold = threshold_of(scores) if auto else threshold_for_share(scores, float(self.contamination))
        # A fit that fails leaves the detector as it was.
        self._adopt(VectorState(scorer, [called[number] for number in sampled.tolist()], threshold, scores))
        self._known_names = None if names is None else (called, _fingerprint(rows))
        keep_columns(self, X, rows.shape[1])
        return self

    def fit_predict(self, X: Any, y: Any = None, *, names: Sequence[Any] | None = None) -> NDArray[np.int64]:
        """Fit, and label the training documents: -1 for outliers, 1 for the rest."""
        return self.fit(X, names=names).labels_

    def outlier_score(self, X: Any) -> Array:
        """Score documents on the scale of ``outlier_scores_``; higher is stranger.

        Training documents get the score they have there.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        return total(self._parts(self._check_new(X)))

    def p_value(self, X: Any) -> Array:
        """Return the p-values of new documents: the share of ordinary documents that are at least as strange.

        ``tonmf.metrics.discoveries`` flags documents by their p-values. They hold if the training documents are mostly
        ordinary, and new ones of the same kind (docs/guide/scores.md).

        Returns
        -------
        p_values : ndarray of shape (n_docs,)
        """
        return self._reference.p_of_new(self.outlier_score(X))

    def explain(
        self,
        X: Any,
        ids: Sequence[int | str] | None = None,
        *,
        names: Sequence[Any] | None = None,
        n_nearest: int = 3,
    ) -> ExplanationList[EmbeddingExplanation]:
        """Explain the scores of documents.

        Parameters
        ----------
        X : array of shape (n_docs, width)
        ids : sequence of int or str, optional
            Numbers of the documents to explain, from 0, or their names as strings; all if not given.
        names : sequence of shape (n_docs,), optional
            Names of all documents. If not given, the index of a frame of pandas, or the names that ``fit`` got for the same
            documents; otherwise their numbers.
        n_nearest : int
            Most similar ordinary training documents to list.

        Returns
        -------
        explanations : list of EmbeddingExplanation
            A list that a notebook shows as HTML.
        """
        check_at_least(n_nearest, 0, "n_nearest")
        rows, names = self._check_new(X), names_for(X, names)
        if names is None and self._known_names is not None and self._known_names[1] == _fingerprint(rows):
            names = self._known_names[0]
        called = check_names(names, len(rows))
        chosen = list(range(len(rows))) if ids is None else check_ids(ids, called)
        parts = self._parts(rows if ids is None else UnitRows(rows.given[chosen]))
        p_values = self._reference.p_of_new(total(parts))
        return ExplanationList(explain(self._state, rows, chosen, called, p_values, parts, n_nearest))

    def save(self, path: str | Path) -> None:
        """Save the fitted detector in a folder that ``tonmf.load`` reads, and that holds nothing that can execute.

        A saved model at `path` is replaced once the new one is complete. It holds the names and embeddings of up to 2,000
        ordinary training documents, and the embeddings of strange ones.
        """
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", None)
        fields = {
            "parameters": kept_parameters(self.get_params(deep=False)),
            "feature_names": None if columns is None else [str(name) for name in columns],
            **vector_fields(self._state),
            "provenance": provenance(),
        }
        write_bundle(path, MODEL, fields, vector_arrays(self._state))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """Read the detector in a saved model; ``tonmf.load`` calls it."""
        detector = cls(**restored_parameters(bundle, defaults_of(cls), VECTOR_RULES))
        state = read_vectors(bundle)
        detector._adopt(state)
        detector.n_features_in_ = state.scorer.width
        if bundle.has("feature_names"):
            columns = bundle.texts("feature_names", state.scorer.width)
            detector.feature_names_in_ = np.array(columns, dtype=object)
        return detector

    def _adopt(self, state: VectorState) -> None:
        """Take on a state, and be the fitted detector that it describes."""
        self._state, self._known_names = state, None
        self._reference = ScoreClass(sketch(state.outlier_scores), float(len(state.outlier_scores)))
        self.outlier_scores_, self.threshold_, self.offset_ = state.outlier_scores, state.threshold, -state.threshold
        self.p_values_ = self._reference.p_of_training(state.outlier_scores)
        self.labels_ = np.where(state.outlier_scores > state.threshold, -1, 1)

    _known_names: tuple[list[str], str] | None

    def _check_new(self, X: Any) -> UnitRows:
        """Check the embeddings of documents to score."""
        check_is_fitted(self)
        rows, width = UnitRows.of(X), self._state.scorer.width
        if rows.shape[1] != width:
            raise InputError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting {width} features as input: use the "
                "embedding model that it was fitted with."
            )
        validate_data(self, X, reset=False, skip_check_array=True)  # the names of columns
        return rows

    def _parts(self, rows: UnitRows) -> dict[str, Array]:
        return self._state.scorer.parts(rows, n_threads_of(self.n_jobs))


def _fingerprint(rows: UnitRows) -> str:
    """Return what differs for other embeddings, or the same in another order."""
    return sha256(rows.keys.tobytes()).hexdigest()
