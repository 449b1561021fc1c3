"""``--sample``: fit on a random sample of the documents, and score all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tonmf.cli.embedding import on_embedding
from tonmf.cli.learning import fit
from tonmf.cli.marks import apply_marks
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

if TYPE_CHECKING:
    from tonmf.arrays import Array
    from tonmf.io import Documents
    from tonmf.ranking import Ranking


def check_sample(sample: int | None, memory: str | None, dask: str | None) -> None:
    """Reject ``--sample`` beside options that fit documents elsewhere."""
    for option, value in (("--memory", memory), ("--dask", dask)):
        if sample is not None and value is not None:
            raise ParameterError(f"--sample needs all documents in memory. Leave out either {option} or --sample.")


def note_on_sample(sample: int, n_docs: int) -> str:
    """Say what was fitted on.

    >>> note_on_sample(5000, 1200)
    'There are 1,200 documents, so --sample 5000 has no effect: the detector was fitted on all of them.'
    """
    if sample >= n_docs:
        return f"There are {n_docs:,} documents, so --sample {sample} has no effect: the detector was fitted on all of them."
    return f"Fitted on a random sample of {sample:,} of {n_docs:,} documents, so small groups are not listed."


def rows_of_sample(n_docs: int, size: int, seed: int) -> list[int]:
    """Draw documents at random; return their numbers, in order.

    >>> rows_of_sample(5, 3, 0) == rows_of_sample(5, 3, 0)
    True
    """
    import numpy as np

    rows: list[int] = np.sort(np.random.default_rng(seed).choice(n_docs, size, replace=False)).tolist()
    return rows


def learn_on_sample(
    screen: Screen,
    documents: Documents,
    sample: int,
    embeddings: Array | None,
    marks: Mapping[str, str],
    learning: Mapping[str, Any],
) -> tuple[Ranking, list[str], list[str]]:
    """Fit a detector on a random sample, apply marks, and rank all documents; also return notes on embeddings, and on marks."""
    from tonmf.text.documents import take

    content, ids = documents.content, documents.ids
    rows = rows_of_sample(len(ids), sample, learning["random_state"])
    given = None if embeddings is None else embeddings[rows]
    of_sample = [ids[row] for row in rows]
    detector = fit(screen, take(content, rows), of_sample, terms=documents.terms, embeddings=given, **learning)
    from tonmf.ranking import Ranking

    vectors = detector.embed(content, embeddings=embeddings)
    encoder = detector.encoder()
    notes = [] if encoder is None else on_embedding(encoder, len(ids))
    for note in notes:
        screen.note(note)
    on_marks = apply_marks(detector, marks, ids, content, vectors)
    with screen.progress("Scoring") as done:
        ranking = Ranking.by(detector, content, ids, done, embeddings=vectors)
    return ranking, notes, on_marks
