"""`TextOutlierDetector`: scores and reasons for documents.

========= ====================================================================================
detector  `TextOutlierDetector`: its options, and how it learns, is saved and loaded
fitted/   how a fitted one is used: the methods that other rooms call
options   what each option may be
recipe    how it fits: from documents, wherever they are, to a state
reading   `Reader`: read documents by one state; `ReadDocuments`: all that the state says of them
embedder  who embeds documents, and whether it is the one of the training documents
state     `DetectorState`: what a fitted detector consists of
marking   how a state takes on a reader's marks
markable  find the documents that a reader marks
saved/    read and write a state
scores/   from counted documents to scores: the one road
marks/    what a reader's marks add to scores
explain/  why a document has its score
learning/ from one state to the next, with more documents (``partial_fit``)
disk/     documents that do not fit into memory
vectors/  `EmbeddingOutlierDetector`: embeddings alone, without documents
========= ====================================================================================
"""

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
