"""The recipe of `TextOutlierDetector`: from documents to all that a fitted detector knows (docs/method/detector.md)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sklearn.utils import check_random_state

from tonmf.arrays import Array
from tonmf.detector.explain.profile import excerpt_at, learn_profile
from tonmf.detector.scores.copies import Copies
from tonmf.detector.scores.corpus import Corpus, Describe, Glance
from tonmf.detector.scores.embeddings import check_embeddings
from tonmf.detector.scores.groups import (
    COARSE_SHARE,
    FINE_SHARE,
    SHARE_AMONG_STRANGEST,
    Group,
    candidates,
    groups_of_copies,
    small_groups,
    strangest,
)
from tonmf.detector.scores.ladder import PASSES, FitAmong, Ladder, LadderCheckpoints, Rung
from tonmf.detector.scores.p_values import Reference
from tonmf.detector.scores.scoring import DocumentScores, Scorer, learn_scorer, mean_score
from tonmf.detector.state import DetectorState, TrainingRows
from tonmf.errors import InputError, Param
from tonmf.nmf.ops import Ops
from tonmf.nmf.threads import make_ops, n_threads_of, one_blas_thread
from tonmf.nmf.threshold import threshold_for_share
from tonmf.text.analysis import WordRules
from tonmf.text.counts import Counts
from tonmf.text.documents import ITEMS, TEXTS, check_names
from tonmf.text.forms import in_words
from tonmf.text.vocabulary import Vocabulary
from tonmf.text.vocabulary.selection import least_documents
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import inverse_document_frequencies, term_weights

SHARE_OF_EMBEDDING = 0.9
"""Share of the progress that is embedding, where texts are embedded: with a model on a CPU it takes most of the time."""


@dataclass(frozen=True)
class Recipe:
    """The options of the detector that decide how to fit counted documents."""

    min_df: float
    topic_shares: tuple[float, ...]
    n_restarts: int
    max_topics: int
    contamination: float | str
    backend: str
    device: str
    n_jobs: int | None
    random_state: Any
    callback: Callable[[float], None] | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Pick them out of all options of the detector."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})

    def after_embedding(self) -> tuple[Self, Callable[[float], None] | None]:
        """Return the recipe whose progress goes on where that of embedding ends, and the callback of embedding."""
        callback = self.callback
        if callback is None:
            return self, None
        share = SHARE_OF_EMBEDDING
        return (
            replace(self, callback=lambda done: callback(share + (1 - share) * done)),
            lambda done: callback(share * done),
        )

    def learn(self, documents: Any, kind: str, counter: Vocabulary, embeddings: Any, names: Any) -> DetectorState:
        """Count documents in memory, and learn from them."""
        counts = counter.learn(documents, n_threads_of(self.n_jobs))
        n_docs = counts.matrix.shape[0]
        ids, checked = check_names(names, n_docs), None
        if embeddings is not None:
            checked = check_embeddings(embeddings, n_docs)
        self.check_vocabulary(n_docs, bool(counts.n_words.any()), counter.terms, kind)
        idf = inverse_document_frequencies(counts.matrix)
        describe = describer(documents, counts, counter.terms, ids)
        corpus = Corpus.in_memory(
            counts.matrix,
            counts.totals,
            counter.terms,
            idf,
            term_weights(idf),
            self.max_topics,
            self._ops(),
            describe=describe,
        )
        return self.learn_from(corpus, kind, counter, checked, ids=ids)

    def check_vocabulary(self, n_docs: int, any_words: bool, terms: Sequence[str], kind: str) -> None:
        """Check that there is something to learn from."""
        if not any_words and kind == TEXTS:
            raise InputError(
                f"None of the {n_docs} documents has any word that counts, so there is nothing to learn from: stop words and "
                "single characters do not count."
            )
        what = {TEXTS: "word", ITEMS: "item"}.get(kind, "term")
        if not any_words:
            raise InputError(f"None of the {n_docs} documents has any {what}, so there is nothing to learn from.")
        if not terms and n_docs == 1:
            raise InputError("Expected several documents, got one: there is nothing to compare it with.")
        if not terms:
            raise InputError(
                f"None of the {what}s occurs in ",
                Param("min_df", self.min_df),
                f" or more of the {n_docs} documents, so nothing can be learnt about what is ordinary. Lower ",
                Param("min_df"),
                ", or give more documents.",
            )

    def learn_from(
        self,
        corpus: Corpus,
        kind: str,
        counter: Vocabulary,
        embeddings: Array | None = None,
        *,
        ids: Sequence[str] | None = None,
        side_by_side: int | None = None,
        checkpoints: LadderCheckpoints | None = None,
    ) -> DetectorState:
        """Learn from counted documents, wherever they are; with `ids`, they are in memory, and their rows are kept."""
        rng, ops, n_threads = check_random_state(self.random_state), self._ops(), n_threads_of(self.n_jobs)
        seeds = [int(seed) for seed in rng.randint(2**31, size=self.n_restarts)]
        plan = self._plan(seeds)
        copies = Copies.among(corpus, ops)
        corpus, counter = self._without_words_of_copies(corpus, counter, copies)
        weights = copies.weights() if copies.any else None
        if weights is not None:
            corpus = corpus.weighted(weights)
        on_passes = self._count_passes((len(plan) + 1) * PASSES)
        side_by_side = side_by_side or ops.fits_at_a_time or n_threads
        ladder = Ladder(corpus, self.max_topics, self._ops_of, n_threads, side_by_side, on_passes, checkpoints)
        rungs, topics, groups = self._climb(ladder, plan, seeds[0], copies)
        with one_blas_thread():
            scorer, scores, sampled = learn_scorer(ops, corpus, rungs, topics, embeddings, rng, weights)
            profile = learn_profile(ops, corpus, sampled, rungs)
        threshold = self._threshold(scorer, scores)
        n_distinct, judged = corpus.totals.n_distinct, scores.judged
        reference = Reference.learn(scores.total[judged], n_distinct[judged])
        if isinstance(counter, TermCounter) and not counter.forms:  # documents on disk or on a cluster
            counter = counter.with_forms(profile.excerpts)
        groups = [replace(group, words=in_words(group.words, counter.forms)) for group in groups]
        return DetectorState(
            kind,
            counter,
            corpus.idf,
            scorer,
            profile,
            groups,
            threshold,
            scores.total,
            scores.plain,
            scores.alarms,
            corpus.background,
            reference,
            reference.p_of_training(scores.total, n_distinct, judged),
            rows=None if ids is None else TrainingRows(ids, corpus.source.matrix(), embeddings),
        )

    def _without_words_of_copies(
        self, corpus: Corpus, counter: Vocabulary, copies: Copies
    ) -> tuple[Corpus, Vocabulary]:
        """Drop the terms that only copies of one document have, as the words of one document are."""
        kept = copies.independent_terms(corpus, least_documents(self.min_df, corpus.n_docs, WordRules()))
        if len(kept) in (0, len(corpus.terms)):
            return corpus, counter
        fewer = counter.with_terms([corpus.terms[number] for number in kept.tolist()])
        return (corpus, counter) if fewer is None else (corpus.of_terms(kept, counter.passes_over), fewer)

    def _plan(self, seeds: Sequence[int]) -> list[tuple[float, int]]:
        """List the fits: one of common topics, one of the rarest, then those that score."""
        ladder = [(share, seed) for share in sorted(self.topic_shares) for seed in seeds]
        return [(COARSE_SHARE, seeds[0]), (FINE_SHARE, seeds[0]), *ladder]

    def _climb(
        self, ladder: Ladder, plan: Sequence[tuple[float, int]], seed: int, copies: Copies
    ) -> tuple[list[Rung], Array, list[Group]]:
        """Return the rungs that score, the mean of their z(b) + z(g), and the small groups that all fits together show."""
        terms, readable = ladder.corpus.terms, ladder.corpus.readable

        def among_strangest(common: Rung, glance: Glance) -> FitAmong:
            return SHARE_AMONG_STRANGEST, seed, strangest(common.score(glance), readable)

        fits = ladder.fits(plan, among_strangest)
        common, glance = next(fits)
        strangeness = common.score(glance)
        found: list[Group] = []
        rungs: list[Rung] = []

        def scores() -> Iterator[Array]:
            for number, (rung, glance) in enumerate(fits, 1):
                found.extend(candidates(rung, glance, common, strangeness, terms))
                if 1 < number < len(plan):  # the first is too fine to score; the last is of the strangest documents
                    rungs.append(rung)
                    yield rung.score(glance)

        topics = mean_score(scores())
        groups = small_groups([*found, *groups_of_copies(copies, ladder.corpus, strangeness)])
        return rungs, topics, groups

    def _ops(self) -> Ops:
        return make_ops(self.backend, self.n_jobs, self.device)

    def _ops_of(self, n_threads: int) -> Ops:
        return make_ops(self.backend, n_threads, self.device)

    def _count_passes(self, n_passes: int) -> Callable[[int], None]:
        """Return a function that reports progress to the user's callback; fits call it from several threads."""
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


def describer(documents: Any, counts: Counts, terms: Sequence[str], ids: Sequence[str]) -> Describe:
    """Return a function that gives the names and excerpts of documents in memory; of a row of counts, its terms."""

    def describe(rows: Any) -> tuple[list[str], list[str]]:
        return [ids[row] for row in rows], [excerpt_at(documents, row, counts, terms) for row in rows]

    return describe
