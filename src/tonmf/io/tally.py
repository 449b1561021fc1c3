"""How often something happened, and where first."""

from __future__ import annotations

from collections.abc import Iterable


class Tally:
    """How often something happened, and where first.

    >>> tally = Tally()
    >>> tally.add("line 7"), tally.add("line 9")
    (None, None)
    >>> tally.count, tally.first
    (2, 'line 7')
    """

    def __init__(self) -> None:
        self.count, self.first = 0, ""

    def add(self, where: str) -> None:
        """Count once more."""
        self.first = self.first if self.count else where
        self.count += 1

    def add_all(self, places: Iterable[str]) -> None:
        """Count several, in order."""
        for where in places:
            self.add(where)

    def __bool__(self) -> bool:
        return self.count > 0
