"""Score documents by a fitted detector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.fitted.adopted import StatefulDetector
from tonmf.detector.reading import ReadDocuments
from tonmf.text.documents import as_documents
from tonmf.text.frames import names_for


class ScoringDetector(StatefulDetector):
    """A fitted detector that scores documents."""

    def read(self, documents: Any, *, embeddings: Any = None, names: Sequence[Any] | None = None) -> ReadDocuments:
        """Read documents by the detector as it is now: scores, topics and unexpected words together.

        The other methods return parts of it; other modules of the package read documents by it.

        Parameters
        ----------
        documents : as in ``fit``
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents; by default, how many documents came before each.

        Returns
        -------
        read : ReadDocuments
        """
        reader, names, (documents, _) = self._reader, names_for(documents, names), as_documents(documents)
        return reader.read(documents, reader.embeddings_of(documents, embeddings), names)

    def read_words(self, documents: Any, *, names: Sequence[Any] | None = None) -> ReadDocuments:
        """Read documents by their words alone: topics, unexpected words and alarms, which need no embeddings.

        Returns
        -------
        read : ReadDocuments
            Its scores cannot be computed if the detector was fitted with embeddings.
        """
        names, (documents, _) = names_for(documents, names), as_documents(documents)
        return self._reader.read(documents, None, names)

    def embed(
        self, documents: Any, *, embeddings: Any = None, progress: Callable[[float], object] | None = None
    ) -> Array | None:
        """Return the embeddings of documents at unit norm, as other methods take them, so that they are made only once.

        Parameters
        ----------
        documents : as in ``fit``
        embeddings : array of shape (n_docs, width), optional
            Embeddings to check and scale, in place of those that the embedder makes.
        progress : callable, optional
            Called with the share that is done.

        Returns
        -------
        embeddings : ndarray of shape (n_docs, width) or None
            None if the detector was fitted without.
        """
        reader, (documents, _) = self._reader, as_documents(documents)
        return reader.embeddings_of(documents, embeddings, progress)

    def training_embeddings(self) -> Array | None:
        """Return the embeddings of the training documents at unit norm.

        Returns
        -------
        embeddings : ndarray of shape (n_docs, width) or None
            None if there are none, or if the detector does not have them any more: when it was loaded, or fitted on disk.
        """
        self._check_is_fitted()
        return None if self._state.rows is None else self._state.rows.embeddings

    def outlier_score(self, documents: Any, *, embeddings: Any = None, marks: bool = True) -> Array:
        """Score documents on the scale of ``outlier_scores_``; higher is stranger.

        Training documents get the score they have there. A document without words is not judged, and has a score of 0. With
        ``marks=False``, scores are those without marks, as in ``unmarked_scores_``.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        return self._reader.score(documents, embeddings, marks).total

    def p_value(self, documents: Any, *, embeddings: Any = None) -> Array:
        """Return the p-values of new documents: the share of ordinary documents that are at least as strange.

        A document is compared with the training documents of about as many different words, or of all lengths where length
        does not matter. ``tonmf.metrics.discoveries`` flags documents by their p-values, so that few of those that are
        flagged are ordinary. P-values are those of the scores without marks; 1 for a document without words, which is not
        judged. They hold if the training documents are mostly ordinary, and new ones of the same kind (docs/guide/scores.md).

        Returns
        -------
        p_values : ndarray of shape (n_docs,)

        Examples
        --------
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import make_corpus
        >>> from tonmf.metrics import discoveries
        >>> detector = TextOutlierDetector().fit(make_corpus(n_docs=300, n_outliers=0).texts)
        >>> new = make_corpus(n_docs=50, n_outliers=3, random_state=1)
        >>> flagged = discoveries(detector.p_value(new.texts), 0.1)
        >>> flagged.nonzero()[0].tolist() == new.labels.nonzero()[0].tolist()
        True
        """
        return self.score_with_p_value(documents, embeddings=embeddings)[1]

    def score_with_p_value(self, documents: Any, *, embeddings: Any = None) -> tuple[Array, Array]:
        """Return ``outlier_score`` and ``p_value`` of documents, which are read once.

        Returns
        -------
        scores, p_values : ndarrays of shape (n_docs,)
        """
        scores, p_values = self._reader.score_with_p_values(documents, embeddings)
        return scores.total, p_values

    def score_samples(self, documents: Any, *, embeddings: Any = None) -> Array:
        """Return ``-outlier_score(documents)``, scikit-learn's sign: lower is stranger."""
        return -self.outlier_score(documents, embeddings=embeddings)

    def decision_function(self, documents: Any, *, embeddings: Any = None) -> Array:
        """Return ``score_samples(documents) - offset_``, which is negative for outliers.

        A document without words is not judged, and so never has less than 0.
        """
        scores = self._reader.score(documents, embeddings)
        decision = -scores.total - self.offset_
        return np.where(scores.judged, decision, np.maximum(decision, 0.0))

    def predict(self, documents: Any, *, embeddings: Any = None) -> NDArray[np.int64]:
        """Return -1 for outliers, 1 for others; documents without words are not judged, and so never outliers."""
        return np.where(self.decision_function(documents, embeddings=embeddings) < 0, -1, 1)

    def rank(self, scores: Array, judged: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Return the rank of each score: 1 + the number of judged training documents with a higher score.

        Equal scores have equal ranks. In a stream, the documents seen last stand for the training documents.

        Parameters
        ----------
        scores : ndarray of shape (n_docs,)
        judged : ndarray of bool of shape (n_docs,), optional
            False for documents that are not judged: they rank after all judged training documents.

        Returns
        -------
        ranks : ndarray of shape (n_docs,)
        """
        self._check_is_fitted()
        return self._explainer.ranks(scores, judged)

    def alarms(self, documents: Any) -> dict[str, Array]:
        """Return the alarms of documents, as in ``alarms_``.

        Returns
        -------
        alarms : dict of str to ndarray of shape (n_docs,)
        """
        return self._reader.alarms(documents)

    def unit_rows(self, documents: Any) -> sp.csr_matrix:
        """Return the unit rows of documents, by which marks compare them.

        Returns
        -------
        rows : csr_matrix of shape (n_docs, n_terms)
        """
        return self._reader.rows(documents)
