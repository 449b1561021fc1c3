"""How scores follow marks, for a program that does not have the detector, such as the page of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.detector.marks.effects import HIGHEST, Effects
from tonmf.detector.marks.likeness import Centred, onto
from tonmf.detector.marks.marks import Marks, unit_of


@dataclass(frozen=True)
class MarkRule:
    """All that a detector by words needs to follow marks (docs/method/detector.md).

    ========= ================== =========================================================================
    field     shape              what
    ========= ================== =========================================================================
    centred                      rows relative to the mean row of ordinary documents
    ordinary  n_sample × n_terms unit rows of the ordinary documents, whose effects move the threshold
    effects                      the marks that there are, and what they add; None if there are none
    threshold                    the threshold without marks
    level                        the automatic threshold without marks
    share     number or None     the share of the training documents to flag, if one was asked for
    ========= ================== =========================================================================
    """

    centred: Centred
    ordinary: sp.csr_matrix
    effects: Effects | None
    threshold: float
    level: float
    share: float | None

    @property
    def marks(self) -> Marks | None:
        """Return the marks that there are."""
        return None if self.effects is None else self.effects.marks

    @property
    def unit(self) -> float:
        """Return the unit of gaps and effects."""
        return unit_of(self.level)

    @property
    def highest(self) -> float:
        """Return the highest that the threshold rises."""
        return max(self.threshold, HIGHEST * self.unit)

    def onto_mean(self, rows: sp.csr_matrix) -> Array:
        """Return y · μ of each row."""
        return onto(rows, self.centred.mean)

    def added(self, rows: sp.csr_matrix) -> Any:
        """Return what the marks that there are add to the scores of documents; 0 without marks."""
        return 0.0 if self.effects is None else self.effects.on([rows])
