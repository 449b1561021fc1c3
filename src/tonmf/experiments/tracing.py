"""Trace a fit: passes, seconds and objective of each iteration, and the residuals at the start and at the end.

The estimator solves for all documents once more at the end, so that training rows have the scores that the model gives them.
Here the residuals are those of the iterations themselves, as the paper's algorithm leaves them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from tonmf.arrays import Array
from tonmf.baselines.nmf import residuals_of
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.in_memory import MatrixSource, default_block_size
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.solver import Options, Problem, rank_correlation, solve
from tonmf.nmf.starts import STARTS, at_unit_norm
from tonmf.nmf.steps import Pass, Step, Sums
from tonmf.nmf.threads import make_ops, one_blas_thread


@dataclass(frozen=True)
class Trace:
    """A fit from its first to its last iteration.

    Attributes
    ----------
    passes, seconds, objectives : list
        After each iteration: passes over the documents so far, seconds so far, and the objective.
    first, last : ndarray of shape (n_docs,)
        Residual norms at the start and in the last iteration.
    topics_used : int
        Number of topics in use at the end.
    """

    passes: list[int]
    seconds: list[float]
    objectives: list[float]
    first: Array
    last: Array
    topics_used: int

    @property
    def start_correlation(self) -> float:
        """Rank correlation of first and last residuals: 1 if the fit stayed at its start, 0 if either does not vary."""
        return rank_correlation(self.first, self.last)


class _Diary(Problem):
    """A problem that counts its passes and records every objective."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.n_passes, self.begin = 0, time.perf_counter()
        self.passes: list[int] = []
        self.seconds: list[float] = []
        self.objectives: list[float] = []
        self.last: Array = np.empty(0)

    def run(self, step: Step, current: Pass) -> Sums:
        self.n_passes += 1
        return super().run(step, current)

    def report(self, iteration: int, current: Pass, objective: float) -> None:
        self.passes.append(self.n_passes)
        self.seconds.append(time.perf_counter() - self.begin)
        self.objectives.append(objective)
        self.last = self.rho()


def trace_fit(
    X: sp.csr_matrix,
    n_topics: int,
    *,
    alpha: float,
    beta: float = 0.0,
    solver: str = "reweighted",
    inner: str = "hals",
    start: str = "random",
    max_iter: int = 60,
    inner_iter: int = 1,
    tol: float = 0.0,
    random_state: int = 0,
) -> Trace:
    """Fit as `tonmf.TONMF` does, with the same options, and record the iterations."""
    ops, executor = make_ops("numba", None), SerialExecutor()
    source = MatrixSource(X, np.ones(X.shape[0]), default_block_size(X, n_topics), ops)
    options = Options(solver, INNER_METHODS[inner], alpha, beta, None, max_iter, tol, inner_iter, inner_tol=0.0)
    with one_blas_thread():
        begun = STARTS[start](source, n_topics, check_random_state(random_state), ops, executor)
        H, W = at_unit_norm(begun, X.dtype)
        first = residuals_of(X, np.zeros((X.shape[0], n_topics)) if H is None else H, W)
        source.start_from(H, n_topics)
        diary = _Diary(source, options, ops, executor)
        solution = solve(diary, W)
    used = int((solution.usage > 0).sum())
    return Trace(diary.passes, diary.seconds, diary.objectives, first, diary.last, used)
