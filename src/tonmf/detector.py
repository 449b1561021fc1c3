"""`TextOutlierDetector`: documents in, scores out, with nothing to tune."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tonmf.analysis import WORD_RULES, WordRules, make_analyzer
from tonmf.backends import make_ops, n_threads_of
from tonmf.blas import one_blas_thread
from tonmf.documents import COUNTS, ITEMS, TEXTS, as_documents, items_of
from tonmf.errors import InputError, ParameterError
from tonmf.groups import COARSE_SHARE, FINE_SHARE, SHARE_AMONG_STRANGEST, Group, find_groups, strangest
from tonmf.ladder import PASSES, Corpus, Rung, fit_rung, fit_rungs
from tonmf.mixture import Reading, read_blocks
from tonmf.neighbours import check_embeddings, require_index
from tonmf.ops import Array, Ops
from tonmf.ordinary import ORDINARY_SHARE
from tonmf.parameters import DETECTOR_RULES, TEXT_OPTIONS, check_parameters, check_unused, defaults_of
from tonmf.scoring import DocumentScores, learn_scorer
from tonmf.sources.memory import MatrixSource, default_block_size
from tonmf.text import Counts, MatrixCounter, TermCounter, VectorizerCounter
from tonmf.threshold import threshold_for_share
from tonmf.weighting import damped, inverse_document_frequencies, unit_rows


class TextOutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Find the documents that do not belong.

    Documents are explained by topics that must earn their place, and scored by how little those topics say about them and
    by how far they are from the documents that the topics explain well. How common a topic must be is not asked: several
    answers are tried and averaged. Documents of unknown or rare words, or of one word over and over, raise an alarm that
    lifts their score. docs/detector.md says how it works, docs/quality.md how well.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"} or callable
        What a term is, as in scikit-learn's CountVectorizer: words, characters, or what a function returns for a document.
    lowercase : bool
        Whether upper and lower case are the same.
    stop_words : "english", list of str or None
        Words to leave out.
    ngram_range : tuple (low, high)
        Lengths of the word or character sequences that are terms.
    token_pattern : str, optional
        Regular expression of a word. If not given, Unicode words in any script (`tonmf.words`).
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
    random_state : int, RandomState instance or None
        Seed of the starts. With a number, runs repeat bit for bit on one machine.
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
        random_state: Any = 0,
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
        self.random_state = random_state
        self.callback = callback

    # ------------------------------------------------------------------ fitting

    def fit(self, documents: Any, y: Any = None, *, embeddings: Any = None) -> Self:
        """Learn what is ordinary, and score every document.

        Parameters
        ----------
        documents : list of str, list of lists of items, or matrix of shape (n_docs, n_terms)
            Texts; or baskets; or counts of terms, sparse or dense.
        y : ignored
            Present for API consistency.
        embeddings : array of shape (n_docs, width), optional
            Your own sentence embeddings. The distance to the nearest neighbours among them then joins the score.

        Returns
        -------
        self : TextOutlierDetector
        """
        check_parameters(self.get_params(deep=False), DETECTOR_RULES)
        documents, kind = as_documents(documents)
        self._check_unused(kind)
        counter = self._make_counter(kind)
        counts = counter.learn(documents)
        checked = None
        if embeddings is not None:
            checked = check_embeddings(embeddings, counts.matrix.shape[0])
            require_index(int(ORDINARY_SHARE * len(checked)))
        if not counter.terms:
            raise InputError(
                f"None of the words occurs in min_df={self.min_df} or more of the {counts.matrix.shape[0]} documents, so "
                "nothing can be learnt about what is ordinary. Lower min_df, or give more documents."
            )
        rng = check_random_state(self.random_state)
        ops = make_ops(self.backend, self.n_jobs)
        C, idf = damped(counts.matrix), inverse_document_frequencies(counts.matrix)
        Y = unit_rows(C, idf)
        rows, words = self._source(Y, ops), self._source(C, ops)
        corpus = Corpus(rows, words, idf, background=words.term_sums(), readable=np.diff(C.indptr) > 0)
        fitted, groups = self._fit_rungs(corpus, Y, ops, rng, counter.terms)
        with one_blas_thread():
            scorer, scores = learn_scorer(ops, counts, idf, Y, corpus.rows, fitted, checked, rng)
        # Only now, so that a fit that fails leaves the detector as it was.
        self.kind_, self._counter, self.terms_, self.n_terms_ = kind, counter, counter.terms, len(counter.terms)
        self._idf, self._scorer, self._width = idf, scorer, None if checked is None else checked.shape[1]
        self.rungs_, self.groups_ = list(scorer.rungs), groups
        self._set_scores(counts, scores)
        return self

    def _fit_rungs(
        self, corpus: Corpus, Y: sp.csr_matrix, ops: Ops, rng: np.random.RandomState, terms: list[str]
    ) -> tuple[list[tuple[Rung, Reading]], list[Group]]:
        """Fit the rungs that score, which are returned, and those that only serve to find groups."""
        seeds = [int(seed) for seed in rng.randint(2**31, size=self.n_restarts)]
        ladder = [(share, seed) for share in sorted(self.topic_shares) for seed in seeds]
        # The finest takes longest, so it goes first.
        plan = [(FINE_SHARE, seeds[0]), *ladder, (COARSE_SHARE, seeds[0])]
        on_passes = self._count_passes((len(plan) + 1) * PASSES)
        n_threads = n_threads_of(self.n_jobs)
        fitted = fit_rungs(corpus, plan, self.max_topics, lambda n: make_ops(self.backend, n), n_threads, on_passes)
        among_strangest = replace(corpus, rows=self._source(Y[strangest(fitted[-1], corpus.readable)], ops))
        with one_blas_thread():
            there = fit_rung(among_strangest, SHARE_AMONG_STRANGEST, seeds[0], self.max_topics, ops, on_passes)
        return fitted[1:-1], find_groups([there, *fitted[:-1]], fitted[-1], terms)

    def _source(self, rows: sp.csr_matrix, ops: Ops) -> MatrixSource:
        return MatrixSource(rows, np.ones(rows.shape[0]), default_block_size(rows, self.max_topics), ops)

    def _set_scores(self, counts: Counts, scores: DocumentScores) -> None:
        self.empty_ = counts.n_words == 0
        self.alarms_ = scores.alarms
        self.scores_before_alarms_ = scores.plain
        self.outlier_scores_ = scores.total
        if isinstance(self.contamination, str):
            self.threshold_ = self._scorer.level
        else:
            self.threshold_ = threshold_for_share(self.outlier_scores_, self.contamination, 1.0 - self.empty_)
        self.offset_ = -self.threshold_
        self.labels_ = np.where(self.outlier_scores_ > self.threshold_, -1, 1)

    def _count_passes(self, n_passes: int) -> Callable[[int], None]:
        """A function that tells the user's callback how much is done; fits call it from several threads."""
        done, lock = 0, threading.Lock()

        def on_passes(n: int) -> None:
            nonlocal done
            with lock:
                done += n
                if n and self.callback is not None:
                    self.callback(done / n_passes)

        return on_passes

    # ------------------------------------------------------------------ from documents to counts

    def _check_unused(self, kind: str) -> None:
        """No option is silently without effect."""
        values, defaults = self.get_params(deep=False), defaults_of(type(self))
        if self.vectorizer is not None:
            check_unused(values, defaults, (*TEXT_OPTIONS, "min_df"), "beside your own vectorizer")
        if kind != TEXTS:
            check_unused(values, defaults, TEXT_OPTIONS, f"on {kind}")
        if kind == COUNTS:
            check_unused(values, defaults, ("vectorizer",), f"on {kind}")
        if self.analyzer != "word":
            names = ("stop_words", "token_pattern", "stemmer", "word_rules")
            check_unused(values, defaults, names, "unless analyzer='word'")
        if callable(self.analyzer):
            check_unused(values, defaults, ("ngram_range", "lowercase"), "beside an analyzer of your own")

    def _make_counter(self, kind: str) -> TermCounter | VectorizerCounter | MatrixCounter:
        if kind == COUNTS:
            return MatrixCounter(self.min_df)
        if self.vectorizer is not None:
            return VectorizerCounter(self.vectorizer)
        if kind == ITEMS:
            return TermCounter(items_of, self.min_df)
        rules = WordRules() if self.word_rules is None else WORD_RULES[self.word_rules]
        analyze = make_analyzer(
            self.analyzer, self.lowercase, self.stop_words, self.ngram_range, self.token_pattern, self.stemmer, rules
        )
        return TermCounter(analyze, self.min_df, rules)

    # ------------------------------------------------------------------ using the model

    def outlier_score(self, documents: Any, *, embeddings: Any = None) -> Array:
        """How strange each document is, on the scale of ``outlier_scores_``; higher is stranger.

        Training documents get the score they have there.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        counts = self._count(documents)
        rows = self._check_new_embeddings(embeddings, counts.matrix.shape[0])
        ops = make_ops(self.backend, self.n_jobs)
        C, readings = self._read(counts, ops)
        source = self._source(unit_rows(C, self._idf), ops)
        with one_blas_thread():
            return self._scorer.score(ops, counts, source, readings, rows).total

    def unexpected_words(self, documents: Any, n_words: int = 5) -> list[list[tuple[str, float]]]:
        """The words that make up what the topics leave unexplained of each document, those that say most first.

        A word's share is the part of the document's word count (damped, as in docs/detector.md) that it takes and the topics
        do not explain. Words are listed by share times idf, since a word that is everywhere is no reason. Only words of
        the vocabulary are listed; of others, `alarms` tells how many there are.

        Returns
        -------
        words : list of lists of (word, share)
        """
        if n_words < 1:
            raise ParameterError(f"n_words must be a whole number of at least 1; got {n_words!r}.")
        C, readings = self._read(self._count(documents), make_ops(self.backend, self.n_jobs))
        parts = [rung.mixture.unexpected(C, reading) for rung, reading in zip(self.rungs_, readings, strict=True)]
        shares = sum(parts[1:], start=parts[0]) / len(parts)
        return [self._top_words(shares[[row]], n_words) for row in range(C.shape[0])]

    def _top_words(self, row: sp.csr_matrix, n_words: int) -> list[tuple[str, float]]:
        best = np.argsort(-row.data * self._idf[row.indices], kind="stable")[:n_words]
        return [(self.terms_[row.indices[i]], float(row.data[i])) for i in best]

    def topics(self, n_words: int = 10) -> list[tuple[float, list[str]]]:
        """The topics of the fit that asks least of them: each one's share of the documents' weight, and its first words.

        Returns
        -------
        topics : list of (share, words), largest share first
        """
        check_is_fitted(self)
        rung = self.rungs_[0]
        return [
            (float(rung.shares[k]), [self.terms_[i] for i in np.argsort(-rung.topics[:, k], kind="stable")[:n_words]])
            for k in np.argsort(-rung.shares, kind="stable")
        ]

    def alarms(self, documents: Any) -> dict[str, Array]:
        """How far each document is beyond the alarms "unknown", "rare" and "repeated", as ``alarms_`` has it.

        Returns
        -------
        alarms : dict of str to ndarray of shape (n_docs,)
        """
        return self._scorer.alarms.raised(self._count(documents))

    def _count(self, documents: Any) -> Counts:
        """Counts of new documents."""
        check_is_fitted(self)
        documents, kind = as_documents(documents)
        if kind != self.kind_:
            raise InputError(f"The detector was fitted on {self.kind_}, but got {kind}.")
        return self._counter.count(documents)

    def _read(self, counts: Counts, ops: Ops) -> tuple[sp.csr_matrix, list[Reading]]:
        """Damped counts, and what each rung makes of them."""
        C = damped(counts.matrix)
        source = self._source(C, ops)
        return C, [read_blocks(rung.mixture, ops, source) for rung in self.rungs_]

    def _check_new_embeddings(self, embeddings: Any, n_docs: int) -> Array | None:
        """Those of new documents, which must come if those of the training documents did, and only then."""
        if self._width is None:
            if embeddings is not None:
                raise InputError(
                    "The detector was fitted without embeddings, so it has none to compare with. Fit it with them."
                )
            return None
        if embeddings is None:
            raise InputError(
                "The detector was fitted with embeddings: give those of the new documents too (embeddings=...)."
            )
        return check_embeddings(embeddings, n_docs, self._width)

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags
