"""Use a fitted detector: score documents, explain them, and look at its topics.

The methods that other rooms use (`tonmf.timeline`, `tonmf.dask`, `tonmf.ranking`, the service and the commands) are all public;
those without a leading underscore here and in `tonmf.detector.detector` are the whole seam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.explain.topics import Topic
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.markable import document_marks, marked_ids, training_marks
from tonmf.detector.marking import with_marks
from tonmf.detector.marks.likeness import Centred
from tonmf.detector.marks.rule import MarkRule
from tonmf.detector.options import DETECTOR_RULES, DetectorOptions, options_of
from tonmf.detector.reading import FollowingScores, ReadDocuments, Reader
from tonmf.detector.saved import MODEL, read_state, state_arrays, state_fields
from tonmf.detector.scores.embeddings import check_new_embeddings
from tonmf.detector.state import DetectorState
from tonmf.errors import InputError, Param, ParameterError
from tonmf.nmf.threads import make_ops, n_threads_of
from tonmf.parameters import check_at_least, defaults_of
from tonmf.storage.bundles import Bundle, provenance, write_bundle
from tonmf.storage.parameters import kept_parameters, restored_parameters
from tonmf.text.analysis import Analysis
from tonmf.text.counts import threads_for
from tonmf.text.documents import KnownNames, as_documents, check_ids, check_names, n_documents, take
from tonmf.text.forms import forms_in, forms_of, in_words
from tonmf.text.frames import TEXT, Frame, names_for
from tonmf.text.markup import tidy
from tonmf.text.pieces import Piece, pieces_of_items, pieces_of_text

AT_ONCE = 2000
"""Rows of a frame to explain at a time."""

RESULTS = {"rank": int, "score": float, "flagged": bool, "topic": int, "reason": str}
"""Columns that a frame gets."""


class FittedDetector(DetectorOptions):
    """A detector that has a state; `tonmf.TextOutlierDetector` learns it.

    By itself it is what a command needs of a saved model. It loads without scikit-learn, which takes longer to import than a
    document to score.
    """

    def save(self, path: str | Path, *, excerpts: bool = True, rows: bool = False) -> None:
        """Save the fitted detector in a folder that ``tonmf.load`` reads, and that holds nothing that can execute.

        Parameters
        ----------
        path : str or Path
            The folder. A saved model that is there is replaced once this one is complete.
        excerpts : bool
            Whether to keep the beginnings of up to 2,000 ordinary training documents (160 characters each), to show beside
            documents that are explained. Their names are always kept.
        rows : bool
            Whether to keep the names and rows of all training documents as well, if the detector has them, so that it can
            mark them by name once it is loaded.
        """
        self._check_is_fitted()
        parameters = kept_parameters(options_of(self))
        fields = {"parameters": parameters, **state_fields(self._state, excerpts, rows), "provenance": provenance()}
        write_bundle(path, MODEL, fields, state_arrays(self._state, rows))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """Read the detector in a saved model; ``tonmf.load`` calls it."""
        parameters = restored_parameters(bundle, defaults_of(cls), DETECTOR_RULES)
        try:
            state = read_state(bundle, parameters)
        except ParameterError as error:
            raise bundle.wrong(str(error).rstrip(".")) from error
        return cls.from_state(state, **parameters)

    @classmethod
    def from_state(cls, state: DetectorState, **parameters: Any) -> Self:
        """Make a fitted detector of a state that was learnt elsewhere, such as on a cluster."""
        detector = cls(**parameters)
        detector._adopt(state)
        return detector

    def _check_is_fitted(self) -> None:
        """Raise scikit-learn's ``NotFittedError`` if there is no state yet."""
        if not hasattr(self, "_state"):
            from sklearn.utils.validation import check_is_fitted  # heavy, and a loaded detector has a state

            check_is_fitted(self)

    def _adopt(self, state: DetectorState, column: Any = None, known_names: KnownNames | None = None) -> None:
        """Take on a state, and be the fitted detector that it describes.

        `column` is what the column of the documents was called, and `known_names` are what they were called themselves.
        """
        self._column, self._known_names = column, known_names
        self._state, self._explainer = state, state.explainer(self.analyzer)
        self.kind_, self.terms_, self.n_terms_ = state.kind, state.counter.terms, len(state.counter.terms)
        self.boilerplate_ = state.counter.boilerplate.listed()
        self.idf_, self.idf_outside_ = state.idf, state.scorer.alarms.rarity_outside + 1
        self.n_seen_ = state.profile.n_docs if state.stream is None else state.stream.n_seen
        self.word_ = state.word(self.analyzer)
        self.column_names_ = getattr(state.counter, "names", None)
        self.n_columns_ = getattr(state.counter, "n_columns", None)
        self.uses_embeddings_ = state.scorer.neighbours is not None
        self.rungs_, self.groups_ = list(state.scorer.rungs), state.groups
        self.outlier_scores_, self.unmarked_scores_ = state.marked_scores, state.outlier_scores
        self.marks_ = {} if state.marks is None else state.marks.named()
        self.p_values_ = state.p_values
        self.scores_before_alarms_ = state.scores_before_alarms
        self.alarms_, self.empty_ = state.alarms, state.alarms["empty"] > 0
        self.threshold_, self.offset_ = state.marked_threshold, -state.marked_threshold
        of_training = state.threshold if state.marking is None else state.marking.training_threshold
        self.labels_ = np.where(~self.empty_ & (self.outlier_scores_ > of_training), -1, 1)

    @property
    def _reader(self) -> Reader:
        self._check_is_fitted()
        return Reader(self._state, self._explainer, make_ops(self.backend, self.n_jobs), self.max_topics)

    @property
    def n_readers_(self) -> int:
        """Return how many threads may read documents at the same time: one if code that is not ours cuts them into terms."""
        self._check_is_fitted()
        return threads_for(self._state.counter.analyze, n_threads_of(self.n_jobs))

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
        n_docs = n_documents(documents)
        return reader.read(documents, check_new_embeddings(embeddings, n_docs, reader.state.scorer.neighbours), names)

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

    def mark(
        self,
        strange: Iterable[int | str] = (),
        fine: Iterable[int | str] = (),
        *,
        documents: Any = None,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
    ) -> Self:
        """Mark documents as strange or fine: documents like them score higher or lower from now on (docs/guide/marks.md).

        Scores, ranks, threshold and flags follow at once, those of new documents too. A document that is marked again has
        the later mark only. ``fit`` forgets all marks; ``partial_fit`` keeps them.

        Parameters
        ----------
        strange, fine : sequence of int or str
            Numbers of documents, from 0, or their names as strings. Numbers are places in ``outlier_scores_``.
        documents : as in ``fit``, optional
            The documents to choose from, if they are not the training documents, or if the detector does not have these any
            more: when it was loaded, or fitted on disk or on a cluster. If they turn out to be the training documents,
            ``outlier_scores_`` follow from then on.
        embeddings : array of shape (n_docs, width), optional
            Embeddings of `documents`, if the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of `documents`. New documents without names are called by their content, such as "new-3fa9c2d1b0".

        Returns
        -------
        self : TextOutlierDetector

        Examples
        --------
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import load_noticeboard
        >>> board = load_noticeboard()
        >>> detector = TextOutlierDetector().fit(board.texts, names=board.ids)
        >>> detector.mark(strange=["post-065"], fine=["post-111"]).marks_
        {'post-065': 'strange', 'post-111': 'fine'}
        >>> detector.labels_[[board.ids.index("post-065"), board.ids.index("post-111")]].tolist()
        [-1, 1]
        """
        reader = self._reader
        state = reader.state
        if documents is None:
            for name, value in (("embeddings", embeddings), ("names", names)):
                if value is not None:
                    raise InputError(Param(name), " are those of ", Param("documents"), ". Give both, or leave it out.")
            new = training_marks(state, strange, fine, self.word_)
        else:
            names, (documents, _) = names_for(documents, names), as_documents(documents)
            if names is None and self._known_names is not None:
                names = self._known_names.given_to(documents)
            rows = check_new_embeddings(embeddings, n_documents(documents), state.scorer.neighbours)
            state, new = document_marks(reader, documents, rows, names, strange, fine)
        if new is None:
            return self
        marks = new if state.marks is None else state.marks.followed_by(new)
        self._adopt(with_marks(state, marks, self.contamination), self._column, self._known_names)
        return self

    def unmark(self, ids: Iterable[int | str] | None = None) -> Self:
        """Take marks away; without any left, scores are what they were before.

        Parameters
        ----------
        ids : sequence of int or str, optional
            Names of marked documents, as in ``marks_``, or numbers of training documents; all marks if not given.

        Returns
        -------
        self : TextOutlierDetector
        """
        self._check_is_fitted()
        state, kept = self._state, None
        if ids is not None:
            gone = marked_ids(state, ids)
            kept = None if state.marks is None else state.marks.without(gone)
        self._adopt(with_marks(state, kept, self.contamination), self._column, self._known_names)
        return self

    def follow(self, documents: Any, *, embeddings: Any = None) -> FollowingScores:
        """Score new documents so that their scores can follow marks at once (`scores_of`), without reading them again.

        Returns
        -------
        documents : FollowingScores
        """
        return self._reader.follow(documents, embeddings)

    def scores_of(self, documents: FollowingScores) -> Array:
        """Return the scores, with the marks as they are now, of documents that this detector scored before.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        marking = self._reader.state.marking
        return documents.by(None if marking is None else marking.effects)

    def effects_of_other_marks(self) -> dict[str, float]:
        """Return for each of the latest marked documents what the marks on the other documents add to its score.

        With this, its score is that of a document that is not marked, and says how well marks tell such documents apart.

        Returns
        -------
        effects : dict of str to float
            By the id of the marked document.
        """
        marking = self._reader.state.marking
        if marking is None:
            return {}
        added = marking.effects.left_out().tolist()
        return dict(zip(marking.effects.marks.ids[-len(added) :], added, strict=True))

    def forget_training_rows(self) -> Self:
        """Forget the rows of the training documents, as a saved detector does: from then on they do not follow marks.

        A stream that does so comes to the same results whether or not it was saved and loaded on the way.

        Returns
        -------
        self : TextOutlierDetector
        """
        self._check_is_fitted()
        if self._state.rows is not None:
            self._adopt(replace(self._state, rows=None), self._column, self._known_names)
        return self

    def mark_rule(self) -> MarkRule:
        """Return how scores follow marks, for programs that do not have the detector; only for one without embeddings.

        Returns
        -------
        rule : MarkRule
        """
        self._check_is_fitted()
        state = self._state
        if state.scorer.neighbours is not None:
            raise InputError("The detector was fitted with embeddings, and a rule for marks holds words only.")
        share = None if isinstance(self.contamination, str) or state.stream is not None else self.contamination
        return MarkRule(
            Centred.around(state.scorer.sample),
            state.scorer.sample,
            None if state.marking is None else state.marking.effects,
            state.threshold,
            state.scorer.level,
            share,
        )

    def unit_rows(self, documents: Any) -> sp.csr_matrix:
        """Return the unit rows of documents, by which marks compare them.

        Returns
        -------
        rows : csr_matrix of shape (n_docs, n_terms)
        """
        return self._reader.rows(documents)

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

    def explain(
        self,
        documents: Any,
        ids: Sequence[int | str] | None = None,
        *,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
        n_words: int = 10,
        n_nearest: int = 3,
        n_missing: int = 5,
    ) -> list[Explanation]:
        """Explain the scores of documents.

        Parameters
        ----------
        documents : as in ``fit``
        ids : sequence of int or str, optional
            Numbers of the documents to explain, from 0, or their names as strings; all if not given.
        embeddings : array of shape (n_docs, width), optional
            Embeddings of all documents, if the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of all documents. If not given, the index of a Series or a frame of pandas, or the names that ``fit`` got
            for the same documents; otherwise their numbers.
        n_words : int
            Most unexpected words to list of each document.
        n_nearest : int
            Most similar ordinary training documents to list.
        n_missing : int
            Words to list that its topics lead one to expect but that it lacks.

        Returns
        -------
        explanations : list of Explanation

        Examples
        --------
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import make_corpus
        >>> corpus = make_corpus(n_docs=300, n_outliers=5)
        >>> detector = TextOutlierDetector().fit(corpus.texts)
        >>> strangest = int(detector.outlier_scores_.argmax())
        >>> why = detector.explain(corpus.texts, ids=[strangest])[0]
        >>> why.outlier, why.rank, [word.word for word in why.unexpected[:3]]
        (True, 1, ['sugar', 'dough', 'knead'])
        """
        self._check_is_fitted()
        check_at_least(n_words, 1, "n_words")
        check_at_least(n_nearest, 0, "n_nearest")
        check_at_least(n_missing, 0, "n_missing")
        names, (documents, _) = names_for(documents, names), as_documents(documents)
        n_docs = n_documents(documents)
        if names is None and self._known_names is not None:
            names = self._known_names.given_to(documents)
        called = check_names(names, n_docs)
        rows = check_new_embeddings(embeddings, n_docs, self._state.scorer.neighbours)
        chosen = list(range(n_docs)) if ids is None else check_ids(ids, called)
        if not chosen:
            return []
        rows = None if rows is None else rows[chosen]
        read = self._reader.read(take(documents, chosen), rows, [called[i] for i in chosen])
        return read.explain(n_words, n_nearest, n_missing)

    def to_frame(self, frame: Any, column: Any = None, *, embeddings: Any = None) -> Any:
        """Return the rows of a frame with their results, in the same order and as a frame of the same library.

        The new columns are ``rank``, 1 for the strangest of these rows; ``score``; ``flagged``; ``topic``, the number of the
        topic that explains most of the document, missing if there is none; and ``reason``, a sentence. A column of yours that
        has one of these names is called ``input_`` and that name, with a warning.

        Parameters
        ----------
        frame : frame or Series of pandas, polars, pyarrow or another library that narwhals knows
            Training documents or new ones, with any other columns. Missing texts are empty documents, which are not judged.
        column : str, optional
            The column of the documents. By default, the only one, or the one that is called like the column that ``fit`` got,
            or "text", or the only one that holds texts or lists.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.

        Returns
        -------
        frame : frame of the same library

        Examples
        --------
        >>> import pandas as pd
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import load_noticeboard
        >>> board = load_noticeboard()
        >>> posts = pd.DataFrame({"post": board.texts, "planted": board.labels}, index=board.ids)
        >>> detector = TextOutlierDetector().fit(posts["post"])
        >>> posts = detector.to_frame(posts)
        >>> posts.columns.tolist()
        ['post', 'planted', 'rank', 'score', 'flagged', 'topic', 'reason']
        >>> print(posts.loc["post-065", "reason"])
        73 % of its distinct words are outside the vocabulary (typical: 27 %), such as “shall”, “award”, “pursuant”,
        “clause”.
        """
        self._check_is_fitted()
        given = Frame(frame, column, [self._column, TEXT])
        documents = given.documents
        explained: dict[str, list[Any]] = {"score": [], "judged": [], "flagged": [], "topic": [], "reason": []}
        for start in range(0, len(documents), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            rows = None if embeddings is None else embeddings[some]
            for why in self.explain(documents[some], embeddings=rows, n_nearest=0, n_missing=0):
                values = (why.score, why.judged, why.outlier, why.topic, why.reason)
                for known, value in zip(explained.values(), values, strict=True):
                    known.append(value)
        scores, judged = np.asarray(explained["score"], float), np.asarray(explained.pop("judged"), bool)
        ranks = rank_among(np.sort(scores[judged]), np.where(judged, scores, -np.inf))
        return given.with_columns({"rank": ranks.tolist(), **explained}, RESULTS)

    def unexpected_words(self, documents: Any, n_words: int = 5) -> list[list[UnexpectedWord]]:
        """Return the words of each document that say most about what no topic explains, the largest share first.

        A word's share is the part of the document's weight (the sum of its damped word counts) that it takes and no topic
        explains; the shares of all its words add up to the unexplained share. The words to list are those with the largest
        share times idf, since a word that is everywhere is no reason.

        Returns
        -------
        words : list of lists of UnexpectedWord
        """
        return self.reasons(documents, n_words)[1]

    def reasons(self, documents: Any, n_words: int = 5) -> tuple[list[int | None], list[list[UnexpectedWord]]]:
        """Return the number of each document's main topic, None if it leans on none, and its unexpected words.

        Returns
        -------
        topics : list of int or None
        words : list of lists of UnexpectedWord
        """
        check_at_least(n_words, 1, "n_words")
        self._check_is_fitted()
        read = self._reader.read(documents, None, None)
        return read.main_topics(), read.unexpected_words(n_words)

    def analyze(self, document: Any) -> list[str]:
        """Return the terms of one document, known or not, in order; of a row of counts, the names of its columns.

        >>> from tonmf import TextOutlierDetector
        >>> TextOutlierDetector().fit(["A dog and a cat."] * 3).analyze("The dogs and the CAT")
        ['dogs', 'cat']
        """
        self._check_is_fitted()
        return list(self._state.counter.analyze(document))

    def count_terms(self, document: Any) -> Counter[str]:
        """Count the terms of one document, known or not, without its boilerplate.

        >>> from tonmf import TextOutlierDetector
        >>> detector = TextOutlierDetector().fit(["A dog.\\nBest wishes", "A cat.\\nBest wishes", "My dog.\\nBest wishes"])
        >>> detector.count_terms("A dog and a cow.\\nBest wishes")
        Counter({'dog': 1, 'cow': 1})
        """
        self._check_is_fitted()
        counter = self._state.counter
        if not len(counter.boilerplate):
            return Counter(counter.analyze(document))
        counts, (outside,) = counter.count_all([document])
        known = zip(counts.matrix.indices.tolist(), counts.matrix.data.tolist(), strict=True)
        return Counter({counter.terms[column]: int(n) for column, n in known} | outside)

    def in_words(self, terms: Sequence[str], documents: Sequence[Any] = ()) -> list[str]:
        """Return terms as the words to read, each once: stems and pairs of characters as the words that they came from.

        Parameters
        ----------
        terms : sequence of str
        documents : sequence, optional
            Documents that have them, for terms that are not in the vocabulary.

        Returns
        -------
        words : list of str
        """
        self._check_is_fitted()
        counter = self._state.counter
        unknown = set(terms).difference(counter.forms) if len(documents) else set()
        return in_words(terms, {**forms_of(documents, counter.analyze, unknown), **counter.forms})

    def pieces(self, document: Any, words: Sequence[UnexpectedWord]) -> list[Piece]:
        """Cut a text or a basket into pieces to show; pieces that are unexpected words have the words' shares.

        Returns
        -------
        pieces : list of Piece
            In order; those of a text join to the whole text, or to what a reader sees of it if markup is left out.
        """
        self._check_is_fitted()
        shares = {word.word: word.share for word in words}
        if not isinstance(document, str):
            return pieces_of_items(document, shares)
        analyze = self._state.counter.analyze
        (outside,) = self._state.counter.count_all([document])[1]
        shares = {**shares, **self._shares_of_terms(shares, forms_in(document, analyze, outside))}
        shown = analyze.visible(document) if isinstance(analyze, Analysis) else document
        pieces = pieces_of_text(shown, shares, self._state.counter.spans(document))
        return pieces if shown == document else [replace(piece, text=tidy(piece.text)) for piece in pieces]

    def _shares_of_terms(self, shares: Mapping[str, float], own: Mapping[str, str]) -> dict[str, float]:
        """Return the shares of the terms that words came from; `own` are the forms of terms in the document itself."""
        known = {term: share for word, share in shares.items() for term in self._explainer.terms_of.get(word, ())}
        return {term: shares[word] for term, word in own.items() if word in shares and term not in shares} | known

    def topics(self, n_words: int = 10) -> list[Topic]:
        """Return the topics of the finest scale, the largest share first.

        Returns
        -------
        topics : list of Topic
        """
        self._check_is_fitted()
        check_at_least(n_words, 1, "n_words")
        return self._explainer.topics(n_words)

    def alarms(self, documents: Any) -> dict[str, Array]:
        """Return the alarms of documents, as in ``alarms_``.

        Returns
        -------
        alarms : dict of str to ndarray of shape (n_docs,)
        """
        return self._reader.alarms(documents)

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
