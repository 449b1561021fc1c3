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

from tonmf.calibrate import UPPER
from tonmf.ops import Array
from tonmf.text import Counts

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
    def learn(cls, counts: Counts, idf: Array) -> Self:
        """From the training documents that have words, and the idf of each term, which is its rarity + 1."""
        rarity = idf - 1
        rarity_outside = float(np.log((1 + counts.matrix.shape[0]) / 2))
        n_distinct = max(int(counts.n_distinct.sum()), 1)
        n_outside = int(counts.n_outside.sum())
        total_rarity = float(rarity[counts.matrix.indices].sum()) + n_outside * rarity_outside
        means = {"unknown": n_outside / n_distinct, "rare": total_rarity / n_distinct}
        unscaled = cls(rarity, rarity_outside, means, {}, {})
        medians, widths = {}, {}
        for name, values in unscaled.measure(counts).items():
            values = values[counts.n_words > 0]
            median, upper = np.percentile(values, [50, UPPER]) if len(values) else (0.0, 0.0)
            medians[name] = float(median)
            widths[name] = max(float(upper - median), SMALLEST_WIDTHS[name])
        return cls(rarity, rarity_outside, means, medians, widths)

    def measure(self, counts: Counts) -> dict[str, Array]:
        """The three numbers of each document."""
        matrix = counts.matrix
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        rarity = np.bincount(rows, weights=self.rarity[matrix.indices], minlength=matrix.shape[0])
        sums = {"unknown": counts.n_outside, "rare": rarity + counts.n_outside * self.rarity_outside}
        measures: dict[str, Array] = {
            name: (total + DOUBT * self.means[name]) / (counts.n_distinct + DOUBT) for name, total in sums.items()
        }
        measures["repeated"] = 1 - np.log1p(counts.n_distinct) / np.log1p(np.maximum(counts.n_words, 1))
        return measures

    def raised(self, counts: Counts) -> dict[str, Array]:
        """For each alarm and document, by which share of it the cut is exceeded: 0 where there is no alarm.

        A document none of whose words is known raises "unknown" in any case, one without any word an alarm of its own, "empty".
        """
        has_words = counts.n_words > 0
        excess: dict[str, Array] = {"empty": np.where(has_words, 0.0, 1.0)}
        for name, values in self.measure(counts).items():
            values = np.where(has_words, values, self.medians[name])
            excess[name] = np.maximum((values - self.medians[name]) / (self.widths[name] * CUTS[name]) - 1, 0)
        all_unknown = has_words & (counts.n_outside == counts.n_distinct)
        excess["unknown"] = np.maximum(excess["unknown"], all_unknown)
        return excess
