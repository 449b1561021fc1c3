"""The inner step: non-negative least squares for one factor, from a right-hand side and a Gram matrix.

====== ====================== ==========================================================
letter shape                  what
====== ====================== ==========================================================
F      n_rows × n_topics      the factor, updated in place: H (documents) or W (terms)
rhs    n_rows × n_topics      XW for H, Xᵀ(ω∘H) for W; the ℓ1 weight already subtracted
gram   n_topics × n_topics    WᵀW for H, Hᵀ(ω∘H) for W
====== ====================== ==========================================================

Each method lowers  ½ f gram fᵀ − rhs·f + l1·f  over f ≥ 0, row by row, and never sees X. They are the three partitions of
the paper's section 3.1:

``hals``
    2k vector blocks: one topic after the other, all rows at once.
``scalar``
    k(n + m) scalar blocks. In cyclic order these give exactly the iterates of ``hals``, because rows do not touch each
    other; what scalar blocks add is a choice, so each row moves the coordinate that gains most, n_topics times a sweep.
``anls``
    two matrix blocks: each subproblem solved exactly, by block principal pivoting (`tonmf.nmf.pivoting`).
"""

from __future__ import annotations

from collections.abc import Callable

from tonmf.arrays import Array
from tonmf.nmf.ops import Ops
from tonmf.nmf.pivoting import solve_exactly

InnerMethod = Callable[[Ops, Array, Array, Array, int], None]


def _hals(ops: Ops, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
    ops.hals(F, rhs, gram, n_sweeps)


def _scalar(ops: Ops, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
    ops.greedy(F, rhs, gram, n_sweeps * F.shape[1])


def _anls(ops: Ops, F: Array, rhs: Array, gram: Array, n_sweeps: int) -> None:
    del n_sweeps  # the subproblem is solved exactly at once
    factor, right = ops.fetch(F), ops.fetch(rhs)  # the exchanges run on the CPU
    unsolved = solve_exactly(factor, right, gram)
    if len(unsolved):
        rows = factor[unsolved]
        ops.hals(rows, right[unsolved], gram, SWEEPS_FOR_UNSOLVED)
        factor[unsolved] = rows
    if factor is not F:
        F[...] = ops.place(factor)


SWEEPS_FOR_UNSOLVED = 50
"""HALS sweeps for rows on which pivoting takes too many exchanges."""

INNER_METHODS: dict[str, InnerMethod] = {"hals": _hals, "anls": _anls, "scalar": _scalar}
