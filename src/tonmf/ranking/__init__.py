"""Documents ranked by score, and the table of results that people keep.

======= =====================================================================================
ranking `Ranking`: scored documents in memory
large   `LargeRanking`: documents on disk, which it reads once more for the table
table   the columns of the table of results, and the reasons in it
drift   whether far more is flagged than in training
shown   documents cut into pieces to show
======= =====================================================================================

Documents with the same score have the same rank (`tonmf.detector.explain.ranks`); they stay in the order in which they came.
Documents that are not judged come last.
"""

from __future__ import annotations

from tonmf.ranking.drift import Drift, drift_of
from tonmf.ranking.large import LargeRanking
from tonmf.ranking.ranking import Ranking, check_terms, judged_among, order_of
from tonmf.ranking.shown import READ_AT_MOST, pieces_of
from tonmf.ranking.table import COLUMNS, TYPES, columns_of, ignore, stretches

__all__ = [
    "COLUMNS",
    "READ_AT_MOST",
    "TYPES",
    "Drift",
    "LargeRanking",
    "Ranking",
    "check_terms",
    "columns_of",
    "drift_of",
    "ignore",
    "judged_among",
    "order_of",
    "pieces_of",
    "stretches",
]
