"""Copies of documents, exact or nearly so: a topic must be earned by documents that are independent.

A handful of copies explain one another perfectly, and would make a topic of what is one strange document. So documents that
share most of their words are found and weighed down: all copies of a document together count like one, in every fit. They are
scored like all documents, and listed as a group if they are strange (`tonmf.detector.scores.groups`).

How many copies are too many to be one document? Up to `FEW` always are one; so are those that make up to `SMALL_SHARE` of the
documents, where copies are rare. Where most documents have copies, as the lines of a log do, copies are what the documents are
made of, and larger numbers count in full: that share is multiplied by 1 − c, where c is the share of documents with copies.
From twice that number on, each copy counts.

Likeness is the Jaccard index of the sets of words, estimated by MinHash (Broder 1997): the share of `N_HASHES` hash functions
under which two sets have the same smallest value. Words outside the vocabulary are in one document only, so they are in no
intersection, but in the union. Documents are compared if they agree in two neighbouring values and are next to each other when
sorted by these: the cost is linear in the number of documents, but for sorting. Of millions of documents, only those with a
value between two bounds are sorted at a time, which bounds memory; those that agree in it are always among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.scores.corpus import Corpus, DocumentBlock
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.two_way import TwoWay
from tonmf.text.totals import WordTotals

N_HASHES = 32
"""Hash functions: even, as values are compared in pairs."""

ALIKE = 0.4
"""Jaccard index from which on documents count as copies. Documents on one subject seldom reach 0.15; two copies of a document
in each of which every fifth word was replaced have 0.47, and each has 0.67 with the document itself."""

SAME, LEAST_COMMON = 0.9, 8
"""Jaccard index from which on short documents count as copies, and number of common words from which on documents are not
short: titles and other short texts share half of their words by chance."""

FEW = 5
"""Copies that always count as one document."""

MOST_WEIGHT = 0.002
"""Share of all documents that copies of one weigh together, at most: too little for a topic. In a large corpus this leaves a
few copies as they are, such as messages of one thread."""

SMALL_SHARE = 0.07
"""Share of the documents up to which copies count as one, where copies are rare."""

MOST_WITH_COPIES = 0.5
"""Share of documents with copies up to which words that only copies of one document have are words of one document."""

Signatures = NDArray[np.uint16]
"""The smallest value of each document's words under each hash function, n_docs × N_HASHES; only 16 bits are kept."""

Documents = NDArray[np.int32]
"""Numbers of documents."""


@dataclass(frozen=True)
class Copies:
    """Documents that are copies of each other.

    ======= ======= ==================================================================
    field   shape   what
    ======= ======= ==================================================================
    of      n_docs  the number of the first document that each is a copy of: often itself
    sizes   n_docs  how many copies of each document there are, itself included
    ======= ======= ==================================================================
    """

    of: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def among(cls, corpus: Corpus, ops: Ops) -> Copies:
        """Find the copies among the documents of a corpus."""
        parts = corpus.map_blocks(lambda block: signatures_of(block.C, ops))
        hashes_of.cache_clear()
        signatures, end = np.empty((corpus.n_docs, N_HASHES), np.uint16), corpus.n_docs
        while parts:  # each part goes once it is copied, as all of them would be needed twice otherwise
            part = parts.pop()
            signatures[end - len(part) : end] = part
            end -= len(part)
        return cls.by_signatures(signatures, corpus.totals)

    @classmethod
    def by_signatures(cls, signatures: Signatures, totals: WordTotals) -> Copies:
        """Find the documents that are alike; those without a known word have no copies."""
        readable = np.asarray(totals.n_distinct > totals.n_outside)
        of = np.arange(len(signatures), dtype=np.int32)
        for first in range(0, N_HASHES, 2):
            for documents in _parts(signatures[:, first].copy(), readable):
                left, right = _neighbours(signatures, totals, documents, first)
                apart = of[left] != of[right]
                of = _joined(of, *_alike(signatures, totals, left[apart], right[apart]))
        return cls(of.astype(np.int64), np.bincount(of, minlength=len(of))[of])

    @property
    def any(self) -> bool:
        """Return whether any document has a copy."""
        return bool((self.sizes > 1).any())

    def weights(self, n_docs: float | None = None) -> Array:
        """Return how much each document counts: copies of one share the weight that they have together.

        If these are only the latest of `n_docs` documents, as in a stream, that is the number that shares refer to.
        """
        n_docs = len(self.sizes) if n_docs is None else n_docs
        most = max(1.0, MOST_WEIGHT * n_docs)
        one = max(most_as_one(self.sizes, n_docs), most)
        in_full = np.clip((self.sizes - one) / one, 0, 1)  # 0 up to that many copies, 1 from twice as many on
        as_one = np.minimum(self.sizes, most)
        weights: Array = (as_one + in_full * (self.sizes - as_one)) / self.sizes
        return weights

    def independent_terms(self, corpus: Corpus, least: float) -> NDArray[np.int64]:
        """Return the numbers of the terms that so many documents have which are no copies of each other; all if `least` is 1.

        Words that only the copies of one document have are words of one document. Near copies share most of their words, not
        all: three quarters of the number are enough.
        """
        if least <= 1 or not self.any or (self.sizes > 1).mean() > MOST_WITH_COPIES:
            return np.arange(len(corpus.terms))
        few = self.sizes <= max(most_as_one(self.sizes, len(self.sizes)), MOST_WEIGHT * len(self.sizes))
        shares = np.where(few, 1 / self.sizes, 1.0)

        def of_block(block: DocumentBlock) -> Array:
            rows = block.C.by_row
            of_documents = shares[block.first : block.first + rows.shape[0]]
            weights = np.repeat(of_documents, np.diff(rows.indptr))
            return np.bincount(rows.indices, weights, rows.shape[1]).astype(np.float64)

        n_docs = np.sum(corpus.map_blocks(of_block), axis=0)
        return np.flatnonzero(n_docs >= 0.75 * least)

    def clusters(self, smallest: int, largest: float) -> list[NDArray[np.int64]]:
        """Return the numbers of all copies of each document of which there are so many."""
        chosen = np.flatnonzero((self.sizes >= smallest) & (self.sizes <= largest))
        order = chosen[np.argsort(self.of[chosen], kind="stable")]
        begins = np.flatnonzero(np.diff(self.of[order])) + 1
        return [part for part in np.split(order, begins) if len(part)]


AT_ONCE, PAIRS_AT_ONCE = 500_000, 50_000
"""About how many documents are sorted at a time, and how many pairs are compared at a time."""


def most_as_one(sizes: NDArray[np.int64], n_docs: float) -> float:
    """Return the largest number of copies that count as one document, among so many documents.

    >>> most_as_one(np.ones(1000, np.int64), 1000), most_as_one(np.full(1000, 100), 1000)
    (70.0, 5)
    """
    with_copies = float((sizes > 1).mean()) if len(sizes) else 0.0
    return max(FEW, SMALL_SHARE * (1 - with_copies) * n_docs)


@lru_cache(maxsize=1)
def hashes_of(n_terms: int) -> NDArray[np.uint32]:
    """Return the value of each term under each hash function, n_terms × N_HASHES, the same in every process."""
    return np.ascontiguousarray(np.random.default_rng(0).integers(0, 2**32, (N_HASHES, n_terms), np.uint32).T)


def signatures_of(rows: TwoWay, ops: Ops, hashes: NDArray[np.uint32] | None = None) -> Signatures:
    """Return the signatures of documents, by our hash functions or others; the signature of one without words is 0."""
    hashes = hashes_of(rows.by_row.shape[1]) if hashes is None else hashes
    signatures = ops.smallest(rows, hashes).astype(np.uint16)  # the lowest bits are as random as all
    signatures[np.diff(rows.by_row.indptr) == 0] = 0
    return signatures


def likeness(signatures: Signatures, totals: WordTotals, left: Documents, right: Documents) -> Array:
    """Estimate the Jaccard index of pairs of documents, words outside the vocabulary included."""
    return _index(n_common(signatures, totals, left, right), totals, left, right)


def _index(common: Array, totals: WordTotals, left: Documents, right: Documents) -> Array:
    """Return the Jaccard index of pairs of documents that have so many words in common."""
    index: Array = common / np.maximum(totals.n_distinct[left] + totals.n_distinct[right] - common, 1)
    return index


def n_common(signatures: Signatures, totals: WordTotals, left: Documents, right: Documents) -> Array:
    """Estimate the number of words that pairs of documents have in common."""
    known = (signatures[left] == signatures[right]).mean(axis=1)
    n_left, n_right = (totals.n_distinct[some] - totals.n_outside[some] for some in (left, right))
    common: Array = known / (1 + known) * (n_left + n_right)
    return common


def _parts(values: NDArray[np.uint16], readable: NDArray[np.bool_]) -> Iterator[Documents]:
    """Yield the readable documents in parts of about `AT_ONCE`; all documents with the same value are in the same part."""
    cuts = np.unique(np.sort(values)[AT_ONCE::AT_ONCE]).tolist()
    for low, high in pairwise([0, *cuts, 2**16]):
        yield np.flatnonzero(readable & (values >= low) & (values < high)).astype(np.int32)


def _neighbours(
    signatures: Signatures, totals: WordTotals, documents: Documents, first: int
) -> tuple[Documents, Documents]:
    """Return the pairs of documents that agree in two values and are next to each other when sorted by these and six more.

    Those that agree in all of them are sorted by their number of words, so that the order in which documents come does not
    matter.
    """
    key = _key(signatures, documents, first)
    order = np.argsort(key, kind="stable")
    repeated = np.diff(key[order]) == 0
    tied = np.flatnonzero(np.append(repeated, False) | np.append(False, repeated))
    among = order[tied]
    there = documents[among]
    more = _key(signatures, there, first + 4)
    order[tied] = among[np.lexsort((totals.n_outside[there], totals.n_distinct[there], more, key[among]))]
    same = np.flatnonzero(np.diff(key[order] >> np.uint64(32)) == 0)
    return documents[order[same]], documents[order[same + 1]]


def _key(signatures: Signatures, documents: Documents, first: int) -> NDArray[np.uint64]:
    """Return four values of each document in one number."""
    key = np.zeros(len(documents), np.uint64)
    for place in range(first, first + 4):
        key = (key << np.uint64(16)) | signatures[documents, place % N_HASHES]
    return key


def _alike(
    signatures: Signatures, totals: WordTotals, left: Documents, right: Documents
) -> tuple[Documents, Documents]:
    """Return those of some pairs of documents that are alike."""
    parts = [slice(low, low + PAIRS_AT_ONCE) for low in range(0, len(left), PAIRS_AT_ONCE)]
    alike = [_are_copies(signatures, totals, left[part], right[part]) for part in parts]
    chosen = np.concatenate(alike) if alike else np.zeros(0, bool)
    return left[chosen], right[chosen]


def _are_copies(signatures: Signatures, totals: WordTotals, left: Documents, right: Documents) -> NDArray[np.bool_]:
    common = n_common(signatures, totals, left, right)
    index = _index(common, totals, left, right)
    return np.asarray((index >= SAME) | ((common >= LEAST_COMMON) & (index >= ALIKE)))


def _joined(of: Documents, left: Documents, right: Documents) -> Documents:
    """Return for each document the first of those that it is together with, once pairs of documents are together too."""
    if not len(left):
        return of
    firsts, places = np.unique(np.stack([of[left], of[right]]), return_inverse=True)
    edges = sp.coo_matrix((np.ones(len(left), bool), places.reshape(2, -1)), shape=(len(firsts), len(firsts)))
    from scipy.sparse.csgraph import connected_components  # heavy, and only a fit looks for copies

    cluster = connected_components(edges, directed=False)[1]
    _, first_of_cluster = np.unique(cluster, return_index=True)  # numbers rise, so its smallest number
    first_of = np.arange(len(of), dtype=np.int32)
    first_of[firsts] = firsts[first_of_cluster[cluster]]
    joined: Documents = first_of[of]
    return joined
