"""`TextOutlierDetector`: documents in, scores out, with nothing to tune."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from tonmf.arrays import Array
from tonmf.detector.disk.learn import learn_on_disk
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.explain.topics import Topic
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.learning.learner import Learner
from tonmf.detector.options import DETECTOR_RULES
from tonmf.detector.reading import ReadDocuments, Reader
from tonmf.detector.recipe import Recipe
from tonmf.detector.saved import read_state, state_arrays, state_fields
from tonmf.detector.scores.embeddings import check_new_embeddings
from tonmf.detector.state import DetectorState
from tonmf.errors import InputError, Message, Param, ParameterError
from tonmf.nmf.threads import make_ops, one_blas_thread
from tonmf.parameters import check_at_least, check_parameters, check_unused, defaults_of
from tonmf.storage.bundles import Bundle, provenance, write_bundle
from tonmf.storage.parameters import kept_parameters, restored_parameters
from tonmf.stream.clock import Clock
from tonmf.stream.half_life import age, half_life_of
from tonmf.text.analysis import WORD_RULES, WordRules
from tonmf.text.batches import in_batches
from tonmf.text.choose import check_no_option_idle, make_counter
from tonmf.text.documents import COUNTS, as_documents, check_ids, check_names, is_matrix, take
from tonmf.text.pieces import Piece, pieces_of_items, pieces_of_text


class TextOutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Find the documents that do not belong.

    Documents are explained by topics that must earn their place, and scored by how little those topics say about them and
    by how far they are from the documents that the topics explain well. How common a topic must be is not asked: several
    answers are tried and averaged. Documents of unknown or rare words, or of one word over and over, raise an alarm that
    lifts their score. docs/method/detector.md says how it works, docs/evidence/quality.md how well.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"} or callable
        What a term is, as in scikit-learn's CountVectorizer: words, characters, or what a function returns for a document.
    lowercase : bool
        Whether upper and lower case are the same.
    stop_words : str, list of str or None
        Words to leave out: those of a language, such as "german" (any but "english" needs
        ``pip install 'tonmf[languages]'``), or your own.
    ngram_range : tuple (low, high)
        Lengths of the word or character sequences that are terms.
    token_pattern : str, optional
        Regular expression of a word. If not given, Unicode words in any script (`tonmf.text.words`).
    min_df : int or float
        Documents, or share of them, that a term must occur in to be in the vocabulary.
    stemmer : str, optional
        Language whose endings are cut off words, such as "english" (needs ``pip install 'tonmf[stem]'``).
    word_rules : {"paper"}, optional
        A preset of limits: "paper" takes words of 3 to 15 letters that occur at least 4 times, in at least 2 documents.
    vectorizer : object, optional
        Your own, in place of all the options above: anything with ``fit_transform`` and ``transform`` that yields counts.
    topic_shares : tuple of float
        How large a share a topic must carry to count as ordinary: the scales at which documents are scored.
    n_restarts : int
        Fits at each scale, from different starts.
    max_topics : int
        Topics that a fit starts from.
    contamination : float or "auto"
        Share of the training documents to flag, of those that have words; or "auto": those with a score above
        median + 2.25 (P84 − median), with P84 the 0.84-quantile of the scores.
    backend : {"numba", "numpy"}
        Compiled kernels on all cores, or plain numpy and scipy.
    n_jobs : int, optional
        Threads for fits and scores by text; all cores if not given or -1, all but one if -2, and so on. Results do not
        depend on it.
    half_life : number, str or timedelta, optional
        How fast ``partial_fit`` forgets: the documents after which one counts a half, or a time such as "30 days". Not
        given: never.
    random_state : int, RandomState instance or None
        Seed of the starts. With a number, runs repeat bit for bit on one machine.
    memory : int or str, optional
        Bytes to get along with, such as "2GB". Documents are then gone through in batches, counted once into files, and
        learnt from there (docs/guide/larger-than-memory.md). Without it they are held in memory.
    cache : str or Path, optional
        Folder for these files, which stay there: a fit that was cut short goes on when it is run again. Without it they are
        in a temporary folder, and gone in the end.
    callback : callable, optional
        Called with the share of the fit that is done, from 0 to 1. An exception in it ends the fit.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_docs,)
        Scores of the training documents; higher is stranger.
    labels_ : ndarray of shape (n_docs,)
        -1 for the training documents that are flagged, 1 for the rest.
    scores_before_alarms_ : ndarray of shape (n_docs,)
        The same before any alarm.
    alarms_ : dict of str to ndarray of shape (n_docs,)
        How far each training document is beyond the alarms "unknown", "rare" and "repeated" (words), as a share of what
        raises them; 0 where there is none. "empty" is 1 for a document without words.
    empty_ : ndarray of bool of shape (n_docs,)
        Training documents without any word, or of stop words only. They have the highest scores and are flagged, for want
        of anything that would speak for them.
    threshold_ : float
        Documents with a score above it are outliers.
    offset_ : float
        ``-threshold_``, as scikit-learn has it.
    groups_ : list of Group
        Documents that hang together but are rare; those that stand out most come first.
    rungs_ : list of Rung
        The fits: topics, their shares, and scales.
    terms_ : list of str
        The vocabulary.
    n_terms_ : int
        Its size.
    idf_ : ndarray of shape (n_terms,)
        ln((1 + n)/(1 + df)) + 1 of each term.
    idf_outside_ : float
        The same of a word outside the vocabulary, as if one document had it.
    n_seen_ : int
        Documents that it has learnt from, in ``fit`` and ``partial_fit``.
    word_ : str
        What documents are made of: "word", "item", or "term" for rows of counts and where terms are characters.
    highest_score_ : float
        The highest score of a training document with words; one without any has 1 more.
    column_names_ : list of str or None
        What all columns of the matrix are called that it was fitted on, if they had names.
    n_columns_ : int or None
        How many columns that matrix had; None if it was not fitted on one.
    uses_embeddings_ : bool
        Whether it was fitted with embeddings, and needs those of new documents.

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> corpus = make_corpus(n_docs=300, n_outliers=5)
    >>> detector = TextOutlierDetector().fit(corpus.texts)
    >>> sorted(detector.outlier_scores_.argsort()[-5:].tolist()) == corpus.labels.nonzero()[0].tolist()
    True
    >>> new = make_corpus(n_docs=20, n_outliers=2, random_state=1)
    >>> (detector.predict(new.texts) == -1).nonzero()[0].tolist() == new.labels.nonzero()[0].tolist()
    True
    """

    def __init__(
        self,
        *,
        analyzer: str | Callable[[Any], Any] = "word",
        lowercase: bool = True,
        stop_words: Any = "english",
        ngram_range: tuple[int, int] = (1, 1),
        token_pattern: str | None = None,
        min_df: int | float = 2,
        stemmer: str | None = None,
        word_rules: str | None = None,
        vectorizer: Any = None,
        topic_shares: tuple[float, ...] = (0.0075, 0.015, 0.03),
        n_restarts: int = 2,
        max_topics: int = 25,
        contamination: float | str = "auto",
        backend: str = "numba",
        n_jobs: int | None = None,
        half_life: Any = None,
        random_state: Any = 0,
        memory: int | str | None = None,
        cache: str | Path | None = None,
        callback: Callable[[float], None] | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.token_pattern = token_pattern
        self.min_df = min_df
        self.stemmer = stemmer
        self.word_rules = word_rules
        self.vectorizer = vectorizer
        self.topic_shares = topic_shares
        self.n_restarts = n_restarts
        self.max_topics = max_topics
        self.contamination = contamination
        self.backend = backend
        self.n_jobs = n_jobs
        self.half_life = half_life
        self.random_state = random_state
        self.memory = memory
        self.cache = cache
        self.callback = callback

    # ------------------------------------------------------------------ fitting

    def fit(
        self,
        documents: Any,
        y: Any = None,
        *,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
        terms: Sequence[Any] | None = None,
    ) -> Self:
        """Learn what is ordinary, and score every document.

        Parameters
        ----------
        documents : list of str, list of lists of items, or matrix of shape (n_docs, n_terms)
            Texts; or baskets; or counts of terms, sparse or dense. With `memory`, anything that yields texts or baskets, and
            does so again, such as `tonmf.io.DocumentFiles`.
        y : ignored
            Present for API consistency.
        embeddings : array of shape (n_docs, width), optional
            Your own sentence embeddings. The distance to the nearest neighbours among them then joins the score.
        names : sequence of shape (n_docs,), optional
            What explanations call the documents; their numbers if not given.
        terms : sequence of shape (n_terms,), optional
            What the columns of a matrix of counts are called; their numbers if not given.

        Returns
        -------
        self : TextOutlierDetector
        """
        values = self.get_params(deep=False)
        check_parameters(values, DETECTOR_RULES)
        recipe = Recipe.of(values)
        if self.memory is not None:
            self._adopt(self._learn_on_disk(recipe, documents, values, embeddings, names, terms))
            return self
        check_unused(values, defaults_of(type(self)), ("cache",), Message("without ", Param("memory")))
        documents, kind = as_documents(documents)
        check_no_option_idle(values, defaults_of(type(self)), kind)
        counter = make_counter(values, kind, None if terms is None else list(map(str, terms)))
        # A fit that fails leaves the detector as it was.
        self._adopt(recipe.learn(documents, kind, counter, embeddings, names))
        return self

    def _learn_on_disk(
        self, recipe: Recipe, documents: Any, values: dict[str, Any], embeddings: Any, names: Any, terms: Any
    ) -> DetectorState:
        for name, value in (("embeddings", embeddings), ("names", names), ("terms", terms)):
            if value is not None:
                raise InputError(
                    Param(name), " must be in memory, and cannot be given beside ", Param("memory", self.memory), "."
                )
        if is_matrix(documents):
            raise InputError(
                "A matrix is in memory already. Leave ",
                Param("memory"),
                " out, or give documents that can be read again.",
            )
        batches = in_batches(documents, again=self.cache is not None)
        return learn_on_disk(recipe, batches, values, defaults_of(type(self)))

    def partial_fit(
        self,
        documents: Any,
        y: Any = None,
        *,
        times: Any = None,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
        terms: Sequence[Any] | None = None,
    ) -> Self:
        """Score more documents, then learn from them, on top of what is left of those before (docs/guide/streaming.md).

        Of a detector that is not fitted this is ``fit``, so there should be some hundred documents. Otherwise they are scored
        by the detector as it is, and ``outlier_scores_``, ``labels_``, ``alarms_`` and the like are afterwards those of these
        documents, as they were scored; ``groups_`` is empty. Topics, vocabulary, scales, alarms and threshold follow.

        Parameters
        ----------
        documents : as in ``fit``
        y : ignored
            Present for API consistency.
        times : sequence of shape (n_docs,), optional
            When each document was: datetimes, ISO 8601 text, datetime64, or seconds. Needed if `half_life` is a time.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            What explanations call the documents; how many came before each if not given.
        terms : sequence of shape (n_terms,), optional
            As in ``fit``; only for the first documents.

        Returns
        -------
        self : TextOutlierDetector

        Examples
        --------
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import make_corpus
        >>> corpus = make_corpus(n_docs=400, n_outliers=8)
        >>> detector = TextOutlierDetector(half_life=1000).partial_fit(corpus.texts[:300])
        >>> detector.partial_fit(corpus.texts[300:]).outlier_scores_.shape
        (100,)
        """
        check_parameters(self.get_params(deep=False), DETECTOR_RULES)
        documents, kind = as_documents(documents)
        n_docs = documents.shape[0] if kind == COUNTS else len(documents)
        if not hasattr(self, "_state"):
            ageing = age(half_life_of(self.half_life), n_docs, times, Clock())
            self.fit(documents, embeddings=embeddings, names=names, terms=terms)
            self._adopt(replace(self._state, stream=replace(self._learner.stream_of(self._state), clock=ageing.clock)))
            return self
        if terms is not None:
            raise InputError("terms name the columns of the first documents; these are known. Leave them out.")
        stream = self._state.stream
        ageing = age(half_life_of(self.half_life), n_docs, times, Clock() if stream is None else stream.clock)
        read = self.read(documents, embeddings=embeddings, names=names)
        with one_blas_thread():
            self._adopt(self._learner.learn(self._state, read, ageing))
        return self

    def add_topic(self, documents: Any, *, embeddings: Any = None, names: Sequence[Any] | None = None) -> Self:
        """Give a group of documents a topic of its own, on every rung, so that documents like them are ordinary from now on.

        Words of at least two of them join the vocabulary. Scores that have been given stay as they are. The topic leaves again
        when what documents use of it has faded to a tenth, or when it is the least used of more than 50
        (docs/method/updates.md).

        Parameters
        ----------
        documents : as in ``fit``
            The group: some ten documents or more that have something in common.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            What explanations call the documents.

        Returns
        -------
        self : TextOutlierDetector
        """
        check_is_fitted(self)
        read = self.read(documents, embeddings=embeddings, names=names)
        if not read.has_words.any():
            raise InputError("None of the documents has any word that counts, so they make no topic.")
        self._adopt(self._learner.add_topic(self._state, read))
        return self

    @property
    def _learner(self) -> Learner:
        seed = self.random_state if isinstance(self.random_state, int | np.integer) else 0
        rules = WordRules() if self.word_rules is None else WORD_RULES[self.word_rules]
        ops = make_ops(self.backend, self.n_jobs)
        return Learner(self.min_df, rules, self.contamination, int(seed), ops, self._topics_leave)

    _topics_leave = True

    @contextmanager
    def keeping_topics(self) -> Iterator[None]:
        """Keep every added topic while in this context, so that topics keep their places in ``rungs_``."""
        self._topics_leave = False
        try:
            yield
        finally:
            del self._topics_leave

    def _adopt(self, state: DetectorState) -> None:
        """Be the fitted detector that a state describes."""
        self._state, self._explainer = state, state.explainer(self.analyzer)
        self.kind_, self.terms_, self.n_terms_ = state.kind, state.counter.terms, len(state.counter.terms)
        self.idf_, self.idf_outside_ = state.idf, state.scorer.alarms.rarity_outside + 1
        self.n_seen_ = state.profile.n_docs if state.stream is None else state.stream.n_seen
        self.word_, self.highest_score_ = state.word(self.analyzer), state.scorer.highest
        self.column_names_ = getattr(state.counter, "names", None)
        self.n_columns_ = getattr(state.counter, "n_columns", None)
        self.uses_embeddings_ = state.scorer.neighbours is not None
        self.rungs_, self.groups_ = list(state.scorer.rungs), state.groups
        self.outlier_scores_, self.scores_before_alarms_ = state.outlier_scores, state.scores_before_alarms
        self.alarms_, self.empty_ = state.alarms, state.alarms["empty"] > 0
        self.threshold_, self.offset_ = state.threshold, -state.threshold
        self.labels_ = np.where(state.outlier_scores > state.threshold, -1, 1)

    # ------------------------------------------------------------------ using the model

    @property
    def _reader(self) -> Reader:
        check_is_fitted(self)
        return Reader(self._state, self._explainer, make_ops(self.backend, self.n_jobs), self.max_topics)

    def read(self, documents: Any, *, embeddings: Any = None, names: Sequence[Any] | None = None) -> ReadDocuments:
        """Read documents by the detector as it is now: scores, topics and unexpected words together.

        The other methods return parts of it; other modules of the package read documents by it.

        Parameters
        ----------
        documents : as in ``fit``
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            What to call the documents; how many came before each if not given.

        Returns
        -------
        read : ReadDocuments
        """
        reader, (documents, kind) = self._reader, as_documents(documents)
        n_docs = documents.shape[0] if kind == COUNTS else len(documents)
        return reader.read(documents, check_new_embeddings(embeddings, n_docs, reader.state.scorer.neighbours), names)

    def outlier_score(self, documents: Any, *, embeddings: Any = None) -> Array:
        """How strange each document is, on the scale of ``outlier_scores_``; higher is stranger.

        Training documents get the score they have there.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        return self._reader.score(documents, embeddings).total

    def rank(self, scores: Array) -> NDArray[np.int64]:
        """Return the rank of each score: 1 + the number of training documents with a higher score.

        Equal scores have equal ranks. In a stream, the documents seen last stand for the training documents.

        Returns
        -------
        ranks : ndarray of shape (n_docs,)
        """
        check_is_fitted(self)
        return self._explainer.ranks(scores)

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
        """Why documents have the scores they have.

        Parameters
        ----------
        documents : as in ``fit``
        ids : sequence of int or str, optional
            Numbers of the documents to explain, or their names; all if not given.
        embeddings : array of shape (n_docs, width), optional
            Those of all documents, if the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            What to call all documents; their numbers if not given.
        n_words : int
            Unexpected words to list of each document, at most.
        n_nearest : int
            Ordinary training documents to list that are most like it.
        n_missing : int
            Words to list that its topics lead one to expect, and that it lacks.

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
        check_is_fitted(self)
        check_at_least(n_words, 1, "n_words")
        check_at_least(n_nearest, 0, "n_nearest")
        check_at_least(n_missing, 0, "n_missing")
        documents, kind = as_documents(documents)
        n_docs = documents.shape[0] if kind == COUNTS else len(documents)
        called = check_names(names, n_docs)
        rows = check_new_embeddings(embeddings, n_docs, self._state.scorer.neighbours)
        chosen = list(range(n_docs)) if ids is None else check_ids(ids, called)
        if not chosen:
            return []
        rows = None if rows is None else rows[chosen]
        read = self._reader.read(take(documents, chosen), rows, [called[i] for i in chosen])
        return read.explain(n_words, n_nearest, n_missing)

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
        """Of each document the number of its main topic, None if no term of it is known, and its unexpected words.

        Returns
        -------
        topics : list of int or None
        words : list of lists of UnexpectedWord
        """
        check_at_least(n_words, 1, "n_words")
        check_is_fitted(self)
        read = self._reader.read(documents, None, None)
        return read.main_topics(), read.unexpected_words(n_words)

    def analyze(self, document: Any) -> list[str]:
        """The terms of one document, known or not, in order; of a row of counts, the names of its columns.

        >>> from tonmf import TextOutlierDetector
        >>> TextOutlierDetector().fit(["A dog and a cat."] * 3).analyze("The dogs and the CAT")
        ['dogs', 'cat']
        """
        check_is_fitted(self)
        return list(self._state.counter.analyze(document))

    def pieces(self, document: Any, words: Sequence[UnexpectedWord]) -> list[Piece]:
        """A text, or a basket, cut into pieces to show: those that are unexpected words have the words' shares.

        Returns
        -------
        pieces : list of Piece
            In order; of a text, all of its characters.
        """
        check_is_fitted(self)
        shares = {word.word: word.share for word in words}
        if not isinstance(document, str):
            return pieces_of_items(document, shares)
        return pieces_of_text(document, shares, self._state.counter.spans(document))

    def topics(self, n_words: int = 10) -> list[Topic]:
        """The topics of the fit that asks least of them, the largest share first.

        Returns
        -------
        topics : list of Topic
        """
        check_is_fitted(self)
        check_at_least(n_words, 1, "n_words")
        return self._explainer.topics(n_words)

    def alarms(self, documents: Any) -> dict[str, Array]:
        """How far each document is beyond the alarms "unknown", "rare" and "repeated", as ``alarms_`` has it.

        Returns
        -------
        alarms : dict of str to ndarray of shape (n_docs,)
        """
        return self._reader.alarms(documents)

    def score_samples(self, documents: Any, *, embeddings: Any = None) -> Array:
        """``-outlier_score(documents)``: scikit-learn's sign, lower is stranger."""
        return -self.outlier_score(documents, embeddings=embeddings)

    def decision_function(self, documents: Any, *, embeddings: Any = None) -> Array:
        """``score_samples(documents) - offset_``: negative for outliers."""
        return self.score_samples(documents, embeddings=embeddings) - self.offset_

    def predict(self, documents: Any, *, embeddings: Any = None) -> NDArray[np.int64]:
        """-1 for outliers, 1 for the rest."""
        return np.where(self.decision_function(documents, embeddings=embeddings) < 0, -1, 1)

    def fit_predict(self, documents: Any, y: Any = None, *, embeddings: Any = None) -> NDArray[np.int64]:
        """Fit, and label the training documents: -1 for outliers, 1 for the rest."""
        return self.fit(documents, embeddings=embeddings).labels_

    # ------------------------------------------------------------------ keeping it

    def save(self, path: str | Path, *, excerpts: bool = True) -> None:
        """Save the fitted detector in a folder that ``tonmf.load`` reads, and that holds nothing that can execute.

        Parameters
        ----------
        path : str or Path
            The folder. A saved model that is there is replaced when this one is whole.
        excerpts : bool
            Whether to keep how up to 2,000 ordinary training documents begin (160 characters each), to be shown beside
            documents that are explained. Their names are kept in any case.
        """
        check_is_fitted(self)
        parameters = kept_parameters(self.get_params(deep=False))
        fields = {"parameters": parameters, **state_fields(self._state, excerpts), "provenance": provenance()}
        write_bundle(path, type(self).__name__, fields, state_arrays(self._state))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """The detector in a saved model; ``tonmf.load`` calls it."""
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags
