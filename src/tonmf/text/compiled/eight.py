"""Eight bytes at a time: read them as one number, and hash or compare runs of bytes by it.

Arrays that are read so must go on for `SLACK` bytes after what is read from them.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic

SLACK = 8
"""Bytes after the last that counts, so that eight may be read from any place."""

INT64, INT128 = ir.IntType(64), ir.IntType(128)


def _eight_at(typing_context: Any, array: Any, place: Any) -> Any:
    """Return the eight bytes of an array from a place on as one number, the first byte lowest."""
    if array.layout != "C" or array.dtype != types.uint8:
        return None  # numba reports a mismatch

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        first = builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.int64)])
        number = builder.load(builder.bitcast(first, INT64.as_pointer()), align=1)
        return number if sys.byteorder == "little" else builder.bswap(number)

    return types.uint64(array, place), codegen


eight_at: Any = intrinsic(_eight_at)


def _folded(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the upper half of a product of 128 bits, xor its lower half, so that each bit depends on all of a factor."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(*(builder.zext(arg, INT128) for arg in args))
        halves = builder.trunc(product, INT64), builder.trunc(builder.lshr(product, INT128(64)), INT64)
        return builder.xor(*halves)

    return types.uint64(types.uint64, types.uint64), codegen


folded: Any = intrinsic(_folded)


@njit(nogil=True, cache=True, inline="always")
def first_of(number: Any, n_bytes: Any) -> Any:
    """Return only the first bytes, one to eight, of what `eight_at` has read."""
    return number & (~np.uint64(0) >> np.uint64(64 - 8 * n_bytes))


@njit(nogil=True, cache=True, inline="always")
def hash_of(text: Any, start: Any, end: Any, seed: Any, factor: Any) -> Any:
    """Return a hash of the bytes from `start` to `end`, of at least one; `factor` is odd, and as secret as `seed`."""
    hashed, place = seed ^ np.uint64(end - start), start
    while end - place > 8:
        hashed = folded(hashed ^ eight_at(text, place), factor)
        place += 8
    hashed = folded(hashed ^ first_of(eight_at(text, place), end - place), factor)
    return folded(hashed ^ seed, factor)


@njit(nogil=True, cache=True, inline="always")
def are_equal(one: Any, start: Any, other: Any, other_start: Any, length: Any) -> bool:
    """Return whether two arrays have the same bytes in places of the same length, of at least one."""
    place = 0
    while length - place > 8:
        if eight_at(one, start + place) != eight_at(other, other_start + place):
            return False
        place += 8
    rest = first_of(eight_at(one, start + place) ^ eight_at(other, other_start + place), length - place)
    return bool(rest == 0)
