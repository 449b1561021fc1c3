"""The recipe of `TextOutlierDetector`, start to end: from documents to all that a fitted detector knows (docs/detector.md)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from tonmf.backends import make_ops, n_threads_of
from tonmf.blas import one_blas_thread
from tonmf.counting import AnyCounter
from tonmf.detector_state import DetectorState
from tonmf.documents import check_names
from tonmf.errors import InputError
from tonmf.groups import COARSE_SHARE, FINE_SHARE, SHARE_AMONG_STRANGEST, Group, find_groups, strangest
from tonmf.ladder import PASSES, Corpus, Rung, fit_rung, fit_rungs
from tonmf.mixture import Reading
from tonmf.neighbours import check_embeddings, require_index
from tonmf.ops import Ops
from tonmf.ordinary import ORDINARY_SHARE
from tonmf.profile import learn_profile
from tonmf.scoring import DocumentScores, Scorer, learn_scorer
from tonmf.sources.memory import MatrixSource, default_block_size
from tonmf.threshold import threshold_for_share
from tonmf.weighting import damped, inverse_document_frequencies, unit_rows


@dataclass(frozen=True)
class Recipe:
    """The options of the detector that say how to fit, once documents are counted."""

    min_df: float
    topic_shares: tuple[float, ...]
    n_restarts: int
    max_topics: int
    contamination: float | str
    backend: str
    n_jobs: int | None
    random_state: Any
    callback: Callable[[float], None] | None

    def learn(self, documents: Any, kind: str, counter: AnyCounter, embeddings: Any, names: Any) -> DetectorState:
        """All that there is to know about the documents."""
        counts = counter.learn(documents)
        n_docs = counts.matrix.shape[0]
        ids, checked = check_names(names, n_docs), None
        if embeddings is not None:
            checked = check_embeddings(embeddings, n_docs)
            require_index(int(ORDINARY_SHARE * n_docs))
        if not counts.n_words.any():
            raise InputError(
                f"None of the {n_docs} documents has any word that counts, so there is nothing to learn from: stop words and "
                "single characters do not count."
            )
        if not counter.terms:
            raise InputError(
                f"None of the words occurs in min_df={self.min_df} or more of the {n_docs} documents, so nothing can be learnt "
                "about what is ordinary. Lower min_df, or give more documents."
            )
        rng, ops = check_random_state(self.random_state), make_ops(self.backend, self.n_jobs)
        C, idf = damped(counts.matrix), inverse_document_frequencies(counts.matrix)
        Y = unit_rows(C, idf)
        rows, words = (whole_source(part, self.max_topics, ops) for part in (Y, C))
        corpus = Corpus(rows, words, idf, background=words.term_sums(), readable=np.diff(C.indptr) > 0)
        fitted, groups = self._fit_rungs(corpus, Y, ops, rng, counter.terms)
        with one_blas_thread():
            scorer, scores = learn_scorer(ops, counts, idf, Y, corpus.rows, fitted, checked, rng)
            profile = learn_profile(documents, counter, counts, scorer.sampled, fitted, ids)
        threshold = self._threshold(scorer, scores)
        return DetectorState(
            kind,
            counter,
            idf,
            scorer,
            profile,
            groups,
            threshold,
            scores.total,
            scores.plain,
            scores.alarms,
            corpus.background,
        )

    def _fit_rungs(
        self, corpus: Corpus, Y: sp.csr_matrix, ops: Ops, rng: np.random.RandomState, terms: list[str]
    ) -> tuple[list[tuple[Rung, Reading]], list[Group]]:
        """Fit the rungs that score, which are returned, and those that only serve to find groups."""
        seeds = [int(seed) for seed in rng.randint(2**31, size=self.n_restarts)]
        ladder = [(share, seed) for share in sorted(self.topic_shares) for seed in seeds]
        # The finest takes longest, so it goes first.
        plan = [(FINE_SHARE, seeds[0]), *ladder, (COARSE_SHARE, seeds[0])]
        on_passes = self._count_passes((len(plan) + 1) * PASSES)
        n_threads = n_threads_of(self.n_jobs)
        fitted = fit_rungs(corpus, plan, self.max_topics, lambda n: make_ops(self.backend, n), n_threads, on_passes)
        strange_rows = whole_source(Y[strangest(fitted[-1], corpus.readable)], self.max_topics, ops)
        among_strangest = replace(corpus, rows=strange_rows)
        with one_blas_thread():
            there = fit_rung(among_strangest, SHARE_AMONG_STRANGEST, seeds[0], self.max_topics, ops, on_passes)
        return fitted[1:-1], find_groups([there, *fitted[:-1]], fitted[-1], terms)

    def _count_passes(self, n_passes: int) -> Callable[[int], None]:
        """A function that tells the user's callback how much is done; fits call it from several threads."""
        done, lock = 0, threading.Lock()

        def on_passes(n: int) -> None:
            nonlocal done
            with lock:
                done += n
                if n and self.callback is not None:
                    self.callback(done / n_passes)

        return on_passes

    def _threshold(self, scorer: Scorer, scores: DocumentScores) -> float:
        if isinstance(self.contamination, str):
            return scorer.level
        return threshold_for_share(scores.total, self.contamination, 1.0 - (scores.alarms["empty"] > 0))


def whole_source(rows: sp.csr_matrix, max_topics: int, ops: Ops) -> MatrixSource:
    """Rows in memory, each of weight 1, in blocks that fit the caches."""
    return MatrixSource(rows, np.ones(rows.shape[0]), default_block_size(rows, max_topics), ops)
