"""The terms that documents are counted by, and the ways to learn them.

============ =======================================================================================
`terms`      words or items: `TermCounter`, the usual one
`matrix`     columns of a matrix of counts: `MatrixCounter`
`vectorizer` whatever a user's own vectorizer counts: `VectorizerCounter`
`growing`    learn terms in one pass and in bounded memory, for documents on disk
`partitions` learn terms from partitions of documents, each counted where it lies
`changing`   let terms join and leave as documents come in
`seen`       let boilerplate join and leave as documents come in
`selection`  which terms are frequent enough: one rule for all of these
============ =======================================================================================

The first three are vocabularies: they follow the protocol `Vocabulary` below, and `tonmf.text.choose` picks one for the
documents at hand. The next three say which terms a vocabulary is to have, and end in one of the first three
(`Vocabulary.with_terms`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from tonmf.text.analysis import Analyzer
from tonmf.text.counts import Counts, Outside
from tonmf.text.passages import Boilerplate


class Vocabulary(Protocol):
    """Terms, and how documents are counted by them.

    Attributes
    ----------
    terms : list of str
        Names of the columns of `Counts.matrix`. Empty until `learn`.
    """

    terms: list[str]

    @property
    def forms(self) -> Mapping[str, str]:
        """Return the words to show for terms that are none (`tonmf.text.forms`)."""

    @property
    def boilerplate(self) -> Boilerplate:
        """Return the passages whose words are not counted."""

    @property
    def analyze(self) -> Analyzer:
        """Return the function from a document to its terms, in the vocabulary or not."""

    def learn(self, documents: Any, n_threads: int = 1) -> Counts:
        """Choose the terms by the training documents, and count these, on so many threads at most."""

    def count(self, documents: Any, n_threads: int = 1) -> Counts:
        """Count documents by the terms."""

    def count_all(self, documents: Any, n_threads: int = 1) -> tuple[Counts, Outside]:
        """Count documents by the terms, and list the terms outside the vocabulary too, those that do not count included."""

    def passes_over(self, term: str) -> bool:
        """Return whether a term does not count at all if it is outside the vocabulary."""

    def spans(
        self, text: str, terms: Collection[str], visible: str | None = None
    ) -> Iterable[tuple[int, int, str]] | None:
        """Return (start, end, term) where these terms stand in a text, perhaps with others beside them, in order.

        None if terms are not made of words. `visible` is what is read of the text, if that is known.
        """

    def with_terms(self, terms: Sequence[str]) -> Vocabulary | None:
        """Return a vocabulary of the same kind with these terms, in its own order; None if its terms are fixed."""
