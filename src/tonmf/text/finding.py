"""Find where some words stand in a text, without cutting all of it into words.

To search a text for ten words is much faster than to cut it into its hundreds. A place that is found is only a candidate: it
may be part of a longer word, or of a link that is masked. So what stands there between spaces is cut into words as always,
unless it is plainly the word itself. The result is that of cutting the whole text, without the words that nobody asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from string import ascii_letters, digits

from tonmf.text.analysis import Analysis
from tonmf.text.markup import PAD, places_without_pads
from tonmf.text.masks import MaskedWords, is_mask, is_number
from tonmf.text.words import word_spans

SIGMA = "\u03a3"
"""Its lower case depends on what is around it."""

Place = tuple[int, int]
Span = tuple[int, int, str]


def can_be_searched(analyze: Analysis, terms: Collection[str]) -> bool:
    """Return whether terms stand in texts as they are, but for their case, or in stretches with something to mask."""
    if analyze.by_word is None or analyze.stemmer is not None:
        return False
    return all(is_word(term) or is_mask(term) or is_number(term) for term in terms)


def is_word(term: str) -> bool:
    """Return whether a term is made of letters, digits and underscores alone.

    >>> [term for term in ("glacier", "mp3", "max_size", "東京", "<url>", "हिन्दी") if is_word(term)]
    ['glacier', 'mp3', 'max_size', '東京']
    """
    return term.replace("_", "a").isalnum()


def spans_in(analyze: Analysis, visible: str, terms: Collection[str]) -> Iterable[Span] | None:
    """Return (start, end, term) where some terms stand in a text, perhaps with other words beside them.

    Parameters
    ----------
    analyze : Analysis
    visible : str
        What is read of the text, with `PAD` in it.
    terms : collection of str

    Returns
    -------
    spans : iterable of (start, end, term) or None
        In order; None if terms are not made of words.
    """
    if analyze.analyze_word is None:
        return None
    text = visible.replace(PAD, "") if PAD in visible else visible
    spans = _searched(analyze, text, terms) if can_be_searched(analyze, terms) else analyze.spans_of_readable(text)
    if text is visible:
        return spans
    places = places_without_pads(visible)
    return ((places[start], places[end], term) for start, end, term in spans)


def _searched(analyze: Analysis, text: str, terms: Collection[str]) -> Iterable[Span]:
    by_word = analyze.by_word
    lowered = text.lower() if by_word is not None and by_word.lowercase else text
    if len(lowered) != len(text) or SIGMA in text:
        return analyze.spans_of_readable(text)
    return _spans(analyze, text, lowered, terms)


def _spans(analyze: Analysis, text: str, lowered: str, terms: Collection[str]) -> Iterator[Span]:
    masked = analyze.masked_words
    trigger = None if masked is None else masked.trigger(text)
    words, stretches = list[Span](), dict[int, int]()
    masks = [] if masked is None else [term for term in terms if not _stands_as_it_is(term, text)]
    for term in set(terms).difference(masks):
        length, is_ascii = len(term), term.isascii()
        is_plain = length > 1 and is_ascii and (trigger is None or trigger.search(f"{term}.") is None)
        for start in _occurrences(lowered, term, is_ascii):
            end = start + length
            if is_plain and _is_alone(text, start, end):
                words.append((start, end, text[start:end]))
                continue
            begin, stop = _stretch(text, start, end)
            is_short = length < 2 or not lowered[max(start - 1, 0) : end + 1].isascii()
            if is_short or (trigger is not None and trigger.search(text, begin, stop) is not None):
                stretches[begin] = stop
            else:
                words.append((start, end, text[start:end]))
    if masked is not None and masks:
        signs = [SIGNS.get(term, ("",)) for term in masks]
        for begin, stop in masked.stretches(text):
            stretch = text[begin:stop].lower()
            if any(sign in stretch for of_term in signs for sign in of_term):
                stretches[begin] = stop
    for begin, stop in stretches.items():
        words += _words_in(analyze, masked, trigger, text, begin, stop)
    for start, end, word in sorted(set(words)):
        for term in analyze.terms_of_word(word):
            yield start, end, term


SIGNS = {"<email>": ("@",), "<handle>": ("@",), "<url>": ("://", "www.")}
"""What is in every stretch that has one of these masked; any sign is in those of the others."""

MANY_DIGITS, THOUSANDS = re.compile(r"\d{4}"), re.compile(r"\d,\d{3}")


def _stands_as_it_is(term: str, text: str) -> bool:
    """Return whether a term stands in a text as it is: no mask does, and no number that has commas there."""
    return not is_mask(term) and not (MANY_DIGITS.search(term) and is_number(term) and THOUSANDS.search(text))


def _occurrences(text: str, term: str, is_ascii: bool) -> Iterator[int]:
    """Yield where a term stands; one of ASCII letters not within a longer word of such letters."""
    place, length = text.find(term), len(term)
    while place >= 0:
        end = place + length
        if not (is_ascii and (text[place - 1 : place] in WORDLY or text[end : end + 1] in WORDLY)):
            yield place
        place = text.find(term, place + 1)


WORDLY = frozenset(f"{ascii_letters}{digits}_")
"""Characters with which a word of ASCII goes on."""


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word stands between spaces, with at most one sign behind it."""
    if text[start - 1 : start] not in BETWEEN:
        return False
    return text[end : end + 1] in BETWEEN or (text[end] in SIGNS_BEHIND and text[end + 1 : end + 2] in BETWEEN)


BETWEEN, SIGNS_BEHIND = frozenset(("", " ", "\n")), frozenset(".,;:!?)'\">")
"""What a stretch begins and ends with, and signs that may end one without another reading of its word."""


def _stretch(text: str, start: int, end: int) -> Place:
    """Return the stretch between spaces and line breaks that a place is in."""
    begin = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    space = SPACE.search(text, end)
    return begin, space.start() if space else len(text)


SPACE = re.compile("[ \n]")


def _words_in(
    analyze: Analysis, masked: MaskedWords | None, trigger: re.Pattern[str] | None, text: str, start: int, end: int
) -> Iterator[Span]:
    stretch = text[start:end]
    spans: Iterable[Span]
    if masked is None:
        spans = ((begin, stop, stretch[begin:stop]) for begin, stop in word_spans(stretch, analyze.emoji))
    else:
        spans = masked.spans_of_stretch(stretch, trigger is not None and trigger.search(stretch) is not None)
    return ((begin + start, stop + start, word) for begin, stop, word in spans)
