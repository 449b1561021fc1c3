"""Remember more of the training documents than their scores, so that explanations can say what is typical.

It keeps the percentiles of every number that an explanation compares with the corpus. Of the ordinary documents among which
it looks for neighbours (`tonmf.detector.scores.ordinary`) it keeps the ids and excerpts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.topics import KnownDocument, typical_documents
from tonmf.detector.explain.unexpected import unexplained_shares
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.ladder import Rung
from tonmf.nmf.ops import Ops
from tonmf.text.counts import Counts
from tonmf.text.documents import is_matrix, joined_items
from tonmf.text.mail import without_headers
from tonmf.text.markup import PAD, readable

EXCERPT = 160
"""Characters in an excerpt of a document."""

BEGINNING = 2 * EXCERPT
"""Characters of a text that are enough for an excerpt, unless most of them are white space."""

SAMPLE = 2000
"""Documents that stand for all of them in percentiles that are slow to compute."""

PERCENTILES = np.arange(101)


@dataclass(frozen=True)
class Compared:
    """A number of a document beside the same number of the training documents.

    Attributes
    ----------
    value : float
    typical : float
        Its median over the training documents.
    percentile : float
        Share of the training documents, in per cent, whose number is smaller.
    """

    value: float
    typical: float
    percentile: float

    @classmethod
    def each_with_quantiles(cls, values: NDArray[Any], quantiles: Array) -> list[Self]:
        """Compare values with the 101 percentiles of the training documents."""
        below, typical = np.searchsorted(quantiles, values, side="left"), float(quantiles[50])
        each = zip(values.astype(np.float64).tolist(), below.tolist(), strict=True)
        return [cls(value, typical, 100 * n_below / len(quantiles)) for value, n_below in each]


@dataclass(frozen=True)
class CorpusProfile:
    """Percentiles 0 to 100 of the training documents' numbers, and the ordinary documents of the sample.

    =========== =============================== ========================================================
    field       shape                           what
    =========== =============================== ========================================================
    n_docs                                      number of training documents
    lengths     101                             words of a document
    unknown     101                             share of its distinct words outside the vocabulary
    unexplained 101                             share of its weight that no topic explains
    ids         n_sample                        ids of the ordinary documents of the sample
    excerpts    n_sample                        how they begin
    typical     n_topics × up to `N_TYPICAL`    rows of the sample that belong to each topic most
    =========== =============================== ========================================================
    """

    n_docs: int
    lengths: Array
    unknown: Array
    unexplained: Array
    ids: list[str]
    excerpts: list[str]
    typical: NDArray[np.int64]

    def ordinary(self, row: int) -> KnownDocument:
        """Return an ordinary document of the sample."""
        return KnownDocument(self.ids[row], self.excerpts[row])


def learn_profile(ops: Ops, corpus: Corpus, sampled: NDArray[np.int64], rungs: Sequence[Rung]) -> CorpusProfile:
    """Return the profile of the training documents that have words; `sampled` are the ordinary ones to remember."""
    totals = corpus.totals
    has_words = totals.n_words > 0
    some = _spread_out(len(has_words))
    at_hand, ordinary = corpus.take(some), corpus.take(sampled)
    readings = [rung.mixture.read(ops, ops.prepare(at_hand.C), at_hand.totals.outside_weight) for rung in rungs]
    unexplained = unexplained_shares(ops, at_hand.C, at_hand.totals.outside_weight, rungs, readings)
    belonging = rungs[0].mixture.read(ops, ops.prepare(ordinary.C), ordinary.totals.outside_weight).theta[:, 1:]
    ids, excerpts = corpus.describe(sampled)
    return CorpusProfile(
        n_docs=len(has_words),
        lengths=_percentiles(totals.n_words, has_words),
        unknown=_percentiles(totals.n_outside / np.maximum(totals.n_distinct, 1), has_words),
        unexplained=_percentiles(unexplained, has_words[some]),
        ids=ids,
        excerpts=excerpts,
        typical=typical_documents(belonging),
    )


def excerpt_at(documents: Any, row: int, counts: Counts, terms: Sequence[str]) -> str:
    """Return the beginning of a training document; of a row of counts, its terms."""
    if is_matrix(documents):
        start, end = counts.matrix.indptr[row : row + 2]
        return excerpt_of([terms[column] for column in counts.matrix.indices[start:end]])
    return excerpt_of(documents[row])


def _percentiles(values: NDArray[Any], chosen: NDArray[np.bool_]) -> Array:
    """Return the percentiles 0 to 100 of the chosen values; zeros if there are none."""
    percentiles: Array = np.percentile(values[chosen], PERCENTILES) if chosen.any() else np.zeros(len(PERCENTILES))
    return percentiles


def _spread_out(n_docs: int) -> NDArray[np.int64]:
    """Return the numbers of at most `SAMPLE` of `n_docs` documents, evenly spaced."""
    return np.unique(np.linspace(0, n_docs - 1, min(n_docs, SAMPLE)).astype(np.int64))


def excerpt_of(document: Any) -> str:
    """Return the beginning of a text, without mail headers and HTML, or the first items of a basket, on one line.

    >>> excerpt_of("One  line\\nand another")
    'One line and another'
    >>> excerpt_of("<p>One &amp; two</p>")
    'One & two'
    >>> excerpt_of(["milk", 17])
    'milk 17'
    """
    if isinstance(document, str):
        text = readable(without_headers(document)).replace(PAD, "")
        line = " ".join(text[:BEGINNING].split())
        if len(line) <= EXCERPT and len(text) > BEGINNING:  # most of the beginning is white space
            line = " ".join(found[0] for found in islice(re.finditer(r"\S+", text), EXCERPT))
    else:
        line = joined_items(islice(document, EXCERPT))
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
