"""From embeddings to scores: how far each is from ordinary ones, and whether strange ones are like it.

    score = z(r) + c                           r: `tonmf.detector.scores.meaning`;  c: `tonmf.detector.scores.company`

Which documents are ordinary is found in three steps, as there are no topics that would say it at first:

1. Those four fifths whose nearest tenth of all documents is nearest.
2. By r against a sample of these: all below the automatic threshold, each trusted by its score (`trust_in`).
3. A sample of these is what documents are compared with in the end.

Documents are compared in blocks, several side by side, each on one thread of BLAS: results do not depend on how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.company import MOST, Surroundings, Vouchers, mean_around, vouched_for
from tonmf.detector.scores.likeness import ByMeaning
from tonmf.detector.scores.meaning import AT_ONCE, SMALLEST_COSINE, EmbeddingRows, Meaning, as_rows
from tonmf.detector.scores.ordinary import ordinary_documents, sample_of, trust_in
from tonmf.detector.scores.prepared import Prepares
from tonmf.detector.scores.scale import Scale, doubt
from tonmf.detector.scores.scoring import MOST_AT_FIRST, level_of
from tonmf.detector.vectors.rows import UnitRows
from tonmf.nmf.threads import one_blas_thread

NEAREST_SHARE, LEAST_NEAREST = 0.1, 10
"""Share of the documents that the mean is taken over at first, and the least number of them."""

AROUND = 20
"""Nearest documents whose mean score says whether a document is among strange ones."""


@dataclass(frozen=True)
class CompanyByMeaning(Vouchers):
    """The documents that vouch, by their embeddings relative to the mean."""

    rows: Array


@dataclass(frozen=True)
class VectorScorer(Prepares):
    """The sample of ordinary documents, the trust in each, and the documents that vouch for others, if any does."""

    meaning: Meaning
    trust: Array
    company: CompanyByMeaning | None = None

    @property
    def width(self) -> int:
        """Return the width of embeddings."""
        return int(self.meaning.rows.shape[1])

    def parts(self, embeddings: EmbeddingRows, n_threads: int) -> dict[str, Array]:
        """Return the parts that add up to the scores of documents, by name."""
        far = in_blocks(embeddings, lambda rows: self.meaning.remoteness(rows, self.trust), n_threads)
        parts = {"meaning": self.meaning.part(far)}
        if self.company is not None:
            parts["company"] = self.company.part(self.vouched_for(embeddings, n_threads))
        return parts

    def vouched_for(self, embeddings: EmbeddingRows, n_threads: int) -> Array:
        """Return the sum of the largest weighted likenesses of documents with those that vouch; 0 if none does."""
        meaning, company = self.meaning, self.company
        if company is None:
            return np.zeros(len(embeddings))
        vouching = ByMeaning(company.rows)

        def sums(rows: Array) -> Array:
            return vouched_for(ByMeaning(meaning.around_centre(rows)), vouching, company.weights)

        return in_blocks(embeddings, sums, n_threads)

    def closeness(self, z: Array) -> Array:
        """Return the mean trusted cosine with the nearest ordinary documents, given z(r)."""
        scale = self.meaning.scale
        return np.asarray(np.exp(-(scale.median + z * scale.spread)) - SMALLEST_COSINE)


@dataclass(frozen=True)
class VectorState:
    """What a fitted detector consists of: the scorer, the names of its sample, and the threshold and scores of the fit."""

    scorer: VectorScorer
    sample_ids: Sequence[str]
    threshold: float
    outlier_scores: Array


def total(parts: dict[str, Array]) -> Array:
    """Return the scores that parts add up to."""
    return np.asarray(np.add.reduce(list(parts.values())))


def threshold_of(scores: Array) -> float:
    """Return the automatic threshold."""
    return level_of(scores, None, doubt(len(scores)))


def learn_scorer_of(
    embeddings: UnitRows, rng: np.random.RandomState, n_threads: int
) -> tuple[VectorScorer, Array, NDArray[np.int64]]:
    """Learn the scorer of the training documents; return it, their scores, and the numbers of those in its sample."""
    sampled, trust, n_trusted = _trusted(embeddings, rng, n_threads)
    meaning = Meaning.of(embeddings, sampled)
    far = in_blocks(embeddings, lambda rows: meaning.remoteness(rows, trust), n_threads)
    scorer = VectorScorer(replace(meaning, scale=Scale.of(far), weight=1.0), trust)
    alone = scorer.meaning.part(far)
    company = _learn_company(scorer, embeddings, alone, sampled, n_trusted)
    if company is None:
        return scorer, alone, sampled
    scorer = replace(scorer, company=company)
    vouched = scorer.vouched_for(embeddings, n_threads)
    company = company.beyond(vouched)
    return replace(scorer, company=company), alone + company.part(vouched), sampled


def _trusted(embeddings: UnitRows, rng: np.random.RandomState, n_threads: int) -> tuple[NDArray[np.int64], Array, int]:
    """Draw a sample of documents that are ordinary by their first scores; also return the trust in each, and how many are.

    Of more than `MOST_AT_FIRST` documents, only so many are scored for this.
    """
    numbers, keys = np.arange(len(embeddings)), embeddings.keys
    if len(numbers) > MOST_AT_FIRST:
        numbers = np.sort(rng.permutation(np.argsort(keys, kind="stable"))[:MOST_AT_FIRST])
    first, keys = as_rows(embeddings, numbers), keys[numbers]
    everyone = Meaning.of(first, sample_of(np.arange(len(first)), keys, rng))
    n_nearest = max(int(NEAREST_SHARE * len(everyone.rows)), LEAST_NEAREST)
    far = in_blocks(first, lambda rows: everyone.remoteness(rows, None, n_nearest), n_threads)
    ordinary = sample_of(ordinary_documents(far, np.ones(len(far), bool)), keys, rng)
    alike = Meaning.of(first, ordinary)
    far = in_blocks(first, lambda rows: alike.remoteness(rows, None), n_threads)
    scores = Scale.of(far).z(far)
    level = threshold_of(scores)
    trusted = np.flatnonzero(scores <= max(level, float(scores.min())))
    sampled = sample_of(trusted, keys, rng)
    return numbers[sampled], trust_in(scores[sampled], level), round(len(trusted) * len(embeddings) / len(first))


def _learn_company(
    scorer: VectorScorer, embeddings: UnitRows, scores: Array, sampled: NDArray[np.int64], n_ordinary: int
) -> CompanyByMeaning | None:
    """Find the training documents that vouch for others, given their scores without company; None if no document does."""
    level = threshold_of(scores)
    around = Surroundings.of(scores, level, np.ones(len(scores), bool), sampled, n_ordinary)
    if around is None:
        return None
    both = scorer.meaning.around_centre(as_rows(embeddings, around.both))
    with one_blas_thread():
        means = mean_around(ByMeaning(both), len(around.strange), around.each, around.scores, AROUND)
    vouched = around.vouched(means)
    vouching = np.flatnonzero(vouched)
    return CompanyByMeaning(both[vouching], vouched[vouching], MOST * level) if len(vouching) else None


def in_blocks(embeddings: EmbeddingRows, measure: Callable[[Array], Array], n_threads: int) -> Array:
    """Measure documents in blocks, side by side, and return the measures in order."""
    starts = range(0, len(embeddings), AT_ONCE)
    with one_blas_thread(), ThreadPoolExecutor(max(min(n_threads, len(starts)), 1)) as pool:
        blocks = pool.map(lambda start: measure(as_rows(embeddings, slice(start, start + AT_ONCE))), starts)
        return np.concatenate([np.zeros(0), *blocks])
