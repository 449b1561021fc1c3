"""Boilerplate: lines and sentences that many documents share word for word, such as footers, greetings and mail headers.

A *passage* is a sentence, or a line if that ends sooner. It is *boilerplate* if a given share of the documents have it, and at
least `LEAST` of them; a single word, only if `MOST_DOCUMENTS` of all have it as a passage. The words of boilerplate are not
counted: they say nothing about a document, and would drown the words that do. One pass over the documents is enough, since they
are counted whole and the counts of their boilerplate are subtracted afterwards:

1. `PassageKeys` of some documents are the keys of their passages; a key is a digest of 64 bits, the same in every process.
2. `PassageTally` has the number of documents with each passage. Tallies add up.
3. `Boilerplate` is chosen by a tally, and says which passages of each document are left out.
4. `tonmf.text.counts.subtract` takes their words away.

No document is left out altogether: if all its passages are boilerplate, the rarest stay, and those less than `RATHER` times as
common. So copies of a whole document are counted as they are, but for a footer that many other documents have too.

Boilerplate need not stand by itself: a footer may follow a sentence without a full stop, or its lines may be wrapped in another
way. So a document that has all words of a passage loses them too, if they are at least `FEWEST_TERMS` different ones, or if
`MOST_DOCUMENTS` of all have the passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.text.analysis import Analyzer
from tonmf.text.compiled import FEWEST_CHARACTERS
from tonmf.text.markup import PAD
from tonmf.text.side_by_side import stretches_of

LEAST = 3
"""Documents that must have a passage for it to be boilerplate, however few there are."""

RATHER = 2.0
"""How many times as common as the rarest passage another must be to be left out of a document of nothing but boilerplate."""

MOST_KEYS = 500_000
"""Passages that a tally of many batches remembers; of more, it forgets the rarest until half of them are left."""

MOST_TEXTS = 2_000
"""Passages whose text is remembered, and the most that can be boilerplate: the most common ones."""

LONGEST = 10_000
"""Characters of the longest passage that can be boilerplate."""

FEWEST_TERMS, MOST_DOCUMENTS = 3, 0.5
"""Different words of a passage, or share of the documents with it, from which on it is found where it is no passage."""

ALMOST = 1 - 1e-9
"""Tolerance for shares of documents, which are rounded."""

BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
MARKS, FULL_STOPS, QUOTES = ".!?…", "。！？｡", r"""\"')\]}»”’"""
"""Characters that end lines; that end sentences if a space follows, or that and quotation marks; and that always do."""

REST = f"[^{MARKS}{FULL_STOPS}{BREAKS}]*+"
PASSAGE = re.compile(rf"\w{REST}(?:[{MARKS}]++[{QUOTES}]*+(?!\s|$){REST})*")
"""From a word character to the end of the line or sentence, without the marks and spaces there."""

Prepare = Callable[[str], str]
"""From a text to the text that is cut into words."""


def passages_of(text: str) -> list[str]:
    """Return the passages of a text, in order, runs of spaces collapsed.

    >>> passages_of("> It costs 3.50,  e.g. today! (Really.)\\n---\\nSent from my phone")
    ['It costs 3.50, e.g', 'today', 'Really', 'Sent from my phone']
    """
    # Most passages have nothing to collapse, and a look is quicker than splitting.
    passages = PASSAGE.findall(text)
    if PAD in text:
        passages = [passage.replace(PAD, "") for passage in passages]
    return [
        " ".join(passage.split()) if "  " in passage or "\t" in passage else passage.rstrip() for passage in passages
    ]


def keys_of(passages: Sequence[str]) -> NDArray[np.int64]:
    """Return the keys of passages."""
    encoded = (passage.encode("utf-8", "surrogatepass") for passage in passages)
    digests = b"".join([blake2b(passage, digest_size=8).digest() for passage in encoded])
    return np.frombuffer(digests, "<i8").astype(np.int64)


@dataclass(frozen=True)
class PassageKeys:
    """The keys of documents' passages, in order; document i owns those from ends[i] to ends[i + 1]."""

    ends: NDArray[np.int64]
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], prepare: Prepare = str) -> Self:
        """Cut texts into passages, each text prepared before, and take their keys."""
        return cls.joined([cls._of(some, prepare) for some in stretches_of(texts)])

    @classmethod
    def _of(cls, texts: Sequence[str], prepare: Prepare) -> Self:
        if sum(map(len, texts)) >= FEWEST_CHARACTERS:
            from tonmf.text.compiled.passages import passage_keys  # heavy, and not needed for a few documents

            return cls(*passage_keys(map(prepare, texts)))
        keys = [keys_of(passages_of(prepare(text))) for text in texts]
        return cls(np.cumsum([0, *map(len, keys)], dtype=np.int64), np.concatenate([np.zeros(0, np.int64), *keys]))

    @classmethod
    def joined(cls, parts: Sequence[PassageKeys]) -> Self:
        """Join those of several lists of documents, in order."""
        none = np.zeros(0, np.int64)
        ends = np.cumsum([0, *np.concatenate([none, *(np.diff(part.ends) for part in parts)])], dtype=np.int64)
        return cls(ends, np.concatenate([none, *(part.keys for part in parts)]))

    @property
    def rows(self) -> NDArray[np.int64]:
        """Return the number of the document that owns each key."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def texts(self, keys: NDArray[np.int64], documents: Sequence[str], prepare: Prepare) -> dict[int, str]:
        """Find the text of some passages, but not of very long ones, in the documents that these keys are of."""
        there = np.flatnonzero(np.isin(self.keys, keys))
        first = there[np.unique(self.keys[there], return_index=True)[1]]
        wanted, found = set(keys.tolist()), dict[int, str]()
        for row in np.unique(np.searchsorted(self.ends, first, side="right") - 1).tolist():
            of_row = self.keys[self.ends[row] : self.ends[row + 1]].tolist()
            both = zip(of_row, passages_of(prepare(documents[row])), strict=True)
            found.update((key, passage) for key, passage in both if key in wanted and len(passage) <= LONGEST)
        return found


@dataclass(frozen=True)
class PassageTally:
    """In how many documents each passage occurs. Tallies of batches or partitions add up.

    ========= ========== ======================================================================
    n_docs    scalar     all documents
    keys      n_passages rising
    documents n_passages documents that have each passage
    texts     dict       of the passages that may turn out to be boilerplate, by key
    ========= ========== ======================================================================

    What is boilerplate in all documents is so in at least one of the batches, if batches are judged by the share alone. So only
    the text of what is common in its own batch needs to be remembered.
    """

    n_docs: int = 0
    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    documents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    texts: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, passages: PassageKeys, documents: Sequence[str], prepare: Prepare, share: float) -> Self:
        """Tally a batch of documents."""
        n_docs = len(passages.ends) - 1
        order = np.argsort(passages.keys, kind="stable")
        keys, rows = passages.keys[order], passages.rows[order]
        other_key = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        first_in_document = other_key | np.append(True, rows[1:] != rows[:-1])[: len(keys)]
        begins = np.flatnonzero(other_key)
        n_with = np.add.reduceat(first_in_document.astype(np.int64), begins) if len(begins) else np.zeros(0, np.int64)
        common = np.flatnonzero(n_with >= share * n_docs * ALMOST)
        common = common[np.argsort(-n_with[common], kind="stable")[:MOST_TEXTS]]
        return cls(n_docs, keys[begins], n_with, passages.texts(keys[begins][common], documents, prepare))

    @classmethod
    def together(cls, *tallies: PassageTally) -> Self:
        """Add tallies up."""
        every = np.concatenate([tally.keys for tally in tallies])
        keys, inverse = np.unique(every, return_inverse=True)
        n_with = np.concatenate([tally.documents for tally in tallies])
        documents = np.bincount(inverse, n_with, len(keys)).astype(np.int64)
        texts = {key: text for tally in tallies for key, text in tally.texts.items()}
        if len(keys) > MOST_KEYS:
            n_left = len(keys) - np.cumsum(np.bincount(documents))
            kept = documents > int(np.argmax(n_left <= MOST_KEYS // 2))
            keys, documents = keys[kept], documents[kept]
        known = np.array(list(texts), np.int64)
        n_with = _looked_up(known, keys, documents, 0)
        most = known[np.argsort(-n_with, kind="stable")[:MOST_TEXTS]]
        return cls(sum(tally.n_docs for tally in tallies), keys, documents, {key: texts[key] for key in most.tolist()})

    def boilerplate(self, share: float, analyze: Analyzer) -> Boilerplate:
        """Choose what enough of the documents have; `analyze` cuts a passage into terms."""
        chosen = np.flatnonzero(self.documents >= least_documents(share, self.n_docs) * ALMOST)
        chosen = np.array([place for place in chosen.tolist() if int(self.keys[place]) in self.texts], np.int64)
        texts = [self.texts[key] for key in self.keys[chosen].tolist()]
        return Boilerplate.of(texts, self.keys[chosen], self.documents[chosen] / self.n_docs, analyze)


class GrowingTally:
    """A `PassageTally` of many batches. It adds up rarely, since each time takes as long as it is large."""

    def __init__(self) -> None:
        self._total, self._waiting = PassageTally(), list[PassageTally]()

    def add(self, tally: PassageTally) -> None:
        """Add a batch."""
        self._waiting.append(tally)
        if sum(len(one.keys) for one in self._waiting) > max(len(self._total.keys), MOST_KEYS // 8):
            self.total()

    def total(self) -> PassageTally:
        """Return the tally of all batches so far."""
        self._total, self._waiting = PassageTally.together(self._total, *self._waiting), []
        return self._total


def least_documents(share: float, n_docs: float) -> float:
    """Return the number of documents, of `n_docs`, that boilerplate must be in."""
    return max(float(LEAST), share * n_docs)


def is_long_enough(terms: Collection[str], share: float) -> bool:
    """Return whether a passage can be boilerplate, given its terms: a single word is a common word, unless most have it."""
    return len(set(terms)) >= (1 if share >= MOST_DOCUMENTS * ALMOST else 2)


def _looked_up(
    wanted: NDArray[np.int64], keys: NDArray[np.int64], values: NDArray[np.int64], otherwise: int
) -> NDArray[np.int64]:
    """Return the values of the keys that are wanted; `keys` rise."""
    if not len(keys):
        return np.full(len(wanted), otherwise, np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, values[places], otherwise)


@dataclass(frozen=True, eq=False)
class Boilerplate:
    """Passages whose words are not counted.

    ====== ========== ================================================================
    texts  n_passages the passages; of a detector that was loaded, their beginnings
    terms  n_passages all terms of each, as often as they occur
    keys   n_passages rising
    shares n_passages share of the documents that have each
    ====== ========== ================================================================
    """

    texts: tuple[str, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    shares: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, texts: Iterable[str], keys: NDArray[np.int64], shares: Array, analyze: Analyzer) -> Self:
        """Cut passages into terms, and leave out those that are too short for boilerplate."""
        both = [(text, tuple(analyze(text))) for text in texts]
        kept = [place for place, (_, terms) in enumerate(both) if is_long_enough(terms, shares[place])]
        return cls(
            tuple(both[place][0] for place in kept), tuple(both[place][1] for place in kept), keys[kept], shares[kept]
        )

    def __len__(self) -> int:
        return len(self.keys)

    def listed(self) -> list[tuple[str, float]]:
        """Return the passages and their shares, the most common first."""
        order = sorted(range(len(self)), key=lambda place: (-self.shares[place], self.texts[place]))
        return [(self.texts[place], float(self.shares[place])) for place in order]

    def left_out(self, passages: PassageKeys) -> tuple[sp.csr_matrix, NDArray[np.bool_]]:
        """Return how often each passage is left out of each document, n_docs × n_passages.

        Also return which documents have anything but boilerplate.
        """
        places = _looked_up(passages.keys, self.keys, np.arange(len(self)), -1)
        rows, known, n_docs = passages.rows, places >= 0, len(passages.ends) - 1
        shares = np.where(known, self.shares[places], 0.0) if len(self) else np.zeros(len(places))
        rarest = np.full(n_docs, np.inf)
        np.minimum.at(rarest, rows, shares)  # 0 if there is anything but boilerplate
        out = known & (shares >= RATHER * rarest[rows] * ALMOST)
        ones = np.ones(int(out.sum()), np.int64)
        return sp.csr_matrix((ones, (rows[out], places[out])), shape=(n_docs, len(self))), rarest == 0

    def found_anywhere(self, n_terms: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which passages are found by their words alone, given how many different ones they have."""
        return np.asarray((n_terms >= FEWEST_TERMS) | (self.shares >= MOST_DOCUMENTS * ALMOST))

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return (start, end) of what is left out of a text."""
        found = [(match.start(), match.end()) for match in PASSAGE.finditer(text)]
        keys = keys_of(passages_of(text))
        out, _ = self.left_out(PassageKeys(np.array([0, len(keys)]), keys))
        chosen = set(self.keys[out.indices].tolist())
        return [place for place, key in zip(found, keys.tolist(), strict=True) if key in chosen]


NOTHING = Boilerplate()
"""No boilerplate."""
