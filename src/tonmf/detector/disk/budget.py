"""Divide the memory limit.

Part of it goes to the interpreter and its libraries. A share of the rest goes to the words that are counted in the first pass.
When these are gone, the number of documents is known, each of which keeps a few numbers in memory throughout. What remains goes
to the vocabulary: each term takes some numbers in every fit of the ladder. A share is always left for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tonmf.errors import InputError, Param, ParameterError

BASE = 350_000_000
"""Bytes of the interpreter, the libraries, and the current block."""

PER_WORD, WORDS_SHARE = 260, 0.6
"""Bytes of a word while counting, and the share of memory for all of them."""

PER_NUMBER, TERMS_SHARE = 12, 0.3
"""Bytes of a term in a topic of a fit, and the share of memory that documents must leave for all of them."""

ROUNDED = 1.05
"""Factor by which the memory that an error asks for is raised, so that it suffices when rounded to few digits."""

PER_DOCUMENT = 200
"""Bytes of a document. Most are needed while copies are looked for: some 150, and some 200 if all documents are alike."""

SMALLEST = 500_000_000
"""Least memory limit, in bytes."""

UNITS = {"": 1, "B": 1, **{f"{prefix}B": 1000**n for n, prefix in enumerate("KMGT", 1)}}
UNITS |= {f"{prefix}IB": 1024**n for n, prefix in enumerate("KMGT", 1)}


def bytes_of(memory: int | float | str) -> int:
    """Parse a number of bytes, or a text such as "2GB", "800 MB" or "1.5GiB".

    >>> bytes_of("2GB"), bytes_of(600_000_000)
    (2000000000, 600000000)
    """
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([a-z]*)\s*", str(memory), re.IGNORECASE)
    if isinstance(memory, bool) or found is None or found[2].upper() not in UNITS:
        raise ParameterError(
            Param("memory"), f" must be a number of bytes, or a text such as '2GB' or '800MB'; got {memory!r}."
        )
    n_bytes = int(float(found[1]) * UNITS[found[2].upper()])
    if n_bytes < SMALLEST:
        raise ParameterError(
            Param("memory"),
            f" must be at least {in_units(SMALLEST)}, of which {in_units(BASE)} go to the interpreter and its libraries; "
            f"got {memory!r}.",
        )
    return n_bytes


def in_units(n_bytes: float) -> str:
    """Format a number of bytes.

    >>> in_units(2_000_000_000), in_units(750_000_000)
    ('2.0 GB', '750 MB')
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


@dataclass(frozen=True)
class Budget:
    """The memory limit in bytes for a ladder of `n_fits` that score, each of at most `max_topics` topics."""

    n_bytes: int
    n_fits: int
    max_topics: int

    @property
    def words(self) -> int:
        """Return the largest number of distinct words while counting."""
        return int(WORDS_SHARE * (self.n_bytes - BASE) / PER_WORD)

    def terms(self, n_docs: int) -> int:
        """Return the largest number of terms in the vocabulary of so many documents.

        >>> budget = Budget(1_000_000_000, n_fits=6, max_topics=25)
        >>> budget.terms(300_000), budget.terms(2_000_000)
        (245833, 104166)
        """
        free = self.n_bytes - BASE
        return int(max(free - PER_DOCUMENT * n_docs, TERMS_SHARE * free) / self._per_term)

    @property
    def _per_term(self) -> int:
        return PER_NUMBER * self.max_topics * (self.n_fits + 2)

    def check(self, n_docs: int) -> None:
        """Reject more documents than fit into memory."""
        most = (1 - TERMS_SHARE) * (self.n_bytes - BASE) / PER_DOCUMENT
        if n_docs > most:
            needed = n_docs * PER_DOCUMENT / (1 - TERMS_SHARE) + BASE
            raise InputError(
                f"{n_docs:,} documents need about {in_units(needed)} of memory, {PER_DOCUMENT} bytes for each; "
                f"{in_units(self.n_bytes)} are enough for {int(most):,}. Allow more, or learn from fewer documents and "
                "score the others."
            )

    def check_terms(self, n_terms: int, n_docs: int) -> None:
        """Reject a vocabulary that was made with a higher memory limit."""
        most = self.terms(n_docs)
        if n_terms > most:
            needed = ROUNDED * (n_terms * self._per_term + n_docs * PER_DOCUMENT + BASE)
            raise InputError(
                f"The cache has a vocabulary of {n_terms:,} words, which need about {in_units(needed)} of memory with so many "
                f"documents, topics and fits; {in_units(self.n_bytes)} are enough for {most:,}. Allow more, or give another "
                "folder, where documents are counted anew."
            )
