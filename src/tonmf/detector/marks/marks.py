"""The documents that a reader marked as strange or fine.

A mark says what the score should have been: `STRANGE_SCORE` for a strange document, `FINE_SCORE` for a fine one, both in
units of the automatic threshold, so that scores of any scale will do. The difference from the score without marks is the *gap*
that `tonmf.detector.marks.effects` closes. A mark as strange raises every score by `LEAST_RISE` at least, so that documents
like one with a very high score rise too. A mark as fine never raises one: its gap is at most 0.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.marks.likeness import known_of

STRANGE, FINE = "strange", "fine"

STRANGE_SCORE, FINE_SCORE = 10.0, 0.0
"""What a strange and a fine document should score, in units of the automatic threshold: far above it, and the middle."""

LEAST_RISE = 3.0
"""The least that a mark as strange adds to the score of the document itself, in the same units."""

SMALLEST_UNIT = 1e-6
"""Automatic threshold from which on it can serve as the unit; below, as with documents that are all the same, the unit is 1."""


def unit_of(level: float) -> float:
    """Return the unit of gaps and effects, given the automatic threshold of scores without marks.

    >>> unit_of(2.5), unit_of(0.0)
    (2.5, 1.0)
    """
    return level if level >= SMALLEST_UNIT else 1.0


@dataclass(frozen=True)
class Marks:
    """Marked documents, in the order in which they were marked.

    ========== ================= ===================================================================
    field      shape             what
    ========== ================= ===================================================================
    ids        n_marks           what they are called; no two are called the same
    strange    n_marks           True for "strange", False for "fine"
    rows       n_marks × n_terms their unit rows; zero for a document without a known term
    embeddings n_marks × width   their embeddings at unit norm, if the detector uses embeddings
    gaps       n_marks           how far the score was from where the mark wants it, in thresholds
    ========== ================= ===================================================================
    """

    ids: list[str]
    strange: NDArray[np.bool_]
    rows: sp.csr_matrix
    embeddings: Array | None
    gaps: Array

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        strange: NDArray[np.bool_],
        rows: sp.csr_matrix,
        embeddings: Array | None,
        scores: Array,
        level: float,
    ) -> Self:
        """Mark documents that have these scores without marks; `level` is the automatic threshold of such scores."""
        own = scores / unit_of(level)
        gaps = np.where(strange, np.maximum(STRANGE_SCORE - own, LEAST_RISE), np.minimum(FINE_SCORE - own, 0))
        return cls(list(ids), strange, rows, embeddings, gaps)

    @property
    def known(self) -> list[Any]:
        """Return what is known of the documents, as `tonmf.detector.marks.likeness` takes it."""
        return known_of(self.rows, self.embeddings)

    def named(self) -> dict[str, str]:
        """Return the mark of each document by its id."""
        return {name: STRANGE if strange else FINE for name, strange in zip(self.ids, self.strange, strict=True)}

    def weighed(self, rows: sp.csr_matrix) -> Self:
        """Return the same marks by other rows of the documents, such as after a change of the vocabulary."""
        return replace(self, rows=rows)

    def followed_by(self, later: Self) -> Self:
        """Add marks; a document that is marked again has the later mark only."""
        earlier = self.without(set(later.ids))
        if earlier is None:
            return later
        both = [earlier, later]
        embeddings = [marks.embeddings for marks in both if marks.embeddings is not None]
        return replace(
            earlier,
            ids=[*earlier.ids, *later.ids],
            strange=np.concatenate([marks.strange for marks in both]),
            rows=sp.csr_matrix(sp.vstack([marks.rows for marks in both], format="csr")),
            embeddings=np.concatenate(embeddings) if embeddings else None,
            gaps=np.concatenate([marks.gaps for marks in both]),
        )

    def without(self, ids: Collection[str]) -> Self | None:
        """Take marks away; None if none is left."""
        kept = np.array([name not in ids for name in self.ids], bool)
        if not kept.any():
            return None
        return replace(
            self,
            ids=[name for name, stays in zip(self.ids, kept, strict=True) if stays],
            strange=self.strange[kept],
            rows=self.rows[kept],
            embeddings=None if self.embeddings is None else self.embeddings[kept],
            gaps=self.gaps[kept],
        )
