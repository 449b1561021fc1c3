"""New topics among the documents that are watched (`tonmf.births`): each is announced once, and joins the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tonmf.births import Nursery
from tonmf.detector import TextOutlierDetector
from tonmf.explain import Explanation
from tonmf.walk import add_found
from tonmf.watching.records import Record


class NewTopics:
    """Looks for new topics whenever documents have been learnt; what it keeps of them is bounded, and ends with the watch."""

    def __init__(self) -> None:
        self._nursery = Nursery()

    def __call__(
        self, detector: TextOutlierDetector, learnt: Sequence[Record], reasons: Sequence[Explanation]
    ) -> Iterator[Mapping[str, Any]]:
        """An object for each new topic."""
        for record, reason in zip(learnt, reasons, strict=True):
            found = self._nursery.take(detector, record.content, reason.score, record.id, record.seconds)
            if found is not None:
                add_found(detector, found)
                yield found.topic.to_dict()
