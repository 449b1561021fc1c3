"""What a detector remembers of the documents it has seen, so that more of them can come (docs/method/updates.md).

A fit keeps medians and spreads, a sample of ordinary documents, and the words' document frequencies within idf. That is enough
to go on from: `begin` makes of it the sums and quantiles that a stream adds to. What the fit did not keep is made up so that
nothing changes by it: distributions have the percentiles that are known, and the topics' sums are those for which the topics
are the best there are (`tonmf.streaming`), with Q from the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from tonmf.alarms import CUTS
from tonmf.blocks import Pass, Sums, document_step
from tonmf.calibrate import Scale
from tonmf.clock import Clock
from tonmf.digest import Digest
from tonmf.executors.serial import SerialExecutor
from tonmf.inner import INNER_METHODS
from tonmf.ladder import SWEEPS, Rung
from tonmf.mixture import read_blocks
from tonmf.ops import Array, Ops
from tonmf.profile import CorpusProfile
from tonmf.reservoir import keys_of_sample
from tonmf.scoring import Scorer
from tonmf.solver import Options, Problem, topics_of
from tonmf.sources.memory import MatrixSource, default_block_size
from tonmf.streaming import Past
from tonmf.vocabulary import Candidates

RECENT = 2000
"""Documents seen last among which a new one is ranked."""

OF_ALARMS = {name: f"alarm_{name}" for name in CUTS}

DIGESTS = (
    "topics",
    "remoteness",
    "distance",
    "plain",
    "total",
    "lengths",
    "unknown",
    "unexplained",
    *OF_ALARMS.values(),
)
"""Numbers of documents whose quantiles are followed."""

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
"""How a rung learns from a block."""


@dataclass(frozen=True)
class RungStream:
    """Of a rung: the sums of its topics, residual norms, and the numbers b and g."""

    past: Past
    rho: Digest
    helps: Digest
    shares: Digest


@dataclass(frozen=True)
class DetectorStream:
    """Sums and quantiles over all documents so far, the recent ones counting more if the detector forgets.

    =============== ==================== ==================================================================
    field           shape                what
    =============== ==================== ==================================================================
    n_seen                               documents that have been learnt from, none of them forgotten
    n_docs                               the same as they count by now
    clock                                the newest time of a document, if documents have times
    df              n_terms              documents that have each word
    background      n_terms              Σ_i c_it
    n_outside                            different words outside the vocabulary, over all documents
    candidates                           what these are
    rungs                                of each rung its sums and quantiles
    added           n_added              how much each added topic was used when it came; these are the last of every rung
    digests                              quantiles of `DIGESTS`
    keys            n_sample             of the sample of ordinary documents
    belonging       n_sample × n_topics  how far each of them leans on the topics of the finest rung
    embedding_keys  n_embeddings         of the sample of embeddings, if there are any
    recent          up to `RECENT`       scores of the documents seen last, in order
    =============== ==================== ==================================================================
    """

    n_seen: int
    n_docs: float
    clock: Clock
    df: Array
    background: Array
    n_outside: float
    candidates: Candidates
    rungs: Sequence[RungStream]
    added: Array
    digests: Mapping[str, Digest]
    keys: Array
    belonging: Array
    embedding_keys: Array | None
    recent: Array


def rows_source(rows: sp.csr_matrix, weights: Array, n_topics: int, ops: Ops) -> MatrixSource:
    """Rows of these weights, ready for a pass."""
    return MatrixSource(rows, weights, default_block_size(rows, n_topics), ops)


def problem_of(source: MatrixSource, ops: Ops) -> Problem:
    """A block for a rung to learn from."""
    return Problem(source, OPTIONS, ops, SerialExecutor())


def solve(problem: Problem, W: Array, alpha: float) -> tuple[Pass, Sums]:
    """Solve the documents of a block against topics; the pass in which that was done, and its sums."""
    this = Pass(topics_of(problem.ops, W), alpha, np.zeros(W.shape[1]), OPTIONS.inner, n_sweeps=SWEEPS)
    return this, problem.run(document_step, this)


def begin(
    scorer: Scorer,
    profile: CorpusProfile,
    idf: Array,
    background: Array,
    scores: Array,
    plain: Array,
    alarms: Mapping[str, Array],
    ops: Ops,
) -> DetectorStream:
    """From all that a fit keeps."""
    n_docs, rng = profile.n_docs, np.random.default_rng(profile.n_docs)
    df = np.maximum((1 + n_docs) / np.exp(idf - 1) - 1, 0)
    share_outside = min(scorer.alarms.means["unknown"], 0.99)
    has_words = alarms["empty"] == 0
    quiet = np.maximum.reduce(list(alarms.values())) == 0
    known = scorer.alarms
    digests = {
        "topics": Digest.around(-2.0, 0.0, 2.0, n_docs),
        "remoteness": _of_scale(scorer.remoteness_scale, n_docs),
        "distance": _of_scale(scorer.distance_scale, n_docs),
        "plain": Digest.of(plain[quiet] if quiet.any() else plain),
        "total": Digest.of(scores[has_words]),
        "lengths": Digest.of_percentiles(profile.lengths, n_docs),
        "unknown": Digest.of_percentiles(profile.unknown, n_docs),
        "unexplained": Digest.of_percentiles(profile.unexplained, n_docs),
    }
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
        rungs=[_begin_rung(rung, scorer.sample, n_docs, ops) for rung in scorer.rungs],
        added=np.zeros(0),
        digests=digests,
        keys=keys_of_sample(scorer.sample.shape[0], n_docs, rng),
        belonging=_belonging(scorer, idf, ops),
        embedding_keys=None if scorer.neighbours is None else keys_of_sample(len(scorer.neighbours.rows), n_docs, rng),
        recent=scores[-RECENT:].copy(),
    )


def _of_scale(scale: Scale, n_docs: float) -> Digest:
    return Digest.around(scale.median - scale.spread, scale.median, scale.median + scale.spread, n_docs)


def _begin_rung(rung: Rung, sample: sp.csr_matrix, n_docs: int, ops: Ops) -> RungStream:
    """Each document of the sample stands for as many as there are."""
    weights = np.full(sample.shape[0], n_docs / max(sample.shape[0], 1))
    past, rho = Past.nothing(rung.topics.shape[1]), Digest.of([])
    if sample.shape[0]:
        problem = problem_of(rows_source(sample, weights, rung.topics.shape[1], ops), ops)
        sums = solve(problem, np.ascontiguousarray(rung.topics), np.inf)[1]
        past, rho = Past(None, sums.Q, sums.usage), Digest.of(problem.rho(), weights)
    return RungStream(past, rho, _of_scale(rung.help_scale, n_docs), _of_scale(rung.share_scale, n_docs))


def _belonging(scorer: Scorer, idf: Array, ops: Ops) -> Array:
    """θ of the sample; its damped counts follow from its rows, as the smallest of a document is nearly always 1."""
    sample, n_topics = scorer.sample, scorer.rungs[0].topics.shape[1]
    if sample.shape[0] == 0:
        return np.zeros((0, n_topics))
    counts = sample.copy()
    counts.data = (sample.data / idf[sample.indices]).astype(np.float32)
    rows = np.repeat(np.arange(sample.shape[0]), np.diff(sample.indptr))
    smallest = np.full(sample.shape[0], np.inf)
    np.minimum.at(smallest, rows, counts.data)
    counts.data = (counts.data / smallest[rows]).astype(np.float32)
    source = rows_source(counts, np.ones(sample.shape[0]), n_topics, ops)
    theta: Array = read_blocks(scorer.rungs[0].mixture, ops, source).theta[:, 1:]
    return theta
