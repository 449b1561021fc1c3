"""How the boilerplate of a stream grows and shrinks (`tonmf.text.passages`).

Passages join and leave boilerplate by the rules of words (`tonmf.text.vocabulary.changing`). One joins when it has occurred in
as many documents as boilerplate must be in, and leaves when these have faded to less than `LEAVES_BELOW` of that. At most
`MOST_CANDIDATES` passages are remembered. When there are more, only half as many are kept: those of the most documents, and
among equals those seen last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.text.passages import MOST_TEXTS, Boilerplate, PassageKeys, is_long_enough, least_documents
from tonmf.text.vocabulary.changing import ALMOST, LEAVES_BELOW, MOST_CANDIDATES, SMALLEST_UNIT
from tonmf.text.vocabulary.terms import TermCounter

Keys = NDArray[np.int64]


def _no_keys() -> Keys:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class SeenPassages:
    """The passages of documents, boilerplate or not.

    ========= ========== ===================================================================
    field     shape      what
    ========= ========== ===================================================================
    keys      n_passages rising keys of passages
    documents n_passages documents that each was in, to be multiplied by `unit`
    last      n_passages numbers that rise with the time at which each was seen last
    unit      scalar     fades all of them at once
    ========= ========== ===================================================================
    """

    keys: Keys = field(default_factory=_no_keys)
    documents: Array = field(default_factory=lambda: np.zeros(0))
    last: Keys = field(default_factory=_no_keys)
    unit: float = 1.0

    @classmethod
    def in_order(cls, keys: Keys, documents: Array, unit: float = 1.0) -> Self:
        """Make them of different keys in the order in which they were seen last."""
        order = np.argsort(keys)
        return cls(keys[order], documents[order], order.astype(np.int64), unit)

    def by_time(self) -> tuple[Keys, Array]:
        """Return the keys in the order in which they were seen last, and their documents in units."""
        order = np.argsort(self.last)
        return self.keys[order], self.documents[order]

    def faded(self, factor: float) -> Self:
        """Return the passages with all numbers of documents multiplied by a factor."""
        unit = self.unit * factor
        if unit >= SMALLEST_UNIT:
            return replace(self, unit=unit)
        documents = self.documents * unit
        kept = documents > 0
        return replace(self, keys=self.keys[kept], documents=documents[kept], last=self.last[kept], unit=1.0)

    def seen(self, passages: PassageKeys, weights: Array) -> Self:
        """Return the passages after more documents, given by their passages and how much each counts."""
        keys, sums, last = _added_up(passages, weights / self.unit)
        last += 1 + int(self.last.max(initial=-1))
        places = np.searchsorted(self.keys, keys)
        known = np.append(self.keys, 0)[places] == keys
        known &= places < len(self.keys)
        documents, seen_last = self.documents.copy(), self.last.copy()
        documents[places[known]] += sums[known]
        seen_last[places[known]] = last[known]
        new = places[~known]
        more = replace(
            self,
            keys=np.insert(self.keys, new, keys[~known]),
            documents=np.insert(documents, new, sums[~known]),
            last=np.insert(seen_last, new, last[~known]),
        )
        return more._most_seen()

    def _most_seen(self) -> Self:
        if len(self.keys) <= MOST_CANDIDATES:
            return self
        order = np.lexsort((-self.last, -self.documents))  # most documents first; among equals the last seen
        kept = np.sort(order[: MOST_CANDIDATES // 2])
        return replace(self, keys=self.keys[kept], documents=self.documents[kept], last=self.last[kept])

    def documents_of(self, keys: Keys) -> Array:
        """Return the documents that passages were in, 0 for those that are not remembered."""
        if not len(self.keys):
            return np.zeros(len(keys))
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: Array = np.where(self.keys[places] == keys, self.documents[places] * self.unit, 0.0)
        return found


def _added_up(passages: PassageKeys, weights: Array) -> tuple[Keys, Array, Keys]:
    """Return the different passages by key, the weight of the documents that each is in, and in what order they came last."""
    rows = np.repeat(np.arange(len(weights)), np.diff(passages.ends))
    order = np.argsort(passages.keys, kind="stable")
    order = order[weights[rows[order]] > 0]
    keys, rows = passages.keys[order], rows[order]
    first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    again = np.append(False, (keys[1:] == keys[:-1]) & (rows[1:] == rows[:-1]))[: len(keys)]
    starts = np.flatnonzero(first)
    if not len(starts):
        return _no_keys(), np.zeros(0), _no_keys()
    sums = np.add.reduceat(np.where(again, 0.0, weights[rows]), starts)
    ends = np.append(starts[1:], len(keys)) - 1
    last = np.empty(len(starts), np.int64)
    last[np.argsort(order[ends], kind="stable")] = np.arange(len(starts))
    return keys[starts], sums, last


def begun_passages(boilerplate: Boilerplate, n_docs: float) -> SeenPassages:
    """Return the passages that a stream begins with: the boilerplate that a fit on `n_docs` documents found."""
    return SeenPassages.in_order(boilerplate.keys, boilerplate.shares * n_docs)


def seen_passages(
    counter: TermCounter, seen: SeenPassages, documents: Sequence[str], weights: Array, factor: float, n_docs: float
) -> tuple[SeenPassages, Boilerplate]:
    """Return the passages seen so far, and what is boilerplate among them, after more documents.

    Parameters
    ----------
    counter : TermCounter
        It knows the boilerplate so far, and the share of documents that boilerplate must be in.
    seen : SeenPassages
        The passages seen before, boilerplate included.
    documents : sequence of str
    weights : ndarray of shape (n_docs,)
        How much each document counts.
    factor : float
        How much what was seen before still counts.
    n_docs : float
        All documents, these included, as they count by now.
    """
    known, share = counter.boilerplate, counter.boilerplate_share
    if share is None:
        return seen, known
    passages = counter.passages(documents)
    seen, least = seen.faded(factor).seen(passages, weights), least_documents(share, n_docs)
    here = np.unique(passages.keys)
    found = np.union1d(
        here[seen.documents_of(here) >= least * ALMOST],
        known.keys[seen.documents_of(known.keys) >= LEAVES_BELOW * least * ALMOST],
    )
    most = np.argsort(-seen.documents_of(found), kind="stable")[:MOST_TEXTS]
    keys = np.sort(found[most])
    joined = passages.texts(keys[~np.isin(keys, known.keys)], documents, counter.prepare)
    texts = {**dict(zip(known.keys.tolist(), known.texts, strict=True)), **joined}
    terms = dict(zip(known.keys.tolist(), known.terms, strict=True))
    share_of = dict(zip(keys.tolist(), np.minimum(seen.documents_of(keys) / n_docs, 1.0).tolist(), strict=True))
    for key, text in joined.items():
        if is_long_enough(of_text := tuple(counter.analyze(text)), share_of[key]):
            terms[key] = of_text
    chosen = [key for key in keys.tolist() if key in terms]
    shares = [share_of[key] for key in chosen]
    texts_of, terms_of = tuple(texts[key] for key in chosen), tuple(terms[key] for key in chosen)
    return seen, Boilerplate(texts_of, terms_of, np.array(chosen, np.int64), np.array(shares))
