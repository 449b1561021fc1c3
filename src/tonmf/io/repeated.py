"""Ids and texts that came before, however many there are, and what to say of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tonmf.io.tally import Tally
from tonmf.io.wording import number_of, shown


class Seen:
    """Tells what came before, by hashes of 64 bits: 8 bytes of memory for each that differs.

    Of n that all differ, one is taken for another with a probability of n²/2⁶⁵: one in a million for five million.

    >>> Seen().add(["a", "b", "a"]).tolist()
    [False, False, True]
    """

    def __init__(self) -> None:
        self._runs: list[NDArray[np.int64]] = []  # in order, each at least twice as long as the next

    def add(self, some: Sequence[Hashable]) -> NDArray[np.bool_]:
        """Which of some more came before, among these or earlier."""
        hashes = np.fromiter(map(hash, some), np.int64, len(some))
        new, firsts = np.unique(hashes, return_index=True)
        again = np.ones(len(hashes), np.bool_)
        again[firsts] = False
        for run in self._runs:
            again |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        if len(new):
            self._runs.append(new)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            self._runs.append(np.union1d(self._runs.pop(), self._runs.pop()))
        return again


def note_on_repeated_ids(repeated: Tally) -> list[str]:
    """That documents share their ids, if some do."""
    if not repeated:
        return []
    share = "shares its" if repeated.count == 1 else "share their"
    return [f"{number_of(repeated.count, 'document')} {share} id with an earlier one (first: {shown(repeated.first)})."]


def note_on_copies(n_copies: int) -> list[str]:
    """That documents are the same as others, if some are."""
    if not n_copies:
        return []
    return [f"{number_of(n_copies, 'document')} repeat{'s' if n_copies == 1 else ''} another word for word."]
