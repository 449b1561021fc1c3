"""What is prepared once and used for every document to come."""

from __future__ import annotations

from typing import Any


class Prepares:
    """A dataclass whose cached properties hold what it has prepared; copies and pickles prepare it again."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}  # type: ignore[attr-defined]
