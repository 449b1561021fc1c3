"""The terms of keys: words are found in those that are none, then come stop words, stems and limits as everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    """A function from keys and their kinds to the terms of each."""

    def __init__(self, analyze: Analysis) -> None:
        self._analyze, self._masked_words = analyze, analyze.masked_words
        self.masked = analyze.masked_words is not None

    def __call__(self, keys: Sequence[str], kinds: Sequence[int]) -> Iterator[Iterable[str]]:
        """Yield the terms of each key."""
        in_parts, terms_of = self._in_parts(keys, kinds), self._analyze.terms_of_words
        stop_words, as_it_is = self._analyze.stop_words, self._analyze.words_are_terms
        for key, kind in zip(keys, kinds, strict=True):
            if kind == A_WORD and as_it_is:
                yield () if key in stop_words else (key,)
            elif kind == A_WORD:
                yield terms_of((key,))
            elif kind in in_parts:
                yield terms_of(next(in_parts[kind]))
            else:
                yield terms_of(self._words_of(key, kind))

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
