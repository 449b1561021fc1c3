"""Scored documents in memory, the strangest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.attached import Attached
from tonmf.detector.explain.explanation import Explanation, note_on_unjudged
from tonmf.detector.explain.quotes import quoted
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.scores.groups import Groups
from tonmf.detector.scores.scale import SAME_SCORE
from tonmf.errors import InputError
from tonmf.metrics import discoveries
from tonmf.parameters import check_rate
from tonmf.ranking.drift import drift_of
from tonmf.ranking.table import TERMS, Reason, as_text, columns_of, ignore, length_of, stretches
from tonmf.text.documents import TEXTS, first_copies, is_matrix, note_on_copies, take
from tonmf.text.side_by_side import in_order
from tonmf.wording import number_of

SIDE_BY_SIDE = 2
"""Lots of documents to score at the same time: one is in compiled code while Python is busy with the other."""

FEW = 20
"""With fewer documents there is little to learn from."""

SMALL = 0.05
"""The largest share of the documents that a small group may have."""


@dataclass(frozen=True)
class Ranking:
    """Scored documents.

    ============ ========== =====================================================
    field        shape      what
    ============ ========== =====================================================
    detector                the detector that scored them
    documents    n_docs     the documents as they were given
    ids          n_docs     their ids
    scores       n_docs     higher is stranger
    judged       n_docs     False for the documents without words, which are not judged
    order        n_docs     numbers of the documents, the strangest first, those that are not judged last
    p_values     n_docs     the share of ordinary documents that are at least as strange
    fdr                     the false-discovery rate at which documents are flagged; None if the threshold decides
    reasons      n_docs     the reasons for the scores where the threshold decides, if they were found with the scores
    embeddings   n_docs     theirs, if they are at hand; else the detector's embedder makes them, or there are none
    ============ ========== =====================================================
    """

    detector: FittedDetector
    documents: Any
    ids: Sequence[str]
    scores: Array
    judged: NDArray[np.bool_]
    order: NDArray[np.int64]
    p_values: Array
    fdr: float | None = None
    reasons: Sequence[Reason] | None = None
    embeddings: Array | None = None

    _repr_html_ = Attached("html of ranking")

    def __repr__(self) -> str:
        """Return how many documents are flagged, and when, on one line."""
        n_docs, n_flagged = len(self.scores), int(self.outliers.sum())
        return f"{type(self).__name__}({number_of(n_docs, 'document')}, {n_flagged:,} flagged: {self.rule})"

    @classmethod
    def of(
        cls,
        detector: FittedDetector,
        documents: Any,
        ids: Sequence[str],
        scores: Array,
        p_values: Array | None = None,
        embeddings: Array | None = None,
    ) -> Ranking:
        """Rank scored documents; training documents if no p-values are given."""
        judged = judged_among(detector, documents, scores)
        if p_values is None:
            p_values = detector.p_values_
            embeddings = detector.training_embeddings() if embeddings is None else embeddings
        order = order_of(scores, judged)
        return cls(detector, documents, ids, scores, judged, order, p_values, embeddings=embeddings)

    @classmethod
    def by(
        cls,
        detector: FittedDetector,
        documents: Any,
        ids: Sequence[str],
        on_done: Callable[[float], None] = ignore,
        with_reasons: bool = False,
        embeddings: Any = None,
    ) -> Ranking:
        """Score documents with a fitted detector, some at a time, and rank them; `on_done` gets the share that is done.

        Reasons are found on the way if they will be wanted for all documents. Embeddings that are not given are made first.
        """
        embeddings = detector.embed(documents, embeddings=embeddings)

        def score(some: list[int]) -> tuple[Array, Array, list[Reason]]:
            rows = None if embeddings is None else embeddings[some]
            if not with_reasons:
                return *detector.score_with_p_value(take(documents, some), embeddings=rows), []
            read = detector.read(take(documents, some), embeddings=rows, names=[ids[row] for row in some])
            explained = read.explain(TERMS, n_nearest=0, n_missing=0)
            return read.scores.total, read.p_values, list(map(Reason.of, explained))

        found, n_done = [], 0
        for scored in in_order(score, stretches(range(len(ids))), min(SIDE_BY_SIDE, detector.n_readers_)):
            found.append(scored)
            n_done += len(scored[0])
            on_done(n_done / len(ids))
        scores, p_values, reasons = zip(*found, strict=True)
        ranking = cls.of(detector, documents, ids, np.concatenate(scores), np.concatenate(p_values), embeddings)
        return replace(ranking, reasons=list(chain.from_iterable(reasons))) if with_reasons else ranking

    def again(self) -> Ranking:
        """Rank the training documents by the scores that they have now, such as after marks."""
        return Ranking.of(
            self.detector, self.documents, self.ids, self.detector.outlier_scores_, embeddings=self.embeddings
        )

    def at_rate(self, fdr: float | None) -> Self:
        """Return the same ranking, in which documents are flagged at a false-discovery rate, if one is given."""
        return replace(self, fdr=fdr)

    @cached_property
    def outliers(self) -> NDArray[np.bool_]:
        """Return True for the judged documents that are flagged: above the threshold, or at the false-discovery rate."""
        if self.fdr is None:
            return self.judged & (self.scores > self.detector.threshold_)
        flagged = np.zeros(len(self.scores), bool)
        flagged[self.judged] = discoveries(self.p_values[self.judged], self.fdr)
        return flagged

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Return the rank of each document: 1 + the number of judged ones with a higher score.

        Documents that are not judged come after all others.
        """
        return rank_among(np.sort(self.scores[self.judged]), np.where(self.judged, self.scores, -np.inf))

    @property
    def rule(self) -> str:
        """Say when documents are flagged; ``TextOutlierDetector`` says how the automatic threshold is found."""
        threshold, contamination = self.detector.threshold_, self.detector.contamination
        if self.fdr is not None:
            return f"p-value small enough for a false-discovery rate of {100 * self.fdr:g} %"
        if isinstance(contamination, str):
            return f"score above {threshold:.2f}, the automatic threshold"
        return f"score above {threshold:.2f}, so that {100 * contamination:g} % of the training documents are"

    @property
    def assumptions(self) -> list[str]:
        """Say what a false-discovery rate promises, and on which condition; nothing if none is flagged by it."""
        if self.fdr is None or not self.outliers.any():
            return []
        if self.is_of_training:
            condition = "provided that the scores of ordinary ones fall off as evenly as those of the lower nine tenths"
        else:
            condition = (
                "provided that the model was fitted on mostly ordinary documents, and new ones are of their kind"
            )
        promise = f"Of the flagged documents, at most {100 * self.fdr:g} % are expected to be ordinary, {condition}."
        return [promise, "P-values are of the scores without marks."] if self.detector.marks_ else [promise]

    @cached_property
    def is_of_training(self) -> bool:
        """Return whether these are the documents that the detector was fitted on."""
        known = self.detector.outlier_scores_
        return self.scores is known or (
            len(known) == len(self.scores) and bool(np.allclose(known, self.scores, rtol=0, atol=SAME_SCORE))
        )

    @property
    def empty(self) -> list[int]:
        """Return the numbers of the documents without words, which are not judged."""
        empty: list[int] = np.flatnonzero(~self.judged).tolist()
        return empty

    @property
    def unjudged_notes(self) -> list[str]:
        """Return a note that names the documents that are not judged, if there are any."""
        return note_on_unjudged([self.ids[row] for row in self.empty], self.detector.word_)

    @cached_property
    def observations(self) -> list[str]:
        """Return notes on the documents themselves: that they are few, that some are copies, or what is left out of them."""
        notes, n_docs = [], len(self.ids)
        if self.is_of_training and n_docs < FEW:
            with_few = f"With {number_of(n_docs, 'document')} there is little to learn from"
            notes.append(f"{with_few}; take scores and the threshold with caution.")
        if self.detector.kind_ == TEXTS:
            notes += note_on_copies(n_docs - len(np.unique(first_copies(self.documents))))
        return [*notes, *self.on_boilerplate]

    @property
    def on_drift(self) -> list[str]:
        """Return a warning if far more of new documents is flagged than of the training documents."""
        if self.is_of_training:
            return []
        n_flagged = int((self.scores[self.judged] > self.detector.threshold_).sum())
        warning = drift_of(self.detector, int(self.judged.sum()), n_flagged).warning
        return [] if warning is None else [warning]

    @property
    def on_boilerplate(self) -> list[str]:
        """Return a note on the boilerplate that the detector leaves out, if there is any."""
        known = self.detector.boilerplate_
        if not known:
            return []
        share, such_as = 100 * known[0][1], "such as " if len(known) > 1 else ""
        such_as = f", {such_as}{quoted([known[0][0]])} ({share:.0f} %)" if known[0][0] else ""
        return [f"Left out as boilerplate: {number_of(len(known), 'line')} that many documents share{such_as}."]

    @property
    def small_groups(self) -> Groups:
        """Return small groups of similar documents, which may explain one another and so have ordinary scores, and of copies.

        Only training documents have groups.
        """
        groups = self.detector.groups_ if self.is_of_training else []
        return Groups([group for group in groups if group.copies or group.share <= SMALL], self.ids)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Return for each document the number of the first that is the same word for word, and has the same score."""
        firsts = first_copies(self.documents)
        same = np.abs(self.scores - self.scores[firsts]) <= SAME_SCORE
        return np.where(same, firsts, np.arange(len(firsts)))

    def lines(self, top: int, all_copies: bool = False) -> list[list[int]]:
        """Return the strangest documents in lines, at most `top`: exact copies share one, unless each is to have its own.

        Documents that are not judged have none. Each line begins with the copy that stands first in the order.
        """
        rows = self._listable(top)
        if all_copies:
            return [[row] for row in rows[:top].tolist()]
        firsts = self.firsts
        heads: dict[int, int] = {}
        for row in rows.tolist():
            if len(heads) == top:
                break
            heads.setdefault(int(firsts[row]), row)
        return [
            [row, *(other for other in np.flatnonzero(firsts == first).tolist() if other != row)]
            for first, row in heads.items()
        ]

    def _listable(self, top: int) -> NDArray[np.int64]:
        """Return the documents that the first `top` lines are made of, the strangest first."""
        return self.order[: int(self.judged.sum())]

    def names(self, rows: Iterable[int]) -> list[str]:
        """Return the ids of some documents."""
        return [self.ids[row] for row in rows]

    def text(self, row: int) -> str | None:
        """Return a document as text; None for a row of counts."""
        return None if is_matrix(self.documents) else as_text(self.documents[row])

    def lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of characters of some documents as text; 0 for rows of counts."""
        return np.array([length_of(self.documents, row) for row in rows.tolist()], np.int64)

    def explain(self, rows: Sequence[int], **how_much: Any) -> list[Explanation]:
        """Explain the scores of some documents; `how_much` as in the detector's ``explain``."""
        names = [self.ids[row] for row in rows]
        embeddings = self.embeddings_of(rows)
        explained = self.detector.explain(take(self.documents, rows), embeddings=embeddings, names=names, **how_much)
        return [self.flagged(why, row) for why, row in zip(explained, rows, strict=True)]

    def embeddings_of(self, rows: Sequence[int]) -> Array | None:
        """Return the embeddings of some documents, if they are at hand."""
        return None if self.embeddings is None else self.embeddings[list(rows)]

    def flagged(self, why: Explanation, row: int) -> Explanation:
        """Return an explanation with the p-value that the document has here, and flagged by the rule that counts here."""
        p_value = float(self.p_values[row])
        if self.fdr is not None:
            return replace(why, p_value=p_value, outlier=bool(self.outliers[row]), fdr=self.fdr)
        return why if why.p_value == p_value else replace(why, p_value=p_value)

    def columns(
        self, n_words: int = TERMS, on_done: Callable[[float], None] = ignore, reasons: str = "all"
    ) -> dict[str, list[Any]]:
        """Return the table of all documents, the strangest first; `on_done` gets the share that is done.

        With ``reasons="outliers"``, only flagged documents get a topic, unexpected terms and a reason.
        """
        rows = self.order.tolist()
        documents, ids = take(self.documents, rows), [self.ids[row] for row in rows]
        return columns_of(self, rows, documents, ids, n_words, on_done, reasons)


def ranking_of(
    detector: FittedDetector,
    documents: Any,
    *,
    embeddings: Any = None,
    names: Sequence[Any] | None = None,
    fdr: float | None = None,
) -> Ranking:
    """Score documents and rank them, the strangest first; a notebook shows the first ones with their reasons.

    Parameters
    ----------
    documents : as in ``fit``
        Training documents or new ones.
    embeddings : array of shape (n_docs, width), optional
        If the detector was fitted with embeddings.
    names : sequence of shape (n_docs,), optional
        Names of the documents, as in ``explain``.
    fdr : float, optional
        Flag documents at this false-discovery rate, in place of the threshold.

    Returns
    -------
    ranking : Ranking

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import load_noticeboard
    >>> board = load_noticeboard()
    >>> detector = TextOutlierDetector().fit(board.texts, names=board.ids)
    >>> ranking = detector.ranking(board.texts)
    >>> ranking
    Ranking(260 documents, 13 flagged: score above 1.43, the automatic threshold)
    >>> ranking.names(ranking.order[:3])
    ['post-111', 'post-072', 'post-077']
    """
    if fdr is not None:
        check_rate(fdr, "fdr")
    documents, called = detector.named(documents, names)
    return Ranking.by(detector, documents, called, embeddings=embeddings).at_rate(fdr)


def judged_among(detector: FittedDetector, documents: Any, scores: Array) -> NDArray[np.bool_]:
    """Return False for the scored documents that have no words, and so are not judged: they have a score of 0."""
    if scores is detector.outlier_scores_:
        return np.asarray(~detector.empty_)
    judged = np.ones(len(scores), bool)
    suspects = np.flatnonzero(scores == 0)
    if len(suspects):
        judged[suspects] = detector.alarms(take(documents, suspects.tolist()))["empty"] == 0
    return judged


def check_terms(detector: FittedDetector, terms: Sequence[str] | None) -> None:
    """Reject a matrix whose columns are not those of the model; `terms` are None for other documents."""
    known = detector.column_names_
    if known is not None and terms is not None and list(known) != list(terms):
        raise InputError(
            "The terms of the matrix differ from those that the model was fitted on, or in their order. Count with the same "
            "vocabulary."
        )


def order_of(scores: Array, judged: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of documents, the strangest first, those that are not judged last."""
    return np.argsort(np.where(judged, -scores, np.inf), kind="stable")
