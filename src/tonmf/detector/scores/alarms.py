"""Alarms beside the topics: words that nobody uses, words that hardly anybody uses, and the same words over and over.

A word outside the vocabulary can be explained by no topic, and leaves no trace in a row of term weights: a document of
random letters would look like an empty one. A few documents in another language make a topic of their own and explain
one another. A word of the vocabulary repeated a hundred times is explained by its topic perfectly. None of this shows
in the topics' score, and mixing it in costs accuracy on documents that are strange by their subject. So each is a
number of its own, compared with that of the training documents, and counts only where it lies far outside:

========== ================================================================================================
unknown    share of a document's different words that are outside the vocabulary
rare       mean of ln((1 + n)/(1 + df)) over its different words, where df = 1 for a word outside the vocabulary
repeated   1 − ln(1 + distinct)/ln(1 + words): how much fewer different words it has than words (in logarithms, since
           even ordinary documents repeat more the longer they are)
========== ================================================================================================

The first two are means over words, and `DOUBT` words that are as the average keep those of short documents from saying
too much. Each is measured in widths above the median, where one width is P84 − median of the training documents. There is an
alarm beyond `CUTS` widths, as large as the share by which they are exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.detector.scores.scale import UPPER
from tonmf.text.counts import Counts
from tonmf.text.totals import WordTotals

CUTS = {"unknown": 8.0, "rare": 5.0, "repeated": 8.0}
"""Widths above the median from which on a number is an alarm."""

SMALLEST_WIDTHS = {"unknown": 0.02, "rare": 0.1, "repeated": 0.01}
"""What is taken for a width where documents hardly differ."""

DOUBT = 5
"""Words of doubt in a mean over words."""


@dataclass(frozen=True)
class Alarms:
    """What documents are compared with: the rarity of terms; of every alarm the mean over words, the median, the width."""

    rarity: Array
    rarity_outside: float
    means: dict[str, float]
    medians: dict[str, float]
    widths: dict[str, float]

    @classmethod
    def learn(cls, totals: WordTotals, idf: Array, sums: Array) -> Self:
        """From the training documents that have words, the idf of each term, which is its rarity + 1, and Σ rarity (`sums`)."""
        rarity_outside = float(np.log((1 + len(sums)) / 2))
        n_distinct = max(int(totals.n_distinct.sum()), 1)
        n_outside = int(totals.n_outside.sum())
        total_rarity = float(sums.sum()) + n_outside * rarity_outside
        means = {"unknown": n_outside / n_distinct, "rare": total_rarity / n_distinct}
        unscaled = cls(idf - 1, rarity_outside, means, {}, {})
        medians, widths = {}, {}
        for name, values in unscaled.measure(totals, sums).items():
            values = values[totals.n_words > 0]
            median, upper = np.percentile(values, [50, UPPER]) if len(values) else (0.0, 0.0)
            medians[name] = float(median)
            widths[name] = max(float(upper - median), SMALLEST_WIDTHS[name])
        return cls(idf - 1, rarity_outside, means, medians, widths)

    def measure(self, totals: WordTotals, sums: Array) -> dict[str, Array]:
        """The three numbers of each document; `sums` are of the rarity of its terms (`sums_over_terms`)."""
        outside = {"unknown": totals.n_outside, "rare": sums + totals.n_outside * self.rarity_outside}
        measures: dict[str, Array] = {
            name: (total + DOUBT * self.means[name]) / (totals.n_distinct + DOUBT) for name, total in outside.items()
        }
        measures["repeated"] = 1 - np.log1p(totals.n_distinct) / np.log1p(np.maximum(totals.n_words, 1))
        return measures

    def raised(self, totals: WordTotals, sums: Array) -> dict[str, Array]:
        """For each alarm and document, by which share of it the cut is exceeded: 0 where there is no alarm.

        A document none of whose words is known raises "unknown" in any case, one without any word an alarm of its own, "empty".
        """
        has_words = totals.n_words > 0
        excess: dict[str, Array] = {"empty": np.where(has_words, 0.0, 1.0)}
        for name, values in self.measure(totals, sums).items():
            values = np.where(has_words, values, self.medians[name])
            excess[name] = np.maximum((values - self.medians[name]) / (self.widths[name] * CUTS[name]) - 1, 0)
        all_unknown = has_words & (totals.n_outside == totals.n_distinct)
        excess["unknown"] = np.maximum(excess["unknown"], all_unknown)
        return excess

    def measures_of(self, counts: Counts) -> dict[str, Array]:
        """The three numbers of documents that are at hand as counts."""
        return self.measure(counts.totals, sums_over_terms(counts.matrix, self.rarity))

    def raised_by(self, counts: Counts) -> dict[str, Array]:
        """Alarms of documents that are at hand as counts."""
        return self.raised(counts.totals, sums_over_terms(counts.matrix, self.rarity))


def sums_over_terms(rows: sp.csr_matrix, values: Array) -> Array:
    """Σ of a value over the different terms of each row.

    >>> sums_over_terms(sp.csr_matrix([[2.0, 0.0], [1.0, 5.0]]), np.array([0.5, 1.0])).tolist()
    [0.5, 1.5]
    """
    documents = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(documents, values[rows.indices], rows.shape[0]).astype(np.float64)
