"""Rebuild the state of a detector from its stream: rungs, the sample of ordinary documents, scales and alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.profile import PERCENTILES, CorpusProfile, excerpt_at
from tonmf.detector.explain.topics import typical_documents
from tonmf.detector.reading import ReadDocuments
from tonmf.detector.scores.alarms import Alarms, smallest_width
from tonmf.detector.scores.company import Company
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.meaning import Meaning
from tonmf.detector.scores.ordinary import (
    NEAREST,
    NEAREST_AT_FIRST,
    ORDINARY_SHARE,
    SAMPLE,
    WELL_EXPLAINED_SHARE,
    trust_in,
)
from tonmf.detector.scores.p_values import Reference
from tonmf.detector.scores.scale import LOWER, UPPER, Scale
from tonmf.detector.scores.scoring import Scorer, level_of
from tonmf.detector.state import OF_ALARMS, DetectorState, DetectorStream, RungStream
from tonmf.nmf.mixture import Mixture
from tonmf.nmf.threshold import threshold_for_share
from tonmf.stream.digest import Digest
from tonmf.stream.half_life import Ageing
from tonmf.stream.reservoir import chosen, faded_keys, fresh_keys
from tonmf.text.vocabulary.changing import Change


def learnt_rung(rung: Rung, W: Array, remembered: RungStream, weights: Array, background: Array) -> Rung:
    """Make a rung of new topics, with the mixture and scales that its stream remembers."""
    usage = remembered.past.usage
    return Rung(
        rung.topic_share,
        W,
        usage / max(usage.sum(), np.finfo(np.float64).tiny),
        replace(Mixture.of(W / weights[:, None], background, usage), outside=rung.mixture.outside),
        _scale(remembered.helps, rung.help_scale),
        _scale(remembered.shares, rung.share_scale),
    )


def _scale(digest: Digest, otherwise: Scale) -> Scale:
    if len(digest.values) == 0:
        return otherwise
    return Scale.of_percentiles(*digest.percentiles([LOWER, 50, UPPER]).tolist())


@dataclass(frozen=True)
class Sample:
    """The ordinary documents that others are compared with: their rows, trust, names, excerpts, reservoir keys, topics,
    and meaning if there are embeddings.

    A document is ordinary if the topics explain it as well as most, z(b) + z(g) ≤ `most_unexplained`, and if its score is no
    higher than `limit`. The score alone would not do: it compares with the sample, so that the first strange documents in the
    sample would let in others like them. Detectors saved by earlier versions, which trust all alike, ask for the topics
    alone. `stayed` is the share of the documents that was there before.
    """

    rows: sp.csr_matrix
    trust: Array | None
    ids: list[str]
    excerpts: list[str]
    keys: Array
    belonging: Array
    meaning: Meaning | None
    limit: float
    most_unexplained: float
    stayed: float = 1.0

    @classmethod
    def of(cls, state: DetectorState, stream: DetectorStream, rows: sp.csr_matrix) -> Self:
        """Take the current sample, with rows by the new weights."""
        profile, scorer = state.profile, state.scorer
        share = ORDINARY_SHARE if scorer.trust is None else WELL_EXPLAINED_SHARE
        return cls(
            rows,
            scorer.trust,
            profile.ids,
            profile.excerpts,
            stream.keys,
            stream.belonging,
            scorer.meaning,
            np.inf if scorer.trust is None else scorer.level,
            float(stream.digests["topics"].percentiles([100 * share])[0]),
        )

    def of_topics(self, kept: NDArray[np.bool_]) -> Self:
        """Keep only some topics of the finest rung."""
        return replace(self, belonging=self.belonging[:, kept])

    def with_ordinary(self, new: ReadDocuments, Y: sp.csr_matrix, ageing: Ageing, rng: np.random.Generator) -> Self:
        """Replace documents of the sample at random by the ordinary ones among new documents."""
        scores = new.unmarked.plain
        is_ordinary = (new.topic_scores <= self.most_unexplained) & (scores <= self.limit)
        ordinary = np.flatnonzero(new.quiet & is_ordinary & (np.diff(Y.indptr) > 0))
        weights = ageing.weights[ordinary]
        old, keys = faded_keys(self.keys, ageing.factor), fresh_keys(weights, rng)
        kept, taken = chosen(old, keys, max(SAMPLE, len(old)))
        documents = ordinary[taken]
        belonging = np.concatenate([self.belonging[kept], new.readings[0].theta[documents, 1:]])
        trust = trust_in(scores[documents], self.limit)
        return self._of(new, Y, kept, documents, trust, np.concatenate([old[kept], keys[taken]]), belonging)

    def with_group(
        self,
        new: ReadDocuments,
        Y: sp.csr_matrix,
        theta: Array,
        rng: np.random.Generator,
    ) -> Self:
        """Add all documents of a group that got a topic of its own, the last of `theta`, with keys drawn from the others'.

        They are trusted in full. If they are few, each is added several times, so that documents like them have enough
        neighbours.
        """
        documents = np.flatnonzero(np.diff(Y.indptr) > 0)
        documents = np.tile(documents, -(-(self._n_nearest + 1) // max(len(documents), 1)))
        keys = rng.choice(self.keys, len(documents)) if len(self.keys) else np.zeros(len(documents))
        before = np.column_stack([self.belonging, np.zeros(len(self.belonging))])
        stays = np.sort(np.argsort(self.keys, kind="stable")[: max(max(SAMPLE, len(self.keys)) - len(documents), 0)])
        belonging = np.concatenate([before[stays], theta[documents, 1:]])
        trust = np.ones(len(documents))
        return self._of(new, Y, stays, documents, trust, np.concatenate([self.keys[stays], keys]), belonging)

    @property
    def _n_nearest(self) -> int:
        return NEAREST_AT_FIRST if self.trust is None else NEAREST

    def _of(
        self,
        new: ReadDocuments,
        Y: sp.csr_matrix,
        kept: NDArray[np.int64],
        documents: NDArray[np.int64],
        trust: Array,
        keys: Array,
        belonging: Array,
    ) -> Self:
        if len(documents) == 0 and len(kept) == self.rows.shape[0]:
            return replace(self, keys=keys, belonging=belonging)
        excerpts = [excerpt_at(new.documents, row, new.counts, new.corpus.terms) for row in documents.tolist()]
        rows = sp.csr_matrix(sp.vstack([self.rows[kept], Y[documents]], format="csr"), dtype=np.float32)
        rows.sort_indices()
        return replace(
            self,
            rows=rows,
            trust=None if self.trust is None else np.concatenate([self.trust[kept], trust]),
            ids=[self.ids[row] for row in kept] + [new.ids[row] for row in documents],
            excerpts=[self.excerpts[row] for row in kept] + excerpts,
            keys=keys,
            belonging=belonging,
            meaning=self._meaning_with(new, kept, documents),
            stayed=len(kept) / rows.shape[0],
        )

    def _meaning_with(
        self, new: ReadDocuments, kept: NDArray[np.int64], documents: NDArray[np.int64]
    ) -> Meaning | None:
        if self.meaning is None or new.embeddings is None:
            return self.meaning
        return replace(self.meaning, rows=np.concatenate([self.meaning.rows[kept], new.embeddings[documents]]))


def _meaning(meaning: Meaning | None, digests: Mapping[str, Digest]) -> Meaning | None:
    """Return the meaning of the sample, with the scale that the stream remembers."""
    return None if meaning is None else replace(meaning, scale=_scale(digests["meaning"], meaning.scale))


def learnt_state(
    state: DetectorState,
    stream: DetectorStream,
    change: Change | None,
    idf: Array,
    rungs: Sequence[Rung],
    sample: Sample,
    company: Company | None,
    new: ReadDocuments | None,
    contamination: float | str,
) -> DetectorState:
    """Make the next state of a detector; its document scores are those of the `new` documents, if there are any."""
    digests, plain, total = stream.digests, stream.digests["plain"], stream.digests["total"]
    level = state.scorer.level
    if len(plain.values):
        level = level_of(plain.values, plain.weights)
    threshold = level
    if not isinstance(contamination, str):
        threshold = threshold_for_share(total.values, contamination, total.weights)
    scorer = Scorer(
        rungs,
        sample.rows,
        _scale(digests["remoteness"], state.scorer.remoteness_scale),
        _alarms(stream, idf, state.scorer.alarms.log_odds),
        level,
        state.scorer.evidence,
        company,
        sample.trust,
        _meaning(sample.meaning, digests),
    )
    stream = replace(stream, keys=sample.keys, belonging=sample.belonging)
    following = replace(
        state,
        counter=state.counter if change is None else change.counter,
        idf=idf,
        scorer=scorer,
        profile=_profile(stream, sample, state.profile.n_docs if new is None else len(new.ids)),
        threshold=float(threshold),
        background=stream.background,
        reference=Reference.following(total),
        stream=stream,
    )
    if new is None:
        return following
    scores = new.unmarked
    return replace(
        following,
        groups=[],
        outlier_scores=scores.total,
        scores_before_alarms=scores.plain,
        alarms=scores.alarms,
        p_values=new.p_values,
    )


def _alarms(stream: DetectorStream, idf: Array, log_odds: bool) -> Alarms:
    rarity = idf - 1
    rarity_outside = max(float(np.log((1 + stream.n_docs) / 2)), 0.0)
    n_distinct = max(float(stream.df.sum()) + stream.n_outside, np.finfo(np.float64).tiny)
    total = float(stream.df @ rarity) + stream.n_outside * rarity_outside
    means = {"unknown": stream.n_outside / n_distinct, "rare": total / n_distinct}
    medians, widths = {}, {}
    for name, called in OF_ALARMS.items():
        median, upper = stream.digests[called].percentiles([50, UPPER]).tolist()
        medians[name], widths[name] = median, max(upper - median, smallest_width(name, log_odds))
    return Alarms(rarity_outside, means, medians, widths, log_odds)


def _profile(stream: DetectorStream, sample: Sample, n_docs: int) -> CorpusProfile:
    numbers: Mapping[str, Any] = {
        name: stream.digests[name].percentiles(PERCENTILES) for name in ("lengths", "unknown", "unexplained")
    }
    typical = typical_documents(sample.belonging)
    return CorpusProfile(n_docs, **numbers, ids=sample.ids, excerpts=sample.excerpts, typical=typical)
