"""Kernel: the hash function BLAKE2b (RFC 7693) with a digest of 64 bits and no key, of several messages at once.

====== ============= =====================================================
h      (8, LANES)    state of each message's hash
m      (16, LANES)   the present block of each message, 128 bytes
v      (16, LANES)   working vector
t      (LANES,)      bytes so far, those of the present block included
last   (LANES,)      whether the present block is the last: all bits set, or none
====== ============= =====================================================

Each message has a lane of its own; the compiler makes one instruction of the same step in all lanes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LANES, BLOCK, DIGEST = 8, 128, 8
"""Messages at once, bytes of a block, bytes of a digest."""

IV = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    np.uint64,
)  # fmt: skip

SIGMA = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ],
    np.int64,
)  # fmt: skip
"""In which order each round takes the words of a block."""

MIXED = np.array(
    [
        [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
        [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
    ],
    np.int64,
)  # fmt: skip
"""Which words of the working vector a round mixes: columns, then diagonals."""

ROUNDS = 12


@njit(nogil=True, cache=True)
def begin(h: Any) -> None:
    """Set the state of all messages to that before the first block."""
    for word in range(8):
        h[word, :] = IV[word]
    h[0, :] ^= np.uint64(0x01010000 ^ DIGEST)


@njit(nogil=True, cache=True)
def compress(h: Any, m: Any, v: Any, t: Any, last: Any) -> None:
    """Hash the present block of each message."""
    for word in range(8):
        for lane in range(LANES):
            v[word, lane], v[word + 8, lane] = h[word, lane], IV[word]
    for lane in range(LANES):
        v[12, lane] ^= t[lane]
        v[14, lane] ^= last[lane]
    for turn in range(ROUNDS):
        for step in range(8):
            a, b, c, d = MIXED[step, 0], MIXED[step, 1], MIXED[step, 2], MIXED[step, 3]
            first, second = SIGMA[turn % 10, 2 * step], SIGMA[turn % 10, 2 * step + 1]
            for lane in range(LANES):
                w, x, y, z = v[a, lane], v[b, lane], v[c, lane], v[d, lane]
                w += x + m[first, lane]
                z ^= w
                z = z >> np.uint64(32) | z << np.uint64(32)
                y += z
                x ^= y
                x = x >> np.uint64(24) | x << np.uint64(40)
                w += x + m[second, lane]
                z ^= w
                z = z >> np.uint64(16) | z << np.uint64(48)
                y += z
                x ^= y
                x = x >> np.uint64(63) | x << np.uint64(1)
                v[a, lane], v[b, lane], v[c, lane], v[d, lane] = w, x, y, z
    for word in range(8):
        for lane in range(LANES):
            h[word, lane] ^= v[word, lane] ^ v[word + 8, lane]


@njit(nogil=True, cache=True)
def take(m: Any, lane: int, message: Any, start: int, end: int) -> None:
    """Take some bytes of a message, at most a block, as the present block; the rest of it is 0."""
    for word in range(16):
        value, first = np.uint64(0), start + 8 * word
        for place in range(min(first + 8, end) - 1, first - 1, -1):
            value = value << np.uint64(8) | np.uint64(message[place])
        m[word, lane] = value


@njit(nogil=True, cache=True)
def digest_all(messages: Any, lengths: Any, n_messages: int, digests: Any, h: Any, m: Any, v: Any) -> None:
    """Hash up to `LANES` messages of at least one byte; a lane whose message has ended goes along idly."""
    t, last = np.zeros(LANES, np.uint64), np.zeros(LANES, np.uint64)
    begin(h)
    start, n_left = 0, n_messages
    while n_left > 0:
        for lane in range(n_messages):
            if start < lengths[lane]:
                end = min(start + BLOCK, lengths[lane])
                take(m, lane, messages[lane], start, end)
                t[lane] = end
                last[lane] = ~np.uint64(0) if end == lengths[lane] else np.uint64(0)
        compress(h, m, v, t, last)
        for lane in range(n_messages):
            if start < lengths[lane] <= start + BLOCK:
                digests[lane] = np.int64(h[0, lane])
                n_left -= 1
        start += BLOCK
