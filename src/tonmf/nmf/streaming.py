"""One pass over new documents, on top of what is remembered of earlier ones.

====== ==================== ==========================================================
letter shape                what
====== ==================== ==========================================================
W      n_terms × n_topics   topics, of unit norm before and after
P, Q   see `tonmf.nmf.steps`   right-hand side and Gram matrix of the W step
u      n_topics             Σ_i s_i h_ik, how much each topic is used
γ      scalar               what is left of earlier documents when new ones come (`tonmf.stream.half_life`)
====== ==================== ==========================================================

A batch fit goes over all documents with W fixed, adds up P and Q, and takes a W step. Here the documents of the past are not
there any more, and their sums stand for them:

    P ← γP + P_new,    Q ← γQ + Q_new,    W from (P, Q)

with P_new and Q_new from the same step (`tonmf.nmf.steps`) on the new documents. Without a past this *is* a pass of the
batch fit. The sums of the past belong to the W that they were made with; that is the price for not keeping documents.
With the ``paper`` solver P_new includes W₀R, the part that Z holds at W₀, so that all of P fades alike. Topics are
brought to unit norm after every step, and the sums with them: a factor that w_k loses goes to h_k, so to u_k, to column k
of P, and to row and column k of Q.

**After a fit** P is taken to be WQ: the sums for which the topics of the fit are the best there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.nmf.solver import Problem, bring_to_unit_norm, improve_topics, lower_with_z_held
from tonmf.nmf.steps import Pass, Sums, paper_step, reweighted_step


@dataclass(frozen=True)
class Past:
    """The sums that stand for earlier documents; P is None where it is WQ."""

    P: Array | None
    Q: Array
    usage: Array

    @classmethod
    def nothing(cls, n_topics: int) -> Self:
        """No earlier documents."""
        return cls(None, np.zeros((n_topics, n_topics)), np.zeros(n_topics))

    def right_hand_side(self, W: Array) -> Array:
        """P, written out."""
        return W.astype(np.float64) @ self.Q if self.P is None else self.P

    def rescaled(self, P: Array, norms: Array) -> Self:
        """With another P, once topics of these norms are brought to unit norm."""
        return type(self)(P * norms, self.Q * norms * norms[:, None], self.usage * norms)

    def with_topic(self, W: Array, cross: Array, square: float, usage: float) -> Self:
        """With one topic more, the last column of W, that some documents use.

        `cross` is Σ_i h_i (ωh)_i,new over these documents and the topics before, `square` the same of the new one. P becomes
        what leaves WQ − P as it was, and zero for the new topic, so that no topic is moved by it.
        """
        k = len(self.Q)
        Q = np.zeros((k + 1, k + 1))
        Q[:k, :k], Q[:k, k], Q[k, :k], Q[k, k] = self.Q, cross, cross, square
        old, new = W[:, :k].astype(np.float64), W[:, k].astype(np.float64)
        P = np.column_stack([self.right_hand_side(W[:, :k]) + np.outer(new, cross), old @ cross + square * new])
        return type(self)(P, Q, np.append(self.usage, usage))

    def with_some(self, W: Array, kept: NDArray[np.bool_]) -> Self:
        """With some of the topics W only; the others take with them what they explain, so that no topic is moved by it."""
        explained = W[:, ~kept].astype(np.float64) @ self.Q[np.ix_(~kept, kept)]
        P = np.maximum(self.right_hand_side(W)[:, kept] - explained, 0)
        return type(self)(P, self.Q[np.ix_(kept, kept)], self.usage[kept])


def learn_block(problem: Problem, current: Pass, past: Past, factor: float) -> Past:
    """One pass over the documents of `problem`, and a W step on them and what is left of the past.

    W of `current` is changed in place, and of unit norm in the end. Documents that are `measured` go on from the H they have.
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
    improve_topics(problem.ops, current, sums.P, sums)
    return sums


def _paper(problem: Problem, current: Pass, earlier: Sums) -> Sums:
    """Do what the batch fit does for one Z, which is that of the new documents."""
    _, sums = lower_with_z_held(problem, current, problem.run(paper_step, current), earlier)
    return sums
