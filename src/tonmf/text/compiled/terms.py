"""The terms of keys: words are found in those that are none, then come stop words, stems and limits as everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tonmf.text.analysis import Analysis
from tonmf.text.compiled.characters import A_WORD, AT_PART, DIGIT_PART, LINK_PART, STRETCH, UNMASKED
from tonmf.text.words import words_of

CLASSES = {
    LINK_PART: ("url", "email", "handle", "date", "id", "number"),
    AT_PART: ("email", "handle", "date", "id", "number"),
    DIGIT_PART: ("date", "id", "number"),
}
"""What can be in a part: there is no link without "://" or "www.", and nothing with "@" without it."""


class TermsOfKeys:
    """A function from keys and their kinds to their terms."""

    def __init__(self, analyze: Analysis) -> None:
        self._analyze, self._masked_words = analyze, analyze.masked_words
        self.masked = analyze.masked_words is not None

    def __call__(self, keys: Sequence[str], kinds: NDArray[np.uint8]) -> tuple[list[str], NDArray[np.int64]]:
        """Return the terms of all keys, in order, and how many there are of each key."""
        words, n_words = self._words(keys, kinds)
        terms = self._analyze.terms_of_words(words)
        n_terms = np.append(0, np.cumsum([term is not None for term in terms], dtype=np.int64))
        return [term for term in terms if term is not None], np.diff(n_terms[np.append(0, np.cumsum(n_words))])

    def _words(self, keys: Sequence[str], kinds: NDArray[np.uint8]) -> tuple[list[str], NDArray[np.int64]]:
        """Return the words of all keys, in order, and how many there are of each key; most keys are words."""
        others = np.flatnonzero(kinds != A_WORD)
        n_words, words, done = np.ones(len(keys), np.int64), list[str](), 0
        places, kinds_there = others.tolist(), kinds[others].tolist()
        in_parts = self._in_parts([keys[place] for place in places], kinds_there)
        n_found = list[int]()
        for place, kind in zip(places, kinds_there, strict=True):
            found = next(in_parts[kind]) if kind in in_parts else self._words_of(keys[place], kind)
            words += keys[done:place]
            words += found
            n_found.append(len(found))
            done = place + 1
        n_words[others] = n_found
        return [*words, *keys[done:]], n_words

    def _words_of(self, key: str, kind: int) -> Sequence[str]:
        if self._masked_words is None or kind == UNMASKED:
            return words_of(key, self._analyze.emoji)
        return self._masked_words.of_stretch(key) if kind == STRETCH else self._masked_words.of_word(key)

    def _in_parts(self, keys: Sequence[str], kinds: Sequence[int]) -> dict[int, Iterator[list[str]]]:
        """Return the words of parts, by kind: to look for them in all parts at once is faster."""
        if self._masked_words is None:
            return {}
        of_kind: dict[int, list[str]] = {kind: [] for kind in CLASSES}
        for key, kind in zip(keys, kinds, strict=True):
            if kind in of_kind:
                of_kind[kind].append(key)
        of_parts = self._masked_words.of_parts
        return {kind: of_parts(parts, CLASSES[kind]) for kind, parts in of_kind.items()}
