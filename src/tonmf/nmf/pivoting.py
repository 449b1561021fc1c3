"""Non-negative least squares by block principal pivoting (Kim and Park), many right-hand sides at once.

====== ====================== ==========================================================
letter shape                  what
====== ====================== ==========================================================
F      n_rows × n_topics      the solution, in place; its positive entries are the first guess of the passive set
rhs    n_rows × n_topics
gram   n_topics × n_topics    symmetric, positive semi-definite, positive diagonal
Y      n_rows × n_topics      gradient f gram − rhs
====== ====================== ==========================================================

At the solution every coordinate is either *passive* (f > 0, y = 0) or *active* (f = 0, y ≥ 0). Guess the passive set,
solve the equations on it, and exchange the coordinates that came out with the wrong sign: all of them while that
lowers their number, three more times if not, and then only the last one, which is sure to end.

Where `gram` is singular the solution is not unique, and rounding would pick one. Then a small term that pulls towards the
present values makes the problem definite; repeated, it leads to a solution of the original problem.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array

FULL_EXCHANGES = 3
"""Full exchanges allowed without progress before falling back to one coordinate at a time."""


def solve_exactly(F: Array, rhs: Array, gram: Array) -> NDArray[np.intp]:
    """Minimise ½ f gram fᵀ − rhs·f over f ≥ 0 for each row, in place.

    Return the rows that were not solved within the exchanges allowed; they keep their old values.

    >>> F = np.zeros((1, 2))
    >>> solve_exactly(F, rhs=np.array([[1.0, -1.0]]), gram=np.array([[2.0, 1.0], [1.0, 2.0]])).tolist(), F.round(9).tolist()
    ([], [[0.5, 0.0]])
    """
    used = np.flatnonzero(np.diag(gram) > 0)
    if not len(used):
        return np.array([], dtype=np.intp)
    if len(used) < F.shape[1]:  # leave coordinates without effect on the fit
        part = F[:, used]
        unsolved = solve_exactly(part, rhs[:, used], gram[np.ix_(used, used)])
        F[:, used] = part
        return unsolved
    n_rows, n_topics = F.shape
    scale = 1 / float(np.diag(gram).max())
    gram, rhs = _made_definite(gram * scale, rhs * scale, F)
    passive = F > 0
    fewest_wrong = np.full(n_rows, n_topics + 1)
    exchanges_left = np.full(n_rows, FULL_EXCHANGES)
    todo = np.arange(n_rows)
    tolerance = 1e-12 * np.maximum(np.abs(rhs).max(axis=1, initial=0), np.finfo(np.float64).tiny)
    for _ in range(50 + 5 * n_topics):
        f, y = _solve_on(passive[todo], rhs[todo], gram)
        wrong = np.where(passive[todo], f, y) < -tolerance[todo, None]
        n_wrong = wrong.sum(axis=1)
        solved = n_wrong == 0
        F[todo[solved]] = np.maximum(f[solved], 0)
        todo, wrong, n_wrong = todo[~solved], wrong[~solved], n_wrong[~solved]
        if not len(todo):
            break
        better = n_wrong < fewest_wrong[todo]
        fewest_wrong[todo[better]] = n_wrong[better]
        exchanges_left[todo] = np.where(better, FULL_EXCHANGES, exchanges_left[todo] - 1)
        passive[todo] ^= np.where((exchanges_left[todo] >= 0)[:, None], wrong, _last_only(wrong))
    return todo


SINGULAR = 1e-8
"""Ratio of smallest to largest eigenvalue below which a Gram matrix counts as singular."""

PULL = 1e-6
"""Weight of the pull towards the present values, relative to the largest eigenvalue."""


def _made_definite(gram: Array, rhs: Array, F: Array) -> tuple[Array, Array]:
    """Add PULL · ½‖f − f_present‖² to the problem if `gram` is singular."""
    eigenvalues = np.linalg.eigvalsh(gram)
    if eigenvalues[0] > SINGULAR * eigenvalues[-1]:
        return gram, rhs
    pull = PULL * float(eigenvalues[-1])
    return gram + pull * np.eye(len(gram)), rhs + pull * F


def _last_only(wrong: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask with only the last set entry of each row."""
    last = wrong.shape[1] - 1 - wrong[:, ::-1].argmax(axis=1)
    only = np.zeros_like(wrong)
    only[np.arange(len(wrong)), last] = True
    return only


def _solve_on(passive: NDArray[np.bool_], rhs: Array, gram: Array) -> tuple[Array, Array]:
    """Solve the equations on each row's passive set; rows that share a set share a factorisation."""
    f = np.zeros(rhs.shape)
    sets, which = np.unique(np.packbits(passive, axis=1), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    bounds = np.searchsorted(which.ravel()[order], np.arange(len(sets) + 1))
    for low, high in pairwise(bounds):
        rows = order[low:high]
        columns = np.flatnonzero(passive[rows[0]])
        if len(columns):
            square = gram[np.ix_(columns, columns)]
            f[np.ix_(rows, columns)] = np.linalg.solve(square, rhs[np.ix_(rows, columns)].T).T
    return f, f @ gram - rhs
