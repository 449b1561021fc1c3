"""What a report says of which documents, so that its page stays of bounded size: the strangest in full, the others in less.

=========== ============================================================================== ====================================
documents   which                                                                          what
=========== ============================================================================== ====================================
in full     the strangest `DETAILED`, or all that are flagged                              text, reasons, nearest documents
in short    all up to `REASONS`; of more, the flagged ones and as many again, at least     text, reasons
            `NEAR` and at most `REASONS`
bare        the others of the strangest `LISTED`                                           text, topics
not listed  all others                                                                     they are only counted
=========== ============================================================================== ====================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tonmf.ranking import READ_AT_MOST, Ranking, stretches
from tonmf.wording import number_of

DETAILED = 1000
"""The strangest documents, at least this many and all that are flagged, are described in full; the others in short."""

REASONS, NEAR = 20_000, 5_000
"""Up to the first number of documents, all have reasons; of more, those that are flagged or near it, at least the second."""

LISTED = 100_000
"""The most documents that a page lists."""

ALL_TEXT = 20_000_000
"""Characters to keep of all texts described in full, and again of the others; if there are more, the longest are cut."""

IN_FULL = MappingProxyType({"n_words": 10, "n_nearest": 3, "n_missing": 5})
IN_SHORT = MappingProxyType({"n_words": 5, "n_nearest": 0, "n_missing": 0})
"""Numbers of words and documents that are listed."""


@dataclass(frozen=True)
class Level:
    """How much is said of a document: how many words and documents are listed, if it has reasons, and characters of text."""

    reasons: Mapping[str, int] | None
    longest: int

    @property
    def in_full(self) -> bool:
        """Return whether nothing is left out."""
        return self.reasons is IN_FULL


@dataclass(frozen=True)
class Plan:
    """What is said of each document.

    ============= ========== =====================================================================
    field         shape      what
    ============= ========== =====================================================================
    rows          n_listed   numbers of the documents that are listed, the strangest first
    n_docs                   all documents
    n_reasoned               documents with reasons, the strangest
    n_detailed               documents that are described in full, the strangest
    ============= ========== =====================================================================
    """

    rows: NDArray[np.int64]
    n_docs: int
    n_reasoned: int
    n_detailed: int
    full: Level
    short: Level
    bare: Level = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bare", Level(None, self.short.longest))

    @classmethod
    def of(cls, ranking: Ranking) -> Plan:
        """Decide for each document of a ranking."""
        n_docs, n_flagged = len(ranking.scores), int(ranking.outliers.sum())
        rows = ranking.order[:LISTED]
        n_reasoned = n_docs if n_docs <= REASONS else min(max(2 * n_flagged, NEAR), REASONS)
        n_reasoned = min(n_reasoned, len(rows))
        n_detailed = min(max(DETAILED, n_flagged), n_reasoned)
        lengths = ranking.lengths(rows)
        full, short = longest_kept(lengths[:n_detailed]), longest_kept(lengths[n_detailed:])
        return cls(rows, n_docs, n_reasoned, n_detailed, Level(IN_FULL, full), Level(IN_SHORT, short))

    def level(self, place: int) -> Level:
        """Return what is said of the document at a place."""
        return self.full if place < self.n_detailed else self.short if place < self.n_reasoned else self.bare

    def stretches(self) -> Iterator[list[int]]:
        """Yield the places of documents, some at a time, all of a level."""
        ends = (0, self.n_detailed, self.n_reasoned, len(self.rows))
        for start, end in pairwise(ends):
            yield from stretches(range(start, end))

    def notes(self, n_cut: int) -> list[str]:
        """Say what is left out; `n_cut` is the number of texts that are cut."""
        notes = []
        if len(self.rows) < self.n_docs:
            notes.append(
                f"The {len(self.rows):,} strangest of {self.n_docs:,} documents are listed, and the numbers of documents by "
                "topic are those of the list."
            )
        if self.n_reasoned < len(self.rows):
            notes.append(
                f"The {self.n_reasoned:,} strangest documents have reasons. Of any other, tonmf explain says why it has its "
                "score."
            )
        if n_cut:
            beyond = f", and beyond rank {self.n_detailed:,} to {self.short.longest:,}"
            beyond = beyond if len(self.rows) > self.n_detailed else ""
            are = "is" if n_cut == 1 else "are"
            texts = number_of(n_cut, "text")
            notes.append(f"{texts} {are} cut: to {self.full.longest:,} characters{beyond}. Scores are of whole texts.")
        return notes


def longest_kept(lengths: NDArray[np.int64]) -> int:
    """Return the largest length such that all texts, cut to it, have at most `ALL_TEXT` characters together."""
    ascending = np.sort(lengths)
    before = np.cumsum(ascending) - ascending
    left = len(ascending) - np.arange(len(ascending))
    # If the texts from number i on are cut to one length, this is what is left for each of them.
    room = (ALL_TEXT - before) // np.maximum(left, 1)
    cut = np.flatnonzero(ascending > room)
    return min(READ_AT_MOST, int(room[cut[0]])) if len(cut) else READ_AT_MOST
