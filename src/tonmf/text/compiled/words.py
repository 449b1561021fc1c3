"""Kernels: number the words of texts, and count terms by document.

=========== =============== ===========================================================================
text        n_bytes         documents in UTF-8, one after the other; lone surrogates have three bytes; then `SLACK`
ends        n_docs + 1      where each ends
classes     n_code_points   bits of `characters`; `UNKNOWN` until they are needed
masked      bool            whether stretches that may hold words to mask are set apart
keys        `Keys`          the table of keys
numbers     n_words         the key of each word or part, in order
number_ends n_docs + 1      where the numbers of each document end
=========== =============== ===========================================================================

A *key* is what Python turns into terms: a word, or a stretch or part of it in which words have to be found first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tonmf.text.compiled.characters import (
    A_WORD,
    AT,
    AT_PART,
    BETWEEN,
    CONTINUES,
    DIGIT,
    DIGIT_PART,
    DIGIT_WORD,
    LINK,
    LINK_PART,
    NOT_ASCII,
    OUTSIDE_LINKS,
    OUTSIDE_PARTS,
    SPECIAL,
    STRETCH,
    UNKNOWN,
    UNMASKED,
    WORD,
)
from tonmf.text.compiled.eight import SLACK, are_equal, hash_of
from tonmf.text.compiled.texts import class_at, unknown_in, width_of

DOC, PLACE, N_NUMBERS, N_KEYS, POOL_USED, NEEDED, CODE, N_STATE = range(8)
"""Where a kernel stands: the document, the place in the text, numbers and keys so far, bytes of the pool. If it has to go on
later: bytes of the stretch that needs room, and a code point of it whose class is not known, or -1."""

LINE_BREAK, FULL_STOP, COMMA, COLON, SLASH = 10, 46, 44, 58, 47
W, TO_UPPER = 87, 0xDF
"""The letter W, and the bits that an upper-case letter may have."""

NO_ROOM = 1 << 16
"""A bit beside those of characters: a stretch has a new word that there is no room for."""

TAG, KIND, NUMBER = np.uint64(0xFFFFFFE000000000), np.uint64(34), np.uint64(0x3FFFFFFFF)
TAG_AND_KIND = ~NUMBER
"""A slot has 27 bits of a hash, 3 of the kind, and the number of a key plus 1."""


class Keys(NamedTuple):
    """The table of keys.

    ======== =========== ===================================================================================
    seed     2           of the hash, the second odd: nobody can choose words that fall into the same slots
    slots    power of 2  keys by hash, open addressing; 0 where there is none
    hashes   n_keys      of each key
    kinds    n_keys      what each key is: `A_WORD` and so on
    pool     bytes       keys in UTF-8, each followed by a line break, which no key contains; then `SLACK`
    ends     n_keys + 1  where each ends in the pool
    state    `N_STATE`   where the kernel stands, for it stops when there may be no room for the next stretch
    ======== =========== ===================================================================================
    """

    seed: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    pool: NDArray[np.uint8]
    ends: NDArray[np.int64]
    state: NDArray[np.int64]


@njit(nogil=True, cache=True, inline="always")
def _find(slots: Any, key_ends: Any, pool: Any, hashed: Any, kind: int, text: Any, start: int, end: int) -> Any:
    """Return the number of a key; if it is not there, -1 less the slot that it belongs into.

    It takes arrays, not `Keys`: to take these apart for each word would need as long again.
    """
    last, tag = np.uint64(len(slots) - 1), hashed & TAG | np.uint64(kind) << KIND
    slot, found = hashed & last, np.int64(-1)
    while slots[slot]:
        if slots[slot] & TAG_AND_KIND == tag:
            known = np.int64(slots[slot] & NUMBER) - 1
            begin, length = key_ends[known], end - start
            if key_ends[known + 1] - 1 == begin + length and are_equal(pool, begin, text, start, length):
                found = known
                break
        slot = (slot + np.uint64(1)) & last
    return found if found >= 0 else -1 - np.int64(slot)


@njit(nogil=True, cache=True)
def _add(keys: Keys, slot: Any, hashed: Any, kind: int, text: Any, start: int, end: int) -> Any:
    """Return the number of a new key, which belongs into a slot; -1 if there is no room for it."""
    number, used, length = keys.state[N_KEYS], keys.state[POOL_USED], end - start
    if number == len(keys.hashes) or used + length + SLACK >= len(keys.pool):
        return -1
    keys.slots[slot] = hashed & TAG | np.uint64(kind) << KIND | np.uint64(number + 1)
    keys.hashes[number], keys.kinds[number] = hashed, kind
    for place in range(length):
        keys.pool[used + place] = text[start + place]
    keys.pool[used + length] = LINE_BREAK
    keys.ends[number + 1] = used + length + 1
    keys.state[N_KEYS], keys.state[POOL_USED] = number + 1, used + length + 1
    return number


@njit(nogil=True, cache=True)
def fill_slots(keys: Keys) -> None:
    """Enter all keys into slots without any."""
    last = np.uint64(len(keys.slots) - 1)
    for number in range(keys.state[N_KEYS]):
        hashed = keys.hashes[number]
        slot = hashed & last
        while keys.slots[slot]:
            slot = (slot + np.uint64(1)) & last
        keys.slots[slot] = hashed & TAG | np.uint64(keys.kinds[number]) << KIND | np.uint64(number + 1)


@njit(nogil=True, cache=True)
def _has_link(text: Any, start: int, end: int, any_case: bool) -> bool:
    """Return whether there is "://", "www." or "WWW." in a text; with `any_case`, "Www." and the like are enough."""
    for place in range(start + 1, end - 1):
        if text[place] == SLASH and text[place - 1] == COLON and text[place + 1] == SLASH:
            return True
        if text[place + 1] == FULL_STOP and place - 2 >= start and text[place] & TO_UPPER == W:
            alike = text[place - 1] == text[place] and text[place - 2] == text[place]
            if alike or (any_case and text[place - 1] & TO_UPPER == W and text[place - 2] & TO_UPPER == W):
                return True
    return False


@njit(nogil=True, cache=True)
def _key_of(keys: Keys, kind: int, text: Any, start: int, end: int) -> Any:
    """Return the number of a key that is not hashed yet; -1 if there is no room for it."""
    hashed = hash_of(text, start, end, keys.seed[0], keys.seed[1])
    number = _find(keys.slots, keys.ends, keys.pool, hashed, kind, text, start, end)
    return number if number >= 0 else _add(keys, -1 - number, hashed, kind, text, start, end)


@njit(nogil=True, cache=True)
def _parts(keys: Keys, text: Any, start: int, end: int, is_link: bool, classes: Any, numbers: Any, n: int) -> Any:
    """Give numbers to the parts of a stretch of ASCII that may hold words to mask.

    Return how many numbers there are now; -1 if there is no room for a part.
    """
    between, place = OUTSIDE_LINKS if is_link else OUTSIDE_PARTS, start
    while place < end:
        first, bits, only_word = place, 0, WORD
        while place < end and not classes[text[place]] & between:
            bits |= classes[text[place]]
            only_word &= classes[text[place]]
            place += 1
        last = place
        place += 1
        if only_word:
            kind = DIGIT_WORD if bits & DIGIT else A_WORD
        else:
            kind = LINK_PART if is_link else AT_PART if bits & AT else DIGIT_PART
        while not is_link and last > first and (text[last - 1] == FULL_STOP or text[last - 1] == COMMA):
            last -= 1  # no pattern ends with these, but for links
        if bits & WORD and (not only_word or last - first > 1):
            numbers[n] = _key_of(keys, kind, text, first, last)
            if numbers[n] < 0:
                return -1
            n += 1
    return n


@njit(nogil=True, cache=True)
def number_words(keys: Keys, text: Any, ends: Any, classes: Any, masked: bool, numbers: Any, number_ends: Any) -> bool:
    """Give numbers to the words of documents; return False if it has to go on later, with more room or more classes."""
    state, slots, key_ends, pool = keys.state, keys.slots, keys.ends, keys.pool
    seed, factor = keys.seed[0], keys.seed[1]
    unusual = SPECIAL | UNKNOWN | (DIGIT | AT | LINK if masked else 0)
    doc, place, n = state[DOC], state[PLACE], state[N_NUMBERS]
    while doc < len(ends) - 1:
        stop, has_link = ends[doc + 1], -1
        while place < stop:
            start, before, bits = place, n, 0
            while place < stop:
                begin, of_first = place, class_at(text, place, classes)
                bits |= of_first
                if of_first & BETWEEN:
                    break
                width = width_of(text[place])
                place += width
                if not of_first & WORD:
                    continue
                while place < stop:
                    of_next = class_at(text, place, classes)
                    if not of_next & CONTINUES:
                        break
                    bits |= of_next
                    place += width_of(text[place])
                if place > begin + width:
                    hashed = hash_of(text, begin, place, seed, factor)
                    number = _find(slots, key_ends, pool, hashed, A_WORD, text, begin, place)
                    if number < 0:
                        number = _add(keys, -1 - number, hashed, A_WORD, text, begin, place)
                        bits |= NO_ROOM if number < 0 else 0
                    numbers[n] = number
                    n += 1
            end = place
            if bits & unusual and not bits & (UNKNOWN | NO_ROOM):
                # What was numbered so far is taken back.
                is_link = bits & LINK != 0 and _has_link(text, start, end, True)
                if is_link and has_link < 0:
                    has_link = 1 if _has_link(text, ends[doc], stop, False) else 0
                to_mask = masked and (bits & (DIGIT | AT) != 0 or (is_link and has_link > 0))
                if bits & SPECIAL or (to_mask and bits & NOT_ASCII):
                    numbers[before] = _key_of(keys, STRETCH if to_mask else UNMASKED, text, start, end)
                    n = before + 1 if numbers[before] >= 0 else -1
                elif to_mask:
                    n = _parts(keys, text, start, end, is_link, classes, numbers, before)
            if n < 0 or bits & (UNKNOWN | NO_ROOM):
                state[DOC], state[PLACE], state[N_NUMBERS], state[NEEDED] = doc, start, before, end - start
                state[CODE] = unknown_in(text, start, end, classes)
                return False
            place += 1
        doc += 1
        place = stop
        number_ends[doc] = n
    state[DOC], state[PLACE], state[N_NUMBERS] = doc, place, n
    return True


@njit(nogil=True, cache=True)
def total_terms(numbers: Any, number_ends: Any, first_terms: Any, totals: Any) -> None:
    """Count all terms of each document together."""
    for doc in range(len(number_ends) - 1):
        totals[doc] = 0
        for place in range(number_ends[doc], number_ends[doc + 1]):
            totals[doc] += first_terms[numbers[place] + 1] - first_terms[numbers[place]]


@njit(nogil=True, cache=True)
def count_terms(
    numbers: Any, number_ends: Any, first_terms: Any, terms: Any, entry_of: Any, found: Any, counts: Any, ends: Any,
    firsts: Any,
) -> Any:  # fmt: skip
    """Count the terms of documents, each document's in order of first occurrence; return the number of different ones.

    ============ =========== ===================================================================
    first_terms  n_keys + 1  where the terms of each key begin in `terms`
    entry_of     n_terms     the last entry of each term, -1 if it has none
    found        n_entries   the term of each entry
    counts       n_entries   how often it occurs
    ends         n_docs + 1  where the entries of each document end
    firsts       n_terms     terms in order of first occurrence
    ============ =========== ===================================================================
    """
    n_entries, n_different = 0, 0
    for doc in range(len(number_ends) - 1):
        begin = n_entries
        for place in range(number_ends[doc], number_ends[doc + 1]):
            key = numbers[place]
            for at in range(first_terms[key], first_terms[key + 1]):
                term = terms[at]
                entry = entry_of[term]
                if entry >= begin:
                    counts[entry] += 1
                    continue
                if entry < 0:
                    firsts[n_different] = term
                    n_different += 1
                entry_of[term], found[n_entries], counts[n_entries] = n_entries, term, 1
                n_entries += 1
        ends[doc + 1] = n_entries
    return n_different
