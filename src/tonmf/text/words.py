"""Words in any script: how a text is cut into words by default.

A word is a run of two or more letters, digits, underscores and combining marks. The marks matter: vowel signs of the
Indic scripts, Arabic and Hebrew points and decomposed accents are not "word characters" to Python's ``\\w``, which would
cut words at each of them. Scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into
overlapping pairs of characters, as search engines do: most words there are about that long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

ASCII_WORD = re.compile(r"\w\w+", re.ASCII)

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Thai and Lao, Burmese, Khmer, kana, and Chinese characters."""

JOINERS = "\u200c\u200d"
"""Zero-width characters within words of Persian and the Indic scripts."""

HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
RUNS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order.

    >>> words_of("Two words, naïve हिन्दी_1 – 東京都 a")
    ['Two', 'words', 'naïve', 'हिन्दी_1', '東京', '京都']
    """
    if text.isascii():
        return ASCII_WORD.findall(text)
    words: list[str] = unicode_word().findall(text)
    if not HAS_UNSPACED.search(text):
        return words
    return [piece for word in words for run in RUNS.findall(word) for piece in _pieces(run)]


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the words of a text, in order; pairs of characters overlap.

    >>> [(start, end) for start, end in word_spans("Two 東京都")]
    [(0, 3), (4, 6), (5, 7)]
    """
    words = unicode_word().finditer(text)
    if not HAS_UNSPACED.search(text):
        yield from (word.span() for word in words)
        return
    for word in words:
        for run in RUNS.finditer(word.group()):
            start = word.start() + run.start()
            step = 1 if HAS_UNSPACED.match(run.group()) else len(run.group())
            for piece in _pieces(run.group()):
                yield start, start + len(piece)
                start += step


def _pieces(run: str) -> list[str]:
    """Return the pairs of neighbours in a run without spaces; any other run as it is, if it is long enough for a word."""
    if not HAS_UNSPACED.match(run):
        return [run] if len(run) > 1 else []
    return [run[i : i + 2] for i in range(max(len(run) - 1, 1))]


@cache
def unicode_word() -> re.Pattern[str]:
    """Compile the pattern of a word: a word character, then word characters or combining marks."""
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")]
    return re.compile(rf"\w[\w{''.join(marks)}{JOINERS}]+|[{UNSPACED}]")
