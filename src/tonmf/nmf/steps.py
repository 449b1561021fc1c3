"""The steps of the solvers: what one pass does to one block of documents.

====== ==================== ==========================================================
letter shape                what
====== ==================== ==========================================================
X      n_docs × n_terms     the block's documents
H      n_docs × n_topics    their topics, updated here
W, G   n_terms × n_topics   topics, and G = WᵀW (n_topics²); fixed during a pass
rho    n_docs               residual norms
omega  n_docs               document weights min(1, α/ρ)
s      n_docs               sample weights
P, Q   n_terms × n_topics   the W step's right-hand side and Gram matrix (n_topics²): sums over documents
====== ==================== ==========================================================

A step of either solver takes a block and adds its share to `Sums`. Both lower the same F (`tonmf.nmf.objective`):

``reweighted_step``
    H from (XW, G) with ℓ1 weights β_k‖w_k‖/ω_i; P = Xᵀ(sω∘H), Q = Hᵀ(sω∘H). The ω of the last pass belongs to the quadratic
    that lies above F and touches it at the last (H, W); the W step and this H step both lower that quadratic, so F falls.
``paper_step``
    Algorithm 1 with Z held at (H₀, W₀, ω): X − Z = ω∘X + (1−ω)∘H₀W₀ᵀ stands in for X, so
    H from (ω∘XW + (1−ω)∘H₀W₀ᵀW, G) with ℓ1 weights β_k‖w_k‖;  P = Xᵀ(sω∘H) + W₀R with R = H₀ᵀ(s(1−ω)∘H),  Q = Hᵀ(s∘H).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array, columns_of
from tonmf.nmf.blocks import Block
from tonmf.nmf.inner import InnerMethod
from tonmf.nmf.objective import document_weights, huber, outlier_norms, residual_norms
from tonmf.nmf.ops import Ops


@dataclass(frozen=True)
class TopicMatrix:
    """W of a pass, with its Gram matrix G = WᵀW.

    β is meant for topics of unit norm. Scaling W to unit norm would multiply each h_ik by ‖w_k‖, so a fit leaves W as it is
    and uses the ℓ1 weight β‖w_k‖ for h_ik instead.
    """

    W: Array
    G: Array

    @cached_property
    def norms(self) -> Array:
        """Return ‖w_k‖."""
        norms: Array = np.sqrt(self.G.diagonal())
        return norms


@dataclass
class Sums:
    """Sums over documents, for the W step and the stopping rule. Additive, see `merge`.

    `usage` is Σ_i s_i h_ik; `objective` F with the penalty's tangent Σ_k β_k‖w_k‖ u_k; `held_objective` the same with Z
    held; `explained` Σ_i s_i (‖x_i‖² − ρ_i²). The sums of two sets of documents, made with the same topics, add up to
    the sums of both together.
    """

    P: Array
    Q: Array
    R: Array
    usage: Array
    objective: float = 0.0
    held_objective: float = 0.0
    explained: float = 0.0

    @classmethod
    def zeros(cls, n_terms: int, n_topics: int) -> Self:
        """Return the sums of no documents."""
        return cls.around(np.zeros((n_terms, n_topics)))

    @classmethod
    def around(cls, P: Array) -> Self:
        """Return the sums of no documents, with an array of zeros for P."""
        n_topics = P.shape[1]
        square = (n_topics, n_topics)
        return cls(P, np.zeros(square), np.zeros(square), np.zeros(n_topics))

    def cleared(self) -> Self:
        """Return zero sums of the same shape that reuse the large array of these."""
        self.P.fill(0)
        return type(self)(self.P, np.zeros_like(self.Q), np.zeros_like(self.R), np.zeros_like(self.usage))

    def of_topics(self, kept: NDArray[np.bool_]) -> Self:
        """Return the sums of the kept topics."""
        square = np.ix_(kept, kept)
        P = columns_of(self.P, kept)
        return replace(self, P=P, Q=self.Q[square], R=self.R[square], usage=self.usage[kept])

    def merge(self, other: Self) -> None:
        """Add the sums of other documents."""
        self.P += other.P
        self.Q += other.Q
        self.R += other.R
        self.usage += other.usage
        self.objective += other.objective
        self.held_objective += other.held_objective
        self.explained += other.explained


@dataclass(frozen=True)
class Pass:
    """The parameters of a pass, the same for all blocks.

    `beta` is the cost of one more unit of each topic (`tonmf.nmf.penalty`). `cross` is W₀ᵀW while the paper's solver holds Z
    at (H₀, W₀), and None if it must take a new Z.
    """

    topics: TopicMatrix
    alpha: float
    beta: Array
    inner: InnerMethod
    n_sweeps: int
    cross: Array | None = None

    @cached_property
    def l1(self) -> Array:
        """Return β_k‖w_k‖, the cost of one unit of h_ik."""
        return self.beta * self.topics.norms

    @cached_property
    def has_penalty(self) -> bool:
        """Return whether any topic has a cost."""
        return bool(self.beta.any())

    def with_l1(self, rhs: Array, omega: Array) -> Array:
        """Return the right-hand side with the ℓ1 term:  rhs − β_k‖w_k‖/ω_i."""
        return rhs - np.asarray(self.l1, like=omega) / omega[:, None] if self.has_penalty else rhs


Step = Callable[[Ops, Pass, Block, Sums], None]


@dataclass(frozen=True)
class BlockStep:
    """A step with its parameters, ready to be sent to workers."""

    step: Step
    ops: Ops
    current: Pass

    def __call__(self, block: Block, sums: Sums) -> None:
        """Do the step on a block."""
        self.step(self.ops, self.current, block, sums)


def reweighted_step(ops: Ops, current: Pass, block: Block, sums: Sums) -> None:
    """Update H, ρ and ω of a block under the tightest quadratic above F, and add its sums."""
    G = current.topics.G
    rhs = ops.project(block.X, current.topics.W)
    if not block.measured:
        _measure(ops, current, block, rhs)
    current.inner(ops, block.H, current.with_l1(rhs, block.omega), G, current.n_sweeps)
    _measure(ops, current, block, rhs)
    weight = block.sample_weight * block.omega
    ops.collect(block.X, _weighted(block.H, weight), sums.P)
    sums.Q += ops.gram(block.H, weight, block.H)
    _add_measures(ops, current, block, sums)


@dataclass
class HeldZ:
    """The state of a block while Z is held: H₀, ‖x_i − z_i‖² and the outlier term α‖z_i‖ of each document."""

    H0: Array
    target_squared_norms: Array
    outlier_terms: Array


def paper_step(ops: Ops, current: Pass, block: Block, sums: Sums) -> None:
    """Do one inner iteration of Algorithm 1 on a block; take a new Z first if `current.cross` is None."""
    G = current.topics.G
    rhs = ops.project(block.X, current.topics.W)
    if current.cross is None:
        _measure(ops, current, block, rhs)
        sums.objective += _objective(current, block, huber(block.rho, current.alpha), _usage(ops, block))
        block.held_z = _hold(current, block, rhs)
    held: HeldZ = block.held_z
    rest = 1 - block.omega
    cross = np.asarray(G if current.cross is None else current.cross, like=rhs)
    target_rhs = block.omega[:, None] * rhs + rest[:, None] * (held.H0.astype(np.float64) @ cross)
    current.inner(ops, block.H, current.with_l1(target_rhs, np.ones_like(block.omega)), G, current.n_sweeps)

    misfit = residual_norms(ops, held.target_squared_norms, block.H, target_rhs, G)
    usage = _usage(ops, block)
    sums.usage += usage
    sums.held_objective += _objective(current, block, 0.5 * misfit**2 + held.outlier_terms, usage)
    ops.collect(block.X, _weighted(block.H, block.sample_weight * block.omega), sums.P)
    sums.Q += ops.gram(block.H, block.sample_weight, block.H)
    sums.R += ops.gram(held.H0, block.sample_weight * rest, block.H)


def _hold(current: Pass, block: Block, rhs: Array) -> HeldZ:
    """Fix Z at the present (H, W, ω), with ‖x − z‖² = ‖ωx + (1−ω)Wh‖² from known inner products."""
    H0 = block.H.copy()
    h = H0.astype(np.float64)
    rest = 1 - block.omega
    inner_product = np.einsum("ij,ij->i", rhs, h)
    fit_squared = np.einsum("ij,ij->i", h @ np.asarray(current.topics.G, like=h), h)
    squared = block.omega**2 * block.squared_norms + 2 * block.omega * rest * inner_product + rest**2 * fit_squared
    outlier = outlier_norms(block.rho, current.alpha)
    terms = current.alpha * outlier if np.isfinite(current.alpha) else np.zeros_like(outlier)
    return HeldZ(H0, squared, terms)


def document_step(ops: Ops, current: Pass, block: Block, sums: Sums) -> None:
    """Solve for H of a block from zero to convergence, with fixed topics: how all documents are scored, new or not."""
    rhs = ops.project(block.X, current.topics.W)
    block.H = np.zeros_like(rhs, dtype=current.topics.W.dtype)
    for low in range(0, len(rhs), ops.rows_at_a_time):
        rows = slice(low, low + ops.rows_at_a_time)
        _solve_documents(ops, current, block.squared_norms[rows], rhs[rows], block.H[rows])
    _measure(ops, current, block, rhs)
    sums.Q += ops.gram(block.H, block.sample_weight * block.omega, block.H)
    _add_measures(ops, current, block, sums)


def _solve_documents(ops: Ops, current: Pass, squared_norms: Array, rhs: Array, H: Array) -> None:
    """Sweep until each document has converged: no h_ik moves by more than a tolerance times the largest.

    The result for a document does not depend on the others.
    """
    G = current.topics.G
    tolerance = 50 * np.finfo(H.dtype).eps
    todo = np.flatnonzero(squared_norms > 0)
    for _ in range(MAX_CHECKS):
        if not len(todo):
            break
        h, target = H[todo], rhs[todo]
        if current.has_penalty:
            rho = residual_norms(ops, squared_norms[todo], h, target, G)
            target = current.with_l1(target, document_weights(rho, current.alpha))
        current.inner(ops, h, target, G, SWEEPS_PER_CHECK)
        moved = np.abs(h - H[todo]).max(axis=1)
        H[todo] = h
        todo = todo[moved > tolerance * h.max(axis=1)]


SWEEPS_PER_CHECK = 10
"""Sweeps between two checks of which documents have converged."""

MAX_CHECKS = 100
"""Checks before a document is left as it is: with nearly collinear topics h may drift without changing ρ."""


def _measure(ops: Ops, current: Pass, block: Block, rhs: Array) -> None:
    """Update ρ and ω of a block."""
    block.rho = residual_norms(ops, block.squared_norms, block.H, rhs, current.topics.G)
    block.omega = document_weights(block.rho, current.alpha)
    block.measured = True


def _add_measures(ops: Ops, current: Pass, block: Block, sums: Sums) -> None:
    """Add a block's share of the usage, the objective, and what is explained."""
    usage = _usage(ops, block)
    sums.usage += usage
    sums.objective += _objective(current, block, huber(block.rho, current.alpha), usage)
    sums.explained += float(block.sample_weight @ (block.squared_norms - block.rho**2))


def _objective(current: Pass, block: Block, losses: Array, usage: Array) -> float:
    """Return a block's share of the objective:  Σ_i s_i (loss_i + Σ_k β_k‖w_k‖ h_ik)."""
    return float(block.sample_weight @ losses) + float(current.l1 @ usage)


def _usage(ops: Ops, block: Block) -> Array:
    """Return Σ_i s_i h_ik, the use of each topic."""
    return ops.column_sums(block.sample_weight, block.H)


def _weighted(H: Array, weight: Array) -> Array:
    """Return weight∘H in H's dtype."""
    rows: Array = H * weight.astype(H.dtype)[:, None]
    return rows
