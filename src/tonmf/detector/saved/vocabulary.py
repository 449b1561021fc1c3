"""The vocabulary, and boilerplate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tonmf.storage.bundles import UNIT, Bundle
from tonmf.text.analysis import Analysis, Analyzer
from tonmf.text.choose import boilerplate_share, make_analysis
from tonmf.text.documents import COUNTS, ITEMS, TEXTS, items_of
from tonmf.text.passages import MOST_TEXTS, NOTHING, Boilerplate
from tonmf.text.vocabulary import Vocabulary
from tonmf.text.vocabulary.matrix import MatrixCounter
from tonmf.text.vocabulary.terms import TermCounter

LONGEST_PASSAGE = 200
"""Characters of a line or sentence of boilerplate that are saved, for people to read; it is known again by its key."""


def vocabulary_fields(counter: Vocabulary, excerpts: bool) -> dict[str, Any]:
    """Return the JSON part of a vocabulary."""
    if isinstance(counter, MatrixCounter):
        return {"names": None if counter.names is None else list(counter.names), "n_columns": counter.n_columns}
    boilerplate = [
        {"text": text[:LONGEST_PASSAGE] if excerpts else "", "terms": sorted(terms)}
        for text, terms in zip(counter.boilerplate.texts, counter.boilerplate.terms, strict=True)
    ]
    emoji = isinstance(counter.analyze, Analysis) and counter.analyze.emoji
    forms = {"forms": [counter.forms.get(term, term) for term in counter.terms]} if counter.forms else {}
    return {"terms": counter.terms, **forms, "boilerplate": boilerplate, "emoji": emoji}


def read_counter(bundle: Bundle, kind: str, parameters: Mapping[str, Any]) -> Vocabulary:
    """Read a vocabulary."""
    part = bundle.part("vocabulary")
    if kind == COUNTS:
        n_columns = part.whole("n_columns", low=1, high=2**31)
        names = part.texts("names", n_columns) if part.has("names") else None
        kept = part.indices("kept", (None,), n_columns)
        if len(kept) == 0 or (np.diff(kept) <= 0).any():
            raise bundle.wrong("the array vocabulary.kept must hold rising numbers of columns")
        return MatrixCounter.restored(names, kept, n_columns)
    terms = part.texts("terms")
    if not terms or len(set(terms)) != len(terms):
        raise bundle.wrong("vocabulary.terms must be different strings, at least one")
    analyze: Analyzer = items_of if kind == ITEMS else make_analysis(parameters, _emoji_are_words(part))
    boilerplate = _read_boilerplate(part) if kind == TEXTS else NOTHING
    forms = part.texts("forms", len(terms)) if part.has("forms") else terms
    different = {term: form for term, form in zip(terms, forms, strict=True) if form != term}
    return TermCounter.restored(analyze, terms, boilerplate, boilerplate_share(parameters, kind), different)


def _emoji_are_words(part: Bundle) -> bool:
    return part.has("emoji") and part.flag("emoji")  # models of earlier versions have no emoji


def _read_boilerplate(part: Bundle) -> Boilerplate:
    if not part.has("boilerplate"):  # saved by an earlier version
        return NOTHING
    parts = part.parts("boilerplate")
    keys = part.array("boilerplate_keys", np.int64, (len(parts),))
    if (keys[1:] <= keys[:-1]).any() or len(keys) > MOST_TEXTS:
        raise part.wrong(f"the array {part.prefix}boilerplate_keys must hold rising numbers, at most {MOST_TEXTS}")
    texts, terms = (tuple(one.text("text") for one in parts), tuple(tuple(one.texts("terms")) for one in parts))
    shares = part.positive("boilerplate_shares", np.float64, (len(parts),), most=UNIT)
    return Boilerplate(texts, terms, keys, shares)
