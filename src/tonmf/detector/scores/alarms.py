"""Alarms beside the topics: words that nobody uses, words that hardly anybody uses, and the same words over and over.

A document of random letters has no known word for the topics to go by. A few documents in another language make a topic
of their own and explain one another. A word of the vocabulary repeated a hundred times is explained by its topic
perfectly. Little of this shows in the topics' score, and mixing more of it in costs accuracy on documents that are strange
by their subject. So each is a separate number, compared with that of the training documents, and counts only where it lies
far outside:

========== ================================================================================================
unknown    log-odds ln(p/(1 − p)) of the share p of a document's distinct words that are outside the vocabulary
rare       mean of ln((1 + n)/(1 + df)) over its distinct words, where df = 1 for a word outside the vocabulary
repeated   1 − ln(1 + distinct)/ln(1 + words): how much fewer distinct words it has than words (in logarithms, since
           even ordinary documents repeat more the longer they are)
========== ================================================================================================

The first two are means over words. `DOUBT` average words are added to each document, so that the means of short documents do
not stray too far. On the scale of log-odds a document of unknown words can stand out even where half of the words of any
document are unknown, as in a small corpus. Each number is measured in widths above the median, where one width is P84 − median
of the training documents. Beyond `CUTS` widths it raises an alarm, as large as the share by which it exceeds them; the third
only if at least `FEWEST_REPEATED` words of the document are repetitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.scale import UPPER
from tonmf.text.totals import WordTotals

CUTS = {"unknown": 3.5, "rare": 5.0, "repeated": 8.0}
"""Widths above the median beyond which a number raises an alarm."""

SMALLEST_WIDTHS = {"unknown": 0.4, "rare": 0.1, "repeated": 0.01}
"""The least that a width may be, where documents hardly differ."""

FEWEST_UNKNOWN = 0.1
"""The least that counts as the share of unknown words: where documents have hardly any, one such word says nothing yet."""

SHARE_CUT, SMALLEST_SHARE_WIDTH = 8.0, 0.02
"""Cut and least width of "unknown" in detectors saved by earlier versions, which went by the share itself."""

DOUBT = 5
"""Average words that are added to each document for a mean over its words."""

FEWEST_REPEATED = 3
"""Repetitions that a document must have for an alarm: in a short one, a word that comes twice is no evidence."""


@dataclass(frozen=True)
class Alarms:
    """The numbers that documents are compared with.

    ============== ==================================================================
    field          what
    ============== ==================================================================
    rarity_outside rarity of a word outside the vocabulary
    means          of "unknown" and "rare" the mean over all words
    medians        of each number the median over the training documents
    widths         of each number one width, P84 − median
    log_odds       False in detectors saved by earlier versions: "unknown" is the share itself, and one repetition is enough
    ============== ==================================================================
    """

    rarity_outside: float
    means: dict[str, float]
    medians: dict[str, float]
    widths: dict[str, float]
    log_odds: bool = True

    @classmethod
    def learn(cls, totals: WordTotals, rarity: Array) -> Self:
        """Learn them from the training documents; `rarity` is the sum over the terms of each (`rarity_of`)."""
        rarity_outside = float(np.log((1 + len(rarity)) / 2))
        n_distinct = max(int(totals.n_distinct.sum()), 1)
        n_outside = int(totals.n_outside.sum())
        total_rarity = float(rarity.sum()) + n_outside * rarity_outside
        means = {"unknown": n_outside / n_distinct, "rare": total_rarity / n_distinct}
        medians, widths = {}, {}
        for name, values in cls(rarity_outside, means, {}, {}).measure(totals, rarity).items():
            values = values[totals.n_words > 0]
            median, upper = np.percentile(values, [50, UPPER]) if len(values) else (0.0, 0.0)
            medians[name] = float(median)
            widths[name] = max(float(upper - median), smallest_width(name))
        return cls(rarity_outside, means, medians, widths)

    def measure(self, totals: WordTotals, rarity: Array) -> dict[str, Array]:
        """Return the three numbers of each document."""
        outside = {"unknown": totals.n_outside, "rare": rarity + totals.n_outside * self.rarity_outside}
        means = self.means
        if self.log_odds:
            means = {**means, "unknown": np.clip(means["unknown"], FEWEST_UNKNOWN, 1 - FEWEST_UNKNOWN)}
        measures: dict[str, Array] = {
            name: (total + DOUBT * means[name]) / (totals.n_distinct + DOUBT) for name, total in outside.items()
        }
        if self.log_odds:
            share = np.maximum(measures["unknown"], FEWEST_UNKNOWN)
            measures["unknown"] = np.log(share / (1 - share))
        measures["repeated"] = 1 - np.log1p(totals.n_distinct) / np.log1p(np.maximum(totals.n_words, 1))
        return measures

    def unknown_widths(self, totals: WordTotals) -> Array:
        """Return how many widths the unknown words of each document are beyond those of most documents, 0 below.

        Detectors saved by earlier versions do not score by it.
        """
        if not self.log_odds:
            return np.zeros(len(totals.n_words))
        values = self.measure(totals, np.zeros(len(totals.n_words)))["unknown"]
        above: Array = np.maximum((values - self.medians["unknown"]) / self.widths["unknown"] - 1, 0)
        return above

    def raised(self, totals: WordTotals, rarity: Array) -> dict[str, Array]:
        """Return value / cut − 1 for each alarm and document, clipped at 0; value and cut are counted from the median.

        A document without words has an alarm of its own, "empty".
        """
        has_words = totals.n_words > 0
        excess: dict[str, Array] = {"empty": np.where(has_words, 0.0, 1.0)}
        for name, values in self.measure(totals, rarity).items():
            values = np.where(has_words, values, self.medians[name])
            cut = SHARE_CUT if name == "unknown" and not self.log_odds else CUTS[name]
            excess[name] = np.maximum((values - self.medians[name]) / (self.widths[name] * cut) - 1, 0)
        if self.log_odds:
            excess["repeated"] = np.where(totals.n_words - totals.n_distinct < FEWEST_REPEATED, 0.0, excess["repeated"])
        else:
            all_unknown = has_words & (totals.n_outside == totals.n_distinct)
            excess["unknown"] = np.maximum(excess["unknown"], all_unknown)
        return excess


def smallest_width(name: str, log_odds: bool = True) -> float:
    """Return the least that the width of a number may be."""
    return SMALLEST_SHARE_WIDTH if name == "unknown" and not log_odds else SMALLEST_WIDTHS[name]


def without_alarm(alarms: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Return True for the documents that raise no alarm."""
    return np.asarray(np.maximum.reduce(list(alarms.values())) == 0)


def rarity_of(rows: sp.csr_matrix, idf: Array) -> Array:
    """Sum the rarity, idf − 1, of the different terms of each row.

    >>> rarity_of(sp.csr_matrix([[2.0, 0.0], [1.0, 5.0]]), np.array([1.5, 2.0])).tolist()
    [0.5, 1.5]
    """
    documents = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(documents, idf[rows.indices] - 1, rows.shape[0]).astype(np.float64)
