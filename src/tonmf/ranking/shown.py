"""Documents cut into pieces, to show their unexpected words in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.detector.fitted import FittedDetector
from tonmf.text.documents import is_matrix, take
from tonmf.text.pieces import Piece

READ_AT_MOST = 20_000
"""Characters of a document in which to look for unexpected words to show."""


def pieces_of(
    detector: FittedDetector,
    documents: Any,
    row: int,
    words: Sequence[UnexpectedWord],
    read_at_most: int = READ_AT_MOST,
) -> list[Piece]:
    """Cut the beginning of a document into pieces to show; a row of counts into its terms."""
    if is_matrix(documents):
        return detector.pieces(detector.analyze(take(documents, [row])), words)
    return detector.pieces(documents[row][:read_at_most], words)
