"""The model's objective, its outlier matrix and its residuals, each written once.

====== ==================== ====================================================
letter shape                what
====== ==================== ====================================================
X      n_docs × n_terms     non-negative, sparse
H      n_docs × n_topics    documents in topics, ≥ 0
W      n_terms × n_topics   topics as term weights, ≥ 0
Z      n_docs × n_terms     outlier matrix; never stored by a solver
rho    n_docs               ‖x_i − h_i Wᵀ‖₂, residual norm of each document
omega  n_docs               min(1, α/ρ_i), weight of each document
====== ==================== ====================================================

    F = ½‖X − H Wᵀ − Z‖²_F + α Σ_i ‖z_i‖₂ + β Σ H                     (the paper's equation 3)

For given H and W the best Z is z_i = (1 − ω_i)(x_i − h_i Wᵀ) (the paper's Theorem 2). Put back in, F is a sum of Huber
functions of the residual norms:

    F = Σ_i φ(ρ_i) + β Σ H,     φ(ρ) = ½ρ² up to α, αρ − ½α² beyond.

α = ∞ is plain NMF; the paper's outlier score is ‖z_i‖ = max(0, ρ_i − α).
"""

from __future__ import annotations

import numpy as np

from tonmf.arrays import Array
from tonmf.nmf.ops import Ops


def huber(rho: Array, alpha: float) -> Array:
    """Return φ(ρ) = m (ρ − ½m) with m = min(ρ, α), which covers both branches and α = ∞.

    >>> huber(np.array([1.0, 2.0, 5.0]), alpha=2.0).tolist()
    [0.5, 2.0, 8.0]
    """
    clipped = np.minimum(rho, alpha)
    phi: Array = clipped * (rho - 0.5 * clipped)
    return phi


def document_weights(rho: Array, alpha: float) -> Array:
    """Return ω = min(1, α/ρ), the weight of each document in the fit.

    >>> document_weights(np.array([0.0, 1.0, 4.0]), alpha=2.0).tolist()
    [1.0, 1.0, 0.5]
    """
    return alpha / np.maximum(rho, alpha) if np.isfinite(alpha) else np.ones_like(rho)


def outlier_norms(rho: Array, alpha: float) -> Array:
    """Return ‖z‖ = max(0, ρ − α), the paper's outlier score.

    >>> outlier_norms(np.array([1.0, 5.0]), alpha=2.0).tolist()
    [0.0, 3.0]
    """
    norms: Array = np.maximum(rho - alpha, 0)
    return norms


def shrink(residual: Array, alpha: float) -> Array:
    """Return rows of Z from rows of the residual (Theorem 2): z = max(0, ‖a‖ − α) a/‖a‖ = (1 − ω) a.

    >>> shrink(np.array([[3.0, 4.0], [0.0, 1.0]]), alpha=2.5).tolist()
    [[1.5, 2.0], [0.0, 0.0]]
    """
    rho = np.linalg.norm(residual, axis=1)
    rows: Array = (1 - document_weights(rho, alpha))[:, None] * residual
    return rows


def residual_norms(ops: Ops, squared_norms: Array, F: Array, rhs: Array, gram: Array) -> Array:
    """Return ρ by the Gram identity  ρ_i² = ‖x_i‖² + (f_i gram f_iᵀ − 2 f_i·rhs_i), with rhs = XW and gram = WᵀW.

    The identity cancels on well-fitted rows, so all of it is in float64. Squares below the rounding error of the sum,
    negative or not, are set to 0: such a row is explained as well as float64 can tell.
    """
    squares = squared_norms + ops.quadratic(F, rhs, gram)
    rho: Array = np.sqrt(np.where(squares <= ROUNDING * squared_norms, 0, squares))
    return rho


ROUNDING = 64 * np.finfo(np.float64).eps
"""Relative rounding error of the Gram identity."""
