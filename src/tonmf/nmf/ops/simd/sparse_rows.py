"""A row of a sparse-dense product.

======== ===================== =========================================================
letter   shape                 what
======== ===================== =========================================================
data     (n_stored,)           values of a compressed sparse matrix
indices  (n_stored,)           their column (CSR) or row (CSC) numbers
B        (n_inner, n_topics)   dense, float32 or float64
out      (n_rows, n_topics)    dense, float64
======== ===================== =========================================================

    out[row, c] += Σ_p data[p] · B[indices[p], c]      for p in [start, stop) and all topics c

Topics are cut into strips of one to `MAX_VECTORS` vectors of `LANES` float64 sums, which stay in registers during the loop over
the stored values. The last vector of a row may overlap the one before it (it ends with the last topic); both then compute the
same sums from the same start, so writing twice does no harm. A short strip comes first, so that vectors that overlap are in the
same strip. Fewer than `LANES` topics are a strip of vectors of one lane. Sums run in the order of the stored values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from tonmf.nmf.ops.simd.emit import (
    CACHE_LINE_FLOATS,
    DOUBLE,
    INT64,
    VectorRows,
    as_int64,
    contiguous,
    converted,
    lanes_of,
    multiply_add,
    on_all_lanes,
    prefetch,
)

LANES = lanes_of(DOUBLE)
"""Topics in a vector of running sums."""

MAX_VECTORS = 8
"""Vectors in a strip: with more, a 256-bit machine runs out of registers."""

AHEAD = 16
"""How many stored values ahead a row of B is prefetched."""


def _add_sparse_row(
    typing_context: Any, data: Any, indices: Any, start: Any, stop: Any, B: Any, out: Any, row: Any
) -> Any:
    """Compute out[row] += Σ_p data[p] · B[indices[p]]  for p in [start, stop), float64 sums."""
    if not contiguous(data, indices, B, out):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = _RowProduct(context, builder, signature, args)
        with builder.if_then(builder.icmp_signed("<", product.start, product.stop)):
            product.emit()
        return context.get_dummy_value()

    return types.void(data, indices, start, stop, B, out, row), codegen


class _RowProduct:
    """Emits the code of `add_sparse_row`."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        data, indices, start, stop, _, _, row = args
        self.builder = builder
        self.data = context.make_array(signature.args[0])(context, builder, data)
        self.indices = context.make_array(signature.args[1])(context, builder, indices)
        self.B, self.out = VectorRows.of(context, builder, signature, args, (4, 5))
        self.start, self.stop, self.row = (as_int64(builder, number) for number in (start, stop, row))
        self.n_topics = self.B.width

    def emit(self) -> None:
        """Emit the strips for any number of topics."""
        few = self.builder.icmp_signed("<", self.n_topics, INT64(LANES))
        with self.builder.if_else(few) as (then, otherwise):
            with then:
                self._choose(self.n_topics, LANES, lambda n: self._strip([INT64(c) for c in range(n)], lanes=1))
            with otherwise:
                self._strips_of_vectors()

    def _strips_of_vectors(self) -> None:
        builder = self.builder
        n_vectors = builder.udiv(builder.add(self.n_topics, INT64(LANES - 1)), INT64(LANES))
        opening = builder.urem(n_vectors, INT64(MAX_VECTORS))
        self._choose(opening, MAX_VECTORS, lambda n: self._strip(self._columns(INT64(0), n), LANES))
        with cgutils.for_range_slice(builder, opening, n_vectors, INT64(MAX_VECTORS)) as (vector, _):
            self._strip(self._columns(builder.mul(vector, INT64(LANES)), MAX_VECTORS), LANES)

    def _choose(self, number: Any, end: int, emit: Callable[[int], None]) -> None:
        """Emit a switch: code for each number from 1 to `end` − 1, and nothing for others."""
        after = self.builder.append_basic_block("after")
        switch = self.builder.switch(number, after)
        for n in range(1, end):
            block = self.builder.append_basic_block(f"strip{n}")
            switch.add_case(n, block)
            self.builder.position_at_end(block)
            emit(n)
            self.builder.branch(after)
        self.builder.position_at_end(after)

    def _columns(self, first: Any, n_vectors: int) -> list[Any]:
        """Return the first topic of each vector of a strip: LANES apart, but so that none ends beyond the last topic."""
        builder = self.builder
        last = builder.sub(self.n_topics, INT64(LANES))
        end = builder.add(first, INT64(LANES * (n_vectors - 1)))
        end = builder.select(builder.icmp_signed("<", end, last), end, last)
        return [builder.add(first, INT64(LANES * i)) for i in range(n_vectors - 1)] + [end]

    def _strip(self, columns: list[Any], lanes: int) -> None:
        """Emit the loop over the stored values for some vectors of topics."""
        builder = self.builder
        start = [self.out.load(self.row, column, lanes, DOUBLE) for column in columns]
        sums = [cgutils.alloca_once_value(builder, vector) for vector in start]
        with cgutils.for_range_slice(builder, self.start, self.stop, INT64(1)) as (position, _):
            self._prefetch(position, columns, lanes)
            value = converted(builder, builder.load(builder.gep(self.data.data, [position])), DOUBLE)
            factor, inner = on_all_lanes(builder, value, lanes), self._inner_at(position)
            for total, column in zip(sums, columns, strict=True):
                row = self.B.load(inner, column, lanes, DOUBLE)
                builder.store(multiply_add(builder, factor, row, builder.load(total)), total)
        for total, column in zip(sums, columns, strict=True):
            self.out.store(builder.load(total), self.row, column)

    def _prefetch(self, position: Any, columns: list[Any], lanes: int) -> None:
        """Prefetch the row of B that is needed AHEAD stored values later, on every cache line of the strip."""
        builder = self.builder
        ahead = builder.add(position, INT64(AHEAD))
        inside = builder.icmp_signed("<", ahead, builder.extract_value(self.indices.shape, 0))
        inner = self._inner_at(builder.select(inside, ahead, position))
        for column in [*columns[: -1 : CACHE_LINE_FLOATS // lanes], columns[-1]]:
            prefetch(builder, self.B.pointer(inner, column, lanes))

    def _inner_at(self, position: Any) -> Any:
        return as_int64(self.builder, self.builder.load(self.builder.gep(self.indices.data, [position])))


def _prefetch_row(typing_context: Any, B: Any, row: Any) -> Any:
    """Prefetch B[row]."""
    if not contiguous(B):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (B,), row = VectorRows.of(context, builder, signature, args, (0,)), as_int64(builder, args[1])
        with cgutils.for_range_slice(builder, INT64(0), B.width, INT64(CACHE_LINE_FLOATS)) as (column, _):
            prefetch(builder, B.pointer(row, column, 1))
        return context.get_dummy_value()

    return types.void(B, row), codegen


add_sparse_row: Any = intrinsic(_add_sparse_row)
prefetch_row: Any = intrinsic(_prefetch_row)
