"""The classes of characters that the kernels look for, as a table of bits by code point, and the kinds of what they find.

A *stretch* of a text is what stands between spaces and line breaks. A stretch with a digit or "@" in it, or with a link, may
hold words to mask. If it is ASCII, it can be cut further, into *parts*: no pattern of `tonmf.text.masks` matches or looks at
a character between parts, but for links, which have parts of their own.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tonmf.text.passages import BREAKS, FULL_STOPS, MARKS, QUOTES
from tonmf.text.words import HAS_EITHER, continues_word

WORD, CONTINUES, DIGIT, AT, LINK, SPECIAL, BETWEEN, OUTSIDE_PARTS, OUTSIDE_LINKS, NOT_ASCII, UNKNOWN = (
    1 << bit for bit in range(11)
)
"""Bits: a character begins a word; continues one; is a digit; is "@"; may be part of a link; belongs to a script
without spaces or to an emoji; stands between stretches; between parts; between parts with links; is not ASCII;
is yet to be looked at."""

IS_SPACE, STOP, MARK, QUOTE = (1 << bit for bit in range(11, 15))
"""Bits for passages (`tonmf.text.passages`): a space of any kind; ends a line, or a sentence unless another character follows;
is a mark that may stand within a sentence; may stand between such a mark and the end."""

A_WORD, UNMASKED, STRETCH, LINK_PART, AT_PART, DIGIT_PART, DIGIT_WORD = range(7)
"""Kinds of keys: a word; a stretch with scripts without spaces or emoji, but nothing to mask; one with words to mask, not
ASCII; and of stretches that are, parts with links, with "@", with neither, and words with digits."""

N_CODE_POINTS = 0x110000

BITS = (
    (WORD, re.compile(r"\w")),
    (CONTINUES, continues_word()),
    (DIGIT, re.compile(r"\d")),
    (AT, re.compile("@")),
    (LINK, re.compile("[:.]")),
    (SPECIAL, HAS_EITHER),
    (BETWEEN, re.compile("[ \n]")),
    (OUTSIDE_PARTS, re.compile(r"[^\w.+\-@:/,$]", re.ASCII)),
    (OUTSIDE_LINKS, re.compile("[^!#-;=?-~]")),
    (NOT_ASCII, re.compile(r"[^\0-\x7f]")),
    (IS_SPACE, re.compile(r"\s")),
    (STOP, re.compile(f"[{MARKS}{FULL_STOPS}{BREAKS}]")),
    (MARK, re.compile(f"[{MARKS}]")),
    (QUOTE, re.compile(f"[{QUOTES}]")),
)

AT_ONCE = 128
"""Characters to look at at a time: there are more than a million, and few documents have many of them."""


@cache
def known_classes() -> NDArray[np.uint16]:
    """Return the classes of all characters, as far as they are known: those of ASCII always are."""
    classes = np.full(N_CODE_POINTS, UNKNOWN, np.uint16)
    look_at(0, classes)
    return classes


def look_at(code: int, classes: NDArray[np.uint16]) -> None:
    """Find the classes of a character and its neighbours."""
    first = code - code % AT_ONCE
    bits = [sum(bit for bit, pattern in BITS if pattern.match(chr(first + place))) for place in range(AT_ONCE)]
    classes[first : first + AT_ONCE] = bits
