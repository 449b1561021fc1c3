"""The same documents at several scales: fits that ask more and more of a topic, each with its mixture.

How common a topic must be to count as ordinary is not known beforehand, so there is a ladder of answers. A rung is one fit with
`n_topics="auto"` (`tonmf.penalty`) and the mixture (`tonmf.mixture`) that its topics make with the background.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tonmf.blas import one_blas_thread
from tonmf.calibrate import Scale
from tonmf.executors.serial import SerialExecutor
from tonmf.init import at_unit_norm, rows_start
from tonmf.inner import INNER_METHODS
from tonmf.mixture import Mixture, Reading, read_blocks
from tonmf.ops import Array, Ops
from tonmf.penalty import Ramp
from tonmf.solver import Options, Problem, Progress, solve
from tonmf.sources.memory import MatrixSource

PASSES = 30
"""Passes of a fit: the price of topics is at its full height from the 15th on."""

SWEEPS = 2
"""Sweeps over each factor in a pass."""


@dataclass(frozen=True)
class Rung:
    """One fit.

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

    def score(self, reading: Reading) -> Array:
        """z(b) + z(g)."""
        return self.help_scale.z(reading.strangeness) + self.share_scale.z(reading.unexplained)


@dataclass(frozen=True)
class Corpus:
    """Documents as a fit wants them.

    `rows` holds the unit rows Y, `counts` the damped counts C, both cut into blocks; `idf` and `background` (Σ_i c_it)
    belong to terms; `readable` tells which documents have any term at all.
    """

    rows: MatrixSource
    counts: MatrixSource
    idf: Array
    background: Array
    readable: NDArray[np.bool_]


def fit_rungs(
    corpus: Corpus,
    plan: Sequence[tuple[float, int]],
    max_topics: int,
    make_ops: Callable[[int], Ops],
    n_threads: int,
    on_passes: Callable[[int], None],
) -> list[tuple[Rung, Reading]]:
    """Fit every (topic_share, seed) of the plan, side by side, and read the training documents with each.

    Each fit runs on one thread where there are fits enough for all threads. The result does not depend on `n_threads`. An
    error in one of them, or in `on_passes`, ends them all.
    """
    side_by_side = min(n_threads, len(plan))
    stopped = threading.Event()

    def on_passes_unless_stopped(n_passes: int) -> None:
        if stopped.is_set():
            raise InterruptedError
        try:
            on_passes(n_passes)
        except BaseException:
            stopped.set()
            raise

    def fit(topic_share: float, seed: int) -> tuple[Rung, Reading]:
        ops = make_ops(max(n_threads // side_by_side, 1))
        return fit_rung(corpus, topic_share, seed, max_topics, ops, on_passes_unless_stopped)

    with one_blas_thread(), ThreadPoolExecutor(side_by_side) as pool:
        fits = [pool.submit(fit, *rung) for rung in plan]
        try:
            done, _ = wait(fits, return_when=FIRST_EXCEPTION)
            errors = [error for error in (f.exception() for f in done) if error is not None]
            if errors:
                raise next((error for error in errors if not isinstance(error, InterruptedError)), errors[0])
            return [f.result() for f in fits]
        finally:  # Ctrl-C included: do not wait for what nobody wants any more
            stopped.set()
            for f in fits:
                f.cancel()


def fit_rung(
    corpus: Corpus, topic_share: float, seed: int, max_topics: int, ops: Ops, on_passes: Callable[[int], None]
) -> tuple[Rung, Reading]:
    """One fit from random rows, and its reading of the training documents."""
    options = Options(
        solver="reweighted",
        inner=INNER_METHODS["hals"],
        alpha=None,
        beta=0.0,
        ramp=Ramp(topic_share),
        max_iter=PASSES,
        tol=0.0,
        inner_iter=SWEEPS,
        inner_tol=0.0,
    )
    source, executor = corpus.rows.again(), SerialExecutor()
    n_topics = min(max_topics, source.n_docs, source.n_terms)
    H, W = at_unit_norm(rows_start(source, n_topics, np.random.RandomState(seed), ops, executor), source.dtype)
    source.start_from(H, n_topics)

    def report(progress: Progress) -> None:
        on_passes(1)

    solution = solve(Problem(source, options, ops, executor, report), W)
    on_passes(PASSES - solution.n_iter)  # those that were not needed
    topics = solution.topics.W
    mixture = Mixture.of(topics / corpus.idf[:, None], corpus.background, solution.usage)
    reading = read_blocks(mixture, ops, corpus.counts)
    rung = Rung(
        topic_share,
        topics,
        solution.usage / max(solution.usage.sum(), np.finfo(np.float64).tiny),
        mixture,
        Scale.of(reading.strangeness[corpus.readable]),
        Scale.of(reading.unexplained[corpus.readable]),
    )
    return rung, reading
