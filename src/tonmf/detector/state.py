"""The state of a fitted detector; `tonmf.detector.saved` reads and writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tonmf.arrays import Array
from tonmf.detector.embedder import EmbeddedBy
from tonmf.detector.explain.explainer import Explainer
from tonmf.detector.explain.profile import CorpusProfile
from tonmf.detector.marks.effects import Marking
from tonmf.detector.marks.marks import Marks
from tonmf.detector.scores.alarms import CUTS
from tonmf.detector.scores.groups import Group
from tonmf.detector.scores.p_values import Reference
from tonmf.detector.scores.scale import SAME_SCORE
from tonmf.detector.scores.scoring import DocumentScores, Scorer
from tonmf.nmf.streaming import Past
from tonmf.stream.clock import Clock
from tonmf.stream.digest import Digest
from tonmf.text.documents import ITEMS, TEXTS
from tonmf.text.vocabulary import Vocabulary
from tonmf.text.vocabulary.changing import Candidates
from tonmf.text.vocabulary.seen import SeenPassages
from tonmf.text.weighting import LEAST_WEIGHT, term_weights


@dataclass(frozen=True)
class TrainingRows:
    """The training documents themselves, for marks: their ids, unit rows, and embeddings if there are any."""

    ids: Sequence[str]
    rows: sp.csr_matrix
    embeddings: Array | None = None


@dataclass(frozen=True)
class DetectorState:
    """All of a fitted `TextOutlierDetector` but its parameters.

    `threshold`, `outlier_scores`, `scores_before_alarms`, `reference` and `p_values` are those without marks. `rows` are known
    only where the documents were in memory; they are neither saved nor pickled.
    """

    kind: str
    counter: Vocabulary
    idf: Array
    scorer: Scorer
    profile: CorpusProfile
    groups: list[Group]
    threshold: float
    outlier_scores: Array
    scores_before_alarms: Array
    alarms: dict[str, Array]
    background: Array
    reference: Reference
    p_values: Array
    stream: DetectorStream | None = None
    least_weight: float = LEAST_WEIGHT
    rows: TrainingRows | None = None
    marking: Marking | None = None
    embedded_by: EmbeddedBy | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}

    @cached_property
    def weights(self) -> Array:
        """Return how much each term weighs in rows; in detectors saved by earlier versions that is its idf."""
        return term_weights(self.idf, self.least_weight)

    @property
    def marks(self) -> Marks | None:
        """Return the marks of a reader, if there are any."""
        return None if self.marking is None else self.marking.effects.marks

    @property
    def marked_threshold(self) -> float:
        """Return the threshold of scores with marks."""
        return self.threshold if self.marking is None else self.marking.threshold

    @property
    def marked_scores(self) -> Array:
        """Return the scores of the training documents with marks; those without words that count stay at 0."""
        if self.marking is None:
            return self.outlier_scores
        return np.where(self.alarms["empty"] > 0, 0.0, self.outlier_scores + self.marking.training)

    def known_p_values(self, scores: DocumentScores, p_values: Array) -> Array:
        """Return p-values of documents in which those that have the score of a training document have its p-value.

        A training document is known again by its score, without marks. `p_values` are those of new documents.
        """
        known, known_p_values = self._judged_by_score
        if len(known) == 0:
            return p_values
        places = np.minimum(np.searchsorted(known, scores.total - SAME_SCORE), len(known) - 1)
        same = scores.judged & (np.abs(known[places] - scores.total) <= SAME_SCORE)
        return np.where(same, known_p_values[places], p_values)

    @cached_property
    def _judged_by_score(self) -> tuple[Array, Array]:
        """Return the scores of the judged training documents in ascending order, and their p-values."""
        judged = np.flatnonzero(self.alarms["empty"] == 0)
        order = judged[np.argsort(self.outlier_scores[judged], kind="stable")]
        return self.outlier_scores[order], self.p_values[order]

    def explainer(self, analyzer: Any) -> Explainer:
        """Return what explains documents by this state."""
        terms, judged = self.counter.terms, self.alarms["empty"] == 0
        scores = self.marked_scores[judged] if self.stream is None else self.stream.recent
        word, forms = self.word(analyzer), self.counter.forms
        effects = None if self.marking is None else self.marking.effects
        threshold = self.marked_threshold
        return Explainer(terms, forms, self.weights, self.scorer, self.profile, scores, threshold, word, effects)

    def word(self, analyzer: Any) -> str:
        """Return what documents are made of: "word", "item" or "term"."""
        return "item" if self.kind == ITEMS else "word" if self.kind == TEXTS and analyzer == "word" else "term"


RECENT = 2000
"""Latest judged documents, among which a new one is ranked."""


OF_ALARMS = {name: f"alarm_{name}" for name in CUTS}


DIGESTS = (
    "topics",
    "remoteness",
    "plain",
    "total",
    "lengths",
    "unknown",
    "unexplained",
    *OF_ALARMS.values(),
)
"""Numbers of documents whose quantiles are followed; and "meaning", if there are embeddings."""


@dataclass(frozen=True)
class RungStream:
    """The memory of a rung: the sums of its topics, and quantiles of residual norms, b and g."""

    past: Past
    rho: Digest
    helps: Digest
    shares: Digest


@dataclass(frozen=True)
class DetectorStream:
    """Sums and quantiles over all documents so far; recent ones count more if there is a half-life.

    =============== ==================== ==================================================================
    field           shape                what
    =============== ==================== ==================================================================
    n_seen                               documents that have been learnt from, none of them forgotten
    n_docs                               the same as they count by now
    clock                                the newest time of a document, if documents have times
    df              n_terms              documents that have each word
    background      n_terms              Σ_i c_it
    n_outside                            distinct words outside the vocabulary, over all documents
    candidates                           what these are
    passages                             lines and sentences of documents, boilerplate or not, by key
    rungs                                of each rung its sums and quantiles
    added           n_added              how much each added topic was used when it came; these are the last of every rung
    digests                              quantiles of `DIGESTS`
    keys            n_sample             of the sample of ordinary documents
    belonging       n_sample × n_topics  how far each of them leans on the topics of the finest rung
    recent          up to `RECENT`       scores of the judged documents seen last, in order
    =============== ==================== ==================================================================
    """

    n_seen: int
    n_docs: float
    clock: Clock
    df: Array
    background: Array
    n_outside: float
    candidates: Candidates
    passages: SeenPassages
    rungs: Sequence[RungStream]
    added: Array
    digests: Mapping[str, Digest]
    keys: Array
    belonging: Array
    recent: Array
