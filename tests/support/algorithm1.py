"""Algorithm 1 of the paper on dense arrays, letter by letter: the witness for the solvers on implicit Z.

Documents are rows here as elsewhere: A = X, the paper's W is W, its H is Hᵀ, its Z is Zᵀ. Nothing is shared with the package:
Z, the residual and X − Z are full matrices, and each topic is updated from the full residual without it.
"""

from __future__ import annotations

import numpy as np


def outlier_matrix(residual, alpha):
    """Theorem 2, one document at a time."""
    Z = np.zeros_like(residual)
    for i, row in enumerate(residual):
        norm = np.sqrt((row**2).sum())
        if norm > alpha:
            Z[i] = (norm - alpha) * row / norm
    return Z


def objective(X, H, W, Z, alpha, beta):
    """Equation 3, with topics measured at unit norm."""
    norms = np.sqrt((W**2).sum(axis=0))
    outliers = sum(alpha * np.sqrt((z**2).sum()) for z in Z)
    return 0.5 * ((X - H @ W.T - Z) ** 2).sum() + outliers + beta * (H * norms).sum()


def algorithm1(X, H, W, alpha, beta, n_outer, n_inner):
    """(H, W, objective each time a new Z has been taken) after n_outer × n_inner iterations."""
    H, W = H.copy(), W.copy()
    n_topics = H.shape[1]
    history = []
    for _ in range(n_outer):
        Z = outlier_matrix(X - H @ W.T, alpha)
        history.append(objective(X, H, W, Z, alpha, beta))
        A = X - Z
        for _ in range(n_inner):
            norms = np.sqrt((W**2).sum(axis=0))
            for j in range(n_topics):
                rest = A - H @ W.T + np.outer(H[:, j], W[:, j])
                H[:, j] = np.maximum(0, rest @ W[:, j] - beta * norms[j]) / norms[j] ** 2
            for j in range(n_topics):
                rest = A - H @ W.T + np.outer(H[:, j], W[:, j])
                # β‖w_j‖ΣH lies below β ΣH (‖w_j‖²/‖w_j⁰‖ + ‖w_j⁰‖)/2, which adds to the curvature.
                curvature = (H[:, j] ** 2).sum() + beta * H[:, j].sum() / norms[j]
                W[:, j] = np.maximum(0, rest.T @ H[:, j]) / curvature
    return H, W, history
