"""One pass over new documents, on top of the sums of earlier ones.

====== ==================== ==========================================================
letter shape                what
====== ==================== ==========================================================
W      n_terms × n_topics   topics, of unit norm before and after
P, Q   see `tonmf.nmf.steps`   right-hand side and Gram matrix of the W step
u      n_topics             Σ_i s_i h_ik, how much each topic is used
γ      scalar               decay of earlier documents when new ones arrive (`tonmf.stream.half_life`)
====== ==================== ==========================================================

A batch fit goes over all documents with W fixed, adds up P and Q, and does a W step. Here earlier documents are gone, and
their sums stand for them:

    P ← γP + P_new,    Q ← γQ + Q_new,    W from (P, Q)

with P_new and Q_new from the same step (`tonmf.nmf.steps`) on the new documents. Without a past this *is* a pass of the
batch fit. The sums of the past belong to the W that they were made with; that is the price of not keeping documents.
With the ``paper`` solver, P_new includes W₀R, the part that Z holds at W₀, so that all of P fades alike. Topics are
scaled to unit norm after every step, and the sums with them: a factor that w_k loses goes to h_k, and so to u_k, to column
k of P, and to row and column k of Q.

**After a fit** P is taken to be WQ, for which the topics of the fit are optimal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.solver import Problem, bring_to_unit_norm, lower_quadratic, lower_with_z_held
from tonmf.nmf.steps import Pass, Sums, paper_step, reweighted_step


@dataclass(frozen=True)
class Past:
    """The sums that stand for earlier documents; P is None if it is WQ."""

    P: Array | None
    Q: Array
    usage: Array

    @classmethod
    def nothing(cls, n_topics: int) -> Self:
        """Return the sums of no documents."""
        return cls(None, np.zeros((n_topics, n_topics)), np.zeros(n_topics))

    def right_hand_side(self, W: Array) -> Array:
        """Return P, computed if it is WQ."""
        return W.astype(np.float64) @ self.Q if self.P is None else self.P

    def rescaled(self, P: Array, norms: Array) -> Self:
        """Return the sums with another P, after topics of these norms are scaled to unit norm."""
        return type(self)(P * norms, self.Q * norms * norms[:, None], self.usage * norms)

    def with_topic(self, W: Array, cross: Array, square: float, usage: float) -> Self:
        """Return the sums with one more topic, the last column of W, that some documents use.

        `cross` is Σ_i h_i (ωh)_i,new over these documents and the earlier topics, `square` the same for the new topic. P is
        chosen so that WQ − P stays as it was, and is zero for the new topic: adding it moves no topic.
        """
        k = len(self.Q)
        Q = np.zeros((k + 1, k + 1))
        Q[:k, :k], Q[:k, k], Q[k, :k], Q[k, k] = self.Q, cross, cross, square
        old, new = W[:, :k].astype(np.float64), W[:, k].astype(np.float64)
        P = np.column_stack([self.right_hand_side(W[:, :k]) + np.outer(new, cross), old @ cross + square * new])
        return type(self)(P, Q, np.append(self.usage, usage))

    def with_some(self, W: Array, kept: NDArray[np.bool_]) -> Self:
        """Return the sums of the kept topics; the others take what they explain with them, so that no kept topic moves."""
        explained = W[:, ~kept].astype(np.float64) @ self.Q[np.ix_(~kept, kept)]
        P = np.maximum(self.right_hand_side(W)[:, kept] - explained, 0)
        return type(self)(P, self.Q[np.ix_(kept, kept)], self.usage[kept])


def learn_block(problem: Problem, current: Pass, past: Past, factor: float) -> Past:
    """Do one pass over the documents of `problem`, and a W step on their sums and those of the past, decayed by `factor`.

    W of `current` is changed in place and has unit norm at the end. Documents that are `measured` start from their H.
    """
    W = current.topics.W
    earlier = Sums(factor * past.right_hand_side(W), factor * past.Q, np.zeros_like(past.Q), factor * past.usage)
    sums = {"reweighted": _reweighted, "paper": _paper}[problem.options.solver](problem, current, earlier)
    norms = bring_to_unit_norm(W)
    return Past(None, sums.Q, sums.usage).rescaled(sums.P, norms)


def _reweighted(problem: Problem, current: Pass, earlier: Sums) -> Sums:
    current = replace(current, n_sweeps=problem.options.inner_iter)
    sums = problem.run(reweighted_step, current)
    sums.merge(earlier)
    lower_quadratic(problem.ops, current, sums.P, sums)
    return sums


def _paper(problem: Problem, current: Pass, earlier: Sums) -> Sums:
    """Do what the batch fit does for one Z, which is that of the new documents."""
    _, sums = lower_with_z_held(problem, current, problem.run(paper_step, current), earlier)
    return sums
