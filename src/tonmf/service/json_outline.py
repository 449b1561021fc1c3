"""Kernel: the outline of JSON, found before any of it is parsed.

Python's parser holds the interpreter's lock until it is done: for seconds, if a body holds millions of small values. The kernel
goes over the bytes without that lock, and finds where the list of documents can be cut into parts that are parsed in no time.

======= ============= =======================================================================================
body    n_bytes       JSON in UTF-8, perhaps not valid
places  room          commas at which to cut
found   `N_FOUND`     what the kernel returns
======= ============= =======================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

QUOTE, BACKSLASH, COMMA, COLON = 34, 92, 44, 58
OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = 91, 93, 123, 125

IN_A_PART = 20_000
"""Values from which on a part ends with its document: they are parsed in a few milliseconds."""

N_CUTS, N_ELEMENTS, MOST_VALUES, MOST_CONTAINERS, DEEPEST, N_FOUND = range(6)
"""The number of places; the most elements of a list or an object inside the outermost; the most values of a part, and the most
lists and objects of a part; how deep they are nested."""


@dataclass(frozen=True)
class Outline:
    """What is known of JSON before it is parsed.

    =============== =================================================================
    cuts            commas in the first long list inside the outermost object
    n_elements      of the longest list or object inside the outermost one
    most_values     values of the part with the most of them; a key is a value, too
    most_containers lists and objects of the part with the most of them
    deepest         how deep they are nested
    =============== =================================================================
    """

    cuts: list[int]
    n_elements: int
    most_values: int
    most_containers: int
    deepest: int


def outline_of(body: bytes | bytearray, in_a_part: int = IN_A_PART) -> Outline:
    """Return the outline of JSON."""
    codes = np.frombuffer(body, np.uint8)
    places = np.zeros(len(codes) // in_a_part + 1, np.int64)
    found = np.zeros(N_FOUND, np.int64)
    outline(codes, in_a_part, places, found)
    n_cuts, *others = found.tolist()
    return Outline(places[:n_cuts].tolist(), *others)


@njit(nogil=True, cache=True)
def outline(body: NDArray[np.uint8], in_a_part: int, places: NDArray[np.int64], found: NDArray[np.int64]) -> None:
    """Find the outline; what is no JSON has one, too, and fails when it is parsed."""
    level = n_cuts = n_elements = n_values = n_containers = 0
    is_list, place, n_bytes = False, 0, len(body)
    while place < n_bytes:
        code = body[place]
        if code == QUOTE:
            place += 1
            while place < n_bytes and body[place] != QUOTE:
                place += 2 if body[place] == BACKSLASH else 1
        elif code == COMMA:
            n_values += 1
            if level == 2:
                n_elements += 1
                if is_list and n_values >= in_a_part:
                    places[n_cuts] = place
                    n_cuts += 1
                    found[MOST_VALUES] = max(found[MOST_VALUES], n_values)
                    found[MOST_CONTAINERS] = max(found[MOST_CONTAINERS], n_containers)
                    n_values = n_containers = 0
        elif code == COLON:
            n_values += 1
        elif code in (OPEN_LIST, OPEN_OBJECT):
            n_values += 1
            n_containers += 1
            level += 1
            found[DEEPEST] = max(found[DEEPEST], level)
            if level == 2:
                n_elements, is_list = 1, code == OPEN_LIST and n_cuts == 0
        elif code in (CLOSE_LIST, CLOSE_OBJECT):
            if level == 2:
                found[N_ELEMENTS] = max(found[N_ELEMENTS], n_elements)
                is_list = False
            level -= 1
        place += 1
    found[N_CUTS] = n_cuts
    found[N_ELEMENTS] = max(found[N_ELEMENTS], n_elements)
    found[MOST_VALUES] = max(found[MOST_VALUES], n_values)
    found[MOST_CONTAINERS] = max(found[MOST_CONTAINERS], n_containers)
