"""`CudaOps`: the operations on a GPU.

Operations that fits repeat run on the GPU, whether their arguments are there or not; the others run on the CPU, as in
`tonmf.nmf.ops.compiled`. See `tonmf.nmf.ops` for letters and shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.ops import SAME_ROW, A
from tonmf.nmf.ops.compiled import CompiledOps
from tonmf.nmf.ops.cuda.device import number_of, open_device
from tonmf.nmf.ops.cuda.rows import (
    WARPS,
    WARPS_OF_PRODUCTS,
    ByRow,
    ByTerm,
    DeviceRows,
    Residence,
    by_term,
    out_of_memory,
)
from tonmf.nmf.ops.cuda.variants import LOAD, WARP, Variant, stride_of
from tonmf.nmf.ops.two_way import TwoWay

SHARED = 160 * 1024
"""Bytes of a Gram matrix up to which every block of the grid keeps a copy in shared memory."""

TILE = 64
"""Rows and columns of the tile of a Gram matrix that a block of the grid sums up."""

RUNS, ROWS_PER_RUN = 2048, 256
"""Blocks of the grid that a sum over rows is cut into at most, and the fewest rows of each; sums are rounded accordingly."""

SLOTS, MIXING_WARPS = 4, 4
"""Tiles of 32 terms that a warp keeps in shared memory while it finds a mixture, and the warps of a block that do so."""

DOCUMENTS_AT_A_TIME = 2**20
"""Documents that are solved to convergence together."""

FITS_AT_A_TIME = 2
"""Fits that run side by side: while one prepares its next kernels, those of the other run. More would only take memory."""

SHARE_OF_WORK = 1 / 64
"""Share of the GPU's memory for one float64 array of n_docs × n_topics, which sets the default block size."""


class CudaOps(CompiledOps):
    """`tonmf.nmf.ops.Ops` on a GPU.

    Parameters
    ----------
    device : str
        "cuda", or "cuda:1" and so on.
    n_threads : int
        Threads for what runs on the CPU.
    """

    rows_at_a_time = DOCUMENTS_AT_A_TIME
    fits_at_a_time: int | None = FITS_AT_A_TIME

    def __init__(self, device: str, n_threads: int) -> None:
        super().__init__(n_threads)
        self._name, self._cupy = device, open_device(device)
        self._device = self._cupy.cuda.Device(number_of(device))
        self._device.use()
        self._residence = Residence(self._cupy, self._device.id, n_threads)
        self.bytes_of_work = int(self._device.mem_info[1] * SHARE_OF_WORK)

    def __reduce__(self) -> Any:
        return type(self), (self._name, self.n_threads)

    # ------------------------------------------------------------------ where arrays are

    def place(self, array: A) -> A:
        there: A = array if self._is_here(array) else self._guarded(self._residence.upload, np.asarray(array))
        return there

    def fetch(self, array: A) -> A:
        numbers: A = self._cupy.asnumpy(array)
        return numbers

    def zeros(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
        return self._guarded(self._cupy.zeros, shape, dtype)

    def prepare(self, X: sp.csr_matrix) -> DeviceRows:
        return DeviceRows(X, self._residence)

    def _is_here(self, array: Any) -> bool:
        return isinstance(array, self._cupy.ndarray)

    def _guarded(self, function: Any, *args: Any) -> Any:
        """Call a function that takes memory on the GPU; if there is none left, say so."""
        self._device.use()
        try:
            return function(*args)
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            needed = args[0].nbytes if hasattr(args[0], "nbytes") else 8 * int(np.prod(args[0]))
            raise out_of_memory(self._residence, needed) from error

    def _here(self, array: Any, dtype: Any = None) -> Any:
        """Return an array on the GPU, contiguous."""
        self._device.use()
        return self._cupy.ascontiguousarray(self.place(array), dtype)

    def _like(self, result: Any, argument: Any) -> Any:
        """Return a result where an argument is."""
        return result if self._is_here(argument) else self.fetch(result)

    def _rows(self, X: TwoWay) -> ByRow:
        self._device.use()
        return (X if isinstance(X, DeviceRows) else DeviceRows(X.by_row, self._residence)).rows()

    def _terms(self, X: TwoWay) -> ByTerm:
        self._device.use()
        return X.terms() if isinstance(X, DeviceRows) else by_term(self._residence, self._rows(X))

    def _padded(self, factor: Any) -> Any:
        """Return a factor with columns filled up to whole loads."""
        n_rows, n_topics = factor.shape
        stride = stride_of(n_topics, factor.dtype)
        if stride == n_topics and factor.data.ptr % LOAD == 0:
            return factor
        wide = self._cupy.zeros((n_rows, stride), factor.dtype)
        wide[:, :n_topics] = factor
        return wide

    # ------------------------------------------------------------------ sparse products

    def project(self, X: TwoWay, W: Array) -> Any:
        rows, n_topics = self._rows(X), W.shape[1]
        B = self._padded(self._here(W, rows.data.dtype))
        out = self._cupy.empty((rows.shape[0], n_topics))
        self._residence.launch_warps(
            "project",
            Variant.of(n_topics, rows.data.dtype),
            rows.shape[0],
            *(rows.indptr, rows.indices, rows.data, B, np.int32(B.shape[1])),
            *(out, np.int32(n_topics), np.int64(rows.shape[0])),
            warps=WARPS_OF_PRODUCTS,
        )
        return self._like(out, W)

    def collect(self, X: TwoWay, F: Array, out: Array) -> None:
        terms, n_topics = self._terms(X), F.shape[1]
        B, sums = self._padded(self._here(F, terms.data.dtype)), self._here(out)
        variant, cut = Variant.of(n_topics, terms.data.dtype), terms.pieces
        n_pieces, parts = len(cut.owner), self._cupy.empty((cut.n_slots, n_topics))
        self._residence.launch_warps(
            "collect",
            variant,
            n_pieces,
            *(cut.starts, cut.stops, cut.owner, cut.slot, terms.documents, terms.data, B, np.int32(B.shape[1])),
            *(sums, parts, np.int32(n_topics), np.int64(n_pieces)),
            warps=WARPS_OF_PRODUCTS,
        )
        if len(cut.long):
            arguments = cut.long, cut.ends, parts, sums, np.int32(n_topics)
            self._residence.launch("add_parts", variant, (len(cut.long),), (WARPS * WARP,), *arguments)
        if sums is not out:
            out[...] = self.fetch(sums)

    # ------------------------------------------------------------------ rows of a factor

    def hals(self, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
        largest = float(gram.diagonal().max())
        scale = 1 / largest if largest > 0 else 1.0  # else entries may be too large or too small for float32
        self._descend("hals", F, rhs, (np.float64(scale),), (gram * scale).astype(F.dtype), n_sweeps)

    def greedy(self, F: Array, rhs: Array, gram: Array, n_updates: int) -> None:
        self._descend("greedy", F, rhs, (), gram.astype(np.float64), n_updates)

    def _descend(self, name: str, F: Array, rhs: Array, before: tuple[Any, ...], gram: Array, n_times: int) -> None:
        here = self._here(F)
        self._by_row(name, here, (here, self._here(rhs), *before), gram, (), (np.int32(n_times),))
        if here is not F:
            F[...] = here if self._is_here(F) else self.fetch(here)

    def quadratic(self, F: Array, rhs: Array, gram: Array) -> Any:
        here, out = self._here(F), self._cupy.empty(len(F))
        self._by_row("quadratic", here, (here, self._here(rhs)), gram.astype(np.float64), (out,), ())
        return self._like(out, F)

    def _by_row(
        self, name: str, F: Any, before: tuple[Any, ...], gram: Array, between: tuple[Any, ...], after: tuple[Any, ...]
    ) -> None:
        """Launch a kernel for each row of a factor and a Gram matrix, which each block of the grid keeps at hand if it can."""
        n_rows, n_topics = F.shape
        variant = Variant.of(n_topics, F.dtype)
        padded = np.zeros((variant.cols * WARP,) * 2, gram.dtype)
        padded[:n_topics, :n_topics] = gram
        is_shared = padded.nbytes <= SHARED
        self._residence.launch_warps(
            name,
            variant,
            n_rows,
            *(*before, self._here(padded), *between, np.int32(n_topics), np.int64(n_rows), *after, np.int32(is_shared)),
            shared=padded.nbytes if is_shared else 0,
            warps=_warps_beside(padded),
        )

    def gram(self, A: Array, weight: Array, B: Array) -> Array:
        n_rows, n_a, n_b = len(A), A.shape[1], B.shape[1]
        tiles = -(-n_a // TILE) * -(-n_b // TILE)
        n_runs, rows_per_run = _runs(n_rows, tiles)
        parts = self._cupy.zeros((n_runs, n_a, n_b))
        if n_rows:
            factors = self._here(A), np.int32(n_a), self._here(weight, np.float64), self._here(B), np.int32(n_b)
            arguments = *factors, parts, np.int64(n_rows), np.int64(rows_per_run)
            self._residence.launch(
                "partial_grams", Variant.of(max(n_a, n_b), A.dtype), (n_runs, tiles), (WARPS * WARP,), *arguments
            )
        return self.fetch(parts.sum(axis=0))

    def column_sums(self, weight: Array, F: Array) -> Array:
        n_rows, n_topics = F.shape
        n_runs, rows_per_run = _runs(n_rows, 1)
        parts, n_side = self._cupy.zeros((n_runs, n_topics)), WARPS
        if n_rows:
            factors = self._here(F), self._here(weight, np.float64)
            arguments = *factors, parts, np.int32(n_topics), np.int64(n_rows), np.int64(rows_per_run)
            variant = Variant.of(n_topics, F.dtype)
            shared = n_side * n_topics * 8
            self._residence.launch("partial_sums", variant, (n_runs,), (WARP, n_side), *arguments, shared=shared)
        return self.fetch(parts.sum(axis=0))

    def squared_norms(self, X: TwoWay) -> Any:
        rows = self._rows(X)
        out = self._cupy.empty(rows.shape[0])
        self._over_rows("squared_norms", 1, rows, rows.data, out)
        return out

    def _over_rows(self, name: str, n_topics: int, rows: ByRow, *args: Any) -> None:
        """Launch a kernel for each row of documents, with its pointers first and the number of rows last."""
        variant, n_rows = Variant.of(n_topics, rows.data.dtype), rows.shape[0]
        self._residence.launch_warps(name, variant, n_rows, rows.indptr, *args, np.int64(n_rows))

    # ------------------------------------------------------------------ documents beside others, and as words

    def nearest(self, X: TwoWay, others: TwoWay, n_nearest: int) -> Array:
        if not self._fits(others):
            return super().nearest(X, others, n_nearest)
        return self._products(X, others, np.uint64(0), n_nearest)

    def strongest(self, X: TwoWay, others: TwoWay, weights: Array, n_largest: int) -> Array:
        if not self._fits(others):
            return super().strongest(X, others, weights, n_largest)
        return self._products(X, others, self._here(weights, np.float64), n_largest)

    def _fits(self, others: TwoWay) -> bool:
        """Return whether the products of a row with all others fit into shared memory."""
        n_others, itemsize = others.by_row.shape[0], others.by_row.dtype.itemsize
        return 0 < int(n_others) * int(itemsize) <= SHARED

    def _products(self, X: TwoWay, others: TwoWay, weights: Any, n_largest: int) -> Array:
        rows, columns = self._rows(X), others.by_column
        dtype, n_rows, n_others = rows.data.dtype, rows.shape[0], columns.shape[0]
        out, of_a_row = self._cupy.empty(n_rows), n_others * dtype.itemsize
        warps = max(min(WARPS, SHARED // of_a_row), 1)
        self._residence.launch_warps(
            "nearest",
            Variant.of(1, dtype),
            n_rows,
            *(rows.indptr, rows.indices, rows.data, self._here(columns.indptr, np.int64)),
            *(self._here(columns.indices, np.int32), self._here(columns.data, dtype), np.int32(n_others), weights),
            *(np.int32(n_largest), np.float64(SAME_ROW), out, np.int64(n_rows)),
            shared=warps * of_a_row,
            warps=warps,
        )
        products: Array = self.fetch(out)
        return products

    def smallest(self, X: TwoWay, values: NDArray[np.uint32]) -> NDArray[np.uint32]:
        rows, n_columns = self._rows(X), values.shape[1]
        out = self._cupy.empty((rows.shape[0], n_columns), np.uint32)
        self._over_rows("smallest", 1, rows, rows.indices, self._here(values), np.int32(n_columns), out)
        least: NDArray[np.uint32] = self.fetch(out)
        return least

    def mixtures(self, X: TwoWay, ratios: Array, prior: Array, n_steps: int) -> tuple[Any, Any]:
        rows, n_topics = self._rows(X), ratios.shape[1]
        variant, n_rows = Variant.of(n_topics + 1, rows.data.dtype), rows.shape[0]
        theta, lift = self._cupy.empty((n_rows, n_topics + 1)), self._cupy.empty(n_rows)
        stride = variant.cols * WARP
        beside, of_a_tile = 4 * (stride + WARP), 4 * WARP * (stride + 2)
        n_slots = max(min(SLOTS, (SHARED // MIXING_WARPS - beside) // of_a_tile), 1)
        self._residence.launch_warps(
            "mixtures",
            variant,
            n_rows,
            *(rows.indptr, rows.indices, rows.data, self._here(ratios, np.float32), self._here(prior, np.float64)),
            *(np.int32(n_topics), np.int32(n_steps), theta, lift, np.int64(n_rows), np.int32(n_slots)),
            shared=MIXING_WARPS * (beside + n_slots * of_a_tile),
            warps=MIXING_WARPS,
        )
        return self._like(theta, ratios), self._like(lift, ratios)

    def mixed(self, X: TwoWay, ratios: Array, theta: Array) -> Array:
        rows, n_topics = self._rows(X), ratios.shape[1]
        out = self._cupy.empty(len(rows.indices))
        factors = self._here(ratios, np.float32), self._here(theta, np.float64)
        self._over_rows("mixed", 1, rows, rows.indices, *factors, np.int32(n_topics), out)
        sums: Array = self._like(out, theta)
        return sums


def _warps_beside(gram: Array) -> int:
    """Return the warps of a block that shares a copy of a Gram matrix: the larger it is, the fewer blocks have room for one."""
    return 4 * WARPS if gram.nbytes > SHARED // 5 else WARPS


def _runs(n_rows: int, tiles: int) -> tuple[int, int]:
    """Return the number of runs of rows, and the rows in each, for blocks of the grid that sum up one tile of a run.

    >>> _runs(1000, 1), _runs(10**6, 1), _runs(0, 1)
    ((4, 256), (2045, 489), (1, 256))
    """
    rows_per_run = max(ROWS_PER_RUN, -(-n_rows * tiles // RUNS))
    return max(-(-n_rows // rows_per_run), 1), rows_per_run
