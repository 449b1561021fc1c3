"""What numba lacks, as intrinsics: functions for kernels that are written in the compiler's own language.

=============== =================================================================================
module          what
=============== =================================================================================
`sparse_rows`   a row of a sparse-dense product, prefetching
`tiles`         tiles of a factor: transposing, weighted sums of rows, a step of EM
`counter`       an atomic counter
`emit`          the idioms that these share
=============== =================================================================================

Why by hand: from nested loops over rows of different lengths, the compiler keeps running sums in memory, checks for overlap at
every step, and vectorises what is left over one number at a time. And numba counts references to the arrays that a function
takes, with atomic operations that threads wait for, even where the function is inlined; an intrinsic takes arrays without that.

numba does not know that the code of kernels depends on this package. So `tonmf.nmf.ops.kernels` states its digest.
"""

from tonmf.nmf.ops.simd.counter import claim
from tonmf.nmf.ops.simd.emit import TILE_BYTES
from tonmf.nmf.ops.simd.sparse_rows import AHEAD, add_sparse_row, prefetch_row
from tonmf.nmf.ops.simd.tiles import add_pulls, add_weighted_rows, copy_transposed

__all__ = [
    "AHEAD",
    "TILE_BYTES",
    "add_pulls",
    "add_sparse_row",
    "add_weighted_rows",
    "claim",
    "copy_transposed",
    "prefetch_row",
]
