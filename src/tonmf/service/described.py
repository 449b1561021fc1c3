"""What the API description says of documents: it follows the kind of the model that is served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tonmf.service import schemas
from tonmf.service.limits import Limits
from tonmf.service.models import Models
from tonmf.text.documents import TEXTS

Make = Callable[[str], dict[str, Any]]
"""A function from a kind of documents to the description of a request with such documents."""


class DescribedBodies:
    """Descriptions of requests with documents, which routes hold, and which change when another model is served."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self._models, self._limits = models, limits
        self._followers: list[tuple[dict[str, Any], Make]] = []

    def documents(self, *, explaining: bool) -> dict[str, Any]:
        """Return the body of a request to score or explain by the served model."""
        return self._following(lambda kind: schemas.documents_in(kind, self._limits, explaining=explaining))

    def marks(self) -> dict[str, Any]:
        """Return the body of a request to mark documents for the served model."""
        return self._following(lambda kind: schemas.marks_in(kind, self._limits))

    def documents_by_name(self, *, explaining: bool) -> dict[str, Any]:
        """Return the body of a request to score or explain by a named model, and its name; texts stand for all kinds."""
        return schemas.NAMED | schemas.documents_in(TEXTS, self._limits, explaining=explaining)

    def marks_by_name(self) -> dict[str, Any]:
        """Return the body of a request to mark documents for a named model, and its name."""
        return schemas.NAMED | schemas.marks_in(TEXTS, self._limits)

    def refresh(self) -> None:
        """Describe documents of the kind of the model that is served now."""
        for description, make in self._followers:
            description.update(make(self._models.find().model.kind))

    def _following(self, make: Make) -> dict[str, Any]:
        description = make(self._models.find().model.kind)
        self._followers.append((description, make))
        return description
