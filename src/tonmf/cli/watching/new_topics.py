"""Find new topics among the documents of a watch (`tonmf.timeline.nursery`): each is announced once and added to the model."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from tonmf.cli.watching.documents import ScoredDocument
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.reading import ReadDocuments
from tonmf.storage.bundles import read_bundle, write_bundle
from tonmf.timeline.follow import add_found
from tonmf.timeline.nursery import NewTopic, Nursery
from tonmf.timeline.saved import nursery_arrays, nursery_fields, read_nursery, read_topic, topic_fields

MODEL = "Nursery"
"""Name of the bundle's content."""


class NewTopics:
    """Searches for new topics whenever a batch has been learnt from, in bounded memory.

    Attributes
    ----------
    unannounced : deque of NewTopic
        Topics that were added to the model, but not written out yet.
    """

    def __init__(self, nursery: Nursery | None = None, unannounced: Iterable[NewTopic] = ()) -> None:
        self._nursery = Nursery() if nursery is None else nursery
        self.unannounced = deque(unannounced)

    def search(self, detector: TextOutlierDetector, batch: Sequence[ScoredDocument], read: ReadDocuments) -> None:
        """Take the batch that the detector has just learnt from, and add the topics that it completes to the detector.

        `read` is the batch as any state of the detector has read it: the terms of a document are always the same.
        """
        for row, (document, score) in enumerate(batch):
            found = self._nursery.take(
                detector, document.content, score, document.id, document.seconds, terms=read.terms(row)
            )
            if found is not None:
                add_found(detector, found)
                self.unannounced.append(found.topic)

    def save(self, folder: Path) -> None:
        """Save the nursery and the unannounced topics; raise `InputError` if they cannot be written."""
        fields = {**nursery_fields(self._nursery), "unsaid": [topic_fields(topic) for topic in self.unannounced]}
        write_bundle(folder, MODEL, fields, nursery_arrays(self._nursery))

    @classmethod
    def load(cls, folder: Path, detector: TextOutlierDetector) -> Self:
        """Load what was saved beside this detector; raise `InputError` if it cannot be used."""
        bundle = replace(read_bundle(folder), called="nursery", remedy="start with an empty one")
        if bundle.text("model") != MODEL:
            raise bundle.wrong(f"model must be {MODEL!r}; got {bundle.text('model')!r:.40}")
        return cls(read_nursery(bundle, detector), map(read_topic, bundle.parts("unsaid")))
