"""Find the documents that a reader marks, among training documents or new ones, and make marks of them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explanation import no_words
from tonmf.detector.explain.quotes import listed
from tonmf.detector.marks.marks import FINE, STRANGE, Marks
from tonmf.detector.reading import ReadDocuments, Reader
from tonmf.detector.scores.scale import SAME_SCORE
from tonmf.detector.state import DetectorState, TrainingRows
from tonmf.errors import InputError, Param
from tonmf.text.documents import check_ids, check_names, n_documents, take
from tonmf.wording import number_of

NAMED = 3
"""Documents that a warning names."""

SAME_VALUE = 1e-6
"""Difference up to which values of two rows are the same, but for rounding."""


def training_marks(state: DetectorState, strange: Any, fine: Any, word: str) -> Marks | None:
    """Mark training documents by number or id; None if there are none to mark."""
    known = state.rows
    if known is None:
        raise InputError(
            "The detector does not have its training documents any more: their rows are not saved, and not kept of documents "
            "on disk or on a cluster. Give the documents to choose from as well (",
            Param("documents"),
            ").",
        )
    judged = np.asarray(state.alarms["empty"] == 0)
    rows, is_strange = _judged_only(*chosen(strange, fine, known.ids), judged, known.ids, word)
    if not rows:
        return None
    embeddings = None if known.embeddings is None else known.embeddings[rows]
    ids, scores = [known.ids[row] for row in rows], state.outlier_scores[rows]
    return Marks.of(ids, is_strange, known.rows[rows], embeddings, scores, state.scorer.level)


def document_marks(
    reader: Reader,
    documents: Any,
    embeddings: Array | None,
    names: Sequence[Any] | None,
    strange: Any,
    fine: Any,
) -> tuple[DetectorState, Marks | None]:
    """Mark some of the documents that are given.

    If these are the training documents, and the state does not have their rows, it gets them.
    """
    state, word, called = reader.state, reader.explainer.kind, check_names(names, n_documents(documents))
    rows, is_strange = chosen(strange, fine, called)
    if not rows:
        return state, None
    if state.rows is None and len(called) == len(state.outlier_scores):
        read = reader.read(documents, embeddings, called)
        if np.allclose(read.unmarked.total, state.outlier_scores, rtol=0, atol=SAME_SCORE):
            state = replace(state, rows=TrainingRows(called, read.corpus.source.matrix(), embeddings))
            return state, training_marks(state, rows[: is_strange.sum()], rows[is_strange.sum() :], word)
    read = reader.read(
        take(documents, rows), None if embeddings is None else embeddings[rows], [called[row] for row in rows]
    )
    ids = read.ids if names is not None else _unnamed(state, read, rows, len(called))
    kept, is_strange = _judged_only(list(range(len(rows))), is_strange, read.unmarked.judged, ids, word)
    if not kept:
        return state, None
    Y, scores = read.corpus.source.matrix()[kept], read.unmarked.total[kept]
    of_rows = None if read.embeddings is None else read.embeddings[kept]
    return state, Marks.of([ids[row] for row in kept], is_strange, Y, of_rows, scores, state.scorer.level)


def _judged_only(
    rows: list[int], strange: NDArray[np.bool_], judged: NDArray[np.bool_], ids: Sequence[str], word: str
) -> tuple[list[int], NDArray[np.bool_]]:
    """Leave out the documents that are not judged, with a warning: a mark on them would say nothing of any other."""
    kept = judged[rows]
    unjudged = [ids[row] for row, stays in zip(rows, kept, strict=True) if not stays]
    if unjudged:
        have, were = ("has", "was") if len(unjudged) == 1 else ("have", "were")
        named = listed(unjudged[:NAMED]) + (", …" if len(unjudged) > NAMED else "")
        warnings.warn(
            f"{number_of(len(unjudged), 'document')} {have} {no_words(word)} and {were} not marked: {named}.",
            stacklevel=4,
        )
    return [row for row, stays in zip(rows, kept, strict=True) if stays], strange[kept]


def chosen(strange: Any, fine: Any, ids: Sequence[str]) -> tuple[list[int], NDArray[np.bool_]]:
    """Return the numbers of the documents to mark, each once, and which of them are strange."""
    as_strange, as_fine = (dict.fromkeys(check_ids(some, ids)) for some in (strange, fine))
    both = [ids[row] for row in as_strange if row in as_fine]
    if both:
        raise InputError(
            f"{both[0]} is marked as {STRANGE} and as {FINE}"
            + (f", and so are {len(both) - 1} more" if len(both) > 1 else "")
            + ". Give each document one mark."
        )
    rows = [*as_strange, *as_fine]
    return rows, np.arange(len(rows)) < len(as_strange)


def marked_ids(state: DetectorState, ids: Any) -> list[str]:
    """Return the ids of marked documents, given by id, or by number if they are training documents."""
    marked = {} if state.marks is None else state.marks.named()
    known = [] if state.rows is None else state.rows.ids
    found: list[str] = []
    wanted: Any
    for wanted in [ids] if isinstance(ids, str | int | np.integer) else ids:
        is_number = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
        name = known[int(wanted)] if is_number and -len(known) <= wanted < len(known) else wanted
        if name not in marked:
            raise InputError(f"ids must be those of marked documents, which marks_ lists; got {wanted!r}.")
        found.append(name)
    return found


def _unnamed(state: DetectorState, read: ReadDocuments, rows: list[int], n_docs: int) -> list[str]:
    """Name documents that have no names: training documents as they are called, others by their content."""
    known = state.rows
    if known is not None and n_docs == known.rows.shape[0]:
        difference = abs(read.corpus.source.matrix() - known.rows[rows])
        if difference.nnz == 0 or difference.max() <= SAME_VALUE:
            return [known.ids[row] for row in rows]
    return [f"new-{_digest(sorted(read.terms(row).items()))}" for row in range(len(rows))]


def _digest(content: Any) -> str:
    return hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:10]
