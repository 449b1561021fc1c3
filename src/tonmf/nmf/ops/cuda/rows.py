"""Documents on the GPU, compressed by rows and by terms.

====== =================== ==================================================================
letter shape               what
====== =================== ==================================================================
X      n_docs × n_terms    a block of documents
====== =================== ==================================================================

Blocks stay on the GPU as long as a share of its memory is free. Those that come after are copied each time they are needed:
while one is worked on, a thread of its own copies the next.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.errors import DeviceError, Param
from tonmf.nmf.ops.cuda.transfer import Uploader
from tonmf.nmf.ops.cuda.variants import WARP, Variant, kernel
from tonmf.nmf.ops.two_way import TwoWayMatrix

KEPT_FREE = 0.2
"""Share of the GPU's memory that blocks leave free for everything else: topics, sums, and what a step needs for a while."""

PIECE = 1024
"""Stored values of a term that one warp adds up."""

STRETCH = 2**16
"""Documents whose topics fit into the cache of the GPU, for up to a hundred topics or so."""

WORTH_CUTTING = 16
"""Stored values in each stretch of documents from which on a term is cut there."""

THREADS = 256
"""Threads of a block of the grid in simple kernels."""

WARPS = 8
"""Warps of a block of the grid."""

WARPS_OF_PRODUCTS = 2
"""Warps of a block where rows are of different lengths: a block ends with its longest row."""

BLOCKS_PER_MULTIPROCESSOR = 16
"""Blocks with something in shared memory, for each multiprocessor, which holds a few of them at a time."""

ALWAYS_SHARED = 48 * 1024
"""Bytes of shared memory that a kernel gets without asking."""

BYTES_OF_INDEX = 4
"""Bytes on the GPU of the term or the document of a stored value."""


@dataclass(frozen=True)
class ByRow:
    """Rows: row i is [indptr[i], indptr[i + 1]) of `indices` and `data`."""

    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, int]


@dataclass(frozen=True)
class Pieces:
    """Terms, cut into pieces of consecutive stored values that one warp adds up (`collect` in kernels.cu).

    ========= ============ ========================================================================
    field     shape        what
    ========= ============ ========================================================================
    starts    n_pieces     where pieces begin
    stops     n_pieces     where they end
    owner     n_pieces     the term of each piece
    slot      n_pieces     where the sum of the piece goes; −1 for a term with one piece
    long      n_long       the terms with several pieces
    ends      n_long + 1   where the slots of each of them begin
    n_slots   ()           slots in all
    ========= ============ ========================================================================
    """

    starts: Any
    stops: Any
    owner: Any
    slot: Any
    long: Any
    ends: Any
    n_slots: int


@dataclass(frozen=True)
class ByTerm:
    """The document and the value of each stored value, term by term and in order of documents, and the pieces of terms."""

    documents: Any
    data: Any
    pieces: Pieces


class Residence:
    """What is on one GPU: kernels' launches, copies, and which blocks stay."""

    def __init__(self, cupy: Any, device: int, n_threads: int) -> None:
        self.cupy, self.device = cupy, device
        self.upload = Uploader(cupy, n_threads)
        self.multiprocessors = cupy.cuda.Device(device).attributes["MultiProcessorCount"]
        self.lock = threading.RLock()
        self._latest: Callable[[], DeviceRows | None] = lambda: None
        self._visiting: DeviceRows | None = None
        self._ahead: tuple[DeviceRows, Future[ByRow]] | None = None
        self._copying: Any = None
        self._thread: ThreadPoolExecutor | None = None

    def launch(
        self, name: str, variant: Variant, grid: tuple[int, ...], block: tuple[int, ...], *args: Any, shared: int = 0
    ) -> None:
        """Launch a kernel on the current stream."""
        self._kernel(name, variant, shared)(grid, block, args, shared_mem=shared)

    def launch_warps(
        self, name: str, variant: Variant, n_rows: int, *args: Any, shared: int = 0, warps: int = WARPS
    ) -> None:
        """Launch a kernel that handles a row with each warp.

        Blocks of the grid run in order, a few rows each; those that first copy something into shared memory are fewer.
        """
        if n_rows:
            function = self._kernel(name, variant, shared)
            warps = min(warps, function.max_threads_per_block // WARP)
            n_blocks = -(-n_rows // warps)
            if shared:
                n_blocks = min(n_blocks, self.multiprocessors * BLOCKS_PER_MULTIPROCESSOR)
            function((n_blocks,), (warps * WARP,), args, shared_mem=shared)

    def _kernel(self, name: str, variant: Variant, shared: int) -> Any:
        function = kernel(self.cupy, name, variant, self.device)
        if shared > ALWAYS_SHARED and function.max_dynamic_shared_size_bytes < shared:
            function.max_dynamic_shared_size_bytes = shared
        return function

    def free_bytes(self) -> int:
        """Return the memory that is free, what CuPy keeps for later included."""
        return int(self.cupy.cuda.Device(self.device).mem_info[0] + self.cupy.get_default_memory_pool().free_bytes())

    def has_room_for(self, n_bytes: int) -> bool:
        """Return whether so much may stay on the GPU."""
        total = self.cupy.cuda.Device(self.device).mem_info[1]
        return bool(self.free_bytes() - n_bytes > KEPT_FREE * total)

    def follow(self, rows: DeviceRows) -> None:
        """Note that these rows were prepared after the last ones, so that they are likely to be needed after them."""
        latest = self._latest()
        if latest is not None:
            latest.next = weakref.ref(rows)
        self._latest = weakref.ref(rows)

    def visit(self, rows: DeviceRows) -> ByRow:
        """Return rows that do not stay on the GPU; they leave when others come."""
        if self._visiting is rows and rows.by_row_here is not None:
            return rows.by_row_here
        if self._visiting is not None:
            self.cupy.cuda.get_current_stream().synchronize()  # until nothing reads them any more
            self._visiting.leave()
        ahead, self._ahead = self._ahead, None
        here = ahead[1].result() if ahead is not None and ahead[0] is rows else rows.copied()
        rows.by_row_here, self._visiting = here, rows
        after = rows.next()
        if after is not None and after.stays is False:
            self._ahead = after, self._copy_ahead(after)
        return here

    def _copy_ahead(self, rows: DeviceRows) -> Future[ByRow]:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="tonmf-ahead")
            self._copying = self.cupy.cuda.Stream(non_blocking=True)

        def copy() -> ByRow:
            with self.cupy.cuda.Device(self.device), self._copying:
                here = rows.copied()
                self._copying.synchronize()
                return here

        return self._thread.submit(copy)


class DeviceRows(TwoWayMatrix):
    """`TwoWay` whose rows are copied to the GPU when they are first needed there."""

    def __init__(self, X: sp.csr_matrix, residence: Residence) -> None:
        super().__init__(X)
        self._residence = residence
        self.next: Callable[[], DeviceRows | None] = lambda: None
        self.by_row_here: ByRow | None = None
        self._by_term_here: ByTerm | None = None
        self.stays: bool | None = None
        residence.follow(self)

    def rows(self) -> ByRow:
        """Return the rows on the GPU."""
        with self._residence.lock:
            if self.by_row_here is not None:
                return self.by_row_here
            if self.stays is None:
                self.stays = self._residence.has_room_for(2 * self.bytes_by_row)  # by rows and by terms
            if not self.stays:
                return self._residence.visit(self)
            self.by_row_here = self.copied()
            return self.by_row_here

    def terms(self) -> ByTerm:
        """Return the rows by terms on the GPU."""
        rows = self.rows()
        with self._residence.lock:
            if self._by_term_here is None:
                self._by_term_here = by_term(self._residence, rows)
            return self._by_term_here

    @property
    def bytes_by_row(self) -> int:
        """Return what the stored values take on the GPU, by rows."""
        return int(self.by_row.nnz) * (BYTES_OF_INDEX + int(self.by_row.dtype.itemsize))

    def leave(self) -> None:
        """Free the memory on the GPU."""
        self.by_row_here = self._by_term_here = None

    def copied(self) -> ByRow:
        """Return a new copy on the GPU."""
        X, residence = self.by_row, self._residence
        try:
            upload = residence.upload
            return ByRow(upload(X.indptr, np.int64), upload(X.indices, np.int32), upload(X.data), X.shape)
        except residence.cupy.cuda.memory.OutOfMemoryError as error:
            raise out_of_memory(residence, self.bytes_by_row) from error


def out_of_memory(residence: Residence, needed: int) -> DeviceError:
    """Return the error for a block that does not fit."""
    return DeviceError(
        f"The GPU is out of memory: a block of documents needs about {needed / 1e9:.2f} GB more, and "
        f"{residence.free_bytes() / 1e9:.2f} GB are free. Fit in smaller blocks (",
        Param("block_size"),
        "), with fewer topics, or end what else uses the GPU.",
    )


def by_term(residence: Residence, rows: ByRow) -> ByTerm:
    """Return rows compressed by terms; the documents of a term are in order."""
    cp = residence.cupy
    n_docs, n_terms = rows.shape
    documents = cp.empty(len(rows.indices), np.int32)
    residence.launch_warps("row_numbers", Variant.of(1, np.float32), n_docs, rows.indptr, documents, np.int64(n_docs))
    order = cp.argsort(rows.indices, kind="stable")
    documents, data = documents[order], rows.data[order]
    del order
    indptr = cp.zeros(n_terms + 1, np.int64)
    if len(rows.indices):
        cp.cumsum(cp.bincount(rows.indices, minlength=n_terms), out=indptr[1:])
    return ByTerm(documents, data, _cut(residence, indptr, documents, n_docs))


def _cut(residence: Residence, indptr: Any, documents: Any, n_docs: int) -> Pieces:
    """Cut terms at stretches of documents whose topics stay in the cache while all terms read them.

    Terms with few documents in a stretch are not worth it.
    """
    cp = residence.cupy
    n_stretches = -(-n_docs // STRETCH)
    frequent = cp.diff(indptr) >= WORTH_CUTTING * n_stretches
    if n_stretches == 1:
        frequent[:] = False
    terms, rare = (cp.flatnonzero(chosen).astype(np.int32) for chosen in (frequent, ~frequent))
    inside = cp.empty((n_stretches + 1, len(terms)), np.int64)
    if len(terms):
        arguments = indptr, documents, terms, np.int32(len(terms)), np.int64(STRETCH), np.int32(n_stretches + 1), inside
        n_blocks = -(-inside.size // THREADS)
        residence.launch("boundaries", Variant.of(1, np.float32), (n_blocks,), (THREADS,), *arguments)
    starts = cp.concatenate([inside[:-1].ravel(), indptr[rare]])
    stops = cp.concatenate([inside[1:].ravel(), indptr[rare + 1]])
    return pieces(starts, stops, cp.concatenate([cp.tile(terms, n_stretches), rare]), len(indptr) - 1)


def pieces(starts: Any, stops: Any, owner: Any, n_terms: int) -> Pieces:
    """Cut runs of stored values, each of one term, into pieces of at most `PIECE`; runs stay in order.

    >>> cut = pieces(np.array([0, 2, 2]), np.array([2, 2, 2500]), np.array([0, 1, 2]), 3)
    >>> cut.starts.tolist(), cut.stops.tolist(), cut.owner.tolist()
    ([0, 2, 1026, 2050], [2, 1026, 2050, 2500], [0, 2, 2, 2])
    >>> cut.slot.tolist(), cut.long.tolist(), cut.ends.tolist()
    ([-1, 0, 1, 2], [2], [0, 3])
    """
    n_pieces = -(-(stops - starts) // PIECE)
    last = np.cumsum(n_pieces)
    number = np.arange(int(last[-1]), like=starts)
    run = np.searchsorted(last, number, side="right")
    begin = starts[run] + (number - (last - n_pieces)[run]) * PIECE
    owner = owner[run]
    of_term = np.bincount(owner, minlength=n_terms)
    several = of_term[owner] > 1
    long = np.flatnonzero(of_term > 1)
    ends = np.zeros_like(of_term, shape=(len(long) + 1,))
    ends[1:] = np.cumsum(of_term[long])
    slot = np.full_like(number, -1)
    by_owner = np.flatnonzero(several)
    by_owner = by_owner[np.argsort(owner[by_owner], kind="stable")]
    slot[by_owner] = np.arange(len(by_owner), like=starts)
    end = np.minimum(begin + PIECE, stops[run])
    return Pieces(begin, end, owner.astype(np.int32), slot, long.astype(np.int32), ends, len(by_owner))
