"""Begin a stream: make the sums and quantiles that new documents add to of what a fit keeps (docs/method/updates.md).

A fit keeps medians and spreads, a sample of ordinary documents, and the words' document frequencies within idf. `begin` fills
in what the fit did not keep, in a way that changes nothing: distributions have the percentiles that are known, and the topics'
sums are those for which the topics are optimal (`tonmf.nmf.streaming`), with Q from the sample.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.detector.explain.profile import CorpusProfile
from tonmf.detector.scores.alarms import without_alarm
from tonmf.detector.scores.ladder import SWEEPS, Rung
from tonmf.detector.scores.scale import Scale
from tonmf.detector.scores.scoring import Scorer
from tonmf.detector.state import OF_ALARMS, RECENT, DetectorStream, RungStream
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.in_memory import MatrixSource, default_block_size
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.ops import Ops
from tonmf.nmf.solver import Options, Problem, topics_of
from tonmf.nmf.steps import Pass, Sums, document_step
from tonmf.nmf.streaming import Past
from tonmf.stream.clock import Clock
from tonmf.stream.digest import Digest
from tonmf.stream.reservoir import keys_of_sample
from tonmf.text.passages import Boilerplate
from tonmf.text.vocabulary.changing import Candidates
from tonmf.text.vocabulary.seen import begun_passages

OPTIONS = Options(
    solver="reweighted",
    inner=INNER_METHODS["hals"],
    alpha=None,
    beta=0.0,
    ramp=None,
    max_iter=1,
    tol=0.0,
    inner_iter=SWEEPS,
    inner_tol=0.0,
)
"""Options of the pass by which a rung learns from a block."""


def rows_source(rows: sp.csr_matrix, weights: Array, n_topics: int, ops: Ops) -> MatrixSource:
    """Cut weighted rows into blocks, ready for a pass."""
    return MatrixSource(rows, weights, default_block_size(rows, n_topics), ops)


def problem_of(source: MatrixSource, ops: Ops) -> Problem:
    """Make the problem that a rung learns from."""
    return Problem(source, OPTIONS, ops, SerialExecutor())


def solve(problem: Problem, W: Array, alpha: float) -> tuple[Pass, Sums]:
    """Solve documents against topics; return the pass in which that was done, and its sums."""
    current = Pass(topics_of(problem.ops, W), alpha, np.zeros(W.shape[1]), OPTIONS.inner, n_sweeps=SWEEPS)
    return current, problem.run(document_step, current)


def begin(
    scorer: Scorer,
    profile: CorpusProfile,
    idf: Array,
    weights: Array,
    background: Array,
    scores: Array,
    plain: Array,
    alarms: Mapping[str, Array],
    boilerplate: Boilerplate,
    ops: Ops,
) -> DetectorStream:
    """Make a stream of what a fit keeps."""
    n_docs, rng = profile.n_docs, np.random.default_rng(profile.n_docs)
    df = np.maximum((1 + n_docs) / np.exp(idf - 1) - 1, 0)
    share_outside = min(scorer.alarms.means["unknown"], 0.99)
    has_words = alarms["empty"] == 0
    quiet = without_alarm(alarms)
    known = scorer.alarms
    digests = {
        "topics": Digest.around(-2.0, 0.0, 2.0, n_docs),
        "remoteness": _of_scale(scorer.remoteness_scale, n_docs),
        "plain": Digest.of(plain[quiet] if quiet.any() else plain),
        "total": Digest.of(scores[has_words]),
        "lengths": Digest.of_percentiles(profile.lengths, n_docs),
        "unknown": Digest.of_percentiles(profile.unknown, n_docs),
        "unexplained": Digest.of_percentiles(profile.unexplained, n_docs),
    }
    if scorer.meaning is not None:
        digests["meaning"] = _of_scale(scorer.meaning.scale, n_docs)
    for name, called in OF_ALARMS.items():
        median, width = known.medians[name], known.widths[name]
        digests[called] = Digest.around(median - width, median, median + width, n_docs)
    return DetectorStream(
        n_seen=n_docs,
        n_docs=float(n_docs),
        clock=Clock(),
        df=df,
        background=background,
        n_outside=float(df.sum() * share_outside / (1 - share_outside)),
        candidates=Candidates(),
        passages=begun_passages(boilerplate, n_docs),
        rungs=[_begin_rung(rung, scorer.sample, n_docs, ops) for rung in scorer.rungs],
        added=np.zeros(0),
        digests=digests,
        keys=keys_of_sample(scorer.sample.shape[0], n_docs, rng),
        belonging=_belonging(scorer, weights, ops),
        recent=scores[has_words][-RECENT:],
    )


def _of_scale(scale: Scale, n_docs: float) -> Digest:
    return Digest.around(scale.median - scale.spread, scale.median, scale.median + scale.spread, n_docs)


def _begin_rung(rung: Rung, sample: sp.csr_matrix, n_docs: int, ops: Ops) -> RungStream:
    """Begin the stream of a rung; each document of the sample stands for many."""
    weights = np.full(sample.shape[0], n_docs / max(sample.shape[0], 1))
    past, rho = Past.nothing(rung.topics.shape[1]), Digest.of([])
    if sample.shape[0]:
        problem = problem_of(rows_source(sample, weights, rung.topics.shape[1], ops), ops)
        sums = solve(problem, np.ascontiguousarray(rung.topics), np.inf)[1]
        past, rho = Past(None, sums.Q, sums.usage), Digest.of(problem.rho(), weights)
    return RungStream(past, rho, _of_scale(rung.help_scale, n_docs), _of_scale(rung.share_scale, n_docs))


def _belonging(scorer: Scorer, weights: Array, ops: Ops) -> Array:
    """Return θ of the sample; its damped counts follow from its rows, as the smallest of a document is nearly always 1."""
    sample, n_topics = scorer.sample, scorer.rungs[0].topics.shape[1]
    if sample.shape[0] == 0:
        return np.zeros((0, n_topics))
    counts = sample.copy()
    counts.data = (sample.data / weights[sample.indices]).astype(np.float32)
    rows = np.repeat(np.arange(sample.shape[0]), np.diff(sample.indptr))
    smallest = np.full(sample.shape[0], np.inf)
    np.minimum.at(smallest, rows, counts.data)
    counts.data = (counts.data / smallest[rows]).astype(np.float32)
    theta: Array = scorer.rungs[0].mixture.read(ops, ops.prepare(counts)).theta[:, 1:]
    return theta
