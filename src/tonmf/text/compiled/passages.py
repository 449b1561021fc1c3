"""Kernel: the keys of documents' passages, the same as those that `tonmf.text.passages` finds with a regular expression.

Passages wait until there are enough of them to hash together (`blake2b`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tonmf.text.compiled.blake2b import LANES, digest_all
from tonmf.text.compiled.characters import IS_SPACE, MARK, QUOTE, STOP, WORD, known_classes, look_at
from tonmf.text.compiled.texts import class_at, encoded, joined, unknown_in, width_of

SPACE, TAB = 32, 9
PAD = (0xEF, 0xB7, 0x90)
"""The character `tonmf.text.markup.PAD` in UTF-8."""


@njit(nogil=True, cache=True)
def _end_of_passage(text: Any, place: int, stop: int, classes: Any) -> Any:
    """Return where the passage ends that begins at a place."""
    while True:
        while place < stop and not class_at(text, place, classes) & STOP:
            place += width_of(text[place])
        after = place
        while after < stop and class_at(text, after, classes) & MARK:
            after += width_of(text[after])
        if after == place:
            return place
        while after < stop and class_at(text, after, classes) & QUOTE:
            after += width_of(text[after])
        if after == stop or class_at(text, after, classes) & IS_SPACE:
            return place
        place = after


@njit(nogil=True, cache=True)
def _collapsed(text: Any, start: int, end: int, classes: Any, out: Any) -> Any:
    """Write a passage without `PAD`, runs of spaces collapsed, none at the end; return its length."""
    n, n_kept, spaced = 0, 0, False
    place = start
    while place < end:
        width = width_of(text[place])
        if not (width == 3 and text[place] == PAD[0] and text[place + 1] == PAD[1] and text[place + 2] == PAD[2]):
            spaced = spaced or text[place] == TAB or (text[place] == SPACE and n > 0 and out[n - 1] == SPACE)
            for at in range(place, place + width):
                out[n] = text[at]
                n += 1
            if not class_at(text, place, classes) & IS_SPACE:
                n_kept = n
        place += width
    if not spaced:
        return n_kept
    n, place, waits = 0, 0, False
    while place < n_kept:
        width = width_of(out[place])
        if class_at(out, place, classes) & IS_SPACE:
            waits = True
        else:
            if waits:
                out[n] = SPACE
                n, waits = n + 1, False
            for at in range(place, place + width):
                out[n] = out[at]
                n += 1
        place += width
    return n


@njit(nogil=True, cache=True)
def find_keys(text: Any, ends: Any, classes: Any, keys: Any, key_ends: Any, first: int) -> Any:
    """Write the keys of the passages of documents from the first on; return (document, code) where a class is not known."""
    h, m, v = np.empty((8, LANES), np.uint64), np.empty((16, LANES), np.uint64), np.empty((16, LANES), np.uint64)
    waiting, lengths, n_waiting = (
        np.empty((LANES, np.max(ends[1:] - ends[:-1])), np.uint8),
        np.empty(LANES, np.int64),
        0,
    )
    n = key_ends[first]
    for doc in range(first, len(ends) - 1):
        place, stop = ends[doc], ends[doc + 1]
        code = unknown_in(text, place, stop, classes)
        if code >= 0:
            digest_all(waiting, lengths, n_waiting, keys[n - n_waiting : n], h, m, v)
            return doc, code
        while place < stop:
            if not class_at(text, place, classes) & WORD:
                place += width_of(text[place])
                continue
            end = _end_of_passage(text, place, stop, classes)
            lengths[n_waiting] = _collapsed(text, place, end, classes, waiting[n_waiting])
            n_waiting, n = n_waiting + 1, n + 1
            if n_waiting == LANES:
                digest_all(waiting, lengths, LANES, keys[n - LANES : n], h, m, v)
                n_waiting = 0
            place = end
        key_ends[doc + 1] = n
    digest_all(waiting, lengths, n_waiting, keys[n - n_waiting : n], h, m, v)
    return len(ends) - 1, -1


def passage_keys(texts: Iterable[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the keys of each text end, and the keys of all passages in order."""
    some, classes = encoded(texts), known_classes()
    text, ends = joined(some)
    found, key_ends = np.empty(len(text) // 2 + len(some), np.int64), np.zeros(len(some) + 1, np.int64)
    doc, code = find_keys(text, ends, classes, found, key_ends, 0)
    while code >= 0:
        look_at(code, classes)
        doc, code = find_keys(text, ends, classes, found, key_ends, doc)
    return key_ends, found[: key_ends[-1]].copy()
