"""`TextOutlierDetector`: scores and reasons for documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector as TextOutlierDetector

__all__ = ["TextOutlierDetector"]


def __getattr__(name: str) -> Any:
    """Import the detector on first use, so that the shelves of this room can be imported one by one."""
    if name != "TextOutlierDetector":
        raise AttributeError(f"module 'tonmf.detector' has no attribute {name!r}")
    from tonmf.detector.detector import TextOutlierDetector

    return TextOutlierDetector
