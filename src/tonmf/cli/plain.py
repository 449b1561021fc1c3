"""Text that cannot steer a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text without control characters and marks that change the direction of writing.

    >>> printable("a\\x1b[31mb\\u202ec")
    'a�[31mb�c'
    """
    return "".join("\ufffd" if _steers(character) else character for character in text)


def _steers(character: str) -> bool:
    code = ord(character)
    return (
        (code < 32 and character not in "\n\t")
        or 127 <= code < 160
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )
