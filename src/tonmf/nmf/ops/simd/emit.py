"""The idioms of LLVM that the intrinsics share. Vectors have 256 bits, which narrower machines split and wider ones take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils

VECTOR_BYTES = 32
"""Bytes in a vector."""

TILE_VECTORS = 8
"""Vectors in a row of a tile: with more, a 256-bit machine runs out of registers."""

TILE_BYTES = TILE_VECTORS * VECTOR_BYTES
"""Bytes in a row of a tile."""

CACHE_LINE_FLOATS = 16
"""float32 numbers in a cache line."""

DOUBLE, FLOAT, INT32, INT64 = ir.DoubleType(), ir.FloatType(), ir.IntType(32), ir.IntType(64)


class VectorRows:
    """A C-contiguous array of floats, seen as rows, or as one row if it has one dimension."""

    def __init__(self, context: Any, builder: Any, array_type: Any, value: Any) -> None:
        self.builder = builder
        self.array = context.make_array(array_type)(context, builder, value)
        self.element = context.get_value_type(array_type.dtype)
        self.align = 8 if self.element == DOUBLE else 4
        self.width = builder.extract_value(self.array.shape, array_type.ndim - 1)

    @classmethod
    def of(cls, context: Any, builder: Any, signature: Any, args: Any, which: Sequence[int]) -> list[VectorRows]:
        """Return some arguments of an intrinsic."""
        return [cls(context, builder, signature.args[i], args[i]) for i in which]

    def pointer(self, row: Any, column: Any, lanes: int) -> Any:
        """Return a pointer to the vector that begins at a number."""
        number = self.builder.gep(self.array.data, [self.builder.add(self.builder.mul(row, self.width), column)])
        return self.builder.bitcast(number, ir.VectorType(self.element, lanes).as_pointer())

    def load(self, row: Any, column: Any, lanes: int, element: Any) -> Any:
        """Load a vector as one of another type."""
        vector = self.builder.load(self.pointer(row, column, lanes), align=self.align)
        return converted(self.builder, vector, ir.VectorType(element, lanes))

    def store(self, vector: Any, row: Any, column: Any) -> None:
        """Store a vector of this type."""
        self.builder.store(vector, self.pointer(row, column, vector.type.count), align=self.align)

    def tile_row(self, row: Any, element: Any, n_vectors: int = TILE_VECTORS) -> list[Any]:
        """Load a row of a tile as vectors of `element`; it has as many numbers as there are lanes."""
        lanes = lanes_of(element)
        return [self.load(row, INT64(lanes * v), lanes, element) for v in range(n_vectors)]

    def number(self, row: Any, column: Any, element: Any) -> Any:
        """Load a number as one of another type."""
        return self.builder.extract_element(self.load(row, column, 1, element), INT32(0))


def contiguous(*arrays: Any) -> bool:
    """Return whether all types of arrays are C-contiguous; if an intrinsic returns None otherwise, numba reports a mismatch."""
    return all(array.layout == "C" for array in arrays)


def lanes_of(element: Any) -> int:
    """Return how many numbers are in a vector."""
    return VECTOR_BYTES // (8 if element == DOUBLE else 4)


def on_all_lanes(builder: Any, scalar: Any, lanes: int) -> Any:
    """Return a vector of equal numbers."""
    undefined = ir.Constant(ir.VectorType(scalar.type, lanes), ir.Undefined)
    return shuffled(builder, builder.insert_element(undefined, scalar, INT32(0)), undefined, [0] * lanes)


def shuffled(builder: Any, a: Any, b: Any, lanes: Sequence[int]) -> Any:
    """Return some lanes of two vectors, numbered one after the other."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INT32, len(lanes)), list(lanes)))


def multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c, rounded once where the machine can."""
    return builder.fadd(c, builder.fmul(a, b, flags=("contract",)), flags=("contract",))


def converted(builder: Any, value: Any, target: Any) -> Any:
    """Convert a float, or a vector of them, to another type."""
    if value.type == target:
        return value
    widens = getattr(target, "element", target) == DOUBLE
    return builder.fpext(value, target) if widens else builder.fptrunc(value, target)


def as_int64(builder: Any, number: Any) -> Any:
    """Widen an integer."""
    return number if number.type == INT64 else builder.sext(number, INT64)


def prefetch(builder: Any, pointer: Any) -> None:
    """Emit a prefetch of a cache line."""
    byte_pointer = ir.IntType(8).as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [byte_pointer, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    to_read, keep_in_all_caches, data = INT32(0), INT32(3), INT32(1)
    builder.call(function, [builder.bitcast(pointer, byte_pointer), to_read, keep_in_all_caches, data])
