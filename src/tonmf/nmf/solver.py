"""The loop of passes: both solvers, their W step and their stopping rules.

====== ==================== ==========================================================
letter shape                what
====== ==================== ==========================================================
W, G   n_terms × n_topics   topics, and G = WᵀW
P, Q   see `tonmf.nmf.steps`   right-hand side and Gram matrix of the W step
F      scalar               the objective (`tonmf.nmf.objective`)
====== ==================== ==========================================================

A pass goes over all blocks with the topics fixed (`tonmf.nmf.steps`) and ends with a W step on the sums::

    reweighted                                  paper (Algorithm 1)
    for each pass:                              until C1:
        each block: H, then ω from its ρ            each block: Z from (H, W) by Theorem 2
        stop if F fell by ≤ tol · F(0)              until C2: each block: H with Z held; W with Z held
        W from P, Q

    C1: F fell by at most tol · F(0) since the last Z, or max_iter times a new Z
    C2: F with Z held fell by at most inner_tol · F(0), or inner_iter times

where F(0) is the objective without any topic. On data that topics explain perfectly, F itself goes to zero, so a share of F
would never be small enough.

**Unit norm and β.** β is meant for topics of unit norm: otherwise the fit could shrink H and grow W to make the penalty
vanish. So the penalty is β Σ_k ‖w_k‖ u_k with u_k = Σ_i s_i h_ik, which no rescaling changes. In w_k it is majorised by
½β u_k ‖w_k‖²/‖w_k⁰‖ + const, tight at the present w_k⁰: one more term on the diagonal of Q. Topics are brought to unit norm
when the fit ends.

**Topics that earn their place.** With `Options.ramp`, the reweighted solver uses the penalty of `tonmf.nmf.penalty`: its
tangent at the present H and W replaces β. Between the H step and the W step of a pass, the tangent is updated and topics
that no document uses any more are dropped. The final solve of the documents is without the price.

**Unused topics.** A topic that no document uses, rounding errors aside, has a zero row in Q; its w_k stays and documents may
use it again. A topic whose terms have all vanished has a zero row in G; its documents keep their h_ik and the terms may come
back (not if β > 0). Topics that have no documents or no terms when the fit ends are dropped; if that is all of them, one flat
topic is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from tonmf.arrays import Array, columns_of
from tonmf.nmf.blocks import Block, Executor, Source
from tonmf.nmf.inner import InnerMethod
from tonmf.nmf.objective import huber
from tonmf.nmf.ops import Ops
from tonmf.nmf.penalty import Penalty, Ramp
from tonmf.nmf.quantiles import quantile_over
from tonmf.nmf.steps import BlockStep, Pass, Step, Sums, TopicMatrix, document_step, paper_step, reweighted_step
from tonmf.nmf.threshold import weighted_quantile

ALPHA_QUANTILE = 0.9
"""``alpha="auto"``: this quantile of the residual norms, so that one document in ten is weighted down."""

ALPHA_PASSES = 10
"""Passes in which an automatic α follows the residuals; then it is fixed, and with it F."""


@dataclass(frozen=True)
class Options:
    """The options of a solver. `alpha` None means automatic; with a `ramp`, topics must earn their place.

    With `compare_with_start`, the solution has the rank correlation of the residuals of the first and the last pass.
    """

    solver: str
    inner: InnerMethod
    alpha: float | None
    beta: float
    ramp: Ramp | None
    max_iter: int
    tol: float
    inner_iter: int
    inner_tol: float
    compare_with_start: bool = False


@dataclass(frozen=True)
class Midway:
    """The state of the reweighted solver after a pass, except what blocks hold."""

    iteration: int
    W: Array
    alpha: float
    beta: Array
    penalty: Penalty
    history: list[float]

    def of_more(self, ratio: float, iteration: int) -> Midway:
        """Return the state of a fit to `ratio` times as many documents that has come as far, after pass `iteration`.

        Masses and price grow with the documents, so that the slopes of the penalty are the same.
        """
        return replace(self, iteration=iteration, penalty=self.penalty.of_more(ratio), history=[])


class Checkpoints(Protocol):
    """Saves the state of a fit of the reweighted solver, blocks included, so that an interrupted fit can resume."""

    def load(self) -> Midway | None:
        """Restore the blocks and return the state of an interrupted fit; None if there is none."""

    def save(self, midway: Midway) -> None:
        """Save the state after a pass; called after every pass, and need not save each time."""


@dataclass(frozen=True)
class Progress:
    """The argument of a progress callback, which is called after every iteration."""

    iteration: int
    max_iter: int
    objective: float
    alpha: float
    n_topics: int


@dataclass(frozen=True)
class Solution:
    """The result of a fit. ρ, ω and H of each document are in the source's blocks.

    `usage` and `gram` are Σ_i s_i h_i and Hᵀ(sω∘H) of the final solve of the documents. `stayed_at_start` is the
    `rank_correlation` of the residual norms in the first and the last iteration, if requested.
    """

    topics: TopicMatrix
    alpha: float
    usage: Array
    gram: Array
    history: list[float]
    n_iter: int
    converged: bool
    stayed_at_start: float


class EmptySums:
    """Makes zero sums, reusing the arrays of earlier ones; these are not pickled."""

    def __init__(self, shape: tuple[int, ...], ops: Ops | None = None, used: Sums | None = None) -> None:
        self._shape, self._ops, self._used = shape, ops, used

    def __call__(self) -> Sums:
        """Return zero sums."""
        if self._used is not None and self._used.P.shape == self._shape:
            return self._used.cleared()
        return Sums.around(np.zeros(self._shape) if self._ops is None else self._ops.zeros(self._shape))

    def __reduce__(self) -> tuple[type[EmptySums], tuple[tuple[int, ...], Ops | None]]:
        return EmptySums, (self._shape, self._ops)


class Problem:
    """A source, the means to go over it, and the options: what both solvers share."""

    def __init__(
        self,
        source: Source,
        options: Options,
        ops: Ops,
        executor: Executor,
        callback: Callable[[Progress], None] | None = None,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.source, self.options, self.ops, self.executor, self.callback = source, options, ops, executor, callback
        self.checkpoints = checkpoints
        self.penalty = Penalty(options.beta)
        self.history: list[float] = []
        self._sums: Sums | None = None
        self._without_topics: tuple[float, float] | None = None

    def run(self, step: Step, current: Pass) -> Sums:
        """Do one pass over all blocks and return its sums, which reuse the arrays of the pass before."""
        on_block, empty = BlockStep(step, self.ops, current), EmptySums(current.topics.W.shape, self.ops, self._sums)
        self._sums = self.executor.run(on_block, self.source, empty)
        return self._sums

    def rho(self) -> Array:
        """Return the residual norms of all documents, as of the last pass."""
        ops = self.ops
        return np.concatenate(self.executor.gather(lambda block: ops.fetch(block.rho), self.source))

    def first_pass(self, start: Array | Midway) -> tuple[int, Pass]:
        """Return the number of passes done and the next pass: of an interrupted fit, or from the topics of the start.

        At the start no residuals are known, so an automatic α is ∞.
        """
        o = self.options
        kept = None if self.checkpoints is None else self.checkpoints.load()
        begin = start if kept is None else kept
        if isinstance(begin, Midway):
            self.penalty, self.history = begin.penalty, list(begin.history)
            return begin.iteration, Pass(
                topics_of(self.ops, self.ops.place(begin.W)), begin.alpha, begin.beta, o.inner, n_sweeps=1
            )
        beta, alpha = self.penalty.slopes(np.zeros(begin.shape[1])), np.inf if o.alpha is None else o.alpha
        return 0, Pass(topics_of(self.ops, self.ops.place(begin)), alpha, beta, o.inner, n_sweeps=1)

    def midway(self, iteration: int, current: Pass) -> Midway:
        """Return the state after a pass."""
        return Midway(iteration, current.topics.W, current.alpha, current.beta, self.penalty, list(self.history))

    def keep(self, iteration: int, current: Pass) -> None:
        """Hand the state after a pass to the checkpoints."""
        if self.checkpoints is not None:
            self.checkpoints.save(self.midway(iteration, current))

    def next_alpha(self, current: Pass, iteration: int) -> Pass:
        """Return `current` with α re-estimated, if it is automatic and still follows the residuals."""
        if self.options.alpha is not None or not self.settling(iteration):
            return current
        if not self.executor.far:
            rho, weights = zip(*self.executor.gather(_residuals_and_weights, self.source), strict=True)
            return replace(current, alpha=automatic_alpha(np.concatenate(rho), np.concatenate(weights)))
        alpha = quantile_over(self.executor, self.source, _residuals_and_weights, ALPHA_QUANTILE)
        if alpha == 0:
            alpha = min(self.executor.gather(_smallest_residual, self.source))
        return replace(current, alpha=alpha if np.isfinite(alpha) else 1.0)

    def next_penalty(self, current: Pass, sums: Sums, iteration: int) -> Pass:
        """Return `current` with the penalty's tangent at the present masses; re-estimate the price while it still rises."""
        ramp = self.options.ramp
        if ramp is None:
            return current
        if not ramp.over(iteration):
            n_docs, squared_norms = self._totals
            self.penalty = ramp.penalty(self.options.beta, iteration, sums.explained, n_docs, squared_norms)
        return replace(current, beta=self.penalty.slopes(current.topics.norms * sums.usage))

    def objective(self, current: Pass, sums: Sums) -> float:
        """Return F of a pass, whose sums have the tangent of the penalty in place of the penalty."""
        if not self.penalty.price:
            return sums.objective
        return sums.objective - float(current.l1 @ sums.usage) + self.penalty.value(current.topics.norms * sums.usage)

    def settling(self, iteration: int) -> bool:
        """Return whether F still changes after this iteration, because α or the price of topics follows the data."""
        rising = self.options.ramp is not None and not self.options.ramp.over(iteration)
        return rising or (self.options.alpha is None and iteration <= ALPHA_PASSES)

    def objective_of_nothing(self, alpha: float) -> float:
        """Return F without topics, Σ_i s_i φ(‖x_i‖): the scale of the stopping rules."""

        def of_block(block: Block) -> float:
            return float(block.sample_weight @ huber(np.sqrt(block.squared_norms), alpha))

        if self._without_topics is None or self._without_topics[0] != alpha:
            self._without_topics = alpha, sum(self.executor.gather(of_block, self.source))
        return self._without_topics[1]

    @cached_property
    def _totals(self) -> tuple[float, float]:
        """Return Σ_i s_i, the number of documents, and Σ_i s_i ‖x_i‖²."""

        def of_block(block: Block) -> tuple[float, float]:
            return float(block.sample_weight.sum()), float(block.sample_weight @ block.squared_norms)

        n_docs, squared_norms = zip(*self.executor.gather(of_block, self.source), strict=True)
        return sum(n_docs), sum(squared_norms)

    def report(self, iteration: int, current: Pass, objective: float) -> None:
        """Call the user's callback, if there is one."""
        if self.callback is not None:
            self.callback(
                Progress(iteration, self.options.max_iter, objective, current.alpha, current.topics.W.shape[1])
            )


def _residuals_and_weights(block: Block) -> tuple[Array, Array]:
    """Return ρ and the sample weight of each document."""
    return block.rho, block.sample_weight


def _smallest_residual(block: Block) -> float:
    """Return the smallest ρ above 0 of a document with any weight."""
    return float(np.where((block.rho > 0) & (block.sample_weight > 0), block.rho, np.inf).min())


def solve(problem: Problem, start: Array | Midway) -> Solution:
    """Fit, starting from topics, which are changed in place, and the H of the source's blocks; or go on from midway."""
    reached = converge(problem, start)
    topics, final = _finish(problem, reached.current)
    if problem.options.ramp is None:
        problem.history.append(final.objective)
    return Solution(
        replace(topics, W=problem.ops.fetch(topics.W)),
        reached.current.alpha,
        final.usage,
        final.Q,
        problem.history,
        reached.iteration,
        reached.converged,
        reached.stayed_at_start,
    )


@dataclass(frozen=True)
class Reached:
    """Where the passes of a fit ended: the pass that would come next, and `Solution`'s account of how it went."""

    current: Pass
    iteration: int
    converged: bool
    stayed_at_start: float


def converge(problem: Problem, start: Array | Midway) -> Reached:
    """Do the passes of a fit, until it converges or has done enough of them."""
    step, advance = STEPS[problem.options.solver]
    n_done, current = problem.first_pass(start)
    options, history, first_rho = problem.options, problem.history, None
    if options.solver == "reweighted":
        current = replace(current, n_sweeps=options.inner_iter)
    iteration, converged = n_done, False
    for iteration in range(n_done + 1, options.max_iter + 1):
        sums = problem.run(step, current)
        if options.compare_with_start and iteration == 1:
            first_rho = problem.rho()
        objective = problem.objective(current, sums)
        problem.report(iteration, current, objective)
        if not problem.settling(iteration):
            history.append(objective)
            if len(history) > 1:
                converged = history[-2] - history[-1] <= options.tol * problem.objective_of_nothing(current.alpha)
            if converged:
                break
        current = advance(problem, current, sums, iteration)
        if iteration < options.max_iter:
            problem.keep(iteration, current)
    correlation = 0.0 if first_rho is None or iteration == 1 else rank_correlation(first_rho, problem.rho())
    return Reached(problem.next_alpha(current, iteration), iteration, converged, correlation)


def _advance(problem: Problem, current: Pass, sums: Sums, iteration: int) -> Pass:
    """Do what follows the H step in a pass of the reweighted solver: α, the price of topics, and the W step."""
    current = problem.next_alpha(current, iteration)
    current = problem.next_penalty(current, sums, iteration)
    if problem.penalty.price:
        current, sums = _drop_idle(problem, current, sums)
    return replace(current, topics=improve_topics(problem.ops, current, sums.P, sums))


def _advance_with_z(problem: Problem, current: Pass, sums: Sums, iteration: int) -> Pass:
    """Do what follows a new Z in Algorithm 1."""
    current, _ = lower_with_z_held(problem, current, sums)
    return problem.next_alpha(current, iteration)


def _drop_idle(problem: Problem, current: Pass, sums: Sums) -> tuple[Pass, Sums]:
    """Drop the topics that have been priced out; keep the first if that is all of them."""
    kept = current.topics.norms * sums.usage > 0
    if kept.all():
        return current, sums
    kept[0] |= not kept.any()
    problem.source.keep_topics(kept)
    W, G = columns_of(current.topics.W, kept), np.ascontiguousarray(current.topics.G[np.ix_(kept, kept)])
    return replace(current, topics=TopicMatrix(W, G), beta=current.beta[kept]), sums.of_topics(kept)


STEPS: dict[str, tuple[Step, Callable[[Problem, Pass, Sums, int], Pass]]] = {
    "reweighted": (reweighted_step, _advance),
    "paper": (paper_step, _advance_with_z),
}
"""Of each solver, the step over all blocks and what follows it."""


def lower_with_z_held(problem: Problem, current: Pass, sums: Sums, earlier: Sums | None = None) -> tuple[Pass, Sums]:
    """Run the inner loop of Algorithm 1: W and H in turn, with the Z that the pass of `sums` took.

    Return the pass with the new topics, and the sums of their W step. `earlier` stands for documents that are not in the
    source (`tonmf.nmf.streaming`) and is added to the sums of every W step.
    """
    options, W0 = problem.options, current.topics.W.copy()
    held = [sums.held_objective]
    while True:
        sums.P += W0 @ np.asarray(sums.R, like=W0)
        if earlier is not None:
            sums.merge(earlier)
        current = replace(current, topics=improve_topics(problem.ops, current, sums.P, sums))
        if len(held) > 1 and held[-2] - held[-1] <= options.inner_tol * problem.objective_of_nothing(current.alpha):
            return current, sums
        if len(held) == options.inner_iter:
            return current, sums
        cross = problem.ops.gram(W0, np.ones_like(W0[:, 0], np.float64), current.topics.W)
        sums = problem.run(paper_step, replace(current, cross=cross))
        held.append(sums.held_objective)


def improve_topics(ops: Ops, current: Pass, rhs: Array, sums: Sums) -> TopicMatrix:
    """Do the W step in place, and return the topics with their new Gram matrix."""
    lower_quadratic(ops, current, rhs, sums)
    return topics_of(ops, current.topics.W)


def lower_quadratic(ops: Ops, current: Pass, rhs: Array, sums: Sums) -> None:
    """Lower the quadratic of the W step over W ≥ 0, in place; the Gram matrix of `current` is then that of the former W."""
    gram, squares = sums.Q.copy(), sums.Q.diagonal()
    idle = squares <= np.finfo(current.topics.W.dtype).eps ** 2 * squares.max()
    if current.has_penalty:
        norms = current.topics.norms
        gram += np.diag(current.beta * sums.usage / np.where(norms > 0, norms, 1))
        idle |= norms == 0  # the penalty has no tangent there: leave the topic at zero
    if idle.any():
        gram[idle], gram[:, idle] = 0, 0
    current.inner(ops, current.topics.W, rhs, gram, current.n_sweeps)


def automatic_alpha(rho: Array, weights: Array) -> float:
    """Return α for documents of these residual norms and weights."""
    alpha = weighted_quantile(rho, ALPHA_QUANTILE, weights)
    if alpha == 0:  # nearly all rows are explained perfectly: weight down the others
        alpha = float(np.where((rho > 0) & (weights > 0), rho, np.inf).min())
    return alpha if np.isfinite(alpha) else 1.0


def topics_of(ops: Ops, W: Array) -> TopicMatrix:
    """Return W with its Gram matrix."""
    return TopicMatrix(W, ops.gram(W, np.ones_like(W[:, 0], np.float64), W))


def bring_to_unit_norm(W: Array) -> Array:
    """Scale topics to unit norm in place; return their former norms."""
    norms: Array = np.sqrt(np.einsum("ij,ij->j", W, W, dtype=np.float64))
    W /= np.where(norms > 0, norms, 1).astype(W.dtype)
    return norms


def _finish(problem: Problem, current: Pass) -> tuple[TopicMatrix, Sums]:
    """Solve every document against the topics at unit norm, and drop unused topics."""
    W = current.topics.W
    bring_to_unit_norm(W)

    def solve_documents(W: Array) -> tuple[TopicMatrix, Sums]:
        beta = np.full(W.shape[1], problem.options.beta)
        last = replace(current, topics=topics_of(problem.ops, W), beta=beta, cross=None)
        problem.source.start_from(None, W.shape[1])
        return last.topics, problem.run(document_step, last)

    topics, sums = solve_documents(W)
    kept = sums.usage > 0
    if kept.all():
        return topics, sums
    return solve_documents(columns_of(W, kept) if kept.any() else np.full_like(W[:, :1], len(W) ** -0.5, order="C"))


def rank_correlation(a: Array, b: Array) -> float:
    """Return Spearman's correlation; 0 if one of the two is constant.

    Applied to the residual norms before and after a fit, it tells whether the fit stayed at its start: from W and H uniform
    on [0, 1], the residuals are so large that every ω is near 0, Z absorbs the random start, and with Z held neither factor
    moves. The ranking is then that of the random start.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    0.5
    """
    from scipy.stats import rankdata  # heavy, and seldom needed

    a, b = rankdata(a), rankdata(b)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
