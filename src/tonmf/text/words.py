"""Words in any script: how a text is cut into words by default.

A word is a run of two or more letters, digits, underscores and combining marks. The marks matter: vowel signs of the
Indic scripts, Arabic and Hebrew points and decomposed accents are not "word characters" to Python's ``\\w``, which would
cut words at each of them. Scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into
overlapping pairs of characters, as search engines do: most words there are about that long. An emoji is a word, with its skin
tone and all that is joined to it, and so is a flag.
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

PICTURES = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626"
    "\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697"
    "\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9"
    "\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744"
    "\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a\U0001f201\U0001f202"
    "\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f3fa\U0001f400-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
"""Emoji by themselves: what Unicode shows as a picture, and all emoji among its symbols and dingbats, such as a heart."""

SIGNS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u2328\u23cf\u23ed-\u23ef\u23f1\u23f2\u23f8-\u23fa\u24c2\u25aa\u25ab"
    "\u25b6\u25c0\u25fb\u25fc\u2934\u2935\u2b05-\u2b07\u3030\u303d\u3297\u3299"
)
"""Signs that are emoji only if the mark for that follows."""

AS_TEXT, AS_PICTURE = "\ufe0e", "\ufe0f"
"""Marks after a character: show it as text, or as a picture."""

FLAG_LETTERS, SKIN_TONES, TAGS = "\U0001f1e6-\U0001f1ff", "\U0001f3fb-\U0001f3ff", "\U000e0020-\U000e007f"

HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
RUNS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
HAS_EMOJI = re.compile(f"[{PICTURES}{FLAG_LETTERS}{AS_PICTURE}\u20e3]")
HAS_EITHER = re.compile(f"[{UNSPACED}{PICTURES}{FLAG_LETTERS}{AS_PICTURE}\u20e3]")
UNSPACED_RUN = re.compile(f"[{UNSPACED}]{{2,}}")
PICTURE = re.compile(f"[{PICTURES}]")


def words_of(text: str, emoji: bool = True) -> list[str]:
    """Return the words of a text, in order, emoji among them or not.

    >>> words_of("Two words, naïve हिन्दी_1 – 東京都 a 👍🏽")
    ['Two', 'words', 'naïve', 'हिन्दी_1', '東京', '京都', '👍🏽']
    """
    if text.isascii():
        return ASCII_WORD.findall(text)
    if not HAS_EITHER.search(text):
        plain: list[str] = unicode_word().findall(text)
        return plain
    has_emoji = emoji and HAS_EMOJI.search(text) is not None
    words: list[str] = unicode_word(has_emoji).findall(text)
    if HAS_UNSPACED.search(text):
        words = [piece for word in words for run in RUNS.findall(word) for piece in _pieces(run)]
    return [without_mark(word) for word in words] if has_emoji else words


def word_spans(text: str, emoji: bool = True) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the words of a text, in order; pairs of characters overlap.

    >>> [(start, end) for start, end in word_spans("Two 東京都")]
    [(0, 3), (4, 6), (5, 7)]
    """
    has_emoji = emoji and not text.isascii() and HAS_EMOJI.search(text) is not None
    words = unicode_word(has_emoji).finditer(text)
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


def without_mark(word: str) -> str:
    """Return a word without the mark that a character is a picture: with and without it, an emoji is the same word."""
    return word.replace(AS_PICTURE, "")


def _pieces(run: str) -> list[str]:
    """Return the pairs of neighbours in a run without spaces; any other run as it is, if it is long enough for a word."""
    if not HAS_UNSPACED.match(run):
        return [run] if len(run) > 1 or PICTURE.match(run) else []
    return [run[i : i + 2] for i in range(max(len(run) - 1, 1))]


@cache
def _continuing() -> str:
    """Return what may follow the first character of a word, as a set of a regular expression."""
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")]
    return rf"[\w{''.join(marks)}{JOINERS}]"


@cache
def continues_word() -> re.Pattern[str]:
    """Compile the pattern of a character that may follow the first of a word."""
    return re.compile(_continuing())


@cache
def unicode_word(emoji: bool = False) -> re.Pattern[str]:
    """Compile the pattern of a word: a word character, then word characters or combining marks; or an emoji."""
    words = rf"\w{_continuing()}+|[{UNSPACED}]"
    if not emoji:
        return re.compile(words)
    more = f"[{SKIN_TONES}]?{AS_PICTURE}?\u20e3?[{TAGS}]*"
    joined = f"(?:\u200d[{PICTURES}{SIGNS}]{more})*"
    picture = f"(?:[{PICTURES}](?!{AS_TEXT})|[{SIGNS}](?={AS_PICTURE})){more}{joined}"
    keycap = f"[0-9#*]{AS_PICTURE}?\u20e3"
    return re.compile(f"{picture}|[{FLAG_LETTERS}]{{2}}|{keycap}|{words}")
