"""Find small groups: documents that have much in common, but are too rare to be ordinary.

A fit that asks little of a topic keeps topics that a fit which asks much drops. Such a topic is a group: its documents have
much in common, and little with the rest. A tight group of outliers explains itself that way, so its documents may have
ordinary scores; the list of groups shows it all the same. Topics come from all fits of the ladder, from one that asks less than
any of these, and from one among the strangest documents only, where a group of them has more weight. The same documents may
make one topic in one fit and two in another; the larger group is listed. Copies of a document (`tonmf.detector.scores.copies`)
are a group by themselves, whether or not they make a topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.attached import Attached
from tonmf.detector.scores.copies import Copies
from tonmf.detector.scores.corpus import Corpus, Glance
from tonmf.detector.scores.ladder import Rung, first_words

FINE_SHARE, COARSE_SHARE = 0.004, 0.1
"""Share that a topic must carry to make a group, and share at which it is no longer a small one."""

STRANGEST, SHARE_AMONG_STRANGEST = 0.3, 0.01
"""Share of the documents, the strangest, among which groups are searched for again, and how common a topic must be there."""

SAME_TOPIC = 0.5
"""Cosine at which two topics count as the same."""

MEMBER_SHARE = 0.25
"""Share of a document that the group's topic must explain, beside being its largest topic."""

SMALLEST_GROUP = 3
"""Documents that a group must have."""

LARGEST_SHARE = 0.15
"""Share of all documents up to which a group counts as small."""

OVERLAP = 0.5
"""Share of a group's documents in a larger group at which it is a part of that group."""

N_WORDS = 10
"""Words that describe a group."""

MOST_OF_COPIES = 100
"""Groups of copies that are listed, at most."""


@dataclass(frozen=True)
class Group:
    """Documents that share a rare topic, or are copies of one, and are stranger than the median where only common topics count.

    Attributes
    ----------
    size : int
        Number of documents.
    share : float
        The same as a share of all documents.
    words : list of str
        The topic's first words; of copies, the words of the first that weigh most.
    documents : ndarray of int
        Numbers of the documents, those that fit best first; copies in order.
    strangeness : float
        Mean score of the documents where only very common topics count. Groups are listed by it times the root of their
        size, as the mean of many says more than that of few.
    copies : bool
        Whether they are copies of one document, exact or nearly so.
    """

    size: int
    share: float
    words: list[str]
    documents: NDArray[np.int64]
    strangeness: float
    copies: bool = False

    def __repr__(self) -> str:
        """Return the size and the first words, on one line."""
        of = "copies" if self.copies else "documents"
        return f"Group({self.size:,} {of}: {', '.join(self.words)})"


class Groups(list[Group]):
    """A list of groups, which a notebook shows as HTML.

    Attributes
    ----------
    names : sequence of str or None
        What the documents are called, if that is known.
    """

    _repr_html_ = Attached("html of groups")

    def __init__(self, groups: Iterable[Group] = (), names: Sequence[str] | None = None) -> None:
        super().__init__(groups)
        self.names = names


def candidates(rung: Rung, glance: Glance, common: Rung, strangeness: Array, terms: Sequence[str]) -> list[Group]:
    """Return the topics of a rung that the rung of common topics lacks, with their documents.

    `strangeness` is the score of each document by the rung of common topics.
    """
    n_docs, found = len(strangeness), []
    for topic in np.flatnonzero((rung.topics.T @ common.topics).max(axis=1) < SAME_TOPIC):
        members = members_of(glance, topic)
        if SMALLEST_GROUP <= len(members) <= LARGEST_SHARE * n_docs:
            best = members[np.argsort(-glance.belonging[members], kind="stable")]
            words = first_words(rung.topics[:, topic], terms, N_WORDS)
            strange = float(strangeness[members].mean())
            found.append(Group(len(members), len(members) / n_docs, words, best, strange))
    return found


def groups_of_copies(copies: Copies, corpus: Corpus, strangeness: Array) -> list[Group]:
    """Return the copies of each document that has enough of them, the most prominent ones if these are many."""
    found = copies.clusters(SMALLEST_GROUP, LARGEST_SHARE * corpus.n_docs)
    strange = np.array([strangeness[documents].mean() for documents in found])
    order = np.argsort(-strange * np.sqrt([len(documents) for documents in found]), kind="stable")
    chosen = [found[place] for place in order[:MOST_OF_COPIES] if strange[place] > 0]
    firsts = np.sort([documents[0] for documents in chosen]).astype(np.int64)
    rows = corpus.take(firsts).Y
    groups = []
    for documents in chosen:
        row = rows[np.searchsorted(firsts, documents[0])]
        words = [corpus.terms[row.indices[place]] for place in np.argsort(-row.data, kind="stable")[:N_WORDS]]
        share, mean = len(documents) / corpus.n_docs, float(strangeness[documents].mean())
        groups.append(Group(len(documents), share, words, documents, mean, copies=True))
    return groups


def small_groups(found: Sequence[Group]) -> list[Group]:
    """Return the candidates that are stranger than the median document and no part of another, most prominent first."""
    strange = [group for group in _without_parts(found) if group.strangeness > 0]
    return sorted(strange, key=lambda group: -group.strangeness * np.sqrt(group.size))


def strangest(scores: Array, readable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of the documents that common topics explain least, of those with a known term, in order."""
    documents = np.flatnonzero(readable)
    n_docs = max(int(STRANGEST * len(documents)), 1)
    return np.sort(documents[np.argsort(-scores[documents], kind="stable")[:n_docs]])


def _without_parts(groups: Sequence[Group]) -> list[Group]:
    """Return the groups that are no part of a larger one, nor of copies."""
    if not groups:
        return []
    ordered = sorted(groups, key=lambda group: (not group.copies, -group.size))
    documents, sizes = np.concatenate([group.documents for group in ordered]), [group.size for group in ordered]
    of_groups = sp.csr_matrix((np.ones(len(documents)), documents, np.append(0, np.cumsum(sizes))))
    shared = (of_groups @ of_groups.T).toarray() / np.array(sizes)[:, None]
    kept: list[int] = []
    for number in range(len(ordered)):
        if (shared[number, kept] < OVERLAP).all():
            kept.append(number)
    return [ordered[number] for number in kept]


def members_of(glance: Glance, topic: int | np.intp) -> NDArray[np.int64]:
    """Return the documents that lean on a topic (column) more than on others, and enough to belong to it."""
    return np.flatnonzero((glance.main == topic) & (glance.belonging >= MEMBER_SHARE))
