"""The ladder: fits to the same documents that ask more and more of a topic, each with its mixture.

Nobody knows beforehand how common a topic must be to count as ordinary, so there is a ladder of answers. A rung is one fit with
`n_topics="auto"` (`tonmf.nmf.penalty`) and the mixture (`tonmf.nmf.mixture`) that its topics make with the background.

What a topic is can be learnt from some thousands of documents. Of `MANY` documents or more, a fit converges on a sample of
`SAMPLE`, in memory wherever the documents are, and then goes over all of them a few times. Fits of one seed have the same
sample and the same passes over it until topics have a price, so these are done once for all of them (`BegunSample`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.corpus import Corpus, Glance
from tonmf.detector.scores.scale import Scale
from tonmf.nmf.blocks import Executor, SerialExecutor, Source
from tonmf.nmf.in_memory import MatrixSource, default_block_size
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.mixture import Mixture, Reading
from tonmf.nmf.ops import Ops
from tonmf.nmf.penalty import RAMP_AFTER, Ramp
from tonmf.nmf.solver import Checkpoints, Midway, Options, Problem, Progress, Solution, converge, solve
from tonmf.nmf.starts import at_unit_norm, by_content, rows_start
from tonmf.nmf.threads import one_blas_thread

PASSES = 30
"""Passes of a fit: the penalty on topics is ramped up until the 15th."""

SWEEPS = 2
"""Sweeps over each factor in a pass."""

MANY, SAMPLE = 16_000, 8_000
"""Documents from which on a fit converges on a sample first, and the size of the sample."""

PASSES_OVER_SAMPLE = 20
"""Passes of such a fit over the sample, a few more than the price of topics takes to rise; more do not find outliers better."""

PASSES_WITHOUT_PRICE = RAMP_AFTER - 1
"""The first passes of a fit, which do not depend on how common a topic must be."""

PASSES_OVER_ALL = 3
"""The last passes of such a fit, which go over all documents."""

OPTIONS = Options(
    solver="reweighted",
    inner=INNER_METHODS["hals"],
    alpha=None,
    beta=0.0,
    ramp=None,
    max_iter=PASSES,
    tol=0.0,
    inner_iter=SWEEPS,
    inner_tol=0.0,
)
"""How a fit is solved, but for the price of topics."""


@dataclass(frozen=True)
class Rung:
    """One fit of the ladder.

    ============= ==================== =====================================================
    field         shape                what
    ============= ==================== =====================================================
    topic_share   number               how common a topic had to be, τ
    topics        n_terms × n_topics   W, columns of unit norm
    shares        n_topics             how much of the documents' weight each topic carries
    mixture                            the topics beside the background
    help_scale                         scale of the mixture's b, how little topics help
    share_scale                        scale of its g, the unexplained share
    ============= ==================== =====================================================
    """

    topic_share: float
    topics: Array
    shares: Array
    mixture: Mixture
    help_scale: Scale
    share_scale: Scale

    def score(self, reading: Reading | Glance) -> Array:
        """Return z(b) + z(g)."""
        return self.help_scale.z(reading.strangeness) + self.share_scale.z(reading.unexplained)


FitAmong = tuple[float, int, NDArray[np.int64]]
"""How common a topic must be, the seed, and the numbers of the documents to fit to."""


class LadderCheckpoints(Protocol):
    """Keeps the fits of a ladder, finished or midway, so that an interrupted run can go on."""

    def finished(self, name: str) -> tuple[Rung, Glance] | None:
        """Return a finished fit, None if there is none."""

    def keep(self, name: str, rung: Rung, glance: Glance) -> None:
        """Keep a finished fit."""

    def of_fit(self, name: str, source: Source) -> Checkpoints:
        """Return the checkpoints of one fit."""


@dataclass(frozen=True)
class BegunSample:
    """A fit to a sample of the documents after `PASSES_WITHOUT_PRICE` passes.

    ====== =============== ======================================================================
    field  shape           what
    ====== =============== ======================================================================
    source                 the documents of the sample, with the state of the fit
    terms  n_sample_terms  the terms that they have, by number
    ratio  scalar          weight of all documents over that of the sample
    midway                 the rest of the state
    ====== =============== ======================================================================
    """

    source: MatrixSource
    terms: NDArray[np.int64]
    ratio: float
    midway: Midway

    def go_on(self) -> tuple[MatrixSource, Midway]:
        """Return what a fit needs to go on from here, its own to change."""
        return self.source.branch(), replace(self.midway, W=self.midway.W.copy())


@dataclass(frozen=True)
class Ladder:
    """Fits to a corpus: `side_by_side` at a time share `n_threads` threads."""

    corpus: Corpus
    max_topics: int
    make_ops: Callable[[int], Ops]
    n_threads: int
    side_by_side: int
    on_passes: Callable[[int], None]
    checkpoints: LadderCheckpoints | None = None

    def fits(
        self, plan: Sequence[tuple[float, int]], among: Callable[[Rung, Glance], FitAmong] | None = None
    ) -> Iterator[tuple[Rung, Glance]]:
        """Fit every (topic_share, seed) of the plan, and read the documents by each; yield them in order.

        With `among`, there is one more fit, to some documents only, which follow from the first fit. The result does not depend
        on the number of threads. An error in one of the fits, or in `on_passes`, ends them all.
        """
        side_by_side = min(self.n_threads, self.side_by_side, len(plan))
        ops = [self.make_ops(max(self.n_threads // side_by_side, 1)) for _ in range(side_by_side)]
        stopped = threading.Event()

        def on_passes_unless_stopped(n_passes: int) -> None:
            if stopped.is_set():
                raise InterruptedError
            try:
                self.on_passes(n_passes)
            except BaseException:
                stopped.set()
                raise

        def begin(seed: int) -> BegunSample | None:
            is_needed = self.corpus.n_docs >= MANY and any(
                self._finished(_name(*one)) is None for one in plan if one[1] == seed
            )
            mine = ops.pop()
            try:
                return self._begin_sample(self.corpus.source.again(), None, seed, mine) if is_needed else None
            finally:
                ops.append(mine)

        def fit(topic_share: float, seed: int, rows: NDArray[np.int64] | None = None) -> tuple[Rung, Glance]:
            sample = samples[seed].result() if rows is None else None
            mine = ops.pop()
            try:
                if rows is not None:
                    return self._fit_among(rows, topic_share, seed, mine, on_passes_unless_stopped)
                source, name = self.corpus.source.again(), _name(topic_share, seed)
                return self._fit(name, source, topic_share, seed, mine, on_passes_unless_stopped, sample=sample)
            except BaseException:
                stopped.set()
                raise
            finally:
                ops.append(mine)

        with one_blas_thread(), ThreadPoolExecutor(side_by_side) as pool:
            samples = {seed: pool.submit(begin, seed) for seed in dict.fromkeys(seed for _, seed in plan)}
            waiting, running = deque[tuple[Any, ...]](plan), deque[Future[tuple[Rung, Glance]]]()
            try:
                while waiting or running:
                    while waiting and len(running) <= side_by_side:  # one waits for whichever thread is free first
                        running.append(pool.submit(fit, *waiting.popleft()))
                    found = running.popleft().result()
                    if among is not None:
                        waiting.append(among(*found))
                        among = None
                    yield found
            except InterruptedError:
                stopped.set()
                raise next(filter(None, map(_error, running)), InterruptedError()) from None
            finally:  # Ctrl-C included: do not wait for what nobody wants any more
                stopped.set()
                for sample in samples.values():
                    sample.cancel()
                for other in running:
                    other.cancel()

    def fit_among(self, rows: NDArray[np.int64], topic_share: float, seed: int) -> tuple[Rung, Glance]:
        """Fit to the documents with these numbers only, and read all documents by that fit."""
        with one_blas_thread():
            return self._fit_among(rows, topic_share, seed, self.make_ops(self.n_threads), self.on_passes)

    def _fit_among(
        self, rows: NDArray[np.int64], topic_share: float, seed: int, ops: Ops, on_passes: Callable[[int], None]
    ) -> tuple[Rung, Glance]:
        return self._fit("among", self.corpus.source.among(rows), topic_share, seed, ops, on_passes, rows)

    def _fit(
        self,
        name: str,
        source: Source,
        topic_share: float,
        seed: int,
        ops: Ops,
        on_passes: Callable[[int], None],
        rows: NDArray[np.int64] | None = None,
        sample: BegunSample | None = None,
    ) -> tuple[Rung, Glance]:
        """Fit from random rows, or load the fit if it is finished; `rows` are the numbers of the documents, if not all."""
        kept = self.checkpoints
        if (finished := self._finished(name)) is not None:
            on_passes(PASSES)
            return finished
        solution = self._solve(name, source, rows, topic_share, seed, ops, on_passes, sample)
        corpus = self.corpus
        mixture = Mixture.of(solution.topics.W / corpus.weights[:, None], corpus.background, solution.usage)
        glance, readable = corpus.glance(mixture, ops), corpus.readable
        rung = Rung(
            topic_share,
            solution.topics.W,
            solution.usage / max(solution.usage.sum(), np.finfo(np.float64).tiny),
            mixture,
            Scale.of(glance.strangeness[readable]),
            Scale.of(glance.unexplained[readable]),
        )
        if kept is not None:
            kept.keep(name, rung, glance)
        return rung, glance

    def _finished(self, name: str) -> tuple[Rung, Glance] | None:
        return None if self.checkpoints is None else self.checkpoints.finished(name)

    def _solve(
        self,
        name: str,
        source: Source,
        rows: NDArray[np.int64] | None,
        topic_share: float,
        seed: int,
        ops: Ops,
        on_passes: Callable[[int], None],
        sample: BegunSample | None,
    ) -> Solution:
        """Find the topics of the source's documents, by a sample first if there are many."""
        options, progress = replace(OPTIONS, ramp=Ramp(topic_share)), _FitProgress(on_passes)
        start: Array | Midway
        if source.n_docs < MANY:
            start = self._start(source, np.random.RandomState(seed), ops, self.corpus.executor)
        else:
            sample = sample or self._begin_sample(source, rows, seed, ops)
            start = self._learn_sample(source, sample, options, ops, progress)
            source.start_from(None, start.W.shape[1])
        checkpoints = None if self.checkpoints is None else self.checkpoints.of_fit(name, source)
        solution = solve(Problem(source, options, ops, self.corpus.executor, progress, checkpoints), start)
        progress.finish()
        return solution

    def _start(self, source: Source, rng: np.random.RandomState, ops: Ops, executor: Executor) -> Array:
        """Return topics to start from, and forget what the source may remember of another fit."""
        n_topics = min(self.max_topics, source.n_docs, source.n_terms)
        H, W = at_unit_norm(rows_start(source, n_topics, rng, ops, executor), source.dtype)
        source.start_from(H, n_topics)
        return W

    def _begin_sample(self, source: Source, rows: NDArray[np.int64] | None, seed: int, ops: Ops) -> BegunSample:
        """Draw a sample of the documents, and do the passes over it that all fits of a seed have in common."""
        rng = np.random.RandomState(seed)
        order, weights = by_content(source, rng, ops, self.corpus.executor)
        drawn = np.sort(order[rng.permutation(len(order))[:SAMPLE]])
        Y = self.corpus.take(drawn if rows is None else rows[drawn]).Y
        terms = _terms_by_frequency(Y)
        few = sp.csr_matrix(Y[:, terms])
        few.sort_indices()
        size = default_block_size(few, self.max_topics, ops.bytes_of_work)
        sample = MatrixSource(few, weights[drawn], size, ops)
        options = replace(OPTIONS, ramp=Ramp(0.0), max_iter=PASSES_WITHOUT_PRICE)
        problem = Problem(sample, options, ops, SerialExecutor())
        reached = converge(problem, self._start(sample, rng, ops, problem.executor))
        ratio = float(weights.sum() / max(weights[drawn].sum(), np.finfo(np.float64).tiny))
        return BegunSample(sample, terms, ratio, problem.midway(reached.iteration, reached.current))

    def _learn_sample(
        self, source: Source, sample: BegunSample, options: Options, ops: Ops, progress: _FitProgress
    ) -> Midway:
        """Let a fit converge on a sample of the documents; return its state, made one of a fit to all of them."""
        begun, start = sample.go_on()
        options = replace(options, max_iter=PASSES_OVER_SAMPLE)
        problem = Problem(begun, options, ops, SerialExecutor(), progress.of_sample)
        reached = converge(problem, start)
        midway = problem.midway(reached.iteration, reached.current)
        midway = midway.of_more(sample.ratio, PASSES - PASSES_OVER_ALL)
        W = np.zeros((source.n_terms, midway.W.shape[1]), midway.W.dtype)
        W[sample.terms] = ops.fetch(midway.W)
        return replace(midway, W=W)


def _name(topic_share: float, seed: int) -> str:
    """Return the name of a fit, by which checkpoints know it."""
    return f"{topic_share:g}-{seed}"


def _terms_by_frequency(Y: sp.csr_matrix) -> NDArray[np.int64]:
    """Return the terms that occur in rows, those of most rows first.

    A fit leaves the others at zero, so it need not look at them. Topic weights that are fetched most often lie side by side.
    """
    n_rows = np.bincount(Y.indices, minlength=Y.shape[1])
    return np.argsort(-n_rows, kind="stable")[: np.count_nonzero(n_rows)]


class _FitProgress:
    """Reports the passes of one fit, each once: those of a sample count as those that the fit over all documents spares."""

    def __init__(self, on_passes: Callable[[int], None]) -> None:
        self._on_passes, self._n_reported = on_passes, 0

    def __call__(self, progress: Progress) -> None:
        """Report that a pass is done."""
        self._report(progress.iteration)

    def of_sample(self, progress: Progress) -> None:
        """Report that a pass over the sample is done."""
        self._report(min(progress.iteration, PASSES - PASSES_OVER_ALL))

    def finish(self) -> None:
        """Report the passes that the fit did not need."""
        self._report(PASSES)

    def _report(self, n_passes: int) -> None:
        self._on_passes(max(n_passes - self._n_reported, 0))
        self._n_reported = max(n_passes, self._n_reported)


def _error(fit: Future[Any]) -> BaseException | None:
    """Return the error that ended a fit, unless the fit ended because another one did."""
    error = None if fit.cancel() else fit.exception()
    return None if isinstance(error, InterruptedError) else error


def first_words(topic: Array, terms: Sequence[str], n_words: int) -> list[str]:
    """Return the terms of largest weight, in order; terms without weight are left out."""
    n_parts = 4 * n_words
    if (
        0 < n_parts < len(topic)
    ):  # sort only those that can be among the first: the largest weights of parts are a lower bound
        largest = np.maximum.reduceat(topic, np.arange(n_parts) * len(topic) // n_parts)
        candidates = np.flatnonzero(topic >= np.partition(largest, -n_words)[-n_words])
        order = candidates[np.argsort(-topic[candidates], kind="stable")]
    else:
        order = np.argsort(-topic, kind="stable")
    return [terms[i] for i in order[:n_words] if topic[i] > 0]
