"""Two building blocks that numba lacks: a SIMD strip of a sparse-dense product, and an atomic counter.

======== ===================== =========================================================
letter   shape                 what
======== ===================== =========================================================
data     (n_stored,)           values of a compressed sparse matrix
indices  (n_stored,)           their column (CSR) or row (CSC) numbers
B        (n_inner, n_topics)   dense, C-contiguous, float32 or float64
out      (n_rows, n_topics)    dense, C-contiguous, float64
======== ===================== =========================================================

    out[row, c] += Σ_p data[p] · B[indices[p], c]      for p in [start, stop), c in one strip

Why by hand: from nested loops, the compiler keeps the running sums in memory and checks for overlap at every stored value,
which at ten topics costs more than the arithmetic. Here a strip is one to `MAX_VECTORS` vectors of `LANES` float64 sums that
stay in registers during the loop over the stored values. The last vector of a strip may overlap the one before it (it starts
at ``last``, so that it ends with the last topic); both then compute the same sums from the same start, so writing twice does
no harm. Sums run in the order of the stored values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 4
"""Topics in a vector of running sums: float64 numbers in 256 bits."""

MAX_VECTORS = 8
"""Vectors in a strip: with more, a 256-bit machine runs out of registers."""

CACHE_LINE_FLOATS = 16
"""float32 numbers in a cache line."""

AHEAD = 16
"""How many stored values ahead a row of B is prefetched."""


def _strip_of(n_vectors: int) -> Any:
    """Make the intrinsic ``strip(data, indices, start, stop, B, first, last, out, row)`` for `n_vectors` vectors."""

    @intrinsic
    def strip(
        typing_context: Any,
        data: Any,
        indices: Any,
        start: Any,
        stop: Any,
        B: Any,
        first: Any,
        last: Any,
        out: Any,
        row: Any,
    ) -> Any:
        signature = types.void(data, indices, start, stop, B, first, last, out, row)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            emit = _Emitter(context, builder, signature, args)
            columns = emit.columns(n_vectors)
            out_pointers = [emit.out_vector(column) for column in columns]
            sums = [cgutils.alloca_once_value(builder, emit.load(p, emit.double)) for p in out_pointers]
            with emit.stored_values(columns) as (value, inner):
                for total, column in zip(sums, columns, strict=True):
                    product = builder.fmul(value, emit.B_vector(inner, column), flags=("contract",))
                    builder.store(builder.fadd(builder.load(total), product, flags=("contract",)), total)
            for total, pointer in zip(sums, out_pointers, strict=True):
                emit.store(builder.load(total), pointer)
            return context.get_dummy_value()

        return signature, codegen

    return strip


class _Emitter:
    """The LLVM idioms of a strip."""

    int32 = ir.IntType(32)
    int64 = ir.IntType(64)
    double = ir.DoubleType()
    doubles = ir.VectorType(ir.DoubleType(), LANES)

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        data, indices, self.start, self.stop, B, self.first, self.last, out, self.row = args
        data_type, indices_type, _, _, B_type, _, _, out_type, _ = signature.args
        self.builder = builder
        self.data = context.make_array(data_type)(context, builder, data)
        self.indices = context.make_array(indices_type)(context, builder, indices)
        self.B = context.make_array(B_type)(context, builder, B)
        self.out = context.make_array(out_type)(context, builder, out)
        self.B_type = context.get_value_type(B_type.dtype)

    def columns(self, n_vectors: int) -> list[Any]:
        """Return the first topic of each vector: LANES apart, the last one at ``last``."""
        steps = range(n_vectors - 1)
        return [self.builder.add(self.first, ir.Constant(self.int64, LANES * i)) for i in steps] + [self.last]

    def _vector_pointer(self, array: Any, row: Any, column: Any, element: Any) -> Any:
        width = self.builder.extract_value(array.shape, 1)
        offset = self.builder.add(self.builder.mul(row, width), column)
        return self.builder.bitcast(self.builder.gep(array.data, [offset]), ir.VectorType(element, LANES).as_pointer())

    def out_vector(self, column: Any) -> Any:
        return self._vector_pointer(self.out, self.row, column, self.double)

    def B_vector(self, inner: Any, column: Any) -> Any:
        vector = self.load(self._vector_pointer(self.B, inner, column, self.B_type), self.B_type)
        return self._as_double(vector, self.doubles)

    def load(self, pointer: Any, element: Any) -> Any:
        return self.builder.load(pointer, align=4 if element == ir.FloatType() else 8)

    def store(self, value: Any, pointer: Any) -> None:
        self.builder.store(value, pointer, align=8)

    def _as_double(self, value: Any, target: Any) -> Any:
        return value if value.type == target else self.builder.fpext(value, target)

    @contextmanager
    def stored_values(self, columns: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Loop over the stored values; yield each one on all lanes, and its row of B."""
        step = ir.Constant(self.int64, 1)
        with cgutils.for_range_slice(self.builder, self.start, self.stop, step) as (position, _):
            self._prefetch(position, columns)
            yield self.value_at(position), self.inner_at(position)

    def _prefetch(self, position: Any, columns: list[Any]) -> None:
        """Prefetch the row of B that is needed AHEAD stored values later, on every cache line of the strip."""
        ahead = self.builder.add(position, ir.Constant(self.int64, AHEAD))
        inside = self.builder.icmp_signed("<", ahead, self.builder.extract_value(self.indices.shape, 0))
        inner = self.inner_at(self.builder.select(inside, ahead, position))
        byte_pointer = ir.IntType(8).as_pointer()
        signature = ir.FunctionType(ir.VoidType(), [byte_pointer, self.int32, self.int32, self.int32])
        prefetch = cgutils.get_or_insert_function(self.builder.module, signature, "llvm.prefetch.p0")
        read, keep, as_data = (ir.Constant(self.int32, flag) for flag in (0, 3, 1))
        vectors_per_line = CACHE_LINE_FLOATS // LANES
        for column in [*columns[:-1:vectors_per_line], columns[-1]]:
            pointer = self.builder.bitcast(self._vector_pointer(self.B, inner, column, self.B_type), byte_pointer)
            self.builder.call(prefetch, [pointer, read, keep, as_data])

    def splat(self, scalar: Any) -> Any:
        undefined = ir.Constant(self.doubles, ir.Undefined)
        one = self.builder.insert_element(undefined, scalar, ir.Constant(self.int32, 0))
        zeros = ir.Constant(ir.VectorType(self.int32, LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, undefined, zeros)

    def value_at(self, position: Any) -> Any:
        return self.splat(self._as_double(self.builder.load(self.builder.gep(self.data.data, [position])), self.double))

    def inner_at(self, position: Any) -> Any:
        index = self.builder.load(self.builder.gep(self.indices.data, [position]))
        return index if index.type == self.int64 else self.builder.sext(index, self.int64)


def _claim(typing_context: Any, cursor: Any) -> Any:
    """Return ``cursor[0]`` and increment it atomically: no two threads get the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(cursor), codegen


claim: Any = intrinsic(_claim)

strip1, strip2, strip3, strip4, strip5, strip6, strip7, strip8 = (_strip_of(n) for n in range(1, MAX_VECTORS + 1))
