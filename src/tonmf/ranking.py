"""Documents ranked by score, and the table of results that people keep.

`Ranking` has its documents in memory. `LargeRanking` is of documents on disk, which it reads once more for the table.
Documents with the same score have the same rank (`tonmf.detector.explain.ranks`); they stay in the order in which they came.
Documents that are not judged come last.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import Explanation, note_on_unjudged
from tonmf.detector.explain.quotes import quoted
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.fitted import FittedDetector
from tonmf.detector.scores.groups import Group
from tonmf.detector.scores.scale import SAME_SCORE
from tonmf.errors import InputError
from tonmf.metrics import discoveries
from tonmf.text.batches import Batch, Batches, check_unchanged
from tonmf.text.documents import TEXTS, content_of, first_copies, is_matrix, joined_items, note_on_copies, take
from tonmf.text.pieces import Piece
from tonmf.text.side_by_side import in_order
from tonmf.wording import number_of

TYPES = {
    "rank": "whole",
    "id": "text",
    "score": "number",
    "p_value": "number",
    "outlier": "truth",
    "judged": "truth",
    "topic": "whole",
    "unexpected_terms": "texts",
    "reason": "text",
    "text": "text",
}
"""Columns of the table of results, in order, and what they hold (`tonmf.io.write`)."""

COLUMNS = tuple(TYPES)

TERMS = 10
"""Unexpected terms in a row of the table."""

AT_ONCE = 2000
"""Documents to score or explain at a time: enough to be quick, few enough to save memory and to show progress."""

SIDE_BY_SIDE = 2
"""Lots of documents to score at the same time: one is in compiled code while Python is busy with the other."""

READ_AT_MOST = 20_000
"""Characters of a document in which to look for unexpected words to show."""

MOST_LISTED = 2000
"""Documents of a large ranking to keep for the lines to show: more than these are only counted as copies."""

FEW = 20
"""With fewer documents there is little to learn from."""

SMALL = 0.05
"""The largest share of the documents that a small group may have."""

T = TypeVar("T")


def ignore(share: float) -> None:
    """Ignore progress."""


class Reason(NamedTuple):
    """What the table says of a document beside its score: its main topic, its unexpected words, and a sentence."""

    topic: int | None
    words: list[str]
    sentence: str | None

    @classmethod
    def of(cls, why: Explanation) -> Reason:
        """Take them from an explanation."""
        return cls(why.topic, [word.word for word in why.unexpected], why.reason)


NO_REASON = Reason(None, [], None)
"""Of a document whose reason nobody asked for."""


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

    @classmethod
    def of(
        cls,
        detector: FittedDetector,
        documents: Any,
        ids: Sequence[str],
        scores: Array,
        p_values: Array | None = None,
    ) -> Ranking:
        """Rank scored documents; training documents if no p-values are given."""
        judged = judged_among(detector, documents, scores)
        p_values = detector.p_values_ if p_values is None else p_values
        return cls(detector, documents, ids, scores, judged, order_of(scores, judged), p_values)

    @classmethod
    def by(
        cls,
        detector: FittedDetector,
        documents: Any,
        ids: Sequence[str],
        on_done: Callable[[float], None] = ignore,
        with_reasons: bool = False,
    ) -> Ranking:
        """Score documents with a fitted detector, some at a time, and rank them; `on_done` gets the share that is done.

        Reasons are found on the way if they will be wanted for all documents.
        """

        def score(some: list[int]) -> tuple[Array, Array, list[Reason]]:
            if not with_reasons:
                return *detector.score_with_p_value(take(documents, some)), []
            read = detector.read(take(documents, some), names=[ids[row] for row in some])
            explained = read.explain(TERMS, n_nearest=0, n_missing=0)
            return read.scores.total, read.p_values, list(map(Reason.of, explained))

        found, n_done = [], 0
        for scored in in_order(score, stretches(range(len(ids))), min(SIDE_BY_SIDE, detector.n_readers_)):
            found.append(scored)
            n_done += len(scored[0])
            on_done(n_done / len(ids))
        scores, p_values, reasons = zip(*found, strict=True)
        ranking = cls.of(detector, documents, ids, np.concatenate(scores), np.concatenate(p_values))
        return replace(ranking, reasons=list(chain.from_iterable(reasons))) if with_reasons else ranking

    def again(self) -> Ranking:
        """Rank the training documents by the scores that they have now, such as after marks."""
        return Ranking.of(self.detector, self.documents, self.ids, self.detector.outlier_scores_)

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
    def on_boilerplate(self) -> list[str]:
        """Return a note on the boilerplate that the detector leaves out, if there is any."""
        known = self.detector.boilerplate_
        if not known:
            return []
        share, such_as = 100 * known[0][1], "such as " if len(known) > 1 else ""
        such_as = f", {such_as}{quoted([known[0][0]])} ({share:.0f} %)" if known[0][0] else ""
        return [f"Left out as boilerplate: {number_of(len(known), 'line')} that many documents share{such_as}."]

    @property
    def small_groups(self) -> list[Group]:
        """Return small groups of similar documents, which may explain one another and so have ordinary scores, and of copies.

        Only training documents have groups.
        """
        groups = self.detector.groups_ if self.is_of_training else []
        return [group for group in groups if group.copies or group.share <= SMALL]

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

    def length(self, row: int) -> int:
        """Return the number of characters of a document as text."""
        return len(self.text(row) or "")

    def explain(self, rows: Sequence[int], **how_much: Any) -> list[Explanation]:
        """Explain the scores of some documents; `how_much` as in the detector's ``explain``."""
        names = [self.ids[row] for row in rows]
        explained = self.detector.explain(take(self.documents, rows), names=names, **how_much)
        return [self.flagged(why, row) for why, row in zip(explained, rows, strict=True)]

    def flagged(self, why: Explanation, row: int) -> Explanation:
        """Return an explanation with the p-value that the document has here, and flagged by the rule that counts here."""
        why = replace(why, p_value=float(self.p_values[row]))
        return why if self.fdr is None else replace(why, outlier=bool(self.outliers[row]), fdr=self.fdr)

    def columns(
        self, n_words: int = TERMS, on_done: Callable[[float], None] = ignore, reasons: str = "all"
    ) -> dict[str, list[Any]]:
        """Return the table of all documents, the strangest first; `on_done` gets the share that is done.

        With ``reasons="outliers"``, only flagged documents get a topic, unexpected terms and a reason.
        """
        rows = self.order.tolist()
        documents, ids = take(self.documents, rows), [self.ids[row] for row in rows]
        return columns_of(self, rows, documents, ids, n_words, on_done, reasons)


def judged_among(detector: FittedDetector, documents: Any, scores: Array) -> NDArray[np.bool_]:
    """Return False for the scored documents that have no words, and so are not judged: they have a score of 0."""
    if scores is detector.outlier_scores_:
        return np.asarray(~detector.empty_)
    judged = np.ones(len(scores), bool)
    suspects = np.flatnonzero(scores == 0)
    if len(suspects):
        judged[suspects] = detector.alarms(take(documents, suspects.tolist()))["empty"] == 0
    return judged


def order_of(scores: Array, judged: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of documents, the strangest first, those that are not judged last."""
    return np.argsort(np.where(judged, -scores, np.inf), kind="stable")


class Fetched(Sequence[T], Generic[T]):
    """A sequence of which only some places are known."""

    def __init__(self, length: int) -> None:
        self._length, self._known = length, dict[int, T]()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._length))]
        return self._known[int(place)]

    @property
    def places(self) -> Container[int]:
        """Return the places that are known."""
        return self._known

    def put(self, place: int, value: T) -> None:
        """Make a place known."""
        self._known[place] = value


@dataclass(frozen=True)
class LargeRanking(Ranking):
    """The training documents of a detector that are too many for memory: it has the documents and ids of a few rows only.

    `fingerprint` tells whether the documents have changed since (`tonmf.text.batches`). `contents` has a hash of each document,
    which tells copies apart from others, once they have been read.
    """

    fingerprint: Any = None
    contents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of_training(cls, detector: FittedDetector, fingerprint: Any) -> LargeRanking:
        """Rank the training documents of a detector, without their texts and ids; `fetch` brings those."""
        scores, judged = detector.outlier_scores_, ~detector.empty_
        documents, ids = Fetched[Any](len(scores)), Fetched[str](len(scores))
        order, contents = order_of(scores, judged), np.arange(len(scores))
        p_values = detector.p_values_
        return cls(
            detector, documents, ids, scores, judged, order, p_values, fingerprint=fingerprint, contents=contents
        )

    @cached_property
    def observations(self) -> list[str]:
        """Return notes but on copies, which whoever reads the documents notes (`tonmf.io.document_files`)."""
        return self.on_boilerplate

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Return for each document the number of the first that has the same content."""
        _, first, inverse = np.unique(self.contents, return_index=True, return_inverse=True)
        return np.asarray(first[inverse])

    def _listable(self, top: int) -> NDArray[np.int64]:
        """Return the strangest documents down to the `top`-th different score, since copies have equal ones; not too many."""
        rows = super()._listable(top)[: max(MOST_LISTED, top)]
        other_score = np.flatnonzero(-np.diff(self.scores[rows]) > SAME_SCORE)
        return rows[: other_score[top - 1] + 1] if 0 < top <= len(other_score) else rows

    def names(self, rows: Iterable[int]) -> list[str]:
        """Return the ids of some documents, those that were fetched."""
        return [self.ids[row] for row in rows if row in self.ids.places]  # type: ignore[attr-defined]

    def fetch(
        self,
        batches: Batches,
        top: int,
        names: Iterable[int],
        write: Callable[[dict[str, list[Any]], Batch], None] | None = None,
        reasons: str = "outliers",
        on_done: Callable[[float], None] = ignore,
    ) -> None:
        """Read the documents once more: keep those of the first `top` lines, and the ids of `names`; write the table of all.

        `write` gets the columns of ``Ranking.columns`` and the batch that they are of, in the order of the documents. With
        ``reasons="outliers"`` only flagged documents get a topic, unexpected terms and a reason, which take longer to find
        than documents to read.
        """
        check_unchanged(batches, self.fingerprint)
        wanted, named = {*self._listable(top).tolist(), int(self.order[0])}, set(names)
        n_docs, first = len(self.scores), 0
        for batch in batches:
            last = first + len(batch.ids)
            if last > n_docs:
                break
            for row in wanted.intersection(range(first, last)):
                self.documents.put(row, batch.content[row - first])
            for row in (wanted | named).intersection(range(first, last)):
                self.ids.put(row, batch.ids[row - first])  # type: ignore[attr-defined]
            self.contents[first:last] = [hash(content_of(document)) for document in batch.content]
            if write is not None:
                write(columns_of(self, range(first, last), batch.content, batch.ids, reasons=reasons), batch)
            on_done(last / n_docs)
            first = last
        else:
            if first == n_docs:
                check_unchanged(batches, self.fingerprint)
                return
        raise InputError(
            f"The documents have changed since they were learnt from: there were {n_docs:,}. Run again, on files that stay as "
            "they are."
        )


def columns_of(
    ranking: Ranking,
    numbers: Sequence[int],
    documents: Any,
    ids: Sequence[str],
    n_words: int = TERMS,
    on_done: Callable[[float], None] = ignore,
    reasons: str = "all",
) -> dict[str, list[Any]]:
    """Return the table of some documents of a ranking, given by their numbers, in the order in which they are given, by column.

    Documents whose score depends on embeddings, which are not at hand here, have no sentence for a reason.
    """
    chosen = np.asarray(numbers, np.int64)
    outliers = ranking.outliers[chosen]
    explained = np.flatnonzero(outliers | (reasons == "all")).tolist()
    reasons_of = [NO_REASON] * len(ids)
    n_done = 0
    for rows in stretches(explained):
        found = _reasons(ranking, chosen[rows].tolist(), take(documents, rows), [ids[row] for row in rows], n_words)
        for row, reason in zip(rows, found, strict=True):
            reasons_of[row] = reason
        n_done += len(rows)
        on_done(n_done / len(explained))
    topics, terms, said = (list(column) for column in zip(*reasons_of, strict=True)) if ids else ([], [], [])
    texts = [None] * len(ids) if is_matrix(documents) else [as_text(document) for document in documents]
    ranks, scores, p_values = (of[chosen].tolist() for of in (ranking.ranks, ranking.scores, ranking.p_values))
    known = (ranks, list(ids), scores, p_values, outliers.tolist(), ranking.judged[chosen].tolist())
    return dict(zip(COLUMNS, (*known, topics, terms, said, texts), strict=True))


def _reasons(
    ranking: Ranking, numbers: Sequence[int], documents: Any, ids: Sequence[str], n_words: int
) -> list[Reason]:
    """Return the reasons for the scores of some documents."""
    detector = ranking.detector
    if ranking.reasons is not None and ranking.fdr is None:
        known = [ranking.reasons[number] for number in numbers]
        return [Reason(topic, words[:n_words], sentence) for topic, words, sentence in known]
    if detector.uses_embeddings_:
        found = zip(*detector.reasons(documents, n_words), strict=True)
        return [Reason(topic, [word.word for word in words], None) for topic, words in found]
    explained = detector.explain(documents, names=ids, n_words=n_words, n_nearest=0, n_missing=0)
    return [Reason.of(ranking.flagged(why, row)) for why, row in zip(explained, numbers, strict=True)]


def as_text(document: Any) -> str:
    """Return a text as it is, or the items of a basket on one line."""
    return document if isinstance(document, str) else joined_items(document)


def pieces_of(
    detector: FittedDetector,
    documents: Any,
    row: int,
    words: Sequence[UnexpectedWord],
    read_at_most: int = READ_AT_MOST,
) -> list[Piece]:
    """Cut the beginning of a document into pieces to show; a row of counts into its terms."""
    if is_matrix(documents):
        return detector.pieces(detector.analyze(take(documents, [row])), words)
    return detector.pieces(documents[row][:read_at_most], words)


def stretches(rows: Sequence[int]) -> Iterator[list[int]]:
    """Yield the rows in runs of `AT_ONCE`."""
    for start in range(0, len(rows), AT_ONCE):
        yield list(rows[start : start + AT_ONCE])
