"""Documents that were answered and wait to be learnt from, until their batch is complete."""

from __future__ import annotations

from collections.abc import Sequence

from tonmf.cli.watching.documents import ScoredDocument, WatchedDocument
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.reading import ReadDocuments
from tonmf.text.batches import size_of


class PendingBatch:
    """Documents that wait, as the detector read them for their answers.

    Learning needs nothing else, so that each document is read once. The documents of a snapshot have not been read yet.
    """

    def __init__(self, documents: Sequence[ScoredDocument] = ()) -> None:
        self.documents = list(documents)
        self._read: list[ReadDocuments] = []

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def size(self) -> int:
        """Return the number of characters of the documents."""
        return sum(size_of(document.content) for document, _ in self.documents)

    def add(self, document: ScoredDocument) -> None:
        """Add a document that was answered."""
        self.documents.append(document)

    def keep(self, read: ReadDocuments) -> None:
        """Keep what the detector has read of the documents that were added since the last call."""
        self._read.append(read)

    def read_again(self) -> None:
        """Forget what was read: the detector has changed since, such as by marks."""
        self._read = []

    def read(self, detector: TextOutlierDetector) -> ReadDocuments:
        """Return all documents as the detector reads them; read only those of a snapshot now."""
        n_read = sum(len(part.ids) for part in self._read)
        unread = [document for document, _ in self.documents[: len(self) - n_read]]
        first = [read_by(detector, unread)] if unread else []
        return ReadDocuments.joined([*first, *self._read])


def read_by(detector: TextOutlierDetector, documents: Sequence[WatchedDocument]) -> ReadDocuments:
    """Read documents by a detector."""
    return detector.read([document.content for document in documents], names=[document.id for document in documents])
