"""Tell the encoding of bytes that are not UTF-8 and have no byte-order mark.

What a page says of itself comes first, then what charset-normalizer takes for the likeliest of the usual encodings: those of
Latin letters where ASCII letters stand beside the other bytes, as in "Förderung", else those of other scripts. Where it cannot
tell Latin ones apart, it is Windows-1252, which has the letters of Western Europe.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

AUTO = "auto"
"""The value of the option ``encoding`` that lets each file have its own."""

LIKELIEST = "cp1252"
LATIN = [LIKELIEST, "cp1250", "iso8859_2", "cp1254"]
OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
"""Encodings that are met in files, with ASCII as a part. Among rarer ones, such as those of DOS, these would not be found."""

AS_GOOD, PER_BYTE = 0.02, 0.5
"""Difference of two shares by which one encoding is no better than another, and what the few bytes of a short text add."""

ENOUGH = 1 << 16
"""Bytes to judge by."""

LONG = 1 << 22
"""The most bytes of a line to look at."""

AROUND = re.compile(rb"[\x00-\x09\x0b-\x7f]{0,40}(?:[\x80-\xff]+[\x00-\x09\x0b-\x7f]{0,40})+")
"""Words around bytes that are not ASCII. It never ends within a character of two bytes, the second of which may be ASCII."""

DECLARED = re.compile(
    rb"""<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w.:-]{2,40})
      | ^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE | re.VERBOSE,
)
"""Where HTML and XML name their encoding."""

MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""Characters in UTF-8 that are not ASCII."""

WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]+")
THREE_HIGH = re.compile(rb"[\x80-\xff]{3}")
HIGH = bytes(range(0x80, 0x100))

CONTROL = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f]")


def detected(lines: Iterable[bytes], head: bytes) -> str | None:
    """Return the encoding of lines of which one is not UTF-8; None if it is UTF-8 with bad bytes, or cannot be told.

    Parameters
    ----------
    lines : iterable of bytes
        Some lines of a file, from the first that is not UTF-8 on.
    head : bytes
        Its first bytes.

    >>> detected(["café au lait".encode("latin-1")], b""), detected(["café".encode() + b"\\xff"], b"")
    ('cp1252', None)
    """
    lines = list(lines)
    sample = b"\n".join(_words_around(lines))
    if _is_mostly_utf8(sample) or _is_cut_utf8(lines[-1]):
        return None
    declared = declared_by(head[:4096])
    if declared is not None and _can_decode(sample, declared):
        return declared
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    is_latin = _is_latin(sample)
    matches = list(from_bytes(sample, cp_isolation=LATIN if is_latin else OTHERS))
    if not matches:
        return LIKELIEST if is_latin and _can_decode(sample, LIKELIEST) else None
    best = matches[0]
    as_coherent = best.coherence - max(AS_GOOD, PER_BYTE / _n_high(sample))
    for match in matches:
        as_good = match.chaos <= best.chaos + AS_GOOD and match.coherence >= as_coherent
        if as_good and LIKELIEST in match.could_be_from_charset:
            return LIKELIEST
    encoding: str = best.encoding
    return encoding


def _is_latin(sample: bytes) -> bool:
    """Return whether words have ASCII letters or digits beside the other bytes, as words of Latin letters do.

    That is, at least as many; or the text is mostly ASCII, and never more than two of the other bytes come together.

    >>> _is_latin("Die Förderung – à 20 €".encode("cp1252")), _is_latin("он пошёл домой".encode("cp1251"))
    (True, False)
    """
    words = [word for word in WORD.findall(sample) if len(word) > 1]
    mixed = [word for word in words if not word.isascii()]
    if 2 * sum(map(_n_high, mixed)) <= sum(map(len, mixed)):
        return True
    return 3 * sum(map(_n_high, mixed)) <= sum(map(len, words)) and not THREE_HIGH.search(sample)


def _words_around(lines: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for line in lines:
        for found in AROUND.finditer(line[:LONG]):
            yield found[0]
            size += len(found[0])
            if size > ENOUGH:
                return


def wide(head: bytes) -> str | None:
    """Return the encoding of text in UTF-16 without a byte-order mark, of whose bytes every other is 0; None if it is not.

    >>> wide("some text".encode("utf-16-be")), wide(b"some text"), wide(b"\\0\\1\\2\\3")
    ('utf-16-be', None, None)
    """
    some = head[: len(head) // 2 * 2]
    if b"\0" not in some:
        return None
    first, second = some[0::2].count(0), some[1::2].count(0)
    if 4 * max(first, second) < len(some) // 2 or 20 * min(first, second) > max(first, second):
        return None
    encoding = "utf-16-be" if first > second else "utf-16-le"
    text = some.decode(encoding, "replace")
    return None if CONTROL.search(text) or 20 * text.count("\ufffd") > len(text) else encoding


def declared_by(head: bytes) -> str | None:
    """Return the encoding that HTML or XML names, if Python knows it.

    >>> declared_by(b'<meta charset="windows-1251">'), declared_by(b"no page")
    ('cp1251', None)
    """
    found = DECLARED.search(head)
    if found is None:
        return None
    try:
        name = codecs.lookup((found[1] or found[2]).decode("ascii")).name
    except LookupError:
        return None
    # Browsers take Latin-1 for Windows-1252 too.
    return "cp1252" if name in ("iso8859-1", "ascii") else None if name.startswith("utf") else name


def _can_decode(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _is_cut_utf8(line: bytes) -> bool:
    """Return whether the last line of a file is UTF-8 but for its last character, which is cut.

    A lone é of Latin-1 at the end looks the same; so the first byte of a character counts only where Latin-1 has  or Ã.
    """
    try:
        line.decode()
    except UnicodeDecodeError as error:
        rest = line[error.start :]
        return error.reason == "unexpected end of data" and (len(rest) > 1 or rest in (b"\xc2", b"\xc3"))
    return False


def _is_mostly_utf8(sample: bytes) -> bool:
    """Return whether most of the bytes that are not ASCII belong to characters of UTF-8."""
    return 2 * sum(map(len, MULTIBYTE.findall(sample))) > _n_high(sample)


def _n_high(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, HIGH))
