"""Why a document has its score: what an `EmbeddingExplanation` holds, and how it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tonmf.arrays import Array
from tonmf.attached import Attached
from tonmf.detector.explain.ranks import rank_among
from tonmf.detector.scores.meaning import AT_ONCE, as_rows
from tonmf.detector.vectors.rows import UnitRows
from tonmf.detector.vectors.scorer import VectorState, total
from tonmf.nmf.threads import one_blas_thread
from tonmf.wording import shown

MANY_WIDTHS = 1.0
"""z(r) from which on a document is further from ordinary ones than most."""

LITTLE = 0.1
"""Share of the threshold that company must add to be a reason for the score."""


@dataclass(frozen=True)
class NearEmbedding:
    """An ordinary training document whose embedding is similar to that of the explained one.

    Attributes
    ----------
    id : str
        Its name, or its number if ``fit`` got no names.
    cosine : float
        The cosine of the two embeddings.
    """

    id: str
    cosine: float


@dataclass(frozen=True)
class EmbeddingExplanation:
    """Why a document has its score.

    Attributes
    ----------
    id : str
        The document's name, or its number.
    score : float
        Its score; higher is stranger.
    threshold : float
        Documents with a score above it are outliers.
    outlier : bool
        Whether it is one.
    rank : int
        1 + the number of training documents with a higher score.
    p_value : float
        The share of ordinary documents that are at least as strange.
    parts : dict of str to float
        The terms that add up to the score: "meaning", how far it is from ordinary documents, and "company", what strange
        documents that are like it add, if there are any.
    closeness : float
        Its mean cosine with the nearest ordinary documents, each times the trust in it.
    usual_closeness : float
        The median of the training documents.
    nearest : list of NearEmbedding
        The ordinary training documents most similar to it, with a positive cosine, the most similar first.
    """

    id: str
    score: float
    threshold: float
    outlier: bool
    rank: int
    p_value: float
    parts: dict[str, float]
    closeness: float
    usual_closeness: float
    nearest: list[NearEmbedding]

    _repr_html_ = Attached("html of embedding explanation")

    def __repr__(self) -> str:
        """Return the verdict on one line."""
        verdict = f"score={self.score:.2f}, outlier={self.outlier}, rank={self.rank:,}"
        return f"EmbeddingExplanation({shown(self.id)}, {verdict}: {self.reason})"

    @property
    def reason(self) -> str:
        """Return the reason as a sentence or two."""
        far = self.parts["meaning"]
        if far > max(self.threshold, MANY_WIDTHS):
            verdict = "It is far from ordinary documents"
        elif far > MANY_WIDTHS:
            verdict = "It is further from ordinary documents than most"
        else:
            verdict = "It is about as close to ordinary documents as most"
        text = f"{verdict}: its closeness to them is {self.closeness:.2f}, where {self.usual_closeness:.2f} is usual."
        company = self.parts.get("company", 0.0)
        if company > LITTLE * max(self.threshold, 0.0):
            text += f" Strange documents are like it, which adds {company:.2f} to its score."
        return text


def explain(
    state: VectorState,
    rows: UnitRows,
    chosen: Sequence[int],
    names: Sequence[str],
    p_values: Array,
    parts: dict[str, Array],
    n_nearest: int,
) -> list[EmbeddingExplanation]:
    """Explain the scores of the chosen documents, given the p-values and the parts of each."""
    scores, scorer = total(parts), state.scorer
    ranks = rank_among(np.sort(state.outlier_scores), scores)
    closeness, usual = scorer.closeness(parts["meaning"]), float(scorer.closeness(np.zeros(1))[0])
    nearest = _nearest(state, rows, chosen, n_nearest)
    return [
        EmbeddingExplanation(
            id=names[number],
            score=float(scores[place]),
            threshold=state.threshold,
            outlier=bool(scores[place] > state.threshold),
            rank=int(ranks[place]),
            p_value=float(p_values[place]),
            parts={name: float(values[place]) for name, values in parts.items()},
            closeness=float(closeness[place]),
            usual_closeness=usual,
            nearest=nearest[place],
        )
        for place, number in enumerate(chosen)
    ]


def _nearest(state: VectorState, rows: UnitRows, chosen: Sequence[int], n_nearest: int) -> list[list[NearEmbedding]]:
    found = []
    for start in range(0, len(chosen), AT_ONCE):
        with one_blas_thread():
            cosines = state.scorer.meaning.cosines(as_rows(rows, list(chosen[start : start + AT_ONCE])))
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :n_nearest]
        for values, numbers in zip(cosines, order.tolist(), strict=True):
            found.append([NearEmbedding(state.sample_ids[n], float(values[n])) for n in numbers if values[n] > 0])
    return found
