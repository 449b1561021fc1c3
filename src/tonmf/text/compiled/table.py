"""The words seen so far with their terms, and how documents are counted by them.

A table belongs to an analysis and serves one caller at a time; a second caller gets another one. So callers in several threads
count at the same time. A table of more than `MOST_KEYS` words, or of more than `MOST_BYTES`, is begun anew.
"""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tonmf.text.analysis import Analysis
from tonmf.text.compiled.characters import known_classes, look_at
from tonmf.text.compiled.eight import SLACK
from tonmf.text.compiled.terms import TermsOfKeys
from tonmf.text.compiled.texts import encoded, joined
from tonmf.text.compiled.words import (
    CODE,
    N_KEYS,
    N_STATE,
    NEEDED,
    POOL_USED,
    Keys,
    count_terms,
    fill_slots,
    number_words,
    total_terms,
)

MOST_KEYS, MOST_BYTES = 300_000, 8_000_000
"""The most keys of a table, and of their bytes, when documents are to be counted by it."""

FIRST_KEYS = 4096
"""Keys that a new table has room for."""

Counted = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Where the entries of each document end, numbers of terms, counts, words of each document: as in `NumberedCounts`."""


class Numbered(Protocol):
    """`tonmf.text.counts.Numbering`, which is above this room."""

    edition: object
    n_lasting: float

    def numbers_of(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of terms."""


class KnownNumbers:
    """The numbers of a table's terms, so that those which last are looked up once. Each edition has an array of its own."""

    def __init__(self) -> None:
        self._state: tuple[object, NDArray[np.int64]] = object(), np.zeros(0, np.int64)

    def of(self, terms: NDArray[np.int64], names: Sequence[str], numbering: Numbered) -> NDArray[np.int64]:
        """Return the numbers of terms by a numbering."""
        edition, numbers = self._state
        if edition is not numbering.edition:
            numbers = np.zeros(0, np.int64)
        n_names = len(names)
        if len(numbers) < n_names:
            numbers = np.append(numbers, np.full(2 * n_names - len(numbers), -1))
        found: NDArray[np.int64] = numbers[terms]
        unknown = np.flatnonzero(found < 0)
        if len(unknown):
            found[unknown] = numbering.numbers_of([names[term] for term in terms[unknown].tolist()])
            lasting = unknown[found[unknown] < numbering.n_lasting]
            numbers[terms[lasting]] = found[lasting]
        self._state = numbering.edition, numbers
        return found


@dataclass(frozen=True)
class TableTerms:
    """`tonmf.text.counts.OwnTerms` by their places in a table, whose names and known numbers they share."""

    places: NDArray[np.int64]
    names: Sequence[str]
    known: KnownNumbers

    def numbers_by(self, numbering: Numbered) -> NDArray[np.int64]:
        """Return their numbers; those that have none get the next ones."""
        return self.known.of(self.places, self.names, numbering)


def count_words(texts: Iterable[str], analyze: Analysis) -> tuple[Counted, TableTerms]:
    """Count every term of prepared texts by its place among the terms, which are in order of first occurrence."""
    assert analyze.by_word is not None  # noqa: S101 (the caller has looked)
    tables: list[WordTable] = analyze.by_word.tables
    table = tables.pop() if tables else WordTable(TermsOfKeys(analyze))
    counted = table.count(texts)
    if not table.is_large:
        tables.append(table)
    return counted


class WordTable:
    """Words seen so far, with the terms that an analysis makes of them."""

    def __init__(self, terms_of_keys: TermsOfKeys) -> None:
        self._terms_of_keys = terms_of_keys
        self._begin()

    def _begin(self) -> None:
        self._keys = Keys(
            seed=np.array([secrets.randbits(64), secrets.randbits(64) | 1], np.uint64),
            slots=np.zeros(2 * FIRST_KEYS, np.uint64),
            hashes=np.zeros(FIRST_KEYS, np.uint64),
            kinds=np.zeros(FIRST_KEYS, np.uint8),
            pool=np.zeros(8 * FIRST_KEYS, np.uint8),
            ends=np.zeros(FIRST_KEYS + 1, np.int64),
            state=np.zeros(N_STATE, np.int64),
        )
        self._terms, self._names, self._known = dict[str, int](), list[str](), KnownNumbers()
        self._first_terms, self._terms_of = array("q", [0]), array("i")

    @property
    def is_large(self) -> bool:
        """Return whether the table is to be begun anew."""
        state = self._keys.state
        return bool(state[N_KEYS] > MOST_KEYS or state[POOL_USED] > MOST_BYTES)

    def count(self, texts: Iterable[str]) -> tuple[Counted, TableTerms]:
        """Count the terms of texts, each text's in order of first occurrence; also return these terms."""
        if self.is_large:
            self._begin()
        stretch = encoded(texts)
        keys, key_ends = self._number(stretch)
        first_terms, terms_of = np.array(self._first_terms, np.int64), np.array(self._terms_of, np.int32)
        n_terms, n_docs = len(self._terms), len(stretch)
        n_words = np.zeros(n_docs, np.int64)
        total_terms(keys, key_ends, first_terms, n_words)
        most = int(np.minimum(n_words, n_terms).sum())
        entry_of, firsts = np.full(n_terms, -1, np.int64), np.zeros(n_terms, np.int64)
        found, counts = np.empty(most, np.int32), np.empty(most, np.int64)
        ends = np.zeros(n_docs + 1, np.int64)
        n = count_terms(keys, key_ends, first_terms, terms_of, entry_of, found, counts, ends, firsts)
        place_of, terms = np.empty(n_terms, np.int64), TableTerms(firsts[:n].copy(), self._names, self._known)
        place_of[firsts[:n]] = np.arange(n)
        numbers = place_of[found[: ends[-1]]]
        return (ends, numbers, counts[: ends[-1]].copy(), n_words), terms

    def _number(self, texts: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the keys of texts, one after the other, and where those of each text end; learn the terms of new ones."""
        text, ends, classes = *joined(texts), known_classes()
        numbers, number_ends = np.empty(len(text), np.int32), np.zeros(len(texts) + 1, np.int64)
        state, n_known = self._keys.state, int(self._keys.state[N_KEYS])
        state[:N_KEYS] = 0
        while not number_words(self._keys, text, ends, classes, self._terms_of_keys.masked, numbers, number_ends):
            if state[CODE] >= 0:
                look_at(int(state[CODE]), classes)
            else:
                self._grow(int(state[NEEDED]))
        self._learn(n_known)
        return numbers[: number_ends[-1]].copy(), number_ends

    def _grow(self, n_more: int) -> None:
        """Make room for at least as many more keys as a stretch of so many bytes can have."""
        old, state = self._keys, self._keys.state
        n_keys, n_bytes = _doubled(len(old.hashes), state[N_KEYS] + n_more), state[POOL_USED] + 2 * n_more + SLACK + 1
        n_bytes = _doubled(len(old.pool), n_bytes)
        self._keys = Keys(
            seed=old.seed,
            slots=np.zeros(2 * n_keys, np.uint64),
            hashes=_longer(old.hashes, n_keys),
            kinds=_longer(old.kinds, n_keys),
            pool=_longer(old.pool, n_bytes),
            ends=_longer(old.ends, n_keys + 1),
            state=state,
        )
        fill_slots(self._keys)

    def _learn(self, n_known: int) -> None:
        """Turn the keys from `n_known` on into terms."""
        n_keys = int(self._keys.state[N_KEYS])
        if n_keys == n_known:
            return
        start, end = self._keys.ends[[n_known, n_keys]]
        keys = self._keys.pool[start : end - 1].tobytes().decode("utf-8", "surrogatepass").split("\n")
        terms, n_of_each = self._terms_of_keys(keys, self._keys.kinds[n_known:n_keys])
        self._terms_of.frombytes(self._numbers_of(terms).tobytes())
        self._first_terms.frombytes((self._first_terms[-1] + np.cumsum(n_of_each)).tobytes())

    def _numbers_of(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of terms; new ones get the next."""
        numbers, n_known = self._terms, len(self._terms)
        new = dict.fromkeys(filterfalse(numbers.__contains__, terms))
        numbers.update(zip(new, range(n_known, n_known + len(new)), strict=True))
        self._names.extend(new)
        return np.fromiter(map(numbers.__getitem__, terms), np.int32, len(terms))


def _doubled(size: int, least: int) -> int:
    while size < least:
        size *= 2
    return size


def _longer(values: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.zeros(length, values.dtype)
    longer[: len(values)] = values
    return longer
