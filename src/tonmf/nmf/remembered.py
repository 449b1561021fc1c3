"""What `TONMF` keeps of the rows it has seen, for `partial_fit` (`tonmf.nmf.streaming`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from tonmf.arrays import Array
from tonmf.nmf.solver import Problem, Solution, automatic_alpha, topics_of
from tonmf.nmf.steps import Pass, document_step
from tonmf.nmf.streaming import Past, learn_block
from tonmf.nmf.threshold import common_norm
from tonmf.stream.clock import Clock
from tonmf.stream.digest import Digest
from tonmf.stream.half_life import Ageing


@dataclass(frozen=True)
class ModelStream:
    """Sums and quantile sketches of all rows so far, weighted towards recent ones if there is a half-life.

    ============== =================================================================================
    past           sums for the W step
    usage          Σ_i s_i h_ik of scored rows, for the topics' shares
    rho            residual norms during passes, for an automatic α
    scores         residual norms of scored rows, or their mixture scores; for the threshold
    squared_norms  smallest and largest ‖x_i‖² of rows that are not empty, if there are any
    term_sums      Σ_i s_i x_it, if the mixture needs them
    clock          the newest time of a row, if rows have times
    ============== =================================================================================
    """

    past: Past
    usage: Array
    rho: Digest
    scores: Digest
    squared_norms: Array
    term_sums: Array | None
    clock: Clock

    @classmethod
    def nothing(cls, n_topics: int) -> Self:
        """Return the stream without any row."""
        none, empty = np.zeros(0), Digest.of([])
        return cls(Past.nothing(n_topics), np.zeros(n_topics), empty, empty, none, None, Clock())

    @classmethod
    def of_fit(
        cls,
        solution: Solution,
        rho: Array,
        squared_norms: Array,
        weights: Array,
        scores: Array,
        term_sums: Array | None,
    ) -> Self:
        """Return the stream after a fit."""
        past, of_rho = Past(None, solution.gram, solution.usage), Digest.of(rho, weights)
        of_scores = of_rho if scores is rho else Digest.of(scores, weights)
        norms = _range_of_norms(squared_norms, weights)
        return cls(past, solution.usage, of_rho, of_scores, norms, term_sums, Clock())

    @property
    def bound(self) -> float | None:
        """Return the norm that all rows have in common, or None."""
        return common_norm(self.squared_norms)

    def faded(self, ageing: Ageing) -> Self:
        """Return the stream faded by the arrival of new rows, before these are added."""
        term_sums = None if self.term_sums is None else ageing.factor * self.term_sums
        rho, scores = self.rho.faded(ageing.factor), self.scores.faded(ageing.factor)
        usage = ageing.factor * self.usage
        return replace(self, usage=usage, rho=rho, scores=scores, term_sums=term_sums, clock=ageing.clock)

    def with_scores(self, scores: Array, weights: Array, squared_norms: Array) -> Self:
        """Return the stream with the scores and norms of new rows added."""
        known = np.append(self.squared_norms, squared_norms)
        norms = _range_of_norms(known, np.append(np.ones(len(self.squared_norms)), weights))
        return replace(self, scores=self.scores.add(scores, weights), squared_norms=norms)


def _range_of_norms(squared_norms: Array, weights: Array) -> Array:
    """Return the smallest and the largest norm of rows that count and are not empty, or nothing if there are none."""
    known = squared_norms[(squared_norms > 0) & (weights > 0)]
    return np.array([known.min(), known.max()]) if len(known) else known


def learn_rows(
    problem: Problem, current: Pass, stream: ModelStream, ageing: Ageing, weights: Array, n_iter: int
) -> tuple[Solution, ModelStream]:
    """Do one pass over new rows, then solve them against the new topics; change W of `current` in place.

    Return a solution like that of a fit, and the stream, to which the scores are still to be added.
    """
    past = learn_block(problem, current, stream.past, ageing.factor)
    stream = stream.faded(ageing)
    rho = stream.rho.add(problem.rho(), weights)
    alpha = problem.options.alpha
    if alpha is None:
        alpha = automatic_alpha(rho.values, rho.weights) if len(rho.values) else current.alpha
    last = replace(current, topics=topics_of(problem.ops, current.topics.W), alpha=alpha, cross=None)
    final = problem.run(document_step, last)
    stream = replace(stream, past=past, rho=rho, usage=stream.usage + final.usage)
    history = [final.objective]
    return Solution(last.topics, alpha, stream.usage, past.Q, history, n_iter, True, 0.0), stream
