"""Count what to tell the user about: how often something happened and where first, and what came twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tonmf.wording import number_of, shown


class Occurrences:
    """A count of something that happened, and where it happened first.

    >>> bad = Occurrences()
    >>> bad.add("line 7"), bad.add("line 9")
    (None, None)
    >>> bad.count, bad.first
    (2, 'line 7')
    """

    def __init__(self) -> None:
        self.count, self.first = 0, ""

    def add(self, where: str) -> None:
        """Count one more."""
        self.first = self.first if self.count else where
        self.count += 1

    def add_all(self, places: Iterable[str]) -> None:
        """Count several, in order."""
        for where in places:
            self.add(where)

    def __bool__(self) -> bool:
        return self.count > 0


class SeenBefore:
    """Tells repeated values by 64-bit hashes: 8 bytes of memory for each different value.

    With n different values, the probability that one is taken for another is n²/2⁶⁵: one in a million for five million.

    >>> SeenBefore().add(["a", "b", "a"]).tolist()
    [False, False, True]
    """

    def __init__(self) -> None:
        self._runs: list[NDArray[np.int64]] = []  # in order, each at least twice as long as the next

    def add(self, some: Sequence[Hashable]) -> NDArray[np.bool_]:
        """Return for each value whether it came before, among these or earlier."""
        hashes = np.fromiter(map(hash, some), np.int64, len(some))
        order = np.argsort(hashes, kind="stable")
        found = hashes[order]
        again = np.append(False, found[1:] == found[:-1])[: len(found)]
        for run in self._runs:  # values in order are looked up faster
            again |= run[np.minimum(np.searchsorted(run, found), len(run) - 1)] == found
        if not again.all():
            self._runs.append(found[~again])
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            both = np.concatenate([self._runs.pop(), self._runs.pop()])
            self._runs.append(np.sort(both, kind="stable"))  # which merges what is in order
        in_place = np.empty_like(again)
        in_place[order] = again
        return in_place


def note_on_repeated_ids(repeated: Occurrences) -> list[str]:
    """Return a note on documents that share their ids, if there are any."""
    if not repeated:
        return []
    share = "shares its" if repeated.count == 1 else "share their"
    return [f"{number_of(repeated.count, 'document')} {share} id with an earlier one (first: {shown(repeated.first)})."]
