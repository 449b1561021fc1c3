"""Words that stand for a class: links, e-mail addresses, @names, ids, dates and numbers.

Each such word is nearly always a new one, and says nothing by itself: that there is a link says something, which one it is
does not. Masked, it becomes one term that names its class.

======== ======================================================== ==========
class    what                                                     term
======== ======================================================== ==========
url      http://… and the like, www.…                             <url>
email    e-mail addresses                                         <email>
handle   @name                                                    <handle>
id       0x7f3a, UUIDs, hashes, IP and MAC addresses, long words  <id>
         that mix letters and digits, 7 digits or more
date     2026-11-16, 16/11/2026, 16.11.2026, 12:30, 12:30:05,     <date>
         2026-11-16T12:30:05Z, 16/Nov/2026:12:30:05
number   numbers, by their shape: 2026, 1,500, 3.5, £20           ####, ####, #.#, £##
======== ======================================================== ==========

A number keeps its shape because that tells a year from a price. Words with digits (4th, mp3, 150p) stay words, and so do the
names of months. As among other words, a single digit counts for nothing.

If numbers are not masked but any other class is, a number is one word, without the commas between thousands: 1500, 3.5, £20.
One that other documents have is a word like any other, such as a year; one that no other has says nothing, and does not count
as unknown (`is_number`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from tonmf.text.words import UNSPACED, without_mark, word_spans, words_of

MOST_DIGITS = 6
"""Digits of the longest whole number; more, without commas between, are an id, such as a telephone number."""

LONGEST_SHAPE = 13
"""Most characters of a number's shape."""

NOT_AFTER_WORD = rf"(?<![^\W{UNSPACED}])"
NOT_BEFORE_WORD = rf"(?![^\W{UNSPACED}])"
NOT_AFTER_NUMBER = rf"{NOT_AFTER_WORD}(?<!\d[.,:/-])"
NOT_BEFORE_NUMBER = rf"(?![.,:/-]?\d){NOT_BEFORE_WORD}"

TIME = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?:[ap]m|z|[+-]\d\d:?\d\d)?"
DAY = (
    r"(?:\d{4}-[01]?\d-[0-3]?\d|\d{4}/[01]?\d/[0-3]?\d|[0-3]?\d/[0-3]?\d/(?:\d{4}|\d{2})"
    r"|[0-3]?\d\.[01]?\d\.\d{4}|[0-3]?\d-[01]?\d-(?:\d{4}|\d{2})"
    r"|[0-3]?\d[/-](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[/-]\d{4})"
)
HEX = "[0-9a-f]"

PATTERNS = {
    "url": r"(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]*+://|www\.)[!#-;=?-~]*[#-&*+/-9=@-Z\\^-z|~]",
    "email": r"(?<![a-z0-9_.+-])[a-z0-9_.+-]++@[a-z0-9_-]++(?:\.[a-z0-9_-]++)++",
    "handle": rf"{NOT_AFTER_WORD}(?<![@.])@\w++",
    "date": rf"{NOT_AFTER_NUMBER}(?:{DAY}(?:[t_:]{TIME})?|{TIME}){NOT_BEFORE_NUMBER}",
    "id": (
        rf"{NOT_AFTER_WORD}(?:0x{HEX}++|{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"
        rf"|(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?:[:/]\d{{1,5}})?(?!\.\d)"
        rf"|{HEX}{{2}}(?:-{HEX}{{2}}){{5}}|{HEX}{{1,4}}(?::{HEX}{{1,4}}){{5,7}}|{HEX}{{1,4}}(?::{HEX}{{1,4}})*::[0-9a-f:]*+)"
        rf"{NOT_BEFORE_WORD}"
    ),
    "number": rf"{NOT_AFTER_WORD}[$£€]?\d++(?:[.,]\d++)*+(?:e[+-]?\d++)?{NOT_BEFORE_WORD}(?!\ufe0f?\u20e3)",
}
"""Regular expressions of the classes, in the order in which they are tried; case does not matter."""

DIGIT_OR_AT = {True: re.compile(r"[0-9@]"), False: re.compile(r"[\d@]")}
DIGIT_AT_OR_LINK = {True: re.compile(r"[0-9@]|://|[wW]{3}\."), False: re.compile(r"[\d@]|://|[wW]{3}\.")}
"""What is in every word to mask, for texts that are ASCII and others. Without links they are quickly looked through."""

SPACE = re.compile("[ \n]")
WORD_OR_SPACE, NO_WORD = re.compile(r"\w\w+|[ \n]", re.ASCII), "\0"

WHOLE_WORD = re.compile(r"(?P<number>\d+(?:e\d+)?)\Z|(?P<id>0x[0-9a-f]+)\Z", re.IGNORECASE | re.ASCII)
"""What has a pattern above and is a word all the same."""

REMEMBERED, LONGEST_REMEMBERED = 50_000, 40
"""The most stretches of text whose words are cached, and the most characters of such a stretch."""

Found = tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class MaskedWords:
    """A function from a text to its words, with those of some classes masked; emoji are words or not.

    >>> from tonmf.text.mask_names import MASKS
    >>> MaskedWords(MASKS)("Write to me@example.org before 16/11/2026: 2,500 of 0x7f3a, $3.5 each, www.example.org!")
    ['Write', 'to', '<email>', 'before', '<date>', '####', 'of', '<id>', '$#.#', 'each', '<url>']
    """

    classes: tuple[str, ...]
    emoji: bool = True

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        trigger = self.trigger(text)
        if trigger is None:
            return words_of(text, self.emoji)
        words: list[str] = []
        done = 0
        for start, end in _stretches(text, trigger):
            words += words_of(text[done:start], self.emoji)
            words += self.of_stretch(text[start:end])
            done = end
        return words + words_of(text[done:], self.emoji)

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, word) for the words of a text, in order."""
        trigger = self.trigger(text)
        done = 0
        for start, end in () if trigger is None else _stretches(text, trigger):
            yield from _moved(_plain(text[done:start], self.emoji), done)
            yield from _moved(self._found(text[start:end]), start)
            done = end
        yield from _moved(_plain(text[done:], self.emoji), done)

    def stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of what stands between spaces and line breaks and may have words to mask."""
        trigger = self.trigger(text)
        return iter(()) if trigger is None else _stretches(text, trigger)

    def spans_of_stretch(self, stretch: str, is_triggered: bool) -> Iterable[tuple[int, int, str]]:
        """Return (start, end, word) for the words of what stands between spaces, which may have words to mask or has none."""
        return self._found(stretch) if is_triggered else _plain(stretch, self.emoji)

    def of_stretch(self, stretch: str) -> list[str]:
        """Return the words of what stands between spaces and line breaks, in a text with something to mask in it."""
        return [word for _, _, word in self._found(stretch)]

    def of_word(self, word: str) -> tuple[str, ...]:
        """Return the words of a word of such a stretch, of ASCII letters, digits and underscores: itself, masked or not."""
        if found := WHOLE_WORD.match(word):
            masked = _masked(found, self.classes) if found.lastgroup in (*self.classes, "number") else word
            return (masked,) if len(masked) > 1 else ()
        return ("<id>" if len(word) > MOST_DIGITS and "id" in self.classes and is_id(word) else word,)

    def of_parts(self, parts: Sequence[str], classes: Collection[str]) -> Iterator[list[str]]:
        """Yield the words of each part of such stretches, of which these classes alone can be there.

        Parts are ASCII, without spaces and line breaks. No pattern looks beyond a line break, so one search is enough for all.
        """
        masks: list[str] = []

        def replaced(found: re.Match[str]) -> str:
            word = _masked(found, self.classes)
            if len(word) > 1:
                masks.append(word)
            return " " if len(word) > 1 else NO_WORD

        pattern = _pattern(tuple(name for name in self.classes if name in classes))
        text = pattern.sub(replaced, "\n".join(parts))
        of_text, ids, words = iter(masks), "id" in self.classes, list[str]()
        for word in WORD_OR_SPACE.findall(text) if parts else ():
            if word == "\n":
                yield words
                words = []
            elif word == " ":
                words.append(next(of_text))
            else:
                words.append("<id>" if ids and len(word) > MOST_DIGITS and is_id(word) else word)
        if parts:
            yield words

    def trigger(self, text: str) -> re.Pattern[str] | None:
        """Return what to look for in a text to find words to mask; None if there are none."""
        has_link = "://" in text or "www." in text or "WWW." in text
        # To look for eleven characters, one by one, is faster than any regular expression.
        if not (has_link or any(sign in text for sign in "0123456789@") or not text.isascii()):
            return None
        return (DIGIT_AT_OR_LINK if has_link else DIGIT_OR_AT)[text.isascii()]

    def _found(self, stretch: str) -> Found:
        if len(stretch) > LONGEST_REMEMBERED:
            return _words_in(stretch, self.classes, self.emoji)
        return _remembered(stretch, self.classes, self.emoji)


def is_mask(term: str) -> bool:
    """Return whether a term stands for a class; no word looks like one."""
    return term[:1] == "<" or "#" in term


def shape_of(number: str) -> str:
    """Return the shape of a number: digits as #, without commas between thousands.

    >>> [shape_of(number) for number in ("2026", "1,234,567", "3.5", "£0,99", "6.02e23", "1.2.3")]
    ['####', '#######', '#.#', '£#.##', '#.##', '#.#.#']
    """
    mantissa = re.split("[eE]", number)[0]
    plain = re.sub(r",(?=\d{3}(?!\d))", "", mantissa).replace(",", ".")
    return re.sub(r"\d", "#", plain)[:LONGEST_SHAPE]


def as_word(number: str) -> str:
    """Return a number as a word: without the commas between thousands.

    >>> [as_word(number) for number in ("2026", "1,234,567", "£3.50")]
    ['2026', '1234567', '£3.50']
    """
    return re.sub(r",(?=\d{3}(?!\d))", "", number) if "," in number else number


def is_number(term: str) -> bool:
    """Return whether a term is a number.

    >>> [term for term in ("2026", "£3.50", "6.02e23", "4th", "mp3", "####") if is_number(term)]
    ['2026', '£3.50', '6.02e23']
    """
    return bool(NUMBER.fullmatch(term))


def numbers_among(terms: Iterable[str]) -> list[int]:
    """Return the places of numbers among terms.

    >>> numbers_among(["2026", "bees", "£3.50"])
    [0, 2]
    """
    match = NUMBER.fullmatch
    return [place for place, term in enumerate(terms) if match(term)]


NUMBER = re.compile(r"[$£€]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", re.IGNORECASE)


def is_id(word: str) -> bool:
    """Return whether a word is more likely an id than a word or a number.

    It is a long number; or it has at least 8 letters and digits, at least 2 of them digits, and is hexadecimal, or changes
    between letters and digits at least three times, or has at least 5 digits.

    >>> [word for word in ("dQw4w9WgXcQ", "3fa85f64", "user12345", "windows95", "sha256sum", "1990s") if is_id(word)]
    ['dQw4w9WgXcQ', '3fa85f64', 'user12345']
    """
    if word.isdigit():
        return len(word) > MOST_DIGITS
    if len(word) < 8 or not word.isascii():
        return False
    n_digits = sum(map(str.isdigit, word))
    if n_digits < 2:
        return False
    return n_digits >= 5 or bool(HEXADECIMAL.fullmatch(word)) or len(RUN.findall(word)) >= 4


HEXADECIMAL = re.compile("[0-9a-f]+", re.IGNORECASE)
RUN = re.compile(r"\d+|[^\W\d_]+")


@cache
def _pattern(classes: tuple[str, ...]) -> re.Pattern[str]:
    parts = [f"(?P<{name}>{pattern})" for name, pattern in PATTERNS.items() if name in (*classes, "number")]
    return re.compile("|".join(parts), re.IGNORECASE)


def _stretches(text: str, trigger: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of what stands between spaces and has a trigger in it."""
    done = 0
    while found := trigger.search(text, done):
        place = found.start()
        start = max(text.rfind(" ", done, place), text.rfind("\n", done, place), done - 1) + 1
        space = SPACE.search(text, place)
        done = space.start() if space else len(text)
        yield start, done


def _words_in(stretch: str, classes: tuple[str, ...], emoji: bool) -> Found:
    """Return (start, end, word) for the words of a stretch without spaces, masked."""
    words: list[tuple[int, int, str]] = []
    done, ids = 0, "id" in classes
    pattern = _pattern(classes)
    for found in pattern.finditer(stretch):
        words += _moved(_plain(stretch[done : found.start()], emoji, ids), done)
        done = found.end()
        word = _masked(found, classes)
        if len(word) > 1:
            words.append((*found.span(), word))
    words += _moved(_plain(stretch[done:], emoji, ids), done)
    return tuple(words)


_remembered = lru_cache(REMEMBERED)(_words_in)


def _masked(found: re.Match[str], classes: tuple[str, ...]) -> str:
    if found.lastgroup != "number":
        return f"<{found.lastgroup}>"
    if "id" in classes and found[0].isdigit() and is_id(found[0]):
        return "<id>"
    return shape_of(found[0]) if "number" in classes else as_word(found[0])


def _plain(text: str, emoji: bool, ids: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, word) for the words of a text; with `ids`, those that are ids are masked."""
    for start, end in word_spans(text, emoji):
        word = without_mark(text[start:end]) if emoji else text[start:end]
        yield start, end, "<id>" if ids and is_id(word) else word


def _moved(words: Iterator[tuple[int, int, str]] | Found, by: int) -> Iterator[tuple[int, int, str]]:
    return ((start + by, end + by, word) for start, end, word in words)
