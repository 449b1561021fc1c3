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

    def documents(self, *, explaining: bool, by_name: bool) -> dict[str, Any]:
        """Return the body of a request to score or explain by the served model; or by a named one, and its name."""
        return self._body(lambda kind: schemas.documents_in(kind, self._limits, explaining=explaining), by_name)

    def marks(self, *, by_name: bool) -> dict[str, Any]:
        """Return the body of a request to mark documents for the served model; or for a named one, and its name."""
        return self._body(lambda kind: schemas.marks_in(kind, self._limits), by_name)

    def refresh(self) -> None:
        """Describe documents of the kind of the model that is served now."""
        for description, make in self._followers:
            description.update(make(self._models.find().model.kind))

    def _body(self, make: Make, by_name: bool) -> dict[str, Any]:
        if by_name:  # texts stand for all kinds
            return schemas.NAMED | make(TEXTS)
        description = make(self._models.find().model.kind)
        self._followers.append((description, make))
        return description
