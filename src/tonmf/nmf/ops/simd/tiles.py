"""Tiles: some rows of a factor, transposed so that they lie along the SIMD lanes.

A row of a tile has as many numbers as fit into `TILE_BYTES`. Sums over rows of a tile then stay in registers, and loops over
lanes have neither branches nor numbers left over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from tonmf.nmf.ops.simd.emit import (
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    TILE_VECTORS,
    VectorRows,
    as_int64,
    contiguous,
    converted,
    lanes_of,
    multiply_add,
    on_all_lanes,
    shuffled,
)

BLOCK = 4
"""Rows and columns that are transposed together, and running sums of a sum over terms."""


def _copy_transposed(
    typing_context: Any,
    source: Any,
    first: Any,
    n_rows: Any,
    n_columns: Any,
    scale: Any,
    target: Any,
    target_first: Any,
) -> Any:
    """Compute target[target_first + c, r] = scale · source[first + r, c]  for r < n_rows and c < n_columns.

    This is done `BLOCK` × `BLOCK` numbers at a time; blocks at the end overlap those before them.
    """
    if not contiguous(source, target):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, target = VectorRows.of(context, builder, signature, args, (0, 5))
        first, n_rows, n_columns, target_first = (as_int64(builder, args[i]) for i in (1, 2, 3, 6))
        copy = _TransposedCopy(source, first, args[4], target, target_first)
        small = builder.icmp_signed("<", n_rows, INT64(BLOCK))
        narrow = builder.icmp_signed("<", n_columns, INT64(BLOCK))
        with builder.if_else(builder.or_(small, narrow)) as (then, otherwise):
            with then:
                copy.emit(n_rows, n_columns, size=1)
            with otherwise:
                copy.emit(n_rows, n_columns, size=BLOCK)
        return context.get_dummy_value()

    return types.void(source, first, n_rows, n_columns, types.float64, target, target_first), codegen


class _TransposedCopy:
    """Emits the code of `copy_transposed`."""

    def __init__(self, source: VectorRows, first: Any, scale: Any, target: VectorRows, target_first: Any) -> None:
        self.builder, self.source, self.target = source.builder, source, target
        self.first, self.target_first = first, target_first
        self.scale = converted(self.builder, scale, source.element)

    def emit(self, n_rows: Any, n_columns: Any, size: int) -> None:
        """Emit the loops over square blocks."""
        with self._each(n_rows, size) as row, self._each(n_columns, size) as column:
            self._copy(row, column, size)

    @contextmanager
    def _each(self, end: Any, step: int) -> Iterator[Any]:
        """Loop in steps, the last of which may overlap the one before it."""
        builder, last = self.builder, self.builder.sub(end, INT64(step))
        with cgutils.for_range_slice(builder, INT64(0), end, INT64(step)) as (place, _):
            yield builder.select(builder.icmp_signed("<", place, last), place, last)

    def _copy(self, row: Any, column: Any, size: int) -> None:
        builder, scale = self.builder, on_all_lanes(self.builder, self.scale, size)
        source_row, target_row = builder.add(self.first, row), builder.add(self.target_first, column)
        target_type = ir.VectorType(self.target.element, size)
        rows = []
        for r in range(size):
            vector = self.source.load(builder.add(source_row, INT64(r)), column, size, self.source.element)
            rows.append(converted(builder, builder.fmul(vector, scale), target_type))
        for c, vector in enumerate(self._transposed(rows)):
            self.target.store(vector, builder.add(target_row, INT64(c)), row)

    def _transposed(self, rows: list[Any]) -> list[Any]:
        if len(rows) == 1:
            return rows
        builder, (a, b, c, d) = self.builder, rows
        pairs = ((0, 4, 1, 5), (2, 6, 3, 7))
        halves = [(shuffled(builder, a, b, lanes), shuffled(builder, c, d, lanes)) for lanes in pairs]
        return [shuffled(builder, *half, lanes) for half in halves for lanes in ((0, 1, 4, 5), (2, 3, 6, 7))]


def _add_weighted_rows(
    typing_context: Any, tile: Any, first: Any, coefficients: Any, row: Any, scale: Any, out: Any
) -> Any:
    """Compute out[t] += scale · Σ_s coefficients[row, s] tile[first + s, t], where `out` has `TILE_BYTES`."""
    if not contiguous(tile, coefficients, out):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tile, coefficients, out = VectorRows.of(context, builder, signature, args, (0, 2, 5))
        first, row = as_int64(builder, args[1]), as_int64(builder, args[3])
        start = out.tile_row(INT64(0), out.element)
        for v, total in enumerate(_weighted_sums(tile, first, coefficients, row, args[4], start)):
            out.store(total, INT64(0), INT64(lanes_of(out.element) * v))
        return context.get_dummy_value()

    return types.void(tile, first, coefficients, row, types.float64, out), codegen


def _add_pulls(
    typing_context: Any,
    tile: Any,
    first: Any,
    theta: Any,
    counts: Any,
    row: Any,
    terms: Any,
    first_term: Any,
    n_terms: Any,
    out: Any,
) -> Any:
    """Compute out[k] += Σ_t terms[first_term + t, k] counts[row, t] / s_t  with  s_t = Σ_k theta[0, k] tile[first + k, t].

    The tile and `terms` hold the same numbers, along the lanes of which there are terms in one and topics in the other: neither
    sum then has to be taken across lanes. All are float32; a row of the tile has as many numbers as one of float64, and one of
    `terms` and `out` is filled up to whole vectors. After the last term, `terms` has `BLOCK` − 1 more rows at least.
    """
    arrays = (tile, theta, counts, terms, out)
    if not contiguous(*arrays) or any(array.dtype != types.float32 for array in arrays):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tile, theta, counts, terms, out = VectorRows.of(context, builder, signature, args, (0, 2, 3, 5, 8))
        first, row, first_term, n_terms = (as_int64(builder, args[i]) for i in (1, 4, 6, 7))
        lanes = lanes_of(FLOAT)
        n_vectors = TILE_VECTORS * lanes_of(DOUBLE) // lanes
        zeros = on_all_lanes(builder, FLOAT(0.0), lanes)
        sums = _weighted_sums(tile, first, theta, INT64(0), FLOAT(1.0), [zeros] * n_vectors)
        pulls = cgutils.alloca_once(builder, ir.ArrayType(zeros.type, n_vectors))
        for v, (words, total) in enumerate(zip(counts.tile_row(row, FLOAT, n_vectors), sums, strict=True)):
            builder.store(builder.fdiv(words, total), builder.gep(pulls, [INT32(0), INT32(v)]), align=4)
        pull_of = builder.bitcast(pulls, FLOAT.as_pointer())
        with cgutils.for_range_slice(builder, INT64(0), out.width, INT64(lanes)) as (column, _):
            parts = [cgutils.alloca_once(builder, zeros.type) for _ in range(BLOCK)]
            for part in parts:
                builder.store(zeros, part)
            with cgutils.for_range_slice(builder, INT64(0), n_terms, INT64(BLOCK)) as (block, _):
                for i, part in enumerate(parts):
                    term = builder.add(block, INT64(i))
                    pull = on_all_lanes(builder, builder.load(builder.gep(pull_of, [term])), lanes)
                    vector = terms.load(builder.add(first_term, term), column, lanes, FLOAT)
                    builder.store(multiply_add(builder, pull, vector, builder.load(part)), part)
            a, b, c, d = (builder.load(part) for part in parts)
            total = builder.fadd(builder.fadd(a, b), builder.fadd(c, d))
            out.store(builder.fadd(out.load(INT64(0), column, lanes, FLOAT), total), INT64(0), column)
        return context.get_dummy_value()

    return types.void(tile, first, theta, counts, row, terms, first_term, n_terms, out), codegen


def _weighted_sums(
    tile: VectorRows, first: Any, coefficients: VectorRows, row: Any, scale: Any, start: list[Any]
) -> list[Any]:
    """Emit a loop that adds rows of a tile, weighted by a row of coefficients, to vectors; return the sums."""
    builder, element = tile.builder, start[0].type.element
    sums = [cgutils.alloca_once_value(builder, vector) for vector in start]
    scale = converted(builder, scale, element)
    with cgutils.for_range(builder, coefficients.width) as loop:
        weight = builder.fmul(coefficients.number(row, loop.index, element), scale)
        weights = on_all_lanes(builder, weight, lanes_of(element))
        vectors = tile.tile_row(builder.add(first, loop.index), element, len(start))
        for total, vector in zip(sums, vectors, strict=True):
            builder.store(multiply_add(builder, weights, vector, builder.load(total)), total)
    return [builder.load(total) for total in sums]


copy_transposed: Any = intrinsic(_copy_transposed)
add_weighted_rows: Any = intrinsic(_add_weighted_rows)
add_pulls: Any = intrinsic(_add_pulls)
