"""Texts in UTF-8 for the kernels, one after the other, and how kernels read them. Lone surrogates have three bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tonmf.text.compiled.characters import UNKNOWN
from tonmf.text.compiled.eight import SLACK


def encoded(texts: Iterable[str]) -> list[bytes]:
    """Return texts in UTF-8."""
    return [text.encode("utf-8", "surrogatepass") for text in texts]


def joined(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts one after the other with `SLACK` bytes behind them, and where each ends."""
    return np.frombuffer(b"".join([*texts, bytes(SLACK)]), np.uint8), np.append(
        0, np.cumsum([len(text) for text in texts])
    )


@njit(nogil=True, cache=True, inline="always")
def width_of(byte: Any) -> Any:
    """Return the number of bytes of the character that begins with a byte."""
    return 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


@njit(nogil=True, cache=True, inline="always")
def code_at(text: Any, place: int) -> Any:
    """Return the code point of the character at a place."""
    byte = np.int64(text[place])
    if byte < 0x80:
        return byte
    code = byte & (0x1F if byte < 0xE0 else 0x0F if byte < 0xF0 else 0x07)
    for follows in range(place + 1, place + width_of(byte)):
        code = code << 6 | np.int64(text[follows] & 0x3F)
    return code


@njit(nogil=True, cache=True, inline="always")
def class_at(text: Any, place: int, classes: Any) -> Any:
    """Return the class of the character at a place."""
    byte = text[place]
    return np.int64(classes[byte] if byte < 0x80 else classes[code_at(text, place)])


@njit(nogil=True, cache=True)
def unknown_in(text: Any, start: int, end: int, classes: Any) -> Any:
    """Return the first code point whose class is not known; -1 if there is none."""
    place = start
    while place < end:
        if class_at(text, place, classes) & UNKNOWN:
            return np.int64(code_at(text, place))
        place += width_of(text[place])
    return -1
