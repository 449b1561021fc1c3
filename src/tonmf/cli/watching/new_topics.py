"""New topics among the documents that are watched (`tonmf.timeline.nursery`): each is announced once, and joins the model."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from tonmf.cli.watching.records import Scored
from tonmf.detector.detector import TextOutlierDetector
from tonmf.storage.bundles import read_bundle, write_bundle
from tonmf.timeline.follow import add_found
from tonmf.timeline.nursery import NewTopic, Nursery
from tonmf.timeline.saved import nursery_arrays, nursery_fields, read_nursery, read_topic, topic_fields

MODEL = "Nursery"
"""What is saved, as the bundle calls it."""


class NewTopics:
    """Looks for new topics whenever documents have been learnt; what it keeps of them is bounded.

    Attributes
    ----------
    unsaid : deque of NewTopic
        Those that have joined the model, and that nobody has been told of yet.
    """

    def __init__(self, nursery: Nursery | None = None, unsaid: Iterable[NewTopic] = ()) -> None:
        self._nursery = Nursery() if nursery is None else nursery
        self.unsaid = deque(unsaid)

    def look(self, detector: TextOutlierDetector, learnt: Sequence[Scored]) -> None:
        """Take documents that the detector has learnt from, and add the topics that they complete to it."""
        for record, score in learnt:
            found = self._nursery.take(detector, record.content, score, record.id, record.seconds)
            if found is not None:
                add_found(detector, found)
                self.unsaid.append(found.topic)

    def save(self, folder: Path) -> None:
        """All that it keeps, to go on from; `InputError` if that cannot be written."""
        fields = {**nursery_fields(self._nursery), "unsaid": [topic_fields(topic) for topic in self.unsaid]}
        write_bundle(folder, MODEL, fields, nursery_arrays(self._nursery))

    @classmethod
    def load(cls, folder: Path, detector: TextOutlierDetector) -> Self:
        """One that goes on with what was saved beside this detector; `InputError` if that cannot be used."""
        bundle = replace(read_bundle(folder), called="nursery", remedy="begin with an empty one")
        if bundle.text("model") != MODEL:
            raise bundle.wrong(f"model must be {MODEL!r}; got {bundle.text('model')!r:.40}")
        return cls(read_nursery(bundle, detector), map(read_topic, bundle.parts("unsaid")))
