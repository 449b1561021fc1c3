"""Words and names of documents inside our own sentences: cut if long, and kept from reordering what is beside them.

A word that is written from right to left turns around the quotes, commas and numbers next to it. FIRST STRONG ISOLATE before
it and POP DIRECTIONAL ISOLATE after it prevent that. All directional marks in a sentence are ours: those in users' words are
replaced, so that who shows the sentence may let ours through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import bidirectional

LONGEST_WORD = 40
"""Characters of a word that are written out."""

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"

_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction of writing."""


def cut(word: str) -> str:
    """Return the word, or the beginning of a long one.

    >>> cut("z" * 100) == "z" * 39 + "…"
    True
    """
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


def isolated(text: str) -> str:
    r"""Return text without directional marks of its own, inside an isolate if any of it is written from right to left.

    >>> isolated("word"), ascii(isolated("\u05d0\u05d1")), ascii(isolated("a\u202eb"))
    ('word', "'\\u2068\\u05d0\\u05d1\\u2069'", "'a\\ufffdb'")
    """
    if text.isascii():
        return text
    text = _MARKS.sub("\ufffd", text)
    is_right_to_left = any(bidirectional(character) in ("R", "AL") for character in text)
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" if is_right_to_left else text


def quoted(words: Iterable[str]) -> str:
    """Return words in quotes, with commas between them.

    >>> quoted(["shall", "award"])
    '“shall”, “award”'
    """
    return ", ".join(f"“{isolated(cut(word))}”" for word in words)


def listed(words: Iterable[str]) -> str:
    """Return words with commas between them.

    >>> listed(["garden", "soil"])
    'garden, soil'
    """
    return ", ".join(isolated(cut(word)) for word in words)
