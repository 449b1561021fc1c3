"""Let a fitted detector learn from more documents.

They have been scored by the detector as it is. Their scores, and the numbers these are made of, update the quantiles: medians
and spreads of the scales, alarms, percentiles, threshold. Counts update idf, background and vocabulary. Every rung takes one
pass (`tonmf.nmf.streaming`) over the documents that raise no alarm; those that its topics explain badly are weighted down, and
so are copies among them (`tonmf.detector.scores.copies`). The topics of the fit stay, and added topics leave when they have
faded. Ordinary documents may replace others in the sample.
docs/method/updates.md has the details.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.learning.begin import begin, problem_of, rows_source, solve
from tonmf.detector.learning.quantiles import with_measures
from tonmf.detector.learning.rebuild import Sample, learnt_rung, learnt_state
from tonmf.detector.marking import with_marks
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.scores.company import Company
from tonmf.detector.scores.copies import Copies
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.state import RECENT, DetectorState, DetectorStream, RungStream, TrainingRows
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.ops import Ops
from tonmf.nmf.solver import automatic_alpha, bring_to_unit_norm
from tonmf.nmf.streaming import Past, learn_block
from tonmf.nmf.threads import one_blas_thread
from tonmf.stream.half_life import Ageing
from tonmf.text.analysis import WordRules
from tonmf.text.counts import document_frequencies
from tonmf.text.documents import is_matrix
from tonmf.text.passages import Boilerplate
from tonmf.text.vocabulary.changing import Change, changed_vocabulary
from tonmf.text.vocabulary.seen import seen_passages
from tonmf.text.vocabulary.selection import least_documents
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import damped, term_weights, unit_rows

LEAST_LEFT = 1000.0
"""Documents below which the past does not fade by time alone: after a long silence nothing would be left to compare with."""

LEAST_IN_GROUP = 2
"""Documents of a group that must have a word for the word to join the vocabulary with the group's topic."""


@dataclass(frozen=True)
class Learner:
    """The options of the detector that decide how it learns; added topics leave only if `topics_leave`."""

    min_df: float
    rules: WordRules
    contamination: float | str
    seed: int
    ops: Ops
    topics_leave: bool = True

    def stream_of(self, state: DetectorState) -> DetectorStream:
        """Return the stream of a detector, or begin one from its fit."""
        if state.stream is not None:
            return state.stream
        scores, plain = state.outlier_scores, state.scores_before_alarms
        with one_blas_thread():
            stream = begin(
                state.scorer,
                state.profile,
                state.idf,
                state.weights,
                state.background,
                scores,
                plain,
                state.alarms,
                state.counter.boilerplate,
                self.ops,
            )
        if state.marking is None:
            return stream
        return replace(stream, recent=state.marked_scores[state.alarms["empty"] == 0][-RECENT:])

    def learn(self, state: DetectorState, new: ReadDocuments, ageing: Ageing) -> DetectorState:
        """Return the state after learning from documents."""
        stream = self.stream_of(state)
        if ageing.by_time:
            ageing = replace(ageing, factor=max(ageing.factor, min(LEAST_LEFT / stream.n_docs, 1.0)))
        stream = with_measures(stream, state.scorer, new, ageing)
        least = least_documents(self.min_df, stream.n_docs, self.rules)
        stream, words = self._words(state, stream, new, ageing, least)
        stream, boilerplate = _passages(state, stream, new, ageing)
        Y = unit_rows(damped(words.counts(new)), words.weights)
        weights = ageing.weights * new.quiet * Copies.among(new.corpus, self.ops).weights(stream.n_docs)
        topics, streams = [], []
        with one_blas_thread():
            source = rows_source(Y, weights, _most_topics(state), self.ops)
            for rung, remembered in zip(state.scorer.rungs, stream.rungs, strict=True):
                W, past = words.topics(rung, remembered.past)
                streams.append(self._learn_rung(replace(remembered, past=past), W, source.again(), weights, ageing))
                topics.append(W)
        stream, topics, kept = self._with_topics_that_stay(replace(stream, rungs=streams), topics, MOST_ADDED)
        rungs = [
            learnt_rung(rung, W, remembered, words.weights, stream.background)
            for rung, W, remembered in zip(state.scorer.rungs, topics, stream.rungs, strict=True)
        ]
        sample = Sample.of(state, stream, words.rows(state.scorer.sample))
        sample = sample.with_ordinary(new, Y, ageing, np.random.default_rng([self.seed, stream.n_seen])).of_topics(kept)
        stream = _measured_against(stream, sample.stayed)
        company = words.company(state.scorer.company, 1 - float(ageing.weights.sum()) / stream.n_docs)
        following = learnt_state(
            state, stream, words.change, words.idf, rungs, sample, company, new, self.contamination
        )
        counter = following.counter
        if isinstance(counter, TermCounter):
            if words.change is not None:
                counter = counter.with_forms(new.documents)
            counter = counter if boilerplate is None else counter.with_boilerplate(boilerplate)
        rows = TrainingRows(new.ids, Y, new.embeddings)
        return self._with_marks(state, replace(following, counter=counter, rows=rows), words)

    def _with_marks(self, state: DetectorState, following: DetectorState, words: VocabularyUpdate) -> DetectorState:
        """Let the next state take on the marks of the state before; their rows are weighed anew."""
        marks = state.marks
        if marks is None:
            return following
        return with_marks(following, marks.weighed(words.rows(marks.rows)), self.contamination)

    def _learn_rung(
        self, remembered: RungStream, W: Array, source: MatrixSource, weights: Array, ageing: Ageing
    ) -> RungStream:
        """Take one pass; W is changed in place."""
        rho = remembered.rho.faded(ageing.factor)
        alpha = automatic_alpha(rho.values, rho.weights) if len(rho.values) else np.inf
        problem = problem_of(source, self.ops)
        current, _ = solve(problem, W, alpha)
        past = learn_block(problem, current, remembered.past, ageing.factor)
        return replace(remembered, past=past, rho=rho.add(problem.rho(), weights))

    def _with_topics_that_stay(
        self, stream: DetectorStream, topics: list[Array], most: int
    ) -> tuple[DetectorStream, list[Array], NDArray[np.bool_]]:
        """Remove added topics that have faded or are too many from all rungs; also return which of the first rung stay."""
        n_added, usage = len(stream.added), stream.rungs[0].past.usage
        n_first = len(usage) - n_added
        stays = staying(usage[n_first:], stream.added, most)
        if not self.topics_leave or stays.all():
            return stream, topics, np.ones(len(usage), bool)
        kept = [np.append(np.ones(W.shape[1] - n_added, bool), stays) for W in topics]
        rungs = [
            replace(rung, past=rung.past.with_some(W, of_rung))
            for rung, W, of_rung in zip(stream.rungs, topics, kept, strict=True)
        ]
        topics = [np.ascontiguousarray(W[:, of_rung]) for W, of_rung in zip(topics, kept, strict=True)]
        return replace(stream, rungs=rungs, added=stream.added[stays]), topics, kept[0]

    def _words(
        self, state: DetectorState, stream: DetectorStream, new: ReadDocuments, ageing: Ageing, least: float
    ) -> tuple[DetectorStream, VocabularyUpdate]:
        """Update document frequencies, background and vocabulary with the words of documents."""
        C = damped(new.counts.matrix)
        weights = np.repeat(ageing.weights, np.diff(C.indptr))
        df = ageing.factor * stream.df + np.bincount(C.indices, weights, len(stream.df))
        background = ageing.factor * stream.background + np.bincount(C.indices, weights * C.data, len(stream.df))
        n_outside = ageing.factor * stream.n_outside + float(ageing.weights @ new.counts.n_outside)
        candidates = stream.candidates.faded(ageing.factor).seen(new.outside, ageing.weights)
        stream = replace(stream, df=df, background=background, n_outside=n_outside, candidates=candidates)
        joining = candidates.ready(_all_words(new.outside), least, self.rules.min_count)
        return _with_vocabulary(state, stream, changed_vocabulary(state.counter, df, joining, least))

    def add_topic(self, state: DetectorState, new: ReadDocuments) -> DetectorState:
        """Return the state with one more topic on every rung, that of a group of documents."""
        stream = self.stream_of(state)
        candidates = stream.candidates.seen(new.outside, np.ones(len(new.outside)))
        stream = replace(stream, candidates=candidates)
        least = least_documents(self.min_df, stream.n_docs, self.rules)
        joining = candidates.ready(_all_words(new.outside), min(least, LEAST_IN_GROUP), 0.0)
        change = changed_vocabulary(state.counter, stream.df, joining, least)
        stream, words = _with_vocabulary(state, stream, change, common=new)
        C = damped(words.counts(new))
        Y = unit_rows(C, words.weights)
        with one_blas_thread():
            carried = [words.topics(rung, of.past) for rung, of in zip(state.scorer.rungs, stream.rungs, strict=True)]
            streams = [replace(of, past=past) for of, (_, past) in zip(stream.rungs, carried, strict=True)]
            stream = replace(stream, rungs=streams)
            stream, topics, kept = self._with_topics_that_stay(stream, [W for W, _ in carried], MOST_ADDED - 1)
            rungs, streams = [], []
            source = rows_source(Y, np.ones(Y.shape[0]), _most_topics(state) + 1, self.ops)
            topic = np.asarray(Y.sum(axis=0), dtype=np.float64).reshape(-1, 1)
            for rung, W, remembered in zip(state.scorer.rungs, topics, stream.rungs, strict=True):
                W = np.ascontiguousarray(np.column_stack([W, topic]), dtype=rung.topics.dtype)
                bring_to_unit_norm(W)
                _, sums = solve(problem_of(source.again(), self.ops), W, np.inf)
                past = remembered.past.with_topic(W, sums.Q[:-1, -1], float(sums.Q[-1, -1]), float(sums.usage[-1]))
                remembered = replace(remembered, past=past)
                rungs.append(learnt_rung(rung, W, remembered, words.weights, stream.background))
                streams.append(remembered)
            stream = replace(stream, rungs=streams, added=np.append(stream.added, streams[0].past.usage[-1]))
            sample = Sample.of(state, stream, words.rows(state.scorer.sample)).of_topics(kept)
            rng = np.random.default_rng([self.seed, stream.n_seen, len(topic)])
            theta = rungs[0].mixture.read(self.ops, self.ops.prepare(C)).theta
            sample = sample.with_group(new, Y, theta, rng)
            company = words.company(state.scorer.company, 1.0)
            if company is not None:
                company = company.without(topic.ravel())
        following = learnt_state(
            state, stream, words.change, words.idf, rungs, sample, company, None, self.contamination
        )
        rows = state.rows
        if rows is not None:
            following = replace(following, rows=replace(rows, rows=words.rows(rows.rows)))
        return self._with_marks(state, following, words)


def _passages(
    state: DetectorState, stream: DetectorStream, new: ReadDocuments, ageing: Ageing
) -> tuple[DetectorStream, Boilerplate | None]:
    """Update the passages that were seen, and return what is boilerplate from now on; None if it is not looked for."""
    counter = state.counter
    if not isinstance(counter, TermCounter) or counter.boilerplate_share is None:
        return stream, None
    seen, boilerplate = seen_passages(
        counter, stream.passages, new.documents, ageing.weights, ageing.factor, stream.n_docs
    )
    return replace(stream, passages=seen), boilerplate


MEASURED_AGAINST = ("remoteness", "meaning", "plain", "total")
"""Numbers of documents that depend on the sample of ordinary ones."""


def _measured_against(stream: DetectorStream, stayed: float) -> DetectorStream:
    """Fade what was measured against a sample with that sample: a larger one has nearer neighbours for everybody."""
    faded = {name: stream.digests[name].faded(stayed) for name in MEASURED_AGAINST if name in stream.digests}
    return replace(stream, digests={**stream.digests, **faded})


def _most_topics(state: DetectorState) -> int:
    return max(len(rung.shares) for rung in state.scorer.rungs)


def _all_words(outside: Any) -> set[str]:
    return {word for words in outside for word in words}


@dataclass(frozen=True)
class VocabularyUpdate:
    """The vocabulary change, the new idf and weights of terms, and new weight / old weight."""

    change: Change | None
    idf: Array
    weights: Array
    ratio: Array

    def counts(self, new: ReadDocuments) -> sp.csr_matrix:
        """Return the counts of documents by the new vocabulary."""
        if self.change is None:
            return new.counts.matrix
        if is_matrix(new.documents):  # no words to analyze, and a row may hold fractions, which `outside` does not
            return self.change.counter.count(new.documents).matrix
        return self.change.of_counts(new.counts.matrix, new.outside)

    def rows(self, sample: sp.csr_matrix) -> sp.csr_matrix:
        """Weigh unit rows of the old weights by the new ones."""
        return unit_rows(sample if self.change is None else self.change.of_columns(sample), self.ratio)

    def company(self, company: Company | None, share: float) -> Company | None:
        """Return the documents that vouch for others, by the new weights; they are a share of the documents seen by now."""
        return None if company is None else company.later(self.rows(company.rows), max(share, 0.0))

    def topics(self, rung: Rung, past: Past) -> tuple[Array, Past]:
        """Return a copy of topics and their sums, by the new weights and vocabulary."""
        P, W = past.right_hand_side(rung.topics), rung.topics
        if self.change is not None:
            P, W = self.change.of_rows(P), self.change.of_rows(W)
        W = np.ascontiguousarray(W * self.ratio[:, None], dtype=rung.topics.dtype)
        norms = bring_to_unit_norm(W)
        return W, past.rescaled(P * self.ratio[:, None], norms)


def _with_vocabulary(
    state: DetectorState, stream: DetectorStream, change: Change | None, common: ReadDocuments | None = None
) -> tuple[DetectorStream, VocabularyUpdate]:
    """Apply a vocabulary change and compute idf; words of a group in `common` become as common as the average word."""
    before = state.weights
    if change is not None:
        documents, totals = change.counts_of_joined()
        counted = (n for word, (n, _) in change.joined.items() if not state.counter.passes_over(word))
        stream = replace(
            stream,
            df=change.of_rows(stream.df, documents),
            background=change.of_rows(stream.background, totals),
            n_outside=max(stream.n_outside - sum(counted), 0.0),
            candidates=stream.candidates.without(change.joined),
        )
    if common is not None:
        counter = state.counter if change is None else change.counter
        shared = document_frequencies(counter.count(common.documents).matrix) >= min(LEAST_IN_GROUP, len(common.ids))
        usual = (1 + stream.n_docs) / np.exp(state.scorer.alarms.medians["rare"]) - 1
        stream = replace(stream, df=np.where(shared, np.maximum(stream.df, usual), stream.df))
    idf: Array = np.log((1 + stream.n_docs) / (1 + np.minimum(stream.df, stream.n_docs))) + 1
    weights = term_weights(idf, state.least_weight)
    if change is not None:
        before = change.of_rows(before, weights[change.origin < 0])
    return stream, VocabularyUpdate(change, idf, weights, weights / before)


LEAVES_BELOW = 0.1
"""Share of its first use at which an added topic leaves: after three to four half-lives without documents like it."""

MOST_ADDED = 50
"""Most added topics of a detector."""


def staying(usage: Array, at_first: Array, most: int) -> NDArray[np.bool_]:
    """Decide which added topics stay, given how much each is used now and was at first, and how many may stay.

    >>> staying(np.array([5.0, 0.3, 8.0, 6.0]), np.array([5.0, 5.0, 5.0, 5.0]), most=2).tolist()
    [False, False, True, True]
    """
    stays: NDArray[np.bool_] = usage > LEAVES_BELOW * at_first
    stays[np.argsort(np.where(stays, -usage, np.inf), kind="stable")[most:]] = False
    return stays
