"""Explain scores by a fitted detector, and look at its topics and terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tonmf.attached import Attached
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.explain.several import ExplanationList
from tonmf.detector.explain.topics import Topic
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.fitted.scoring import ScoringDetector
from tonmf.detector.scores.embeddings import check_new_embeddings
from tonmf.parameters import check_at_least
from tonmf.text.analysis import Analysis
from tonmf.text.documents import as_documents, check_ids, check_names, n_documents, take
from tonmf.text.forms import forms_in, forms_of, in_words, may_have_forms
from tonmf.text.frames import TEXT, Frame, names_for
from tonmf.text.markup import tidy
from tonmf.text.pieces import Piece, as_it_is, pieces_of_items, pieces_of_text

AT_ONCE = 2000
"""Rows of a frame to explain at a time."""

RESULTS = {"rank": int, "score": float, "flagged": bool, "topic": int, "reason": str}
"""Columns that a frame gets."""


class ExplainingDetector(ScoringDetector):
    """A fitted detector that explains scores."""

    plot = Attached("plots of detector")
    ranking = Attached("ranking")
    report = Attached("report")
    _repr_html_ = Attached("html of detector")
    _repr_mimebundle_ = None  # scikit-learn's, which would come before

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
    ) -> ExplanationList[Explanation]:
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
            A list that a notebook shows as HTML.

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
        documents, called = self.named(documents, names)
        n_docs = len(called)
        reader, chosen = self._reader, list(range(n_docs)) if ids is None else check_ids(ids, called)
        given = embeddings is not None
        of_all = check_new_embeddings(embeddings, n_docs, reader.state.scorer.embedding_width) if given else None
        if not chosen:
            return ExplanationList()
        some = take(documents, chosen)
        rows = reader.embeddings_of(some, None) if of_all is None else of_all[chosen]
        read = reader.read(some, rows, [called[i] for i in chosen])
        return ExplanationList(read.explain(n_words, n_nearest, n_missing))

    def named(self, documents: Any, names: Sequence[Any] | None = None) -> tuple[Any, list[str]]:
        """Return documents as a list or a matrix, and their names as ``explain`` finds them.

        Returns
        -------
        documents : list or matrix
        names : list of str
        """
        self._check_is_fitted()
        names, (documents, _) = names_for(documents, names), as_documents(documents)
        if names is None and self._known_names is not None:
            names = self._known_names.given_to(documents)
        return documents, check_names(names, n_documents(documents))

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

    def topics(self, n_words: int = 10) -> list[Topic]:
        """Return the topics of the finest scale, the largest share first.

        Returns
        -------
        topics : list of Topic
        """
        self._check_is_fitted()
        check_at_least(n_words, 1, "n_words")
        return self._explainer.topics(n_words)

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
        counter, own = self._state.counter, dict[str, str]()
        shown = counter.analyze.visible(document) if isinstance(counter.analyze, Analysis) else document
        as_shown = as_it_is if shown == document else tidy
        if not shares:
            return [Piece(as_shown(shown))] if shown else []
        if may_have_forms(document, counter.analyze):
            own = forms_in(document, counter.analyze, counter.count_all([document])[1][0])
        shares = {**shares, **self._shares_of_terms(shares, own)}
        return pieces_of_text(shown, shares, counter.spans(document, shares, shown), as_shown)

    def _shares_of_terms(self, shares: Mapping[str, float], own: Mapping[str, str]) -> dict[str, float]:
        """Return the shares of the terms that words came from; `own` are the forms of terms in the document itself."""
        known = {term: share for word, share in shares.items() for term in self._explainer.terms_of.get(word, ())}
        return {term: shares[word] for term, word in own.items() if word in shares and term not in shares} | known

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
